"""What no design can beat, and the paper's upper bound for HDoC. Pure formulas.

With d_i = d(mu_i, xi), the good arms sorted so that d_1 >= ... >= d_m, alpha and beta the
error rates of declaring and dropping, and kappa = kl(1-beta, alpha). The paper's delta is
alpha = beta. The lower bounds are for designs that always decide; a design capped at n_max
may stop earlier by leaving arms undecided.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gai_core.evidence import ErrorRates
from gai_core.study import Study, Truth
from gai_core.theory.against_control import (
    comparison,
    patients_per_evidence,
    patients_to_settle_all,
)

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["truth", "quantity", "bound", "value", "note"]

LABELS = {
    "theorem_1": "Theorem 1 (lower)",
    "asymptotic": "Asymptotic (lower, delta -> 0)",
    "sharper": "Sharper (lower, any delta)",
    "theorem_3": "Theorem 3 (upper, HDoC and `union`)",
    "corollary_1": "Corollary 1 (upper, HDoC and `union`)",
}

Numbers = NDArray[np.float64]

WHATEVER_VARIANCE = "whatever the variance of each dose"
NO_VARIANCE = f"for designs that keep their error rates {WHATEVER_VARIANCE}"


def within_rates(study: Study, whose: str = "its") -> str:
    """What the sharper bounds ask of a design beside that it always decides."""
    rates = f"within {whose} error rates"
    return rates if study.outcome.knows_variance else f"{rates} ({WHATEVER_VARIANCE})"


@dataclass(frozen=True)
class Bound:
    """A bound on an expected number of patients; `note` says what the value does not.

    The value is nan where the bound does not apply.
    """

    value: float
    note: str = ""


@dataclass(frozen=True)
class Instance:
    """What the bounds depend on: the divergences and gaps of one truth, and the error rates.

    `divergences` belong to the good arms, largest first; `all_divergences` to all, and
    `bad_divergences` to the others.
    `gaps` are |mu_i - xi| and `means` the means, best arm first, both divided by
    2 sqrt(s2) so that the Bernoulli formulas of Theorem 3 hold as printed.
    """

    divergences: Numbers
    all_divergences: Numbers
    bad_divergences: Numbers
    means: Numbers
    gaps: Numbers
    errors: ErrorRates
    knows_variance: bool = True

    @property
    def delta(self) -> float:
        """What bounds the chance of any wrong verdict: the larger of the error rates."""
        return self.errors.largest

    @property
    def note(self) -> str:
        """What designs the sharper bounds are for, beside that they always decide."""
        return "" if self.knows_variance else NO_VARIANCE

    @property
    def good(self) -> int:
        """m, the number of good arms."""
        return int(self.divergences.size)

    @property
    def arms(self) -> int:
        """K, the number of arms."""
        return int(self.means.size)


def instance(study: Study, truth: Truth) -> Instance:
    """The bounds' view of one truth of a study with a fixed target."""
    assert study.target is None  # else see `against_control`
    expected, xi = study.expected(truth), study.stream.target
    means = np.array([expected[arm] for arm in study.candidates])
    divergences = study.outcome.least_divergence(means, xi, study.spread(truth))
    unit = 2 * math.sqrt(study.outcome.s2)
    best_first = np.sort(means)[::-1]
    return Instance(
        divergences=np.sort(divergences[means >= xi])[::-1],
        all_divergences=divergences,
        bad_divergences=divergences[means < xi],
        means=best_first / unit,
        gaps=np.abs(best_first - xi) / unit,
        errors=study.error_rates,
        knows_variance=study.outcome.knows_variance,
    )


def kappa(alpha: float, beta: float | None = None) -> float:
    """kl(1-beta, alpha), the evidence for a verdict that is right with chance 1-beta.

    Where it would be wrong it has at most the chance alpha. Without a beta both are delta; 0 where
    they add up to 1 or more.
    """
    if beta is None or alpha == beta:
        # d(1-delta, delta) = (1 - 2 delta) (log(1-delta) - log delta), which no delta overflows.
        delta = alpha
        return (1 - 2 * delta) * (math.log1p(-delta) - math.log(delta)) if delta < 0.5 else 0.0
    if alpha + beta >= 1:
        return 0.0
    missed = beta * (math.log(beta) - math.log1p(-alpha))
    return (1 - beta) * (math.log1p(-beta) - math.log(alpha)) + missed


def theorem_1(problem: Instance, k: int) -> Bound:
    """sum_{i<=k} (1/d_i) log(1/(2 delta)) - m/d_k (Theorem 1)."""
    d = problem.divergences[:k]
    # log(1/2) - log(delta): 2 delta may be as small as a double can be.
    log = -math.log(2) - math.log(problem.delta)
    at_threshold = int((d == 0).sum())
    if at_threshold:
        # As these d go to 0, the terms with 1/d decide: (their number) log(1/(2 delta)) - m.
        if at_threshold * log > problem.good:
            return _at_threshold(k)
        return Bound(0.0, "says nothing here: the formula goes to minus infinity")
    value = float((1 / d).sum() * log - problem.good / d[-1])
    if value <= 0:
        return Bound(0.0, f"says nothing here: the formula gives {value:.0f}, below zero")
    return Bound(value, "" if problem.errors.same else f"with delta = {problem.delta:g}, {LARGER}")


def asymptotic(problem: Instance, k: int) -> Bound:
    """sum_{i<=k} log(1/alpha)/d_i, the leading term as alpha, beta -> 0 (the paper's figure)."""
    d = problem.divergences[:k]
    if d[-1] == 0:
        return _at_threshold(k)
    small = "delta; at this delta" if problem.errors.same else "alpha and beta; at these"
    return Bound(
        float(-math.log(problem.errors.declare) * (1 / d).sum()),
        f"holds in the limit of small {small} it is a guide",
    )


def sharper(problem: Instance, k: int) -> Bound:
    """kappa min_{k<=r<=m} (sum_{i<=r} 1/d_i) / (r - k + 1), for all error rates.

    Move any m-k+1 good arms just below xi: fewer than k good arms are left, so
    k declarations have at most the chance alpha there, and at least 1-beta here, and the
    change-of-measure inequality at tau_k gives sum_{i in B} E[N_i] d_i >= kappa
    for every such set B. The formula is the value of that linear programme.
    """
    needed_evidence = kappa(problem.errors.declare, problem.errors.drop)
    if needed_evidence == 0:
        return LOOSE
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.cumsum(1 / problem.divergences)
    sizes = np.arange(k, problem.good + 1)
    value = float(needed_evidence * (needed[k - 1 :] / (sizes - k + 1)).min())
    return _at_threshold(k) if math.isinf(value) else Bound(value, problem.note)


def sharper_stop(problem: Instance) -> Bound:
    """E[tau_stop] >= sum_i kappa_i/d_i for every PAC design (flip one arm at a time).

    kappa_i is kl(1-beta, alpha) for a good arm, which must be declared, and kl(1-alpha, beta) for
    a bad one, which must be dropped.
    """
    declare, drop = problem.errors.declare, problem.errors.drop
    for_good, for_bad = kappa(declare, drop), kappa(drop, declare)
    if for_good == 0:
        return LOOSE
    if (problem.all_divergences == 0).any():
        return Bound(
            math.inf, "infinite: an arm lies exactly at the threshold and is never settled"
        )
    if for_good == for_bad:
        return Bound(float(for_good * (1 / problem.all_divergences).sum()), problem.note)
    good, bad = ((1 / d).sum() for d in (problem.divergences, problem.bad_divergences))
    return Bound(float(for_good * good + for_bad * bad), problem.note)


LARGER = "the larger of alpha and beta"
ONE_RATE = Bound(math.nan, "does not apply: it is for one error rate, delta")
KNOWN_VARIANCE = Bound(math.nan, "does not apply: it is for outcomes of known variance")
LOOSE = Bound(0.0, "says nothing at a delta of 1/2 or more")
SAME_AS_CONTROL = Bound(
    math.inf, "infinite: a dose lies exactly at the target, the control's mean plus the margin"
)
NOT_AS_ASSUMED = Bound(math.nan, "does not apply: outcomes are not what the designs assume")


def _at_threshold(k: int) -> Bound:
    doses = "the first dose is" if k == 1 else f"{k} doses are"
    return Bound(math.inf, f"infinite: {doses} not to be had without one exactly at the threshold")


def _samples(problem: Instance, epsilon: Numbers) -> Numbers:
    """n_i of Theorem 3, one row per epsilon, arms best first.

    The proof needs (gap - epsilon)^2 <= 1; a gap cut to 1 is a weaker, valid claim.
    """
    c = (np.minimum(problem.gaps, 1.0) - epsilon[:, None]) ** 2
    root = math.sqrt(problem.arms) * math.exp(-math.log(problem.delta) / 2)
    return np.asarray(np.log(4 * root / c * np.log(5 * root / c)) / c)


def _epsilons(largest: float) -> Numbers:
    """A fine grid of admissible epsilon in (0, largest), also below 1/2 as the proof asks."""
    return min(largest, 0.5) * np.linspace(0, 1, 4001)[1:-1]


def _inapplicable(problem: Instance, k: int | None = None) -> str:
    """Why Theorem 3 says nothing on tau_k (on tau_stop without k), if so."""
    if problem.gaps.min() == 0:
        return "does not apply: an arm lies exactly at the threshold"
    if k is not None and k < problem.arms and problem.means[k - 1] == problem.means[k]:
        return f"does not apply: the means of the arms ranked {k} and {k + 1} are equal"
    return ""


def theorem_3(problem: Instance, k: int) -> Bound:
    """Theorem 3's upper bound on E[tau_k] under HDoC, least over epsilon."""
    why_not = _inapplicable(problem, k)
    if why_not:
        return Bound(math.nan, why_not)
    arms, smallest = problem.arms, min(float(problem.gaps.min()), 1.0)
    distances = np.minimum(problem.means[k - 1] - problem.means[k:], 1.0)
    epsilon = _epsilons(min(smallest, float(distances.min(initial=math.inf)) / 2))
    n = _samples(problem, epsilon)
    others = np.log(arms * n.max(axis=1))[:, None] / (2 * (distances - 2 * epsilon[:, None]) ** 2)
    power = 2 - epsilon**2 / (smallest - epsilon) ** 2
    value = (
        n[:, :k].sum(axis=1)
        + (others + problem.delta * n[:, k:]).sum(axis=1)
        + np.exp(power * math.log(arms)) / (2 * epsilon**2)
        + arms * (5 + np.log(1 / (2 * epsilon**2))) / (4 * epsilon**2)
    )
    # tau_k never exceeds tau_stop, so its bound holds for tau_k too.
    return min(
        Bound(float(value.min()), _least_at(float(epsilon[value.argmin()]))),
        theorem_3_stop(problem),
        key=lambda bound: bound.value,
    )


def theorem_3_stop(problem: Instance) -> Bound:
    """sum_i n_i + K/(2 epsilon^2), least over epsilon (any rule, Remark 2)."""
    why_not = _inapplicable(problem)
    if why_not:
        return Bound(math.nan, why_not)
    epsilon = _epsilons(min(float(problem.gaps.min()), 1.0))
    value = _samples(problem, epsilon).sum(axis=1) + problem.arms / (2 * epsilon**2)
    return Bound(float(value.min()), _least_at(float(epsilon[value.argmin()])))


def _least_at(epsilon: float) -> str:
    return f"burn-in 1, no n_max; least over epsilon, at {epsilon:.3g} x 2 sqrt(s2)"


def corollary_1(problem: Instance, k: int | None = None) -> Bound:
    """sum 1/(2 Delta_i^2), a bound on the limit of E[tau_k]/log(1/delta) as delta -> 0.

    Without k: of E[tau_stop]/log(1/delta).
    """
    why_not = _inapplicable(problem, k)
    if why_not:
        return Bound(math.nan, why_not)
    value = float((1 / (2 * problem.gaps[:k] ** 2)).sum())
    return Bound(value, "patients per unit of log(1/delta), in the limit")


def is_bounded(study: Study, truth: Truth) -> bool:
    """Whether outcomes are as assumed, and the control's mean is one that limits are made for."""
    return study.as_assumed(truth) and study.covered(truth)


def truth_bounds(study: Study, truth: Truth) -> Iterator[tuple[str, str, Bound]]:
    """(quantity, bound, Bound) for tau_1, ..., tau_m and tau_stop under one truth.

    The paper's are for a known target: against the control only the sharper ones are there.
    """
    if study.target is not None:
        for quantity, bound in sharper_bounds(study, truth):
            yield quantity, "sharper", bound
        return
    for quantity, name, bound in _bounds_as_assumed(instance(study, truth)):
        yield quantity, name, bound if study.as_assumed(truth) else NOT_AS_ASSUMED


def _bounds_as_assumed(problem: Instance) -> Iterator[tuple[str, str, Bound]]:
    """The paper's bounds are for one unknown number a dose; the sharper ones for any law."""
    for quantity, name, bound in _all_bounds(problem):
        applies = problem.knows_variance or name == "sharper"
        yield quantity, name, bound if applies else KNOWN_VARIANCE


def _all_bounds(problem: Instance) -> Iterator[tuple[str, str, Bound]]:
    upper = problem.errors.same
    for k in range(1, problem.good + 1):
        quantity = f"tau_{k}"
        yield quantity, "theorem_1", theorem_1(problem, k)
        yield quantity, "asymptotic", asymptotic(problem, k)
        yield quantity, "sharper", sharper(problem, k)
        yield quantity, "theorem_3", theorem_3(problem, k) if upper else ONE_RATE
        yield quantity, "corollary_1", corollary_1(problem, k) if upper else ONE_RATE
    yield "tau_stop", "sharper", sharper_stop(problem)
    yield "tau_stop", "theorem_3", theorem_3_stop(problem) if upper else ONE_RATE
    yield "tau_stop", "corollary_1", corollary_1(problem) if upper else ONE_RATE


def sharper_bounds(study: Study, truth: Truth) -> Iterator[tuple[str, Bound]]:
    """(quantity, Bound) for tau_1, ..., tau_m and tau_stop: only the sharper bounds, quickly."""
    if study.target is not None:
        yield from _against_control(study, truth)
        return
    problem, holds = instance(study, truth), study.as_assumed(truth)
    for k in range(1, problem.good + 1):
        yield f"tau_{k}", sharper(problem, k) if holds else NOT_AS_ASSUMED
    yield "tau_stop", sharper_stop(problem) if holds else NOT_AS_ASSUMED


def _against_control(study: Study, truth: Truth) -> Iterator[tuple[str, Bound]]:
    """The linear programmes of `against_control`, times the evidence that verdicts need."""
    problem, holds, errors = comparison(study, truth), is_bounded(study, truth), study.error_rates
    for_good, for_bad = kappa(errors.declare, errors.drop), kappa(errors.drop, errors.declare)
    note = "" if study.outcome.knows_variance else NO_VARIANCE
    for k in range(1, len(problem.good) + 1):
        bound = NOT_AS_ASSUMED
        if holds:
            value = for_good * patients_per_evidence(problem, k) if for_good else 0.0
            bound = Bound(value, note) if for_good else LOOSE
        yield f"tau_{k}", bound
    if not holds:
        yield "tau_stop", NOT_AS_ASSUMED
    elif not (for_good and for_bad):
        yield "tau_stop", LOOSE
    else:
        value = patients_to_settle_all(problem, for_good, for_bad)
        yield "tau_stop", Bound(value, note) if value < math.inf else SAME_AS_CONTROL


def bounds(study: Study) -> "pd.DataFrame":
    """All bounds of a study as a tidy table: truth, quantity, bound, value, note."""
    import pandas as pd

    rows = [
        (truth.name, quantity, name, bound.value, bound.note)
        for truth in study.truths
        for quantity, name, bound in truth_bounds(study, truth)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)

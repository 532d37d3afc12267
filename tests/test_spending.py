"""Designs that spend the whole of the allowed error, and never more."""

from typing import Any, ClassVar

import numpy as np
import pytest

from gai_core.criteria.exact import EXACT, ExactParameters, allowance
from gai_core.criteria.exact.calibration import CLOSE, bisect
from gai_core.criteria.mixture import beta_boundary, log_evidence
from gai_core.evidence import (
    Bernoulli,
    Curves,
    ErrorRates,
    Gaussian,
    GaussianUnknown,
    Outcome,
    Setting,
    of_pairs,
)
from gai_core.evidence.crossing import law

KNOWN = Gaussian(kind="gaussian", variance=1.0)
UNKNOWN = GaussianUnknown(kind="gaussian", variance="unknown")


@pytest.mark.parametrize("xi", [0.5, 0.35, 0.1])
@pytest.mark.parametrize("looks", [[10, 20, 40], list(range(5, 61)), [4, 60]])
def test_counts_lowered_in_one_sweep_are_those_lowered_one_by_one(
    xi: float, looks: list[int]
) -> None:
    """Double-programmed: forwards and backwards once, beside the law anew for every look."""
    alpha, at = 0.02, np.array(looks[::-1])
    accept = np.arange(62) + 1  # never
    accept[at] = np.ceil(at * xi + 4 * np.sqrt(at * xi * (1 - xi))).astype(int)
    swept, tried = (Curves(accept.copy(), np.full(62, -1)) for _ in range(2))
    for _ in range(3):
        counts = swept.accept[at] - 1
        first = Bernoulli().lower_counts(xi, swept, at, counts, alpha)
        second = Outcome.lower_counts(Bernoulli(), xi, tried, at, counts, alpha)
        assert first.tolist() == second.tolist()
        assert swept.accept.tolist() == tried.accept.tolist()
    assert (swept.accept < accept).any()


def test_a_kind_of_outcome_says_itself_what_limits_do_with_it() -> None:
    """One from outside shares no patients, lowers no count, or has a way of its own."""

    class Kept(Bernoulli):
        shares_patients: ClassVar[bool] = False

        def lower_counts(self, *given: Any) -> Any:
            return np.zeros(given[2].size, bool)

    class Lower(Gaussian):
        def used_up(self, sums: Any, target: float, alpha: float) -> Any:
            return sums - target - alpha

    looks = ExactParameters(looks=[10, 20, 40])  # type: ignore[arg-type]
    budget = ExactParameters(share="budget")

    def setting(outcome: Outcome, target: float) -> Setting:
        return Setting(2, target, ErrorRates.both(0.1), outcome, 40)

    ours, usual = setting(Kept(), 0.35), setting(Bernoulli(), 0.35)
    assert EXACT.problem(usual, budget) is None
    assert "must be bonferroni or sidak for responses" in str(EXACT.problem(ours, budget))
    less, same = EXACT.curves(usual, looks).accept, EXACT.curves(ours, looks).accept
    assert (less <= same).all()
    assert (less < same).any()
    scores = [setting(one, 0.5) for one in (Lower(**KNOWN.model_dump()), KNOWN)]
    lower, upper = (EXACT.curves(one, looks).accept[[10, 20, 40]] for one in scores)
    assert lower == pytest.approx(upper - 0.5 - 0.05)


def test_differences_of_rates_are_lowered_by_their_own_law() -> None:
    """Their sums go down too: what is known of counts of responders does not hold for them."""
    stream = of_pairs(Bernoulli(), 0.1, counted_by="differences", control_range=(0.0, 1.0))
    assert stream is not None
    setting = Setting(2, stream.target, ErrorRates.both(0.1), stream.outcome, 40)
    chosen = ExactParameters(looks=[10, 20, 40])  # type: ignore[arg-type]
    pair = EXACT.curves_of(setting, chosen)
    only = Curves(pair.accept, stream.outcome.never(np.arange(41.0))[1].astype(int))
    assert 0.02 < law(stream.outcome, stream.target, only).good.sum() <= 0.05
    for look in (10, 20, 40):
        lowered = Curves(only.accept.copy(), only.reject)
        lowered.accept[look] -= 1
        assert law(stream.outcome, stream.target, lowered).good.sum() > 0.05


@pytest.mark.parametrize("weights", [(10.0, 200.0), (0.01, 3.0, 1e5)])
@pytest.mark.parametrize(("xi", "alpha"), [(0.5, 0.01), (0.04, 1e-9), (0.97, 0.3)])
def test_the_walk_along_the_mixture_is_the_closed_form(
    xi: float, alpha: float, weights: tuple[float, ...]
) -> None:
    """Double-programmed: two multiplications a patient, beside incomplete beta functions."""
    n, target = np.arange(1.0, 2001.0), -np.log(alpha)
    counts = np.ceil(beta_boundary(2000, xi, weights, target))
    possible = counts <= n
    assert possible.sum() > 1000
    assert (log_evidence(n[~possible], n[~possible], xi, weights) < target).all()
    n, counts = n[possible], counts[possible]
    assert (log_evidence(counts, n, xi, weights) >= target).all()
    assert (log_evidence(counts - 1, n, xi, weights) < target + 1e-9).all()


@pytest.mark.parametrize(
    ("exponent", "looks", "published"),
    [
        (0.5, 4, 2.361),
        (0.5, 5, 2.413),
        (0.0, 5, 2.040),
        (0.25, 2, 2.038),
        (0.25, 4, 2.113),
        (0.25, 5, 2.136),
        (0.1, 5, 2.068),
        (0.4, 5, 2.267),
    ],
)
def test_wang_tsiatis_limits_are_the_published_ones(
    exponent: float, looks: int, published: float
) -> None:
    """Jennison and Turnbull (2000), tables 2.1, 2.3 and 2.9: two-sided .05, so .025 a side."""
    setting = Setting(1, 0.0, ErrorRates.both(0.025), KNOWN, 10 * looks)
    chosen = ExactParameters(shape="wang-tsiatis", exponent=exponent, looks={"equal": looks})  # type: ignore[arg-type]
    at = np.arange(10, 10 * looks + 1, 10)
    standard = EXACT.curves_of(setting, chosen).accept[at] / np.sqrt(at)
    # Two-sided tables leave out that a trial may cross both limits, which is far below a digit.
    assert standard * (at / at[-1]) ** (0.5 - exponent) == pytest.approx(published, abs=0.0011)


@pytest.mark.parametrize(("shape", "exponent"), [("pocock", 0.5), ("obrien-fleming", 0.0)])
def test_the_ends_of_wang_tsiatis_are_the_shapes_it_lies_between(
    shape: str, exponent: float
) -> None:
    setting = Setting(4, 0.4, ErrorRates.both(0.05), Bernoulli(), 120, 3)
    named = EXACT.curves_of(setting, ExactParameters(shape=shape))  # type: ignore[arg-type]
    same = EXACT.curves_of(setting, ExactParameters(shape="wang-tsiatis", exponent=exponent))
    assert same.accept.tolist() == named.accept.tolist()
    assert same.reject.tolist() == named.reject.tolist()


def _paired(outcome: Outcome) -> tuple[Outcome, float]:
    stream = of_pairs(outcome, 0.0, counted_by="discordant", control_range=(0.0, 1.0))
    assert stream is not None
    return stream.outcome, stream.target


@pytest.mark.parametrize(
    ("outcome", "xi"),
    [(Bernoulli(), 0.3), (KNOWN, 0.7), (UNKNOWN, 0.7), _paired(Bernoulli()), _paired(UNKNOWN)],
    ids=["rates", "scores", "unknown variance", "discordant pairs", "differences"],
)
def test_wang_tsiatis_spends_its_allowance_and_no_more(outcome: Outcome, xi: float) -> None:
    setting = Setting(3, xi, ErrorRates(declare=0.05, drop=0.2), outcome, 60, 4)
    chosen = ExactParameters(shape="wang-tsiatis", exponent=0.3, looks=10)
    pair = EXACT.curves_of(setting, chosen)
    for side, error in (("good", 0.05), ("bad", 0.2)):
        only = Curves(pair.accept, outcome.never(np.arange(pair.accept.size, dtype=float))[1])
        if side == "bad":
            only = Curves(outcome.never(np.arange(pair.accept.size, dtype=float))[0], pair.reject)
        spent = getattr(law(outcome, setting.target, only, step=0.2), side).sum()
        allowed = allowance(setting.at(error), "bonferroni")
        assert (0.75 if outcome.whole else 0.999) * allowed < spent <= allowed


@pytest.mark.parametrize(
    ("outcome", "xi"), [(Bernoulli(), 0.5), (KNOWN, 0.7)], ids=["rates", "scores"]
)
def test_looks_that_only_drop_cost_no_error(outcome: Outcome, xi: float) -> None:
    """Declared at the last look alone, the limit there is that of one test."""
    setting = Setting(3, xi, ErrorRates(declare=0.05, drop=0.2), outcome, 120, 4)
    four: Any = {"looks": {"equal": 4}, "shape": "obrien-fleming"}
    every, late, last = (
        EXACT.curves_of(setting, ExactParameters(**four, declare_from=share))
        for share in (0.0, 0.7, 1.0)
    )
    once = EXACT.curves_of(setting, ExactParameters(looks="end"))
    declares, drops = zip(*(one.can_decide(outcome) for one in (every, late, last)), strict=True)
    assert [np.flatnonzero(at).tolist() for at in declares] == [
        [10, 20, 30, 40], [30, 40], [40]
    ]  # fmt: skip
    assert all(np.flatnonzero(at).tolist() == [10, 20, 30, 40] for at in drops)
    assert last.accept[40] == once.accept[40]
    assert every.accept[40] >= late.accept[40] >= last.accept[40]
    assert every.reject.tolist() == late.reject.tolist() == last.reject.tolist()


@pytest.mark.parametrize(
    ("arms", "delta", "n_max", "chosen"),
    [
        (30, 0.001, 43, {"shape": "mixture", "share": "sidak", "looks": 11}),
        (2, 0.05, 40, {"looks": 10}),
        (5, 0.01, 90, {"shape": "wang-tsiatis", "exponent": 0.2, "looks": 30}),
        (3, 0.3, 12, {"shape": "obrien-fleming"}),
    ],
)
def test_limits_for_scores_err_within_their_allowance_by_a_finer_quadrature(
    arms: int, delta: float, n_max: int, chosen: dict[str, object]
) -> None:
    """With the first of these the quadrature erred by itself: 2.2 millionths were too much."""
    setting = Setting(arms, 0.0, ErrorRates.both(delta), KNOWN, n_max)
    parameters = ExactParameters(**chosen)  # type: ignore[arg-type]
    pair = EXACT.curves_of(setting, parameters)
    only = Curves(pair.accept, np.full(pair.accept.size, -np.inf))
    allowed = allowance(setting, parameters.share)
    spent = law(KNOWN, 0.0, only, smallest=allowed, step=0.08).good.sum()
    assert (1 - 2e-5) * allowed < spent <= allowed


@pytest.mark.parametrize("alpha", [0.003, 0.01, 0.04])
@pytest.mark.parametrize("last", [7, 40, 150])
def test_smaller_steps_of_the_constant_would_find_the_same_limits(last: int, alpha: float) -> None:
    """Beside a bisection that goes on until the constant itself is known."""
    n, steps = np.arange(last + 1), list[float]()

    def limits(c: float) -> Any:
        steps.append(c)
        return np.minimum(np.ceil(n * 0.3 + c * np.sqrt(n * 0.21) + 1e-9), n + 1).astype(np.int64)

    def chance(counts: Any) -> float:
        return float(law(Bernoulli(), 0.3, Curves(counts, np.full(last + 1, -1))).good.sum())

    found = bisect(limits, chance, alpha)
    needed = len(steps)
    steps.clear()
    low, high = 0.0, 1.0
    while chance(limits(high)) > alpha:
        low, high = high, 2 * high
    while high - low > CLOSE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if chance(limits(middle)) <= alpha else (middle, high)
    assert needed <= len(steps) + 1
    assert (limits(found) == limits(high)).all()
    assert chance(limits(found)) <= alpha < chance(limits(low))

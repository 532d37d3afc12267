"""What a candidate is worth on so many trials: the patients it needs where it reaches the wish.

Every candidate sees the same patients. It is simulated at a few n_max near the one at which its
chance is the wished one, and what it needs there follows by interpolation. The chance p(n) of a
test with normal statistics has probit(p) + probit(1 - alpha/K) proportional to sqrt(n), which
gives the first guess; two values tried give the slope.

With the cost C (patients enrolled, averaged over the weighted truths) and the share of successes H
in trials with n patients at most, the cost at the wished chance w is C - (dC/dp)(H - w) to first
order, dC/dp = (dC/dn)/(dp/dn). So trial i stands for C_i - (dC/dp)(H_i - w), and the standard error
of a paired difference of these numbers counts the uncertainty of both n_max, too.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import InputError, checked_threads, finished, own_threads
from gai_core.engine import Runs, Work, simulate
from gai_core.questions.comparing import quantity
from gai_core.questions.design_candidate import NAME, Candidate
from gai_core.questions.plan_search import Wish
from gai_core.results import judged, quantities_of
from gai_core.study import Study, changed, narrowed, varied

Minimise = Literal["enrolled", "largest", "months"]
COSTS = {"enrolled": "enrolled", "largest": "enrolled", "months": "months_end"}
"""What is averaged over trials; the largest sample size needs no average."""
ELASTICITY = 0.6
"""The cost grows as this power of n_max, where two values of it have not shown otherwise."""
STEEPEST, FLATTEST = 3.0, 0.3
"""Slopes of the chance beyond these multiples of the expected one are taken for noise."""
MOST_TRIES, MOST_NARROWING = 4, 7
"""Values of n_max at which a candidate is simulated, on few trials and on more."""
ROUGH = 0.02
"""Where chances need not come nearer than this, the trials are few."""
STEP, CLOSE = 1.04, 1.05
"""Values beyond those that were tried, in multiples of the last; two so far apart are close."""
FARTHEST = 3.0
"""One step changes n_max by this factor at most."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Aim:
    """What is asked of every candidate: the wish, the weights of the truths, what is minimised."""

    study: Study
    wish: Wish
    under: str
    weights: Mapping[str, float]
    minimise: Minimise
    limit: int
    """The largest n_max that is allowed."""

    @property
    def truths(self) -> list[str]:
        """Every truth that counts, once."""
        return list(dict.fromkeys([self.under, *self.weights]))

    @property
    def strictness(self) -> float:
        """probit(1 - alpha/K): how many standard deviations a dose must lie above the target."""
        from scipy.special import ndtri

        return float(-ndtri(self.study.error_rates.declare / len(self.study.candidates)))


@dataclass(frozen=True)
class Cost:
    """What trials cost, and the patients on average: under one truth, or over weighted ones."""

    per_trial: Numbers
    enrolled: float


@dataclass(frozen=True)
class Tried:
    """A candidate simulated with one n_max, under the truth of the wish and perhaps others."""

    n_max: int
    success: Numbers
    """Per trial under the truth of the wish: 1 or 0."""
    under: Mapping[str, Cost]
    """By truth, for those that were simulated."""

    @property
    def chance(self) -> float:
        """The share of successes."""
        return float(self.success.mean())


@dataclass(frozen=True, eq=False)
class Worth:
    """What a candidate needs to reach the wish, on so many trials."""

    candidate: Candidate
    runs: int
    n_max: float
    """Where the chance is the wished one, by interpolation; infinite where it is out of reach."""
    cost: float
    enrolled: float
    chance: float
    """The largest chance that was seen."""
    per_trial: Numbers
    """One number per trial whose mean is the cost."""

    @property
    def reaches(self) -> bool:
        """Whether the wish is within reach."""
        return math.isfinite(self.n_max)


def sized(aim: Aim, candidate: Candidate, n_max: int, runs: int, truths: Sequence[str]) -> Study:
    """The study with this one design."""
    alone = aim.study.model_copy(update={"designs": (candidate.design(),)})
    if candidate.cohort is not None:
        alone = varied(alone, {"conduct.cohort": candidate.cohort}, "within")
    return changed(narrowed(alone, truths, [NAME]), n_max=n_max, runs=runs)


def tried(
    aim: Aim, candidate: Candidate, n_max: int, runs: int, work: Work, truths: Sequence[str]
) -> Tried | None:
    """Simulate a candidate with one n_max; None where it does not fit the study."""
    try:
        study = sized(aim, candidate, n_max, runs, truths)
    except InputError:
        return None
    return tallied(aim, n_max, work.simulate(study))


def tallied(aim: Aim, n_max: int, runs: Runs) -> Tried:
    """What counts of trials, those under the truth of the wish among them."""
    wished = quantities_of(runs.study)[aim.wish.quantity]
    success = np.asarray(wished.value(judged(runs, aim.under, NAME)), np.float64)
    return Tried(n_max, success, _costs(aim, runs))


def _costs(aim: Aim, runs: Runs) -> dict[str, Cost]:
    """Under every truth of the runs."""
    found = {}
    for truth in runs.study.truths:
        trials = judged(runs, truth.name, NAME)
        per_trial = quantity(COSTS[aim.minimise]).per_trial(trials)
        enrolled = float(quantity("enrolled").per_trial(trials).mean())
        found[truth.name] = Cost(per_trial, enrolled)
    return found


def averaged(aim: Aim, candidate: Candidate, here: Tried, work: Work) -> Cost:
    """Summed over the truths by their weights; those that are missing are simulated now."""
    known, runs = dict(here.under), here.success.size
    missing = [truth for truth in aim.weights if truth not in known]
    if missing:
        known |= _costs(aim, work.simulate(sized(aim, candidate, here.n_max, runs, missing)))
    costs, enrolled = np.zeros(runs), 0.0
    for truth, weight in aim.weights.items():
        costs += weight * known[truth].per_trial
        enrolled += weight * known[truth].enrolled
    return Cost(costs, enrolled)


def worth(
    aim: Aim, candidate: Candidate, guess: float, runs: int, near: float, work: Work
) -> Worth:
    """What a candidate is worth on so many trials, from a first guess of its n_max.

    On few trials values are tried until the chance is as `near` to the wish, or it is out of
    reach. On more the wish must lie between two values that are close to each other: few looks
    at whole counts make the chance a staircase in n_max, and one value below a step would promise
    a wish that the next values do not reach. Only two of these values need the other truths.
    """
    seen: list[Tried] = []
    n_max, truths = round(min(guess, aim.limit)), aim.truths if near > ROUGH else [aim.under]
    for _ in range(MOST_TRIES if near > ROUGH else MOST_NARROWING):
        found = tried(aim, candidate, n_max, runs, work, truths)
        if found is None:
            break
        seen.append(found)
        seen.sort(key=lambda one: abs(one.chance - aim.wish.chance))
        n_max = _next(aim, seen) if near > ROUGH else _narrowing(aim, seen)
        is_near = near > ROUGH and abs(seen[0].chance - aim.wish.chance) <= near
        if is_near or n_max in {one.n_max for one in seen}:
            break
    return _worth(aim, candidate, runs, near, seen, work)


def _next(aim: Aim, seen: Sequence[Tried]) -> int:
    """Where the wish is expected, not too far from the value that came nearest to it."""
    here = seen[0].n_max
    return round(min(max(needed(aim, seen), here / FARTHEST), here * FARTHEST, aim.limit))


def _narrowing(aim: Aim, seen: Sequence[Tried]) -> int:
    """A value between two with the wish between them, or beyond all, in steps that grow.

    One that was tried already where the two are close.
    """
    low, high = around(aim, seen)
    farther = STEP ** (1 << (len(seen) - 1))
    wanted = needed(aim, seen)
    if high is None:
        assert low is not None
        return round(min(max(wanted, farther * low.n_max), aim.limit))
    if low is None:
        return max(round(min(wanted, high.n_max / farther)), 2)
    if high.n_max <= CLOSE * low.n_max + 1:
        return high.n_max
    margin = (high.n_max - low.n_max) / 4
    return round(min(max(wanted, low.n_max + margin), high.n_max - margin))


def around(aim: Aim, seen: Sequence[Tried]) -> tuple[Tried | None, Tried | None]:
    """The smallest value tried that reaches the wish, and the largest below it that does not."""
    able = [one for one in seen if one.chance >= aim.wish.chance]
    high = min(able, key=lambda one: one.n_max, default=None)
    short = [one for one in seen if one not in able and (not high or one.n_max < high.n_max)]
    return max(short, key=lambda one: one.n_max, default=None), high


def needed(aim: Aim, seen: Sequence[Tried]) -> float:
    """The n_max at which the chance is the wished one; the first of `seen` is nearest to it."""
    here = seen[0]
    low, high = around(aim, seen)
    if low is not None and high is not None:
        part = (aim.wish.chance - low.chance) / (high.chance - low.chance)
        return low.n_max + part * (high.n_max - low.n_max)
    scaled = _scaled(aim, here.chance)
    slope = scaled / math.sqrt(here.n_max)
    if len(seen) > 1 and seen[1].n_max != here.n_max:
        steps = math.sqrt(here.n_max) - math.sqrt(seen[1].n_max)
        found = (scaled - _scaled(aim, seen[1].chance)) / steps
        slope = min(max(found, FLATTEST * slope), STEEPEST * slope)
    root = math.sqrt(here.n_max) + (_scaled(aim, aim.wish.chance) - scaled) / slope
    return max(root, 1.0) ** 2


def _scaled(aim: Aim, chance: float) -> float:
    """probit(p) + probit(1 - alpha/K), about proportional to sqrt(n)."""
    from scipy.special import ndtri

    return float(max(ndtri(min(max(chance, 1e-3), 1 - 1e-3)) + aim.strictness, 0.1))


def _worth(
    aim: Aim, candidate: Candidate, runs: int, near: float, seen: Sequence[Tried], work: Work
) -> Worth:
    wish = aim.wish.chance
    n_max = needed(aim, seen) if seen else math.inf
    out_of_reach = not seen or (n_max > aim.limit and max(one.chance for one in seen) < wish - near)
    if out_of_reach:
        most = max((one.chance for one in seen), default=0.0)
        nothing = np.full(runs, math.inf)
        return Worth(candidate, runs, math.inf, math.inf, math.inf, most, nothing)
    seen = sorted(seen, key=lambda one: abs(one.n_max - n_max))[:2]
    here, ratio = seen[0], n_max / seen[0].n_max
    costs_at = [averaged(aim, candidate, one, work) for one in seen]
    elasticity = _elasticity(seen, costs_at)
    enrolled = costs_at[0].enrolled * ratio**elasticity
    if aim.minimise == "largest":
        mean, cost, rise = float(here.n_max), n_max, 1.0
        costs = np.full(runs, mean)
    else:
        costs = costs_at[0].per_trial
        mean = float(costs.mean())
        cost = mean * ratio**elasticity
        rise = elasticity * mean / here.n_max
    per_chance = rise / _steepness(aim, here.n_max)
    per_trial = cost + (costs - mean) - per_chance * (here.success - here.chance)
    return Worth(candidate, runs, n_max, cost, enrolled, here.chance, per_trial)


def _elasticity(seen: Sequence[Tried], costs_at: Sequence[Cost]) -> float:
    """d log(cost) / d log(n_max) between the first two values."""
    if len(seen) < 2 or seen[0].n_max == seen[1].n_max:
        return ELASTICITY
    costs = [max(float(one.per_trial.mean()), 1e-9) for one in costs_at]
    found = math.log(costs[0] / costs[1]) / math.log(seen[0].n_max / seen[1].n_max)
    return min(max(found, 0.0), 1.0)


def _steepness(aim: Aim, n_max: int) -> float:
    """dp/dn at the wish."""
    from scipy.special import ndtri

    probit = float(ndtri(aim.wish.chance))
    density = math.exp(-probit * probit / 2) / math.sqrt(2 * math.pi)
    return density * _scaled(aim, aim.wish.chance) / (2 * n_max)


def _nothing() -> None:
    """Nobody wants to know."""


def all_worth(
    aim: Aim,
    guesses: Iterable[tuple[Candidate, float]],
    runs: int,
    near: float,
    work: Work,
    each: Callable[[], None] = _nothing,
) -> list[Worth]:
    """What several candidates are worth, in their order; as many at once as there are threads."""
    asked = list(guesses)
    crew = work.workers
    threads = crew.count if crew else checked_threads(work.threads)
    alone = replace(work, threads=1, progress=None, simulator=simulate)

    def one(i: int) -> tuple[int, Worth]:
        candidate, guess = asked[i]
        return i, worth(aim, candidate, guess, runs, near, alone)

    found = {}
    with own_threads(threads) as pool:
        for i, value in finished((partial(one, i) for i in range(len(asked))), pool, work.cancel):
            found[i] = value
            each()
    return [found[i] for i in range(len(asked))]

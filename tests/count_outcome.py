"""A third kind of outcome and a criterion for it, written as somebody outside would write them.

A count with a Poisson law: the mean is the number of events that a good dose reaches.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy
from scipy.stats import poisson

from gai_core.criteria.criterion import ALWAYS_VALID, Criterion
from gai_core.criteria.sides import curves_from
from gai_core.evidence import Curves, Outcome, Setting, Stream, only, uniform

Numbers = NDArray[np.float64]
LARGEST = 50.0
STEPS = 60


def draw_count(stream: Stream, location: float, _spread: float) -> tuple[int, Stream]:
    """How many uniform numbers can be multiplied before the product falls to exp(-mean)."""
    limit, count = math.exp(-location), 0
    product, stream = uniform(stream)
    while product > limit:
        u, stream = uniform(stream)
        product *= u
        count += 1
    return count, stream


def move_count(location: float, shift: float) -> float:
    return max(location + shift, 0.0)


def largest_count_mean(mean: float, width: float, x: float) -> float:
    """q with m log(m/q) + q - m = (width x)^2 / 2, by Newton's steps from above."""
    level = 0.5 * (width * x) ** 2
    if mean <= 0.0:
        return level
    q = mean + level + math.sqrt(level * level + 2.0 * mean * level)
    for _ in range(20):
        if q <= mean:
            return mean
        q -= (mean * math.log(mean / q) + q - mean - level) / (1.0 - mean / q)
    return q


COMPILED = draw_count, move_count, largest_count_mean


class Count(Outcome):
    """How many events a patient has."""

    kind: Literal["count"]

    key: ClassVar[str] = "count"
    label: ClassVar[str] = "Count (joints that improved)"
    noun: ClassVar[str] = "a count"
    plural: ClassVar[str] = "counts"
    scale_formula: ClassVar[str] = "1"
    endpoint_example: ClassVar[str] = "joints that improved by week 12"
    limit_name: ClassVar[str] = "events"
    usual_targets: ClassVar[Mapping[str, float]] = {"two joints": 2.0}
    mean_range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    sum_type: ClassVar[type] = np.int64
    curve_type: ClassVar[type] = np.float64
    draw: ClassVar[Callable[..., Any]] = staticmethod(draw_count)
    move: ClassVar[Callable[..., Any]] = staticmethod(move_count)
    largest_mean: ClassVar[Callable[..., float]] = staticmethod(largest_count_mean)
    whole: ClassVar[bool] = True
    dropouts_count_as: ClassVar[str] = "baseline"
    dropouts_in_words: ClassVar[str] = "not improved"
    largest_count: ClassVar[int] = 500
    largest_calibration: ClassVar[int] = 500

    @property
    def s2(self) -> float:
        return 1.0

    @property
    def drawn(self) -> str:
        return "a Poisson count with the assumed mean"

    def variance_at(self, mean: float) -> float:
        return mean

    def mean_problem(self, mean: float) -> str | None:
        return None if 0 <= mean <= LARGEST else f"must lie between 0 and {LARGEST:g} (a count)"

    def divergence(self, x: ArrayLike, y: ArrayLike) -> Numbers:
        x, y = np.asarray(x, float), np.asarray(y, float)
        return np.asarray(xlogy(x, x / y) + y - x)

    def locations(self, means: Sequence[float]) -> Numbers:
        return np.array(means)

    def sample(self, generator: random.Random, mean: float) -> float:
        """Arrivals within a unit of time."""
        time, count = generator.expovariate(mean), 0
        while time < 1:
            time += generator.expovariate(mean)
            count += 1
        return float(count)

    def remaining_mean(self, mean: float, dropout: float, on_target: float) -> float:
        """E[X; X >= k] = m P(X >= k - 1) for the least k on target."""
        above, least = poisson.sf(math.ceil(mean) - 1, mean), math.ceil(mean)
        events_above = mean * poisson.sf(least - 2, mean)
        stay, stay_above = 1 - dropout, 1 - on_target
        events = stay_above * events_above + stay * (mean - events_above)
        return float(events / (stay_above * above + stay * (1 - above)))

    def crossing(
        self, mean: float, accept: Numbers, reject: Numbers, smallest: float, step: float
    ) -> tuple[Numbers, Numbers]:
        """The sum's chances, patient by patient, without those who have a verdict."""
        good, bad = np.zeros(accept.size), np.zeros(accept.size)
        most = accept.size * mean
        sums = np.arange(math.ceil(most + 10 * math.sqrt(most) + 40))  # beyond it, hardly ever
        one, alive = poisson.pmf(sums, mean), (sums == 0).astype(float)
        for n in range(1, accept.size):
            alive = np.convolve(alive, one)[: sums.size]
            above, below = sums >= accept[n], sums <= reject[n]
            good[n], bad[n] = alive[above].sum(), alive[below].sum()
            alive[above | below] = 0.0
        return good, bad

    def test_limit(self, alpha: float, n: Numbers, mean: float) -> Numbers:
        return np.asarray(poisson.isf(alpha, n * mean))

    def tails(
        self, n: NDArray[Any], mean: float, accept: NDArray[Any], reject: NDArray[Any]
    ) -> tuple[Numbers, Numbers]:
        return poisson.sf(np.ceil(accept) - 1, n * mean), poisson.cdf(reject, n * mean)

    def limits_shown(self, n: NDArray[Any], sums: Numbers) -> Numbers:
        return sums

    def limit_in_words(self, limit: float) -> str:
        return f"{limit:.0f}"


def count_curves(setting: Setting, _parameters: Any) -> Curves:
    """Good if S/n > xi and n d(S/n, xi) >= log(K pi^2 n^2 / (6 delta)), bad if it is below."""
    n, xi, d = setting.counts[1:], setting.threshold, setting.outcome.divergence
    needed = np.log(setting.arms * math.pi**2 * n * n / (6 * setting.errors.declare)) / n

    def beyond(low: Numbers, high: Numbers) -> Numbers:
        """The mean between the target and the end at which the evidence is enough."""
        for _ in range(STEPS):
            middle = (low + high) / 2
            enough = d(middle, xi) >= needed
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return high

    at_target = np.full_like(n, xi)
    accept = np.ceil(n * beyond(at_target, np.full_like(n, 1000 * xi)))
    down = beyond(at_target, np.zeros_like(n))
    reject = np.where(d(down, xi) >= needed, np.floor(n * down), setting.outcome.never(n)[1])
    return curves_from(setting, accept, reject)


COUNT_UNION = Criterion(
    key="count-union",
    label="A union bound for counts",
    formula="n d(m, xi) >= log(K pi^2 n^2 / (6 delta))",
    citation="Chernoff, Ann. Math. Statist. 23:493, 1952",
    suits=only("count"),
    guarantee="always",
    promises=ALWAYS_VALID,
    curves=count_curves,
)

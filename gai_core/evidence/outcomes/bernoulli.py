"""Responder or not."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gai_core.basics import jitable, wilson
from gai_core.evidence.outcomes.bernoulli_mean import largest_rate
from gai_core.evidence.outcomes.outcome import Numbers, Outcome
from gai_core.evidence.outcomes.whole_sums import least_whole, least_whole_that
from gai_core.evidence.random_streams import Stream, step
from gai_core.evidence.seen import Seen

if TYPE_CHECKING:
    from gai_core.evidence.setting import Curves

_UNIFORM_SHIFT = np.uint64(11)
_UNIFORM_SIZE = 2.0**53

EXTREME_RATE = 1e-6
"""A target response rate is at least this far from 0 and 1."""


@jitable
def draw_bernoulli(stream: Stream, location: np.uint64, spread: float) -> tuple[int, Stream]:
    """1 with probability p, where location = ceil(p 2^53): u < p compared as integers."""
    bits, stream = step(stream)
    return np.int64((bits >> _UNIFORM_SHIFT) < location), stream  # type: ignore[return-value]


@jitable
def move_bernoulli(location: np.uint64, shift: float) -> np.uint64:
    """The location of the rate p + shift, kept within 0 and 1."""
    rate = np.float64(location) / _UNIFORM_SIZE + shift
    return np.uint64(math.ceil(min(max(rate, 0.0), 1.0) * _UNIFORM_SIZE))


class Bernoulli(Outcome):
    """Responder or not: outcome 1 or 0, the mean is the response rate."""

    kind: Literal["bernoulli"] = "bernoulli"

    key: ClassVar[str] = "bernoulli"
    label: ClassVar[str] = "Response, yes or no (ACR20)"
    noun: ClassVar[str] = "a response"
    plural: ClassVar[str] = "responses"
    scale_formula: ClassVar[str] = "1/4"
    endpoint_example: ClassVar[str] = "ACR20 response at week 12"
    marks: ClassVar[tuple[str, ...]] = ("responder", "no response")
    limit_name: ClassVar[str] = "responders"

    usual_targets: ClassVar[Mapping[str, float]] = {
        "ACR20: 0.50": 0.5,
        "ACR20: 0.60": 0.6,
        "ACR50: 0.30": 0.3,
    }
    usual_margin: ClassVar[float | None] = 0.2
    target_step: ClassVar[float] = 0.05
    variation_step: ClassVar[float] = 0.05
    mean_range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    mean_name: ClassVar[str] = "response rate"
    usual_interval_name: ClassVar[str] = "Wilson's interval"

    sum_type: ClassVar[type] = np.int32
    curve_type: ClassVar[type] = np.int64
    draw: ClassVar[Callable[..., Any]] = staticmethod(draw_bernoulli)
    move: ClassVar[Callable[..., Any]] = staticmethod(move_bernoulli)
    largest_mean: ClassVar[Callable[..., float]] = staticmethod(largest_rate)

    whole: ClassVar[bool] = True
    mirrors: ClassVar[bool] = True
    sub_gaussian: ClassVar[bool] = True
    shares_patients: ClassVar[bool] = True
    dropouts_count_as: ClassVar[str] = "non-response"
    dropouts_in_words: ClassVar[str] = "non-responders"
    all_or_nothing: ClassVar[bool] = True
    largest_count: ClassVar[int] = 100_000
    largest_calibration: ClassVar[int] = 50_000

    @property
    def s2(self) -> float:
        """Hoeffding's scale of a variable in [0, 1]."""
        return 0.25

    @property
    def drawn(self) -> str:
        """What one simulated outcome is, in words."""
        return "a response with the assumed probability"

    def variance_at(self, mean: float) -> float:
        """p (1-p), the variance of one outcome with that mean."""
        return mean * (1 - mean)

    def mean_problem(self, mean: float) -> str | None:
        """Why `mean` cannot be a mean of this outcome, if so."""
        return None if 0 <= mean <= 1 else "must lie between 0 and 1 (a response rate)"

    def threshold_problem(self, threshold: float) -> str | None:
        """Why `threshold` cannot be a target of this outcome, if so."""
        if 0 < threshold < 1:
            inside = EXTREME_RATE <= threshold <= 1 - EXTREME_RATE
            return None if inside else f"must not be closer than {EXTREME_RATE:g} to 0 or 1"
        return "must lie between 0 and 1, both excluded"

    def divergence(self, x: ArrayLike, y: ArrayLike) -> Numbers:
        """d(x,y) = x log(x/y) + (1-x) log((1-x)/(1-y)), with 0 log 0 = 0."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        with np.errstate(divide="ignore", invalid="ignore"):
            of_ones = np.where(x > 0, x * np.log(x / y), 0.0)
            of_zeros = np.where(x < 1, (1 - x) * np.log((1 - x) / (1 - y)), 0.0)
        # Pinsker's inequality: d is at least this, also where rounding would make it negative.
        return np.asarray(np.maximum(of_ones + of_zeros, 2 * (x - y) ** 2))

    def locations(self, means: Sequence[float]) -> NDArray[np.uint64]:
        """The rates as integers that 53 random bits are compared with."""
        return np.array([math.ceil(mean * _UNIFORM_SIZE) for mean in means], np.uint64)

    def sample(self, generator: random.Random, mean: float) -> float:
        """1 with probability p."""
        return float(generator.random() < mean)

    def remaining_mean(self, mean: float, dropout: float, on_target: float) -> float:
        """p (1-r) / (p (1-r) + (1-p) (1-q)): responders leave with chance r, others with q."""
        staying = mean * (1 - on_target)
        return staying / (staying + (1 - mean) * (1 - dropout))

    def never(self, n: Numbers) -> tuple[NDArray[Any], NDArray[Any]]:
        """More responders than patients, or fewer than none."""
        return n + 1, np.full_like(n, -1)

    def least_sum(self, n: Numbers, sums: Numbers) -> Numbers:
        """The least whole count not below the boundary, n + 1 where not even n is enough."""
        return least_whole(sums, n + 1)

    def least_that(
        self, n: Numbers, guess: Numbers, holds: Callable[[Numbers], NDArray[np.bool_]]
    ) -> Numbers:
        """The least whole count for which `holds`, n + 1 where none does."""
        return least_whole_that(guess, holds, n + 1)

    def mirrored_target(self, target: float) -> float:
        """The rate of those who do not respond."""
        return 1 - target

    def mirrored_sum(self, n: Numbers, sums: Numbers) -> Numbers:
        """n - S: those who do not respond."""
        return n - sums

    def crossing(
        self, mean: float, accept: Numbers, reject: Numbers, smallest: float, step: float
    ) -> tuple[Numbers, Numbers]:
        """By a recursion over the whole counts, which is exact."""
        from gai_core.evidence.crossing import lattice

        return lattice(mean, accept, reject, smallest)

    def test_limit(self, alpha: float, n: Numbers, mean: float) -> Numbers:
        """The upper quantile of a binomial count."""
        from scipy.stats import binom

        return np.asarray(binom.isf(alpha, n, mean))

    def tails(
        self, n: NDArray[Any], mean: float, accept: NDArray[Any], reject: NDArray[Any]
    ) -> tuple[Numbers, Numbers]:
        """Tails of a binomial count."""
        from scipy.stats import binom

        return binom.sf(accept - 1, n, mean), binom.cdf(reject, n, mean)

    def lower_counts(
        self,
        mean: float,
        upper: "Curves",
        looks: NDArray[np.int64],
        counts: NDArray[np.int64],
        alpha: float,
    ) -> NDArray[np.bool_]:
        """All looks in one sweep."""
        from gai_core.evidence.lattice_lowering import lower_counts

        return lower_counts(mean, upper.accept, looks, counts, alpha)

    def usual_interval(self, seen: Seen) -> tuple[Numbers, Numbers]:
        """Wilson's interval of a rate."""
        return wilson(seen.means, seen.counts)

    def mark(self, value: float) -> str:
        """Whether the patient responds."""
        return self.marks[0] if value else self.marks[1]

    def limits_shown(self, n: NDArray[Any], sums: Numbers) -> Numbers:
        """Limits on the number of responders."""
        return sums

    def limit_in_words(self, limit: float) -> str:
        """A whole count."""
        return f"{limit:,.0f}"

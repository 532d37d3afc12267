"""What one patient's outcome is: Bernoulli (responder or not) or Gaussian (a score).

Each outcome knows its divergence d(x, y), its scale s2 (Remark 1 of the paper:
1/4 for Bernoulli, sigma^2 for Gaussian; with that one symbol both share every
formula) and how one outcome is drawn from a stream.
"""

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, FiniteFloat

from gai_core.basics import FrozenModel, jitable
from gai_core.evidence.random_streams import Stream, step
from gai_core.evidence.ziggurat import normal

_UNIFORM_SHIFT = np.uint64(11)
_UNIFORM_SIZE = 2.0**53

EXTREME_RATE = 1e-6
"""A target response rate is at least this far from 0 and 1."""
SMALLEST_VARIANCE, LARGEST_VARIANCE = 1e-12, 1e12
"""Of a score, in squares of its unit."""
FARTHEST = 1e6
"""Means and targets of scores lie within so many standard deviations of 0: no digits are lost."""


@jitable
def draw_bernoulli(stream: Stream, location: np.uint64, spread: float) -> tuple[int, Stream]:
    """1 with probability p, where location = ceil(p 2^53): u < p compared as integers."""
    bits, stream = step(stream)
    return np.int64((bits >> _UNIFORM_SHIFT) < location), stream  # type: ignore[return-value]


@jitable
def draw_gaussian(stream: Stream, location: float, spread: float) -> tuple[float, Stream]:
    """location + spread * z with z standard normal."""
    z, stream = normal(stream)
    return location + spread * z, stream


@jitable
def move_bernoulli(location: np.uint64, shift: float) -> np.uint64:
    """The location of the rate p + shift, kept within 0 and 1."""
    rate = np.float64(location) / _UNIFORM_SIZE + shift
    return np.uint64(math.ceil(min(max(rate, 0.0), 1.0) * _UNIFORM_SIZE))


@jitable
def move_gaussian(location: float, shift: float) -> float:
    """location + shift."""
    return location + shift


class _Outcome(FrozenModel):
    endpoint: str = Field(
        default="",
        max_length=1_000,
        description="What is measured, for example ACR20 at week 12.",
    )

    sum_type: ClassVar[type]
    """NumPy type of an arm's outcome sum in the runs."""
    curve_type: ClassVar[type]
    """NumPy type of the curves that sums are compared with."""
    draw: ClassVar[Callable[..., Any]]
    move: ClassVar[Callable[..., Any]]
    """The location of a shifted mean, for time trends."""


class Bernoulli(_Outcome):
    """Responder or not: outcome 1 or 0, the mean is the response rate."""

    kind: Literal["bernoulli"] = "bernoulli"

    sum_type: ClassVar[type] = np.int32
    curve_type: ClassVar[type] = np.int64
    draw: ClassVar[Callable[..., Any]] = staticmethod(draw_bernoulli)
    move: ClassVar[Callable[..., Any]] = staticmethod(move_bernoulli)

    @property
    def s2(self) -> float:
        """Hoeffding's scale of a variable in [0, 1]."""
        return 0.25

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

    def divergence(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
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

    @property
    def spread(self) -> float:
        """Not used by the Bernoulli draw."""
        return 0.0


class Gaussian(_Outcome):
    """A score with known variance: the mean is the improvement to be reached."""

    kind: Literal["gaussian"]
    variance: FiniteFloat = Field(
        ge=SMALLEST_VARIANCE,
        le=LARGEST_VARIANCE,
        description="sigma^2 of one patient's outcome.",
    )

    sum_type: ClassVar[type] = np.float64
    curve_type: ClassVar[type] = np.float64
    draw: ClassVar[Callable[..., Any]] = staticmethod(draw_gaussian)
    move: ClassVar[Callable[..., Any]] = staticmethod(move_gaussian)

    @property
    def s2(self) -> float:
        """sigma^2 (Remark 1)."""
        return self.variance

    def variance_at(self, mean: float) -> float:
        """sigma^2, whatever the mean."""
        return self.variance

    def mean_problem(self, mean: float) -> str | None:
        """Why `mean` cannot be a mean of this outcome, if so."""
        if abs(mean) <= FARTHEST * self.spread:
            return None
        return f"must lie within {FARTHEST:g} standard deviations of 0 (sigma is {self.spread:g})"

    def threshold_problem(self, threshold: float) -> str | None:
        """Why `threshold` cannot be a target of this outcome, if so."""
        return self.mean_problem(threshold)

    def divergence(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """d(x,y) = (x-y)^2 / (2 sigma^2)."""
        return np.asarray((np.asarray(x, float) - np.asarray(y, float)) ** 2 / (2 * self.variance))

    def locations(self, means: Sequence[float]) -> NDArray[np.float64]:
        """The means themselves."""
        return np.array(means, np.float64)

    @property
    def spread(self) -> float:
        """sigma."""
        return math.sqrt(self.variance)


Outcome = Annotated[Bernoulli | Gaussian, Field(discriminator="kind")]

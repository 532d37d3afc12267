"""A score with known variance."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BeforeValidator, Field, FiniteFloat
from pydantic_core import PydanticCustomError

from gai_core.basics import NORMAL_95, jitable
from gai_core.evidence.outcomes.outcome import NumberField, Numbers, Outcome
from gai_core.evidence.random_streams import Stream
from gai_core.evidence.seen import Seen
from gai_core.evidence.ziggurat import normal

SMALLEST_VARIANCE, LARGEST_VARIANCE = 1e-12, 1e12
"""Of a score, in squares of its unit."""
FARTHEST = 1e6
"""Means and targets of scores lie within so many standard deviations of 0: no digits are lost."""


@jitable
def draw_normal(stream: Stream, location: float, spread: float) -> tuple[float, Stream]:
    """location + spread * z with z standard normal."""
    z, stream = normal(stream)
    return location + spread * z, stream


@jitable
def move_normal(location: float, shift: float) -> float:
    """location + shift."""
    return location + shift


@jitable
def largest_normal_mean(mean: float, width: float, x: float) -> float:
    """m + width x, as (q-m)^2 / (2 sigma^2) <= (width x)^2 / (2 sigma^2)."""
    return mean + width * x


def _number_or_unknown(value: Any) -> Any:
    """A text is no variance; `unknown` is that of another model."""
    if isinstance(value, str):
        raise PydanticCustomError("variance", 'must be a number, or "unknown"')
    return value


def _as_variance(variance: float) -> str:
    return f"Variance (sigma²) {variance:.6g}"


class Gaussian(Outcome):
    """A score with known variance: the mean is the improvement to be reached."""

    kind: Literal["gaussian"]
    variance: Annotated[FiniteFloat, BeforeValidator(_number_or_unknown)] = Field(
        ge=SMALLEST_VARIANCE,
        le=LARGEST_VARIANCE,
        description="sigma^2 of one patient's outcome.",
    )

    key: ClassVar[str] = "gaussian"
    label: ClassVar[str] = "Score (DAS28 improvement)"
    noun: ClassVar[str] = "a score"
    plural: ClassVar[str] = "scores"
    scale_formula: ClassVar[str] = "sigma^2"
    endpoint_example: ClassVar[str] = "DAS28 improvement at week 12"

    numbers: ClassVar[Mapping[str, NumberField]] = {
        "variance": NumberField(
            label="Variance",
            symbol="sigma²",
            usual=1.44,
            step=0.1,
            help="Of one patient's outcome, taken as known: sigma in the paper.",
            caption=_as_variance,
            root="Standard deviation (SD)",
        )
    }
    usual_targets: ClassVar[Mapping[str, float]] = {
        f"DAS28: {value:g}": value for value in (0.6, 1.0, 1.2, 1.8)
    }

    usual_interval_name: ClassVar[str] = "the normal interval"
    sum_type: ClassVar[type] = np.float64
    curve_type: ClassVar[type] = np.float64
    draw: ClassVar[Callable[..., Any]] = staticmethod(draw_normal)
    move: ClassVar[Callable[..., Any]] = staticmethod(move_normal)
    largest_mean: ClassVar[Callable[..., float]] = staticmethod(largest_normal_mean)

    shifts: ClassVar[bool] = True
    mirrors: ClassVar[bool] = True
    sub_gaussian: ClassVar[bool] = True
    dropouts_count_as: ClassVar[str] = "baseline"
    dropouts_in_words: ClassVar[str] = "not improved"
    has_variance: ClassVar[bool] = True
    largest_count: ClassVar[int] = 20_000
    largest_calibration: ClassVar[int] = 20_000

    @property
    def s2(self) -> float:
        """sigma^2 (Remark 1)."""
        return self.variance

    @property
    def spread(self) -> float:
        """sigma."""
        return math.sqrt(self.variance)

    @property
    def drawn(self) -> str:
        """What one simulated outcome is, in words."""
        return f"normal with variance {self.variance:g}"

    def variance_at(self, mean: float) -> float:
        """sigma^2, whatever the mean."""
        return self.variance

    def with_variance(self, variance: float | None) -> "Gaussian":
        """The same with the variance of a truth."""
        return self if variance is None else self.model_copy(update={"variance": variance})

    def mean_problem(self, mean: float) -> str | None:
        """Why `mean` cannot be a mean of this outcome, if so."""
        if abs(mean) <= FARTHEST * self.spread:
            return None
        return f"must lie within {FARTHEST:g} standard deviations of 0 (sigma is {self.spread:g})"

    def divergence(self, x: ArrayLike, y: ArrayLike) -> Numbers:
        """d(x,y) = (x-y)^2 / (2 sigma^2)."""
        return np.asarray((np.asarray(x, float) - np.asarray(y, float)) ** 2 / (2 * self.variance))

    def locations(self, means: Sequence[float]) -> Numbers:
        """The means themselves."""
        return np.array(means, np.float64)

    def sample(self, generator: random.Random, mean: float) -> float:
        """A normal number."""
        return generator.gauss(mean, self.spread)

    def remaining_mean(self, mean: float, dropout: float, on_target: float) -> float:
        """m + sigma sqrt(2/pi) (q-r) / (2-q-r).

        Its two halves have the means m +- sigma sqrt(2/pi); the lower leaves with chance q, the
        upper with r.
        """
        q, r = dropout, on_target
        return mean + self.spread * math.sqrt(2 / math.pi) * (q - r) / (2 - q - r)

    def crossing(
        self, mean: float, accept: Numbers, reject: Numbers, smallest: float, step: float
    ) -> tuple[Numbers, Numbers]:
        """By recursive quadrature of the sum's density."""
        from gai_core.evidence.crossing import quadrature

        return quadrature(mean, self.spread, accept, reject, smallest, step)

    def test_limit(self, alpha: float, n: Numbers, mean: float) -> Numbers:
        """n m + z sigma sqrt n, z the upper quantile of a standard normal number."""
        from scipy.stats import norm

        return np.asarray(n * mean + norm.isf(alpha) * np.sqrt(n * self.variance))

    def tails(
        self, n: NDArray[Any], mean: float, accept: NDArray[Any], reject: NDArray[Any]
    ) -> tuple[Numbers, Numbers]:
        """Tails of a normal sum."""
        from scipy.stats import norm

        scale = np.sqrt(n * self.variance)
        return norm.sf((accept - n * mean) / scale), norm.cdf((reject - n * mean) / scale)

    def usual_interval(self, seen: Seen) -> tuple[Numbers, Numbers]:
        """m +- 1.96 sigma/sqrt n."""
        half = NORMAL_95 * np.sqrt(self.variance / seen.counts)
        return seen.means - half, seen.means + half

"""A score whose variance nobody knows beforehand: limits are on R = s/sqrt(q), as in a t-test.

s is the sum of x - xi over a dose's n outcomes, q that of the squares. R is a monotone function of
the t-statistic, t = R sqrt((n-1)/(n-R^2)), and its law depends on the effect size (mean - xi)/sigma
alone. So limits hold for every sigma at once, and on their scale a mean is its effect size.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from gai_core.evidence.bookkeeping import RATIOS, Bookkeeping
from gai_core.evidence.outcomes.gaussian import (
    Gaussian,
    draw_normal,
    largest_normal_mean,
    move_normal,
)
from gai_core.evidence.outcomes.outcome import Numbers, Outcome
from gai_core.evidence.seen import Seen


class GaussianUnknown(Outcome):
    """A score whose variance is not known: every truth says its own."""

    kind: Literal["gaussian"]
    variance: Literal["unknown"] = Field(
        description="The designs know no variance; every truth states the one of its patients."
    )

    key: ClassVar[str] = "gaussian"
    variant: ClassVar[str] = "unknown"
    label: ClassVar[str] = "Score (DAS28 improvement), its spread unknown"
    noun: ClassVar[str] = "a score of unknown variance"
    plural: ClassVar[str] = "scores"
    scale_formula: ClassVar[str] = "the running variance"
    endpoint_example: ClassVar[str] = Gaussian.endpoint_example
    limit_name: ClassVar[str] = "t-statistic"
    path_name: ClassVar[str] = "t-statistic"
    usual_interval_name: ClassVar[str] = "Student's t-interval"
    usual_targets: ClassVar[Mapping[str, float]] = Gaussian.usual_targets

    sum_type: ClassVar[type] = np.float64
    curve_type: ClassVar[type] = np.float64
    draw: ClassVar[Callable[..., Any]] = staticmethod(draw_normal)
    move: ClassVar[Callable[..., Any]] = staticmethod(move_normal)
    largest_mean: ClassVar[Callable[..., float]] = staticmethod(largest_normal_mean)
    bookkeeping: ClassVar[Bookkeeping] = RATIOS
    least_count: ClassVar[int] = 3

    pooled: ClassVar[bool] = False
    """Whether q has n - 1 squares more, of numbers that tell the variance and not the mean."""

    knows_variance: ClassVar[bool] = False
    shifts: ClassVar[bool] = True
    mirrors: ClassVar[bool] = True
    dropouts_count_as: ClassVar[str] = Gaussian.dropouts_count_as
    dropouts_in_words: ClassVar[str] = Gaussian.dropouts_in_words
    has_variance: ClassVar[bool] = True
    usual_variance: ClassVar[float | None] = Gaussian.numbers["variance"].usual
    largest_count: ClassVar[int] = 2_000
    largest_calibration: ClassVar[int] = 1_000
    law_accuracy: ClassVar[float] = 1e-4
    law_takes_long: ClassVar[bool] = True
    in_closed_form: ClassVar[bool] = True
    smallest_calibration: ClassVar[float] = 1e-9

    @classmethod
    def describes(cls, data: Mapping[str, Any]) -> bool:
        """Where the variance is the word unknown."""
        return data.get("variance") == "unknown"

    @classmethod
    def example(cls) -> dict[str, Any]:
        """A score of unknown variance."""
        return {"kind": cls.key, "variance": "unknown"}

    @property
    def numbers_in_words(self) -> list[str]:
        """That there is no number."""
        return ["variance unknown"]

    @property
    def s2(self) -> float:
        """1: tables of rules are in units of the running variance."""
        return 1.0

    @property
    def spread(self) -> float:
        """1: that of an outcome in its own unit."""
        return 1.0

    @property
    def drawn(self) -> str:
        """What one simulated outcome is, in words."""
        return "normal with the variance that its assumption states, unknown to the designs"

    def variance_at(self, mean: float) -> float:
        """1, in units of itself."""
        return 1.0

    def with_variance(self, variance: float | None) -> Outcome:
        """A score of that variance."""
        known = 1.0 if variance is None else variance
        return Gaussian(kind="gaussian", endpoint=self.endpoint, variance=known)

    def mean_problem(self, mean: float) -> str | None:
        """Any mean may be one; how far it may lie from 0, the variance of a truth says."""
        return None

    def on_limits(self, mean: float, target: float, spread: float) -> float:
        """The effect size (mean - xi)/sigma."""
        return (mean - target) / spread

    def divergence(self, x: ArrayLike, y: ArrayLike) -> Numbers:
        """(1/2) log(1 + (x-y)^2) in units of the standard deviation; see `least_divergence`."""
        return self.least_divergence(np.asarray(x, float), float(np.asarray(y)), 1.0)

    def least_divergence(self, means: Numbers, target: float | Numbers, spread: float) -> Numbers:
        """(1/2) log(1 + (m - xi)^2/sigma^2): of the mean m from xi with any variance.

        d(N(m, v), N(xi, w)) = (1/2) log(w/v) + (v + (m-xi)^2)/(2w) - 1/2 is least for the
        variance w = v + (m-xi)^2.
        """
        return np.asarray(0.5 * np.log1p(((means - target) / spread) ** 2))

    def locations(self, means: Sequence[float]) -> Numbers:
        """The means themselves."""
        return np.array(means, np.float64)

    def sample(self, generator: random.Random, mean: float) -> float:
        """A normal number of variance 1."""
        return generator.gauss(mean, 1.0)

    def remaining_mean(self, mean: float, dropout: float, on_target: float) -> float:
        """That of a score of variance 1."""
        return self.with_variance(None).remaining_mean(mean, dropout, on_target)

    def degrees(self, n: Numbers) -> Numbers:
        """How many squares q has after n outcomes: one more than the t-test has degrees."""
        return 2 * n - 1 if self.pooled else n

    def least_sum(self, n: Numbers, sums: Numbers) -> Numbers:
        """The limit itself; none where R cannot reach it, as it is less than sqrt(n)."""
        limits = np.nan_to_num(sums, nan=np.inf, posinf=np.inf)
        return np.where(limits < np.sqrt(n), limits, np.inf)

    def at_level(self, n: Numbers, level: ArrayLike) -> Numbers:
        """The R that one t-test after n outcomes exceeds with this chance at mean xi.

        P(R > k) = (1/2) I(1 - k^2/n; (N-1)/2, 1/2), I the regularised incomplete beta function
        and N the squares of q.
        """
        from scipy.special import betaincinv

        level, tested = np.asarray(level, float), n >= self.least_count
        degrees = np.where(tested, self.degrees(n) - 1, 2)
        rest = betaincinv(degrees / 2, 0.5, 2 * np.minimum(level, 1 - level))
        limit = np.where(level <= 0.5, 1, -1) * np.sqrt(n * (1 - rest))
        return np.asarray(np.where(tested, limit, np.inf))

    def limit_at_level(self, n: Numbers, sums: Numbers) -> Numbers:
        """The limit of the t-test whose level is that of the normal test with the given sum.

        A shape says how strict each look is, and this keeps that: the significance level approach
        of Pocock, Biometrika 64:191, 1977; Jennison and Turnbull, Group Sequential Methods, 2000.
        """
        from scipy.special import ndtr

        return self.at_level(n, ndtr(-sums / np.sqrt(n)))

    def limit_below(self, n: Numbers, target: float, amount: float) -> Numbers:
        """R < 0: the mean is below the target. More than that cannot be said without a spread."""
        return np.zeros_like(n)

    def crossing(
        self, mean: float, accept: Numbers, reject: Numbers, smallest: float, step: float
    ) -> tuple[Numbers, Numbers]:
        """By recursive quadrature of R's density; the mean is an effect size."""
        from gai_core.evidence.student_crossing import student_crossing

        return student_crossing(mean, accept, reject, smallest, step, pooled=self.pooled)

    def law_functions(self) -> tuple[Callable[..., Any], ...]:
        """The recursion of R."""
        from gai_core.evidence.student_crossing import student_crossing

        return (student_crossing,)

    def test_limit(self, alpha: float, n: Numbers, mean: float) -> Numbers:
        """That of the one-sided t-test."""
        return self.at_level(n, alpha)

    def tails(
        self, n: NDArray[Any], mean: float, accept: NDArray[Any], reject: NDArray[Any]
    ) -> tuple[Numbers, Numbers]:
        """Tails of R, which is those of a noncentral t; the mean is an effect size."""
        from gai_core.evidence.student_crossing import student_tails

        counts, judged = np.asarray(n, np.int64), n >= self.least_count
        above = np.where(judged, np.asarray(accept, float), np.inf)
        below = np.where(judged, -np.asarray(reject, float), np.inf)
        return (
            student_tails(mean, counts, above, pooled=self.pooled),
            student_tails(-mean, counts, below, pooled=self.pooled),
        )

    def usual_interval(self, seen: Seen) -> tuple[Numbers, Numbers]:
        """Student's: m +- t s/sqrt n with N - 1 degrees of freedom; none after one outcome."""
        from scipy.special import stdtrit

        degrees = np.where(seen.n > 1, self.degrees(seen.n) - 1.0, np.nan)
        half = stdtrit(degrees, 0.975) * np.sqrt(seen.about_means / degrees / seen.counts)
        return seen.means - half, seen.means + half

    def limits_shown(self, n: NDArray[Any], sums: Numbers) -> Numbers:
        """Limits on the t-statistic: t = R sqrt((N-1)/(n-R^2)), N the squares of q."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums * np.sqrt((self.degrees(n) - 1) / (n - sums**2)))

    def limits_drawn(
        self, n: NDArray[Any], declare: Numbers, drop: Numbers, target: float
    ) -> tuple[Numbers, Numbers]:
        """As t-statistics too: as means they would depend on the standard deviation."""
        return self.limits_shown(n, declare), self.limits_shown(n, drop)

    def running(self, outcomes: Numbers, target: float, controls: Numbers) -> Numbers:
        """The t-statistic after each outcome; nan after the first."""
        n, squares = (
            np.arange(1, outcomes.size + 1),
            self.squares_about(outcomes, target, controls),
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.cumsum(outcomes - target) / np.sqrt(squares)
        return np.where(n > 1, self.limits_shown(n, ratio), np.nan)

    def squares_about(self, outcomes: Numbers, target: float, controls: Numbers) -> Numbers:
        """q after each outcome."""
        return np.asarray(np.cumsum((outcomes - target) ** 2))

    @property
    def axis_name(self) -> str:
        """What is on the axis of such a figure."""
        of = f", {self.endpoint}" if self.endpoint else ""
        return f"t-statistic against the target{of}"

    def target_drawn(self, target: float) -> float:
        """A dose whose mean is the target has the t-statistic 0."""
        return 0.0

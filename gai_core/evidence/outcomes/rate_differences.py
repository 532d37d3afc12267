"""Differences of responses between a patient on a dose and one on the control."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gai_core.basics import NORMAL_95, jitable
from gai_core.evidence.bookkeeping import SUMS_AND_SQUARES, Bookkeeping
from gai_core.evidence.outcomes.bernoulli import EXTREME_RATE, Bernoulli
from gai_core.evidence.outcomes.gaussian import largest_normal_mean
from gai_core.evidence.outcomes.outcome import Numbers
from gai_core.evidence.outcomes.whole_sums import ROUNDING
from gai_core.evidence.seen import Seen

if TYPE_CHECKING:
    from gai_core.evidence.setting import Curves


SURELY_MORE = 1 + 1e-9
"""A chance beyond this times alpha is more than alpha, whatever its last digits are."""


@jitable
def difference(x: Any, y: Any) -> tuple[bool, Any]:
    """x - y, which always counts."""
    return True, x - y


class RateDifferences(Bernoulli):
    """D = 1 if only the dose's patient of a pair responds, -1 if only the control's, else 0.

    What the control's rate is, nobody knows: the law of the sum is the worst one over every
    course that it may take between `lowest` and `highest` (`difference_crossing`). Where both
    are the same, it is the law under that rate.
    """

    lowest: float = 0.0
    highest: float = 1.0

    combine: ClassVar[Callable[..., Any]] = staticmethod(difference)
    noun: ClassVar[str] = "a difference from the control"
    plural: ClassVar[str] = "differences from the control"
    scale_formula: ClassVar[str] = "1/2"
    limit_name: ClassVar[str] = "excess of responders"
    count_name: ClassVar[str] = "pairs of the dose"
    path_name: ClassVar[str] = "mean difference"
    mean_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    mean_name: ClassVar[str] = "difference of the response rates"
    usual_interval_name: ClassVar[str] = "Wald's interval"
    bookkeeping: ClassVar[Bookkeeping] = SUMS_AND_SQUARES
    shares_patients: ClassVar[bool] = False
    largest_mean: ClassVar[Callable[..., float]] = staticmethod(largest_normal_mean)
    largest_count: ClassVar[int] = 4_000
    largest_calibration: ClassVar[int] = 2_000

    def under(self, control: float) -> "RateDifferences":
        """The same where the control's rate is known."""
        return self.model_copy(update={"lowest": control, "highest": control})

    @property
    def mirrored(self) -> "RateDifferences":
        """Differences of those who do not respond."""
        ends = {"lowest": 1 - self.highest, "highest": 1 - self.lowest}
        return self.model_copy(update=ends)

    @property
    def s2(self) -> float:
        """1/4 from each patient of a pair (Hoeffding)."""
        return 0.5

    def variance_at(self, mean: float) -> float:
        """m + 2 g - m^2, the largest within the range of the control's rate."""
        return float(mean + 2 * self._law(mean).most - mean**2)

    def mean_problem(self, mean: float) -> str | None:
        """Why `mean` cannot be a mean of a difference, if so."""
        return None if -1 <= mean <= 1 else "must lie between -1 and 1 (a difference of rates)"

    def threshold_problem(self, threshold: float) -> str | None:
        """Why `threshold` cannot be a target of a difference, if so."""
        inside = abs(threshold) <= 1 - EXTREME_RATE
        return None if inside else f"must not be closer than {EXTREME_RATE:g} to -1 or 1"

    def divergence(self, x: ArrayLike, y: ArrayLike) -> Numbers:
        """(x-y)^2, that of normal numbers with the variance s2 = 1/2."""
        return np.asarray((np.asarray(x, float) - np.asarray(y, float)) ** 2)

    def never(self, n: Numbers) -> tuple[NDArray[Any], NDArray[Any]]:
        """More than n, or less than -n."""
        return n + 1, -n - 1

    def least_sum(self, n: Numbers, sums: Numbers) -> Numbers:
        """The least whole number not below the boundary, n + 1 where not even n is enough."""
        return np.clip(np.ceil(np.nan_to_num(sums, nan=np.inf) + ROUNDING), -n, n + 1)

    def least_that(
        self, n: Numbers, guess: Numbers, holds: Callable[[Numbers], NDArray[np.bool_]]
    ) -> Numbers:
        """The least whole number for which `holds`, n + 1 where none does."""
        return super().least_that(2 * n, guess + n, lambda sums: holds(sums - n)) - n

    def mirrored_target(self, target: float) -> float:
        """The mean of -D."""
        return -target

    def mirrored_sum(self, n: Numbers, sums: Numbers) -> Numbers:
        """The sum of -D."""
        return -sums

    def crossing(
        self, mean: float, accept: Numbers, reject: Numbers, smallest: float, step: float
    ) -> tuple[Numbers, Numbers]:
        """By recursions over the whole sums: exact, for the worst course of the control's rate."""
        from gai_core.evidence.difference_crossing import worst_crossing

        return worst_crossing(self._law(mean), accept.astype(np.int64), reject.astype(np.int64))

    def above_and_spared(
        self, mean: float, accept: NDArray[np.int64], reject: NDArray[np.int64]
    ) -> tuple[Numbers, Numbers]:
        """The chances to cross above, and what lowering each limit by one adds to them at least."""
        from gai_core.evidence.difference_crossing import crossing_and_spared

        return crossing_and_spared(self._law(mean), accept, reject)

    def lower_counts(
        self,
        mean: float,
        upper: "Curves",
        looks: NDArray[np.int64],
        counts: NDArray[np.int64],
        alpha: float,
    ) -> NDArray[np.bool_]:
        """Each look by the worst course anew, as that changes with every limit.

        What the course that is worst before adds is a lower limit; most looks are ruled out by it.
        """
        lowered = np.zeros(looks.size, bool)
        above, spared = self.above_and_spared(mean, upper.accept, upper.reject)
        for place, look in enumerate(looks):
            before, count = upper.accept[look], counts[place]
            if before == count + 1 and above.sum() + spared[look] > SURELY_MORE * alpha:
                continue
            upper.accept[look] = count
            found = self.above_and_spared(mean, upper.accept, upper.reject)
            lowered[place] = found[0].sum() <= alpha
            if lowered[place]:
                above, spared = found
            else:
                upper.accept[look] = before
        return lowered

    def law_functions(self) -> tuple[Callable[..., Any], ...]:
        """The recursions."""
        from gai_core.evidence.difference_crossing import worst_crossing

        return (worst_crossing,)

    def test_limit(self, alpha: float, n: Numbers, mean: float) -> Numbers:
        """The greatest sum that one test does not reject, whatever the control's rate is."""
        last = int(n.max())
        enough = self._tails(mean, last)[n.astype(int)] <= alpha
        return np.asarray(enough.argmax(axis=1) - last - 2, float)

    def tails(
        self, n: NDArray[Any], mean: float, accept: NDArray[Any], reject: NDArray[Any]
    ) -> tuple[Numbers, Numbers]:
        """The largest chances of so much, and of so little."""
        last = int(n.max())
        rows = n.astype(int)
        above = self._tails(mean, last)[rows, (accept + last + 1).astype(int)]
        below = self.mirrored._tails(-mean, last)[rows, (last + 1 - reject).astype(int)]
        return above, below

    def usual_interval(self, seen: Seen) -> tuple[Numbers, Numbers]:
        """Wald's: m +- 1.96 s/sqrt n, s the standard deviation of the differences seen."""
        half = NORMAL_95 * np.sqrt(seen.about_means) / seen.counts
        return seen.means - half, seen.means + half

    @property
    def axis_name(self) -> str:
        """What is on the axis of a figure."""
        return "mean difference from the control"

    def _law(self, mean: float) -> Any:
        from gai_core.evidence.difference_crossing import differences

        return differences(mean, self.lowest, self.highest)

    def _tails(self, mean: float, last: int) -> Numbers:
        from gai_core.evidence.difference_crossing import worst_tails

        return worst_tails(self._law(mean), last)

"""Both responses of a pair: limits that know how many controls respond."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import NORMAL_95
from gai_core.evidence.bookkeeping import BY_CONTROLS, Bookkeeping
from gai_core.evidence.outcomes.outcome import Numbers
from gai_core.evidence.outcomes.rate_differences import RateDifferences
from gai_core.evidence.seen import Seen


class RatePairs(RateDifferences):
    """Pairs judged by the likelihood of both responses (`pair_likelihood`).

    The mean of a dose's stream is that of the differences, as rules read it; q counts the
    responders among its controls, and a limit after n pairs is a row of numbers, by q. Evidence has
    so many values that a constant leaves hardly anything unspent.
    """

    bookkeeping: ClassVar[Bookkeeping] = BY_CONTROLS
    by_controls: ClassVar[bool] = True
    law_takes_long: ClassVar[bool] = True
    sub_gaussian: ClassVar[bool] = False
    noun: ClassVar[str] = "a pair with the control"
    plural: ClassVar[str] = "pairs judged by their likelihood"
    limit_name: ClassVar[str] = "responders on the dose"
    path_name: ClassVar[str] = "evidence"
    curve_type: ClassVar[type] = np.int32
    most_pairs: ClassVar[int] = 2_000
    """Pairs of a dose up to which there are limits: they are a table of pairs by controls."""
    largest_count: ClassVar[int] = 500
    largest_calibration: ClassVar[int] = 400

    def rows_at(self, n: Numbers, target: float, needed: Numbers) -> Numbers:
        """The limits for so much log evidence after each of n pairs; one row for each n."""
        from gai_core.evidence.pair_likelihood import least_excess

        at_all = np.full(int(n.max()) + 1, np.inf)
        at_all[n.astype(int)] = needed
        return np.asarray(least_excess(target, at_all)[n.astype(int)], float)

    def never(self, n: Numbers) -> tuple[NDArray[Any], NDArray[Any]]:
        """More than n ahead, or behind, however many controls respond."""
        above, below = super().never(n)
        return above[:, None], below[:, None]

    def least_sum(self, n: Numbers, sums: Numbers) -> Numbers:
        """The limits themselves, which are whole numbers."""
        return np.minimum(sums, n[:, None] + 1)

    def mirrored_sum(self, n: Numbers, sums: Numbers) -> Numbers:
        """-D, by those controls who do respond."""
        from gai_core.evidence.pair_crossing import mirrored_rows

        whole = np.vstack([np.ones((1, sums.shape[1])), sums])
        return np.asarray(mirrored_rows(whole)[1:])

    def crossing(
        self, mean: float, accept: Numbers, reject: Numbers, smallest: float, step: float
    ) -> tuple[Numbers, Numbers]:
        """Exact: under one rate of the control, or in its worst course.

        In the worst course the chance by the last look is known, and stands there.
        """
        from gai_core.evidence.pair_crossing import mirrored_rows, one_law, worst_declared

        above, below = self.whole_rows(accept), self.whole_rows(reject)
        if self.lowest == self.highest:
            control = min(max(self.lowest, 0.0), 1.0)
            return one_law(min(max(control + mean, 0.0), 1.0), control, above, below)
        rates, mirror = (self.lowest, self.highest), self.mirrored
        good, bad = np.zeros(len(above)), np.zeros(len(above))
        good[-1] = worst_declared(mean, rates, above, below)
        if (below >= -np.arange(len(below))[:, None]).any():
            turned = mirrored_rows(below), mirrored_rows(above)
            bad[-1] = worst_declared(-mean, (mirror.lowest, mirror.highest), *turned)
        return good, bad

    def whole_rows(self, limits: Numbers) -> NDArray[np.int32]:
        """One limit for every number of controls that respond, where there is one for all."""
        size = len(limits) if limits.shape[1] == 1 else limits.shape[1]
        return np.broadcast_to(limits, (len(limits), size)).astype(np.int32)

    def law_functions(self) -> tuple[Callable[..., Any], ...]:
        """The recursions, and the evidence."""
        from gai_core.evidence.pair_crossing import worst_declared
        from gai_core.evidence.pair_likelihood import least_excess

        return worst_declared, least_excess

    def usual_interval(self, seen: Seen) -> tuple[Numbers, Numbers]:
        """Wald's: m +- 1.96 sqrt((p (1-p) + c (1-c))/n), p and c the rates seen in the pairs."""
        assert seen.squares is not None
        control = seen.squares / seen.counts
        dose = seen.means + control
        half = NORMAL_95 * np.sqrt((dose * (1 - dose) + control * (1 - control)) / seen.counts)
        return seen.means - half, seen.means + half

    def limits_drawn(
        self, n: NDArray[Any], declare: Numbers, drop: Numbers, target: float
    ) -> tuple[Numbers, Numbers]:
        """The least evidence at which a dose is declared, and against it at which it is dropped."""
        from gai_core.evidence.pair_crossing import mirrored_rows

        def least(margin: float, rows: Numbers) -> Numbers:
            controls = np.arange(rows.shape[1])
            inside = (controls <= n[:, None]) & (rows <= n[:, None])
            after, ahead, behind = np.broadcast_arrays(n[:, None], rows, controls)
            found = np.full(rows.shape, np.inf)
            found[inside] = self._powers(
                margin, after[inside], (ahead + behind)[inside], behind[inside]
            )
            lowest = np.maximum(found.min(axis=1), 0.0)
            return np.where(np.isfinite(lowest), lowest, np.nan)

        first = np.full((1, drop.shape[1]), -1.0)
        turned = mirrored_rows(np.vstack([first, drop]))[1:]
        return least(target, declare), -least(-target, turned)

    def running(self, outcomes: Numbers, target: float, controls: Numbers) -> Numbers:
        """The evidence after each pair, in powers of ten: for the dose, or negative, against it."""
        n, b = np.arange(1, outcomes.size + 1), np.cumsum(controls)
        a = np.cumsum(outcomes) + b
        above, below = self._powers(target, n, a, b), self._powers(-target, n, n - a, n - b)
        return np.where(above >= below, above, -below)

    def _powers(self, margin: float, n: Any, dose: Any, control: Any) -> Numbers:
        """The evidence in powers of ten."""
        from gai_core.evidence.pair_likelihood import log_evidence

        return np.asarray(log_evidence(margin, n, dose, control) / np.log(10))

    def target_drawn(self, target: float) -> float:
        """No evidence either way."""
        return 0.0

    @property
    def axis_name(self) -> str:
        """What is on the axis of a figure."""
        return "evidence in powers of ten, below 0 against the dose"

"""The same pairs as two samples: limits on z, for one rate of the control throughout."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from gai_core.evidence.outcomes.outcome import Numbers
from gai_core.evidence.outcomes.rate_pairs import RatePairs

MOST_USED_UP = 200
"""Pairs of a dose up to which what a constant leaves unspent is used up."""


class TwoSamples(RatePairs):
    """Responders on a dose and among its controls, as a two-sample test reads them.

    z^2/2 stands where evidence is, which it is about: so the shapes of limits are the same. Their
    error is that at the worst rate of the control, and not over every course of it: an adversary
    who knows all outcomes could end the responses when the dose is ahead.
    """

    noun: ClassVar[str] = "a pair of two samples"
    plural: ClassVar[str] = "two samples of responses"

    def rows_at(self, n: Numbers, target: float, needed: Numbers) -> Numbers:
        """The limits for such a z^2/2 after each of n pairs; one row for each n."""
        from gai_core.evidence.pooled_z import least_excess_z
        from gai_core.evidence.score_z import least_excess_score

        at_all = np.full(int(n.max()) + 1, np.inf)
        at_all[n.astype(int)] = needed
        rows = least_excess_z(at_all) if target == 0 else least_excess_score(target, at_all)
        return np.asarray(rows[n.astype(int)], float)

    def used_up(self, rows: Numbers, target: float, alpha: float) -> Numbers:
        """With a margin the last look is lowered where the worst rate of the control allows."""
        looks = np.flatnonzero(np.isfinite(rows).any(axis=1)) + 1
        if target == 0 or not looks.size or looks[-1] > MOST_USED_UP:
            return rows
        from gai_core.evidence.score_z import used_up_at_the_end

        last = int(looks[-1])
        never = np.arange(1, last + 1)[:, None] + 1
        whole = np.vstack([np.ones((1, last + 1)), np.minimum(rows[:last, : last + 1], never)])
        lowered = rows.copy()
        found = used_up_at_the_end(
            target, (self.lowest, self.highest), whole.astype(np.int32), alpha
        )
        lowered[last - 1, : last + 1] = found[-1]
        return lowered

    def crossing(
        self, mean: float, accept: Numbers, reject: Numbers, smallest: float, step: float
    ) -> tuple[Numbers, Numbers]:
        """Exact under one rate of the control; where that is not given, for the worst one.

        The chance by the last look is known then, and stands there.
        """
        if self.lowest == self.highest:
            return super().crossing(mean, accept, reject, smallest, step)
        from gai_core.evidence.pooled_z import worst_rate
        from gai_core.evidence.score_z import worst_rate_with_margin

        good, bad = np.zeros(len(accept)), np.zeros(len(accept))
        rates = max(self.lowest, 0.0), min(self.highest, 1.0)
        rows = self.whole_rows(accept), self.whole_rows(reject)
        if mean == 0:
            good[-1], bad[-1] = worst_rate(rates, *rows)
        else:
            good[-1], bad[-1] = worst_rate_with_margin(mean, rates, *rows)
        return good, bad

    def law_functions(self) -> tuple[Callable[..., Any], ...]:
        """The chances by the total, their largest value, and the limits."""
        from gai_core.evidence.pooled_z import least_excess_z, worst_rate
        from gai_core.evidence.score_z import least_excess_score, worst_rate_with_margin

        return worst_rate, least_excess_z, worst_rate_with_margin, least_excess_score

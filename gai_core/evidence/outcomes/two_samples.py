"""The same pairs as two samples: limits on the pooled z, for one rate of the control throughout."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from gai_core.evidence.outcomes.outcome import Numbers
from gai_core.evidence.outcomes.rate_pairs import RatePairs


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

        at_all = np.full(int(n.max()) + 1, np.inf)
        at_all[n.astype(int)] = needed
        return np.asarray(least_excess_z(at_all)[n.astype(int)], float)

    def crossing(
        self, mean: float, accept: Numbers, reject: Numbers, smallest: float, step: float
    ) -> tuple[Numbers, Numbers]:
        """Exact under one rate of the control; at the target, for the worst one.

        The chance by the last look is known then, and stands there.
        """
        if self.lowest == self.highest or mean != 0:
            return super().crossing(mean, accept, reject, smallest, step)
        from gai_core.evidence.pooled_z import worst_rate

        good, bad = np.zeros(len(accept)), np.zeros(len(accept))
        rates = max(self.lowest, 0.0), min(self.highest, 1.0)
        good[-1], bad[-1] = worst_rate(rates, self.whole_rows(accept), self.whole_rows(reject))
        return good, bad

    def law_functions(self) -> tuple[Callable[..., Any], ...]:
        """The chances by the total, their largest value, and the limits."""
        from gai_core.evidence.pooled_z import least_excess_z, worst_rate

        return worst_rate, least_excess_z

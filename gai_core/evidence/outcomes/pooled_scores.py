"""Differences of scores whose variance the sums of the two scores of a pair tell too.

Of a pair with the scores x and y, both of the variance v, the difference d = x - y and the sum
u = x + y are independent and have the variance 2 v each. So the squares of n differences about the
target and those of n sums about their own mean are N = 2n - 1 squares of one variance, and

  t = (mean d - target) sqrt(n) / sd,   sd^2 = (sum (d - mean d)^2 + sum (u - mean u)^2)/(2n - 2)

is the two-sample t-test with 2n - 2 degrees of freedom, where a t-test of pairs has n - 1.

**A trend that all arms share cannot break it.** It is not in d. In u it changes the mean of every
step by which the squares of u grow, (n-1)/n (u_n - mean of those before)^2, which makes the step
larger, given all that was seen before (a noncentral chi-square number is stochastically larger),
and leaves it independent of d_n. So on one probability space q is at least as large after every
pair as without a trend, |R| = |s|/sqrt(q) at most as large, and a limit that R reaches under the
trend it reaches without it. The limits for declaring are not below 0 and those for dropping not
above it: so a trend makes either error rarer, and costs power.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from gai_core.evidence.bookkeeping import POOLED_RATIOS, Bookkeeping
from gai_core.evidence.outcomes.gaussian_unknown import GaussianUnknown
from gai_core.evidence.outcomes.outcome import Numbers
from gai_core.evidence.outcomes.rate_differences import difference


class DifferencesUnknown(GaussianUnknown):
    """Differences of scores whose variance nobody knows."""

    combine: ClassVar[Callable[..., Any]] = staticmethod(difference)
    noun: ClassVar[str] = "a difference from the control"
    plural: ClassVar[str] = "differences from the control"
    count_name: ClassVar[str] = "pairs of the dose"
    mean_name: ClassVar[str] = "mean difference from the control"

    @property
    def axis_name(self) -> str:
        """What is on the axis of a figure."""
        return "t-statistic of the differences from the control"


class PooledDifferences(DifferencesUnknown):
    """The same, with the variance from both scores of every pair."""

    pooled: ClassVar[bool] = True
    bookkeeping: ClassVar[Bookkeeping] = POOLED_RATIOS
    plural: ClassVar[str] = "differences from the control, with the variance of two samples"
    limit_name: ClassVar[str] = "two-sample t-statistic"
    path_name: ClassVar[str] = "two-sample t-statistic"
    usual_interval_name: ClassVar[str] = "Student's two-sample interval"

    def squares_about(self, outcomes: Numbers, target: float, controls: Numbers) -> Numbers:
        """q after each pair: with the squares of x + y about their mean."""
        n, both = np.arange(1, outcomes.size + 1), outcomes + 2 * controls
        about_mean = np.cumsum(both**2) - np.cumsum(both) ** 2 / n
        return super().squares_about(outcomes, target, controls) + np.maximum(about_mean, 0.0)

    @property
    def axis_name(self) -> str:
        """What is on the axis of a figure."""
        return "two-sample t-statistic against the control"

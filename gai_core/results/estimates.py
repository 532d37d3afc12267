"""What simulated trials say about every arm's mean when they end: estimate and two intervals.

The estimate is the mean of the arm's stream, which is what verdicts are about: its outcomes, its
differences from concurrent controls, or the share of its discordant pairs that are in favour of the
dose; of that share p, p/(1-p) is the odds ratio of the dose against the control.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gai_core.criteria import confidence_sequence
from gai_core.engine import Trials
from gai_core.evidence import EvidenceStream, Seen

Numbers = NDArray[np.float64]


class Intervals(NamedTuple):
    """What is kept of intervals, per trial and arm: a million trials must fit into memory."""

    there: NDArray[np.bool_]
    """Whether there is one."""
    covered: NDArray[np.bool_]
    """Whether the true mean is within the limits."""
    width: NDArray[np.float32]
    """Infinite where a limit is, nan where there is none."""
    bounded: NDArray[np.bool_]
    """Whether both limits are finite."""


@dataclass(frozen=True)
class Estimates:
    """Estimates of the means of all arms, one row per trial."""

    trials: Trials
    stream: EvidenceStream
    means: tuple[float, ...]
    """The true ones."""

    @cached_property
    def seen(self) -> Seen:
        """What was seen of every arm: patients are those with an outcome, or pairs that count."""
        trials = self.trials
        n = trials.assigned if trials.calendar is None else trials.calendar.seen
        return Seen(n, trials.sums, trials.squares, self.stream.target)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Where something was seen, so that there is an estimate."""
        return np.asarray(self.seen.n > 0)

    def _of_arm(self, arm: int) -> Seen:
        n, sums, squares, target = self.seen
        return Seen(n[:, arm], sums[:, arm], None if squares is None else squares[:, arm], target)

    @cached_property
    def errors(self) -> Numbers:
        """Estimate minus true mean; nan where there is no estimate."""
        found = np.empty(self.seen.n.shape)
        for arm, mean in enumerate(self.means):
            found[:, arm] = self._of_arm(arm).means - mean
        return found

    @cached_property
    def sequence(self) -> Intervals:
        """The 95% confidence sequence at the end: valid for every design."""
        return self._intervals(lambda seen: confidence_sequence(self.stream.outcome, seen))

    @cached_property
    def usual(self) -> Intervals:
        """The usual 95% interval, as if the number of outcomes had been fixed."""
        return self._intervals(self.stream.outcome.usual_interval)

    def _intervals(self, limits: Callable[[Seen], tuple[Numbers, Numbers]]) -> Intervals:
        shape = self.seen.n.shape
        there, covered, bounded = (np.empty(shape, np.bool_) for _ in range(3))
        width = np.empty(shape, np.float32)
        for arm, mean in enumerate(self.means):
            low, high = limits(self._of_arm(arm))
            there[:, arm] = ~np.isnan(low)
            covered[:, arm] = (low <= mean) & (mean <= high)
            width[:, arm] = high - low
            bounded[:, arm] = np.isfinite(high - low)
        return Intervals(there, covered, width, bounded)

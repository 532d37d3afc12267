"""What simulated trials say about every arm's mean when they end: estimate and two intervals.

The estimate is the mean of the arm's stream, which is what verdicts are about: its outcomes, its
differences from concurrent controls, or the share of its discordant pairs that are in favour of the
dose; of that share p, p/(1-p) is the odds ratio of the dose against the control.
"""

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
    """Limits per trial and arm; nan where there are none."""

    low: Numbers
    high: Numbers

    @property
    def there(self) -> NDArray[np.bool_]:
        """Where there is an interval."""
        return ~np.isnan(self.low)

    @property
    def width(self) -> Numbers:
        """Infinite where an interval is."""
        return self.high - self.low


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

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where something was seen, so that there is an estimate."""
        return np.asarray(self.seen.n > 0)

    @cached_property
    def errors(self) -> Numbers:
        """Estimate minus true mean; nan where there is no estimate."""
        return np.asarray(self.seen.means - np.array(self.means))

    @cached_property
    def sequence(self) -> Intervals:
        """The 95% confidence sequence at the end: valid for every design."""
        return Intervals(*confidence_sequence(self.stream.outcome, self.seen))

    @cached_property
    def usual(self) -> Intervals:
        """The usual 95% interval, as if the number of outcomes had been fixed."""
        return Intervals(*self.stream.outcome.usual_interval(self.seen))

    def covered(self, intervals: Intervals) -> NDArray[np.bool_]:
        """Whether the true mean is within the limits."""
        means = np.array(self.means)
        return np.asarray((intervals.low <= means) & (means <= intervals.high))

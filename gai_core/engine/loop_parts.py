"""What both loops are given, and the small steps that they share.

Everything here is plain Python, marked for the compiler. A tuple with names costs nothing in
compiled code: its fields become registers.
"""

from typing import Any, NamedTuple

import numpy as np

from gai_core.basics import loop_step
from gai_core.evidence import Stream


class Source(NamedTuple):
    """Where the patients of a truth come from."""

    seed: Any
    truth: Any
    """The 64 bits that stand for it (`truth_key`)."""
    location: Any
    """Per arm, what `draw` takes for a mean."""
    spread: float
    trend: float
    """What a month adds to every mean; the plain loop knows no months."""


class Scoring(NamedTuple):
    """The numbers that a rule's summary and index are given."""

    xi: float
    scale: float
    """Standard deviation of an outcome at xi."""
    of_n: Any
    of_t: Any


class VerdictLimits(NamedTuple):
    """The two curves that an arm's state is compared with, and when an arm can get a verdict."""

    accept: Any
    reject: Any
    at_look: Any
    """At which n they have limits."""
    only_at_end: bool
    """Whether only the last look counts."""
    burn_in: int
    """Outcomes of every arm before there is a verdict on any."""
    wanted: int
    """Declarations after which the trial ends."""


EVERY_DOSE = 1_000_000
"""More doses than there are: a trial does not end before every dose has its verdict."""


class PlainRows(NamedTuple):
    """The arrays of trials without a calendar, under the names of `Trials.named_arrays`."""

    verdict: Any
    decided: Any
    assigned: Any
    sum: Any
    squares: Any
    """Sums of squares about the target; without columns where they are not kept."""


@loop_step
def stream_at(words: Any, arm: int) -> Stream:
    """The stream of an arm, out of an array with four words for every arm."""
    return words[arm, 0], words[arm, 1], words[arm, 2], words[arm, 3]


@loop_step
def keep_stream(words: Any, arm: int, stream: Stream) -> None:
    """Put the stream of an arm back, to go on with it later."""
    words[arm, 0], words[arm, 1], words[arm, 2], words[arm, 3] = stream


class StopFlag:
    """A number that the loops look at within a bounded number of steps: not 0 means stop.

    It is set on leaving its `with`: whatever is still under way then is not waited for.
    """

    def __init__(self) -> None:
        self.flag = np.zeros(1, np.int64)

    def __enter__(self) -> None:
        """Let the loops run."""

    def __exit__(self, *_: object) -> None:
        self.flag[0] = 1

"""What both loops are given, and the small steps that they share.

Everything here is plain Python, marked for the compiler. A tuple with names costs nothing in
compiled code: its fields become registers.
"""

from typing import Any, NamedTuple

import numpy as np

from gai_core.basics import jitable, loop_step
from gai_core.evidence import GOOD, NO_CANDIDATE, UNDECIDED, Bookkeeping, Stream


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
    ratio: Any
    """Per arm, its patients beside those of the others where they are spread by their number; the
    plain loop knows none."""


class VerdictLimits(NamedTuple):
    """The curves that an arm's state is compared with, and when an arm can get a verdict."""

    accept: Any
    """A row for every stage: by how many arms were declared,"""
    reject: Any
    """and by how many were dropped. With one row each, a verdict changes nothing for others."""
    at_look: Any
    """At which n they have limits, at any stage."""
    only_at_end: bool
    """Whether only the last look counts."""
    burn_in: int
    """Outcomes of every arm before there is a verdict on any."""
    wanted: int
    """Declarations after which the trial ends."""
    ordered: bool
    """Whether an arm is declared only after those behind it, dropped after those before it."""
    without: int
    """The arm without patients and verdict in the plain loop; negative: there is none."""


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
def stage(rows: Any, verdicts: int) -> int:
    """Which row counts after so many verdicts: the only one where limits do not change."""
    last: int = rows.shape[0] - 1
    return min(verdicts, last)


@loop_step
def step_down(limits: VerdictLimits) -> bool:
    """Whether a verdict changes the limits of the other arms."""
    return bool(limits.accept.shape[0] > 1 or limits.reject.shape[0] > 1)


@jitable
def declared_in_order(verdict: Any) -> int:
    """How many arms are found good from the last one on, without one between that is not."""
    declared = 0
    for arm in range(verdict.size - 1, -1, -1):
        if verdict[arm] == GOOD:
            declared += 1
        elif verdict[arm] != NO_CANDIDATE:
            break
    return declared


@loop_step
def stream_at(words: Any, arm: int) -> Stream:
    """The stream of an arm, out of an array with four words for every arm."""
    return words[arm, 0], words[arm, 1], words[arm, 2], words[arm, 3]


@loop_step
def keep_stream(words: Any, arm: int, stream: Stream) -> None:
    """Put the stream of an arm back, to go on with it later."""
    words[arm, 0], words[arm, 1], words[arm, 2], words[arm, 3] = stream


@jitable
def judge_again(
    row: int,
    t: int,
    xi: float,
    declared: int,
    dropped: int,
    limits: VerdictLimits,
    rows: PlainRows,
    books: Bookkeeping,
) -> tuple[int, int]:
    """Every arm without a verdict is judged at the new stage, until that gives none.

    Those too that have all their patients. Where arms are judged in order there is one stage, and a
    verdict is a finding: declared are those found good without one between that is not.
    """
    if limits.ordered:
        return declared_in_order(rows.verdict[row]), dropped
    before = -1
    while declared + dropped != before:
        before = declared + dropped
        for arm in range(rows.verdict.shape[1]):
            if rows.verdict[row, arm] != UNDECIDED:
                continue
            n, s = rows.assigned[row, arm], rows.sum[row, arm]
            q = rows.squares[row, arm] if books.squares else 0.0
            accept = limits.accept[stage(limits.accept, declared), n]
            reject = limits.reject[stage(limits.reject, dropped), n]
            found = books.judge(n, s, q, xi, accept, reject)
            if found != UNDECIDED:
                rows.verdict[row, arm], rows.decided[row, arm] = found, t
                declared += found == GOOD
                dropped += found != GOOD
    return declared, dropped


@loop_step
def without_verdict(
    verdict: Any, open_arms: Any, centre: Any, width: Any, score: Any, left: int
) -> int:
    """Of the open arms those that got no verdict meanwhile, in their order; how many they are."""
    kept = 0
    for k in range(left):
        if verdict[open_arms[k]] == UNDECIDED:
            open_arms[kept], score[kept] = open_arms[k], score[k]
            centre[kept], width[kept] = centre[k], width[k]
            kept += 1
    return kept


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

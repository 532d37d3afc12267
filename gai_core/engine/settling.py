"""From findings to verdicts, where doses are judged in order (`study/judged_in_order.py`).

The loops note when every dose is found good or bad. It is declared when all higher doses are
declared, too: at the latest of these times. Likewise it is dropped when all lower ones are.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gai_core.engine.trials import Trials
from gai_core.evidence import BAD, GOOD, UNDECIDED


def settle(trials: Trials, candidates: Sequence[int]) -> None:
    """Put verdicts and their times in the place of findings, in every trial."""
    found = trials.verdict.copy()
    timed: list[NDArray[Any]] = [trials.decided]
    if trials.calendar is not None:
        timed += [trials.calendar.month, trials.calendar.waiting]
    before = [times.copy() for times in timed]
    for verdict, order in ((GOOD, candidates[::-1]), (BAD, candidates)):
        unbroken = np.ones(len(found), bool)
        latest = np.full(len(found), order[0])
        for arm in order:
            is_found = found[:, arm] == verdict
            unbroken &= is_found
            latest = np.where(_is_later(before, arm, latest), arm, latest)
            trials.verdict[is_found & ~unbroken, arm] = UNDECIDED
            for times, earlier in zip(timed, before, strict=True):
                times[unbroken, arm] = earlier[unbroken, latest[unbroken]]
                times[is_found & ~unbroken, arm] = np.nan if times.dtype.kind == "f" else 0


def _is_later(
    before: Sequence[NDArray[Any]], arm: int, latest: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether the arm was found after another one of each trial: by its month, or patients."""
    times = before[1] if len(before) > 1 else before[0]
    return np.asarray(times[:, arm] > times[np.arange(len(latest)), latest])

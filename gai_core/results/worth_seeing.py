"""Which of the simulated trials are worth looking at."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gai_core.engine import Runs
from gai_core.results.quantities import events
from gai_core.results.timing import declared_times, known


class Example(NamedTuple):
    """A replicate worth looking at, and why."""

    replicate: int
    why: str


def typical(runs: Runs, truth: str, design: str) -> Example:
    """The trial in the middle when they are ordered by first declaration, then by patients."""
    ordered = _by_luck(runs, truth, design)
    middle = int(ordered[(ordered.size - 1) // 2])
    return Example(middle, "the one in the middle, ordered by first declaration and patients")


def unlucky(runs: Runs, truth: str, design: str) -> Example:
    """The first trial with a wrong verdict; without one, a trial of the slowest 5%, or the last."""
    study = runs.study
    wrong = np.flatnonzero(events(runs, truth, design)["any_error"])
    if wrong.size:
        share = f"{wrong.size:,} of {study.simulation.runs:,} trials"
        return Example(int(wrong[0]), f"a dose gets a wrong verdict, as in {share}")
    ordered = _by_luck(runs, truth, design)
    place = min(ordered.size - 1, math.ceil(0.95 * ordered.size))
    where = "the last" if place == ordered.size - 1 else "among the last 5%"
    return Example(int(ordered[place]), f"no trial errs; this one is {where} by first declaration")


def _by_luck(runs: Runs, truth: str, design: str) -> NDArray[np.int64]:
    """Replicates from the soonest first declaration to the latest, then by patients."""
    trials = known(runs, truth, design)
    first = declared_times(trials, runs.study.simulation.n_max)[:, 0]
    return np.lexsort((trials.patients, first))

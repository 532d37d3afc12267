"""Which design finds a good dose soonest, over all assumed dose-responses.

For a truth with doses above the target a design is judged by the mean number of patients until a
*good* dose is declared (n_max where none is), relative to the best design there; the first one
has the smallest average of these ratios. A false declaration is no success.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gai_core.engine import Runs, Trials
from gai_core.evidence import GOOD
from gai_core.study import Study


def until_found(trials: Trials, good: Iterable[bool], n_max: int) -> NDArray[np.int64]:
    """Patients until a good dose is declared, per replicate; n_max where none is."""
    found = (trials.verdict == GOOD) & np.array(tuple(good))
    return np.asarray(np.where(found, trials.decided, n_max).min(axis=1), np.int64)


def judged_truths(study: Study) -> list[str]:
    """The truths with a dose above the target, under which designs are told apart."""
    return [truth.name for truth in study.truths if study.above(truth)]


def soonest_first(runs: Runs) -> list[str]:
    """The designs in the order of their average ratio; none where no good dose is ever declared."""
    study, n_max = runs.study, runs.study.simulation.n_max
    names = [design.name for design in study.designs]
    ratios = np.zeros(len(names))
    found = False
    for truth in map(study.truth, judged_truths(study)):
        good = study.good(truth)
        mean = [until_found(runs[truth.name, name], good, n_max).mean() for name in names]
        ratios += np.array(mean) / min(mean)
        found = found or any(
            (runs[truth.name, name].verdict[:, np.array(good)] == GOOD).any() for name in names
        )
    return [names[i] for i in np.argsort(ratios, kind="stable")] if found else []

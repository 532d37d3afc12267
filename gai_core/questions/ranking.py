"""Which design finds a good dose soonest, over all assumed dose-responses.

For a truth with doses above the target a design is judged by the mean number of patients until a
*good* dose is declared (n_max where none is), relative to the best design there; the first one
has the smallest average of these ratios. A false declaration is no success.
"""

import numpy as np
from numpy.typing import NDArray

from gai_core.engine import Runs
from gai_core.evidence import GOOD
from gai_core.results import first_declaration
from gai_core.study import Study, Truth


def until_found(runs: Runs, truth: Truth, design: str) -> NDArray[np.int64]:
    """Patients until a good dose is declared, per replicate; n_max where none is."""
    study = runs.study
    found = first_declaration(
        runs[truth.name, design],
        study.simulation.n_max,
        among=np.array(study.good(truth)),
        at_end=study.design(design).once_at_end,
    )
    return found.astype(np.int64)


def judged_truths(study: Study) -> list[str]:
    """The truths with a dose above the target, under which designs are told apart."""
    return [truth.name for truth in study.truths if study.above(truth)]


def soonest_first(runs: Runs) -> list[str]:
    """The designs in the order of their average ratio; none where no good dose is ever declared."""
    study = runs.study
    names = [design.name for design in study.designs]
    ratios = np.zeros(len(names))
    found = False
    for truth in map(study.truth, judged_truths(study)):
        good = study.good(truth)
        mean = [until_found(runs, truth, name).mean() for name in names]
        ratios += np.array(mean) / max(1.0, min(mean))  # no verdict comes before a patient
        found = found or any(
            (runs[truth.name, name].verdict[:, np.array(good)] == GOOD).any() for name in names
        )
    return [names[i] for i in np.argsort(ratios, kind="stable")] if found else []

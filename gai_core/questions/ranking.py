"""Which of a study's designs needs the fewest patients, over all assumed dose-responses.

All have the study's own largest sample size here, so their power differs: a trial that declares no
good dose, where there is one to be found, counts as n_max. A false declaration is no success.
Otherwise the patients enrolled count, also where no dose is above the target. Under every truth a
design is judged relative to the best one there; truths with a dose above the target count one
half, the others the other half. Designs that are as good as the best within 2% are told apart by
how soon they declare a good dose.
"""

import numpy as np
from numpy.typing import NDArray

from gai_core.engine import Runs
from gai_core.evidence import GOOD
from gai_core.results import first_declaration
from gai_core.study import Study, Truth

AS_GOOD = 1.02
"""Average ratios up to this times the smallest one count as equal to it."""


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


def enrolled(runs: Runs, truth: Truth, design: str) -> NDArray[np.int64]:
    """Patients enrolled, per replicate; n_max where a good dose could be declared and none is."""
    study, trials = runs.study, runs[truth.name, design]
    if not study.above(truth):
        return trials.patients
    found = ((trials.verdict == GOOD) & np.array(study.good(truth))).any(axis=1)
    return np.where(found, trials.patients, study.simulation.n_max)


def judged_truths(study: Study) -> list[str]:
    """The truths with a dose above the target, under which there is something to find."""
    return [truth.name for truth in study.truths if study.above(truth)]


def truth_weights(study: Study) -> dict[str, float]:
    """What every truth counts: with and without a dose above the target one half each.

    Truths under which outcomes are not as the designs assume do not count, if there are others.
    """
    known = [truth for truth in study.truths if study.as_assumed(truth)] or list(study.truths)
    groups = [
        [truth.name for truth in known if study.above(truth) is above] for above in (True, False)
    ]
    groups = [group for group in groups if group]
    return {name: 1 / len(groups) / len(group) for group in groups for name in group}


def fewest_first(runs: Runs) -> list[str]:
    """The designs in the order of their average ratio; none where no good dose is ever declared."""
    study = runs.study
    names = [design.name for design in study.designs]
    if not _any_found(runs):
        return []
    ratios, soon = np.zeros(len(names)), np.zeros(len(names))
    for truth, weight in truth_weights(study).items():
        for average, patients in ((ratios, enrolled), (soon, until_found)):
            means = [patients(runs, study.truth(truth), name).mean() for name in names]
            average += weight * np.array(means) / max(1.0, min(means))
    near = ratios <= AS_GOOD * ratios.min()
    order = np.lexsort((np.where(near, soon, ratios), ~near))
    return [names[i] for i in order]


def _any_found(runs: Runs) -> bool:
    """Whether any trial declares a good dose where one is above the target."""
    study = runs.study
    return any(
        (runs[name, design.name].verdict[:, np.array(study.good(study.truth(name)))] == GOOD).any()
        for name in judged_truths(study)
        for design in study.designs
    )

"""What every assumed dose-response counts in a recommendation, and whether anything was found."""

import numpy as np

from gai_core.engine import Runs
from gai_core.evidence import GOOD
from gai_core.study import Study, Truth


def judged_truths(study: Study) -> list[str]:
    """The truths with a dose above the target, under which there is something to find."""
    return [truth.name for truth in study.truths if study.above(truth)]


def truth_weights(study: Study) -> dict[str, float]:
    """What every truth counts: with and without a dose above the target one half each.

    Truths under which outcomes are not as the designs assume do not count, if there are others.
    """
    known = _counted(study)
    groups = [
        [truth.name for truth in known if study.above(truth) is above] for above in (True, False)
    ]
    groups = [group for group in groups if group]
    return {name: 1 / len(groups) / len(group) for group in groups for name in group}


def uncounted(study: Study) -> list[Truth]:
    """The truths that do not count: outcomes are not as the designs assume, unlike under others."""
    known = _counted(study)
    return [truth for truth in study.truths if truth not in known]


def _counted(study: Study) -> list[Truth]:
    return [truth for truth in study.truths if study.as_assumed(truth)] or list(study.truths)


def any_found(runs: Runs) -> bool:
    """Whether any trial declares a good dose where one is above the target."""
    study = runs.study
    return any(
        (runs[name, design.name].verdict[:, np.array(study.good(study.truth(name)))] == GOOD).any()
        for name in judged_truths(study)
        for design in study.designs
    )


def inert_truth(study: Study) -> Truth | None:
    """The truth of a drug that does nothing: of those without a good dose, a flat one.

    A dose at a fixed target is good. Truths that the guarantee covers come first. Where none of
    them has the same mean on all arms, the one in which doses do least; of several one that is as
    the designs assume.
    """
    nulls = [truth for truth in study.truths if not any(study.good(truth))]
    nulls = [truth for truth in nulls if study.covered(truth)] or nulls
    flat = [truth for truth in nulls if len(set(truth.means)) == 1]

    def doing(truth: Truth) -> tuple[bool, float]:
        return not study.as_assumed(truth), max(truth.means[arm] for arm in study.candidates)

    return min(flat or nulls, key=doing, default=None)

"""A recommendation: which of a short list of designs declares a good dose soonest.

Every design is simulated on all truths of the study, on the same patients, and ranked as
`questions/ranking.py` says. A design that finds a good dose more often is named where there is
one.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gai_core.basics import InputError
from gai_core.engine import HERE, Runs, Work
from gai_core.evidence import GOOD
from gai_core.questions import advice_words
from gai_core.questions.ranking import judged_truths, soonest_first, until_found
from gai_core.results import events, mean, share
from gai_core.study import Study, Truth, sensible
from gai_core.theory import sharper_bounds

if TYPE_CHECKING:
    import pandas as pd

REFERENCE = "HDoC, the paper's"


@dataclass(frozen=True)
class Advice:
    """The recommended design, what speaks for it in words, and the table behind it."""

    recommended: str
    """Empty where no design declares anything."""
    sentences: tuple[str, ...]
    table: "pd.DataFrame"
    runs: Runs


def advise(
    study: Study,
    *,
    work: Work = HERE,
) -> Advice:
    """Simulate the sensible designs on all truths of the study and recommend one."""
    judged = judged_truths(study)
    if not judged:
        raise InputError("advise needs a truth in which at least one arm is above the threshold")
    if study.simulation.runs < 2:
        raise InputError("advise needs at least 2 runs, to know how sure it is")
    candidates = study.model_copy(update={"designs": tuple(sensible(study))})
    runs = work.simulate(candidates)
    table = advice_table(runs)
    ranked = soonest_first(runs)
    if not ranked:
        return Advice("", (advice_words.nothing_found(study),), table, runs)
    runner_up = advice_words.against(ranked[1], *_difference(runs, judged, *ranked[:2]))
    first, *on_truths = advice_words.sentences(candidates, table, ranked[0], REFERENCE)
    return Advice(ranked[0], (first, runner_up, *on_truths), table, runs)


def _difference(runs: Runs, truths: list[str], design: str, other: str) -> tuple[float, float]:
    """The paired difference design - other, averaged over truths, and its standard error."""
    parts = []
    for truth in map(runs.study.truth, truths):
        one, two = (until_found(runs, truth, name) for name in (design, other))
        parts.append(mean(one - two))
    value = sum(part[0] for part in parts) / len(parts)
    return value, math.hypot(*(part[1] for part in parts)) / len(parts)


def advice_table(runs: Runs) -> "pd.DataFrame":
    """A row per truth and design; every simulated value with its Monte Carlo standard error."""
    import pandas as pd

    study = runs.study
    rows = []
    for truth in study.truths:
        good = study.good(truth)
        reference = until_found(runs, truth, REFERENCE)
        for design in study.designs:
            trials = runs[truth.name, design.name]
            until = until_found(runs, truth, design.name)
            seen = events(runs, truth.name, design.name)
            found = ((trials.verdict == GOOD) & np.array(good)).any(axis=1)
            values = {
                "until_found": mean(until),
                "until_found_if_any": mean(until[found]),
                "found": share(found),
                "n_patients": mean(trials.patients),
                "false_declaration": share(seen["false_declaration"]),
                "missed_dose": share(seen["missed_dose"]),
                "any_error": share(seen["any_error"]),
                "difference": mean(until - reference),
            }
            cells: dict[str, str | float] = {"truth": truth.name, "design": design.name}
            for name, (value, error) in values.items():
                cells |= {name: value, f"{name}_mcse": error}
            rows.append(cells | {"lower_bound": _lower_bound(study, truth)})
    return pd.DataFrame(rows)


def _lower_bound(study: Study, truth: Truth) -> float:
    """What no design that always decides can beat until its first declaration; nan without one."""
    (_, bound), *others = sharper_bounds(study, truth)
    return bound.value if others else math.nan  # the last one is that of the whole list

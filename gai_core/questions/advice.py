"""The one recommendation: which design enrols the fewest patients at equal error and power.

The app's answer, the report's first page and `gai advise` all have it from here, of the same
designs: those of the study, and the benchmarks that it lacks. Every design gets its own smallest
n_max at which a good dose is declared with the wished chance under the hoped-for truth
(`questions/comparing.py`), and is judged by the patients that it enrols on average over the truths,
relative to the benchmark: a group-sequential trial, or the fixed design where that is out of reach.
Truths with a dose above the target count one half and those without the other, for inert drugs are
most of what is tested.
Where no design surely saves anything, the benchmark is recommended. A false declaration is no
success, and only designs with a proven guarantee are recommended.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gai_core.basics import InputError
from gai_core.engine import HERE, Work
from gai_core.questions import advice_words
from gai_core.questions.comparing import (
    SURE,
    USUAL_POWER,
    EqualPower,
    equal_power,
    equal_power_table,
)
from gai_core.questions.comparing_words import what_is_equal
from gai_core.questions.plan_search import MOST_PATIENTS, Wish
from gai_core.questions.truth_weights import judged_truths
from gai_core.study import Study, sensible

if TYPE_CHECKING:
    import pandas as pd

QUICK_PATIENTS = 5_000_000
"""Trials times largest sample size up to which a comparison is quick."""


@dataclass(frozen=True)
class Advice:
    """The recommended design, what speaks for it in words, and the comparison behind it."""

    recommended: str
    """Empty where no design with a proven guarantee reaches the power."""
    answer: tuple[str, ...]
    """The recommendation in a sentence or two, the same wherever it is read."""
    details: tuple[str, ...]
    """What the design is, what is equal, and what happens under every truth."""
    found: EqualPower

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything there is to say."""
        return (*self.answer, *self.details)

    @property
    def table(self) -> "pd.DataFrame":
        """The comparison: a row per truth and design."""
        return equal_power_table(self.found)


def advise(
    study: Study,
    wish: Wish = USUAL_POWER,
    *,
    under: str | None = None,
    ready_made: bool = False,
    most_patients: int = MOST_PATIENTS,
    work: Work = HERE,
) -> Advice:
    """Compare the study's designs and the benchmarks at equal error and power; recommend one.

    With `ready_made` the planner's ready-made designs are candidates too.
    """
    if not judged_truths(study):
        raise InputError("advise needs a truth in which at least one arm is above the threshold")
    if study.simulation.runs < 2:
        raise InputError("advise needs at least 2 runs, to know how sure it is")
    asked = with_ready_made(study) if ready_made else study
    return advice_on(equal_power(asked, wish, under=under, most_patients=most_patients, work=work))


def with_ready_made(study: Study) -> Study:
    """The study with the ready-made designs that fit it, after its own; a name is its own first."""
    names = {design.name for design in study.designs}
    more = [design for design in sensible(study) if design.name not in names]
    return study.model_copy(update={"designs": (*study.designs, *more)})


def quick_to_advise(study: Study) -> bool:
    """Whether designs are compared at equal power unasked: it takes seconds.

    A search simulates some dozens of sample sizes. Limits for an unknown variance are calibrated
    slowly, so not there.
    """
    size = study.simulation
    return (
        bool(judged_truths(study))
        and study.outcome.knows_variance
        and size.runs > 1
        and size.runs * size.n_max <= QUICK_PATIENTS
    )


def unasked_advice(study: Study, *, work: Work = HERE) -> Advice | None:
    """The recommendation where it takes seconds, else None."""
    if not quick_to_advise(study):
        return None
    try:
        return advise(study, work=work)
    except InputError:
        return None


def advice_on(found: EqualPower) -> Advice:
    """The recommendation that follows from a comparison at equal power."""
    able = [name for name in found.reached if found.promised(name)]
    if not able:
        none = advice_words.nothing_reached(found)
        return Advice("", (none,), tuple(what_is_equal(found)), found)
    by_patients = sorted(able, key=lambda name: average_ratio(found, name)[0])
    best, benchmark = by_patients[0], found.benchmark
    chosen, beside = best, None
    if benchmark is not None:
        average, error = average_ratio(found, best)
        chosen = best if average + SURE * error < 1 else benchmark
        others = [name for name in by_patients if name != benchmark]
        beside = (others[0], *average_ratio(found, others[0])) if others else None
    return Advice(
        chosen,
        tuple(advice_words.answer(found, chosen, beside)),
        tuple(advice_words.details(found, chosen, beside)),
        found,
    )


def average_ratio(found: EqualPower, design: str) -> tuple[float, float]:
    """Patients enrolled over the truths, relative to the benchmark, with the error of searches."""
    average, simulated = found.over_truths(design)
    return average, math.hypot(simulated, average * found.search_error(design))

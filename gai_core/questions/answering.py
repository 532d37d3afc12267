"""The answer in a sentence: which design to use, its chance, and the patients a usual chance takes.

The app has it above everything else, the report on its first page. The design is one of the
study's own (`questions/ranking.py`), with a guarantee if any has one; it is set against the
study's benchmark, group sequential or else fixed. The chance is that of the first assumed
dose-response with a dose above the target, which is the one that is hoped for.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gai_core.basics import percent
from gai_core.questions.comparing import SURE
from gai_core.questions.plan_search import Plan, Wish
from gai_core.questions.ranking import fewest_first, judged_truths
from gai_core.results import Analysis, benchmark_of, kind_of_benchmark
from gai_core.study import Study

USUAL_WISH = Wish("any_declared", 0.8)
"""The chance that trialists ask for first."""


@dataclass(frozen=True)
class Answer:
    """The design to use and the assumption under which its chance is stated."""

    truth: str
    design: str
    benchmark: str | None
    """The group-sequential design of the study, or its fixed one, where that is another."""

    @property
    def designs(self) -> tuple[str, ...]:
        """The designs whose patients are searched for."""
        return (self.design,) if self.benchmark is None else (self.design, self.benchmark)


def answer(analysis: Analysis) -> Answer | None:
    """What to use; None where no dose is above the target, or no good dose is ever declared."""
    study = analysis.study
    ranked = fewest_first(analysis.runs)
    if not ranked:
        return None
    promised = [name for name in ranked if _promises(study, name)]
    best = (promised or ranked)[0]
    benchmark = benchmark_of(study)
    return Answer(judged_truths(study)[0], best, None if benchmark == best else benchmark)


def _promises(study: Study, design: str) -> bool:
    return study.design(design).identification[0].guarantee != "nothing"


def answer_sentences(analysis: Analysis, plans: Sequence[Plan] = ()) -> Iterator[str]:
    """The answer in words; `plans` are the searches for its designs, where they were made."""
    found, study = answer(analysis), analysis.study
    if found is None:
        yield _nothing(study)
        return
    value = analysis.values(found.truth, found.design, "any_declared", "probability")
    chance = percent(*value, study.simulation.runs)
    yield (
        f"Use {found.design}: assuming “{found.truth}”, at least one dose is declared in {chance} "
        f"of the trials of at most {study.simulation.n_max:,} patients."
    )
    if not _promises(study, found.design):
        yield "It promises nothing about errors: no design of the study does."
    yield from _more_often(analysis, found)
    by_design = {plan.design: plan for plan in plans}
    own = by_design.get(found.design)
    if own is not None:
        yield _needs(study, own, by_design.get(found.benchmark or ""))


def _more_often(analysis: Analysis, found: Answer) -> Iterator[str]:
    """That another design finds a good dose surely more often, as it may enrol more patients."""
    study, truth = analysis.study, found.truth
    chances = {
        design.name: analysis.values(truth, design.name, "good_declared", "probability")
        for design in study.designs
        if _promises(study, design.name) or not _promises(study, found.design)
    }
    other = max(chances, key=lambda name: chances[name][0])
    (own, own_error), (theirs, error) = chances[found.design], chances[other]
    if theirs - own <= SURE * math.hypot(own_error, error):
        return
    enrolled = {
        name: f"{analysis.values(truth, name, 'enrolled', 'mean')[0]:,.0f}"
        for name in (found.design, other)
    }
    yield (
        f"{other} declares a good dose more often, in {100 * theirs:.0f}% of the trials instead of "
        f"{100 * own:.0f}%, and enrols {enrolled[other]} patients on average instead of "
        f"{enrolled[found.design]}: if that chance matters more, use it, or allow more patients."
    )


def _nothing(study: Study) -> str:
    if not judged_truths(study):
        return (
            "Under no assumed dose-response is a dose above the target, so no design can be "
            "recommended: add what you hope for."
        )
    return (
        f"No design declares a good dose within {study.simulation.n_max:,} patients in any "
        "simulated trial: allow more patients, a lower target or a larger error rate."
    )


def _needs(study: Study, own: Plan, benchmark: Plan | None) -> str:
    """How many patients the wished chance takes, with this design and with the benchmark."""
    wished = f"{100 * own.wish.chance:g}%"
    if own.value is None:
        text = f"For {wished}: {own.why_not}"
    else:
        text = f"{wished} needs {_patients(own)}"
    if benchmark is None:
        return f"{text}."
    kind = kind_of_benchmark(study, benchmark.design)
    named = f"{benchmark.design}, the {kind} benchmark at the same error rate,"
    if benchmark.value is None:
        return f"{text}; {named} does not reach it."
    return f"{text}; {named} needs {_patients(benchmark)}."


def _patients(plan: Plan) -> str:
    if plan.certain:
        return f"at most {plan.value:,} patients"
    upper = "more" if plan.sure is None else f"{plan.sure:,}"
    return f"at most {plan.value:,} patients ({plan.may:,} to {upper})"

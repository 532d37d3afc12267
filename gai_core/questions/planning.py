"""Planning backwards: the smallest value of a field that reaches a wished chance.

The chance is simulated, so an answer has a Monte Carlo error. It is the smallest
value whose simulated chance reaches the wish under every listed truth. Beside it
stands the interval from the smallest value that may do so (no truth's 95% Wilson
interval lies below the wish) to the smallest that surely does (every interval lies
above it). Where the chance p(v) rises with v, and the simulated one too because all
values see the same patients, let v* be the smallest value with p(v*) >= wish. The
interval begins above v* only if a Wilson interval at v* lies below p(v*), and ends
below v* only if all those at the value before v* lie above the wish: each has a
probability of about 2.5% for one truth. Curves that are calibrated anew for every
value can make small steps back; then this is an approximation.

For delta and alpha the smallest value is the strictest error rate that still reaches the wish.
For beta, burn_in and looks the largest value can be asked for: the soonest dropping, the
longest equal start, the fewest looks.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gai_core.basics import Argument, InputError, Problem, shown, suggestion
from gai_core.engine import HERE, Progress, Runs, Work, simulate
from gai_core.questions.plan_search import MOST_PATIENTS, Plan, Search, Wish
from gai_core.questions.plan_values import RATES, solvable
from gai_core.results import wishes
from gai_core.study import Number, Study, varied

if TYPE_CHECKING:
    import pandas as pd

OF_ONE_DESIGN = {"burn_in": "burn_in", "looks": "criterion_parameters.looks"}
"""Planned fields that every design has of its own, and where."""
USUAL_TRIES = 60
"""Tries of a search, for its progress."""


def parse_wish(text: str, argument: str = "want") -> Wish:
    """`any_declared=0.8` as a wish; `argument` is whose text it is."""
    quantity, _, chance = text.partition("=")
    known = wishes()
    if quantity not in known:
        rule, remedy = f"{shown(quantity)} cannot be wished for", suggestion(quantity, known)
        raise InputError(Problem((Argument(argument),), rule, remedy=remedy, whole=True))
    try:
        value = float(chance)
    except ValueError:
        value = math.nan
    if not 0 < value < 1:
        problem = Problem((), "must be a number between 0 and 1", f"is {shown(chance)}")
        raise InputError(problem, source=((Argument(argument),), f" {quantity}"))
    return Wish(quantity, value)


def searches(
    study: Study,
    wish: Wish,
    field: str,
    *,
    among: tuple[Number, Number] | None = None,
    truths: Sequence[str] = (),
    designs: Sequence[str] = (),
    largest: bool = False,
    most_patients: int = MOST_PATIENTS,
    run: Callable[[Study], Runs] = simulate,
) -> list[Search]:
    """A search per design, ready to begin: a bad request is refused here, before any work."""
    if largest and solvable(field).helps:
        rule, remedy = f"more {field} only helps", f"ask for the smallest {field}"
        raise InputError(Problem((Argument("largest"),), rule, remedy=remedy, whole=True))
    names = [study.truth(name).name for name in truths] or planned_for(study)
    chosen = [study.design(name) for name in designs] or list(study.designs)
    found = [
        Search(study, design, names, wish, field, among, run, most_patients) for design in chosen
    ]
    if field in RATES and not any(search.applies for search in found):
        rule = f"no design that is planned depends on {field}, neither in its limits nor allocation"
        remedy = "solve for n_max, or choose a decision rule that keeps an error rate"
        raise InputError(Problem((Argument("solve"),), rule, remedy=remedy, whole=True))
    return found


def plan(
    study: Study,
    wish: Wish,
    field: str,
    *,
    among: tuple[Number, Number] | None = None,
    truths: Sequence[str] = (),
    designs: Sequence[str] = (),
    largest: bool = False,
    most_patients: int = MOST_PATIENTS,
    work: Work = HERE,
) -> list[Plan]:
    """Per design, the smallest value of the field that reaches the wish under every truth.

    Without `truths` these are all with a dose above the target. `largest` asks for the largest
    value instead, where more does not simply help. No try may need more than `most_patients`.
    """
    found = searches(
        study,
        wish,
        field,
        among=among,
        truths=truths,
        designs=designs,
        largest=largest,
        most_patients=most_patients,
        run=replace(work, progress=None).simulate,
    )
    plans = []
    for i, search in enumerate(found):
        if work.progress is not None:
            search.report = partial(_report, work.progress, i, len(found))
        plans.append(search.answer(largest))
    return plans


def with_answer(study: Study, found: Plan, value: Number) -> Study:
    """The study with a value of a plan's field: of all designs, or of the one it belongs to."""
    place = found.field
    if place in OF_ONE_DESIGN:
        names = [design.name for design in study.designs]
        place = f"designs[{names.index(found.design)}].{OF_ONE_DESIGN[place]}"
    return varied(study, {place: value}, "solve")


def _report(progress: Progress, before: int, size: int, tries: int) -> None:
    progress(before * USUAL_TRIES + min(tries, USUAL_TRIES - 1), size * USUAL_TRIES)


def planned_for(study: Study) -> list[str]:
    """Every truth with a dose above the target: one exactly at it cannot be settled."""
    names = [truth.name for truth in study.truths if study.above(truth)]
    if not names:
        rule = "no truth of the study has a dose above the target"
        remedy = "add one that is hoped for"
        raise InputError(Problem(("truths",), rule, remedy=remedy, whole=True))
    return names


PLAN_COLUMNS = [
    "design",
    "field",
    "quantity",
    "wish",
    "value",
    "may",
    "sure",
    "truth",
    "chance",
    "low",
    "high",
    "next_value",
    "next_chance",
    "next_low",
    "next_high",
    "fails_again",
    "why_not",
]


def plan_table(plans: Sequence[Plan]) -> "pd.DataFrame":
    """Plans as a table: a row per design and truth, or per design without an answer."""
    import pandas as pd

    rows = []
    for found in plans:
        wish = found.design, found.field, found.wish.quantity, found.wish.chance
        answer = found.value, found.may, found.sure
        beside = {estimate.truth: estimate for estimate in found.at_next}
        for here in found.at:
            before = beside.get(here.truth)
            chances = (None,) * 3 if before is None else (before.chance, before.low, before.high)
            rows.append(
                (
                    *wish,
                    *answer,
                    here.truth,
                    here.chance,
                    here.low,
                    here.high,
                    found.next_value,
                    *chances,
                    found.fails_again,
                    "",
                )
            )
        if found.value is None:
            rows.append((*wish, *(None,) * 12, found.why_not))
    return pd.DataFrame(rows, columns=PLAN_COLUMNS)

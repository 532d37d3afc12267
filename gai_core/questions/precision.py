"""Precision instead of runs: trials are added until every chosen chance is known well enough.

The standard error of a chance p over R trials is sqrt(p (1-p) / R). A chance that
was never, or always, seen has not the error 0: every chance is given at least
the error of one that was never seen (`summary.least_error`). The trials of one stage
are kept in the next, so the result is that of a study with so many runs.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from gai_core.basics import Argument, InputError, Problem, shown, suggestion
from gai_core.engine import HERE, Runs, Work
from gai_core.results import (
    NORMAL_95,
    chances_of,
    judged,
    least_error,
    runs_for,
    share,
    why_not_there,
)
from gai_core.study import Study, changed

PRECISION = (Argument("precision"),)
MOST_RUNS = 1_000_000
SMALLEST_STAGE = 100
"""Trials of the first stage at least: fewer would foretell little."""
MARGIN = 1.02
"""Trials that are asked for, beside those foretold: a stage seldom falls short by a few."""


class Uncertain(NamedTuple):
    """The chance with the largest standard error."""

    truth: str
    design: str
    quantity: str
    seen: float
    """sqrt(p (1-p) / R), 0 for what was never or always seen."""
    error: float
    """At least that of what was never seen."""


def check_precision(
    study: Study, precision: float, quantities: Sequence[str] = (), most_runs: int = MOST_RUNS
) -> list[str]:
    """The chosen chances (without a choice all); refuses what so many runs cannot reach."""
    known = chances_of(study)
    for quantity in quantities:
        if quantity not in known:
            why_not = why_not_there(study, quantity)
            rule = why_not or f"{shown(quantity)} is no chance"
            remedy = "" if why_not else suggestion(quantity, known)
            raise InputError(Problem((Argument("precision_of"),), rule, remedy=remedy, whole=True))
    least, value = least_error(most_runs), f"is {precision:g}"
    if not 0 < precision < 1:
        raise InputError(Problem(PRECISION, "must lie between 0 and 1", value))
    if precision < least:
        rule = (
            f"must be at least {least:.2g}, the standard error of what was never seen in "
            f"{most_runs:,} trials, the most that are simulated"
        )
        raise InputError(Problem(PRECISION, rule, value))
    return list(quantities) or list(known)


def simulate_to(
    study: Study,
    precision: float,
    *,
    quantities: Sequence[str] = (),
    most_runs: int = MOST_RUNS,
    work: Work = HERE,
) -> Runs:
    """Simulate the study with so many runs that every standard error is at most `precision`.

    The study's own number of runs is where it begins. `quantities` are keys of chances.
    """
    chosen = check_precision(study, precision, quantities, most_runs)
    stage = changed(study, runs=min(max(study.simulation.runs, SMALLEST_STAGE), most_runs))
    runs: Runs | None = None
    while True:
        runs = work.simulate(stage, earlier=runs)
        worst = most_uncertain(runs, chosen)
        if worst.error <= precision:
            return runs
        size = stage.simulation.runs
        needed = max(runs_for(worst.seen, size, precision), _runs_for_unseen(precision))
        if needed > most_runs:
            rule = (
                f"{precision:g} would take about {needed:,} trials "
                f"({worst.quantity} of {worst.design!r} under {worst.truth!r} has an error of "
                f"{worst.error:.2g} after {size:,}), and at most {most_runs:,} are simulated"
            )
            possible = worst.seen * (size / most_runs) ** 0.5 * MARGIN
            remedy = f"choose a precision of {possible:.2g}"
            raise InputError(Problem(PRECISION, rule, remedy=remedy))
        stage = changed(stage, runs=min(max(size + 1, round(needed * MARGIN)), most_runs))


def most_uncertain(runs: Runs, quantities: Sequence[str]) -> Uncertain:
    """The chance with the largest standard error, none having less than one never seen."""
    study, known = runs.study, chances_of(runs.study)
    least = least_error(study.simulation.runs)
    return max(
        (
            Uncertain(truth.name, design.name, quantity, error, max(error, least))
            for truth in study.truths
            for design in study.designs
            for trials in [judged(runs, truth.name, design.name)]
            for quantity in quantities
            for error in [share(known[quantity].value(trials))[1]]
        ),
        key=lambda chance: chance.seen,
    )


def _runs_for_unseen(precision: float) -> int:
    """Trials from which on least_error, z / (2 (R + z^2)), is at most the precision."""
    return math.ceil(NORMAL_95 / (2 * precision) - NORMAL_95**2)

"""A design made ready to run: curves, tables and the compiled loop that fits the study."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gai_core.engine.trials import Trials
from gai_core.evidence import Curves, truth_key
from gai_core.rules import Rule, Tables
from gai_core.study import Design, Study, Truth, look_numbers, terms

if TYPE_CHECKING:
    from gai_core.engine.conducted_loop import PatientLog

Runner = Callable[[Truth, int, Trials], None]
"""Simulates a truth's replicates from a first one on, into the rows of trials."""


def runner(study: Study, design: Design) -> Runner:
    """A design made ready to run: its curves, its tables, its compiled loop."""
    if study.conduct is not None:
        return conducted(study, design)
    from gai_core.engine.loop import kernel  # the compiler loads only when something is simulated

    prepared = prepare(study, design)
    loop = kernel(prepared.rule, study.outcome)

    def run(truth: Truth, first: int, rows: Trials) -> None:
        loop(
            *_patients_of(study, truth, first),
            study.threshold,
            prepared.scale,
            prepared.curves.accept,
            prepared.curves.reject,
            prepared.tables.of_n,
            prepared.tables.of_t,
            design.burn_in,
            study.simulation.n_max,
            *rows.arrays,
        )

    return run


def conducted(study: Study, design: Design, people: "PatientLog | None" = None) -> Runner:
    """The same for a study that says how its trials are run.

    `people`, if given, holds the patients of the last replicate after a run.
    """
    from gai_core.engine.conducted_loop import Limits, Results, conduct_kernel, patient_log

    assert study.conduct is not None
    prepared = prepare(study, design)
    curves, outcome = prepared.curves, study.outcome
    loop = conduct_kernel(prepared.rule, outcome)
    numbers = terms(study.conduct, study.set_apart), look_numbers(study.conduct)
    at_look = curves.has_limits(outcome)
    limits = Limits(curves.accept, curves.reject, at_look, curves.only_at_end)

    def run(truth: Truth, first: int, rows: Trials) -> None:
        loop(
            *_patients_of(study, truth, first),
            float(truth.trend or 0.0),
            study.threshold,
            prepared.scale,
            limits,
            prepared.tables.of_n,
            prepared.tables.of_t,
            design.burn_in,
            study.simulation.n_max,
            *numbers,
            people or patient_log(study.simulation.n_max, outcome),
            Results(*rows.arrays),
        )

    return run


class Prepared(NamedTuple):
    """What a loop needs of a design: computed once, for any number of trials."""

    rule: Rule
    curves: Curves
    tables: Tables
    scale: float
    """Standard deviation of an outcome at the threshold."""


def prepare(study: Study, design: Design) -> Prepared:
    """The curves and tables of a design."""
    rule, rule_parameters = design.sampling
    criterion, criterion_parameters = design.identification
    setting = study.setting(design)
    return Prepared(
        rule,
        criterion.curves_of(setting, criterion_parameters),
        rule.tables(setting, rule_parameters),
        math.sqrt(study.outcome.variance_at(study.threshold)),
    )


def _patients_of(study: Study, truth: Truth, first: int) -> tuple[Any, ...]:
    """Where the patients of a truth come from: first replicate, streams, means, spread."""
    return (
        first,
        np.uint64(study.simulation.seed),
        truth_key(truth.name),
        study.outcome.locations(study.completing(truth)),
        study.spread(truth),
    )

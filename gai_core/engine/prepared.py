"""A design made ready to run: curves, tables and the compiled loop that fits the study."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gai_core.basics import InputError
from gai_core.engine.conduct_pairs import Pairs, room_for_pairs
from gai_core.engine.conduct_state import (
    ConductedRows,
    PatientLog,
    TrialPlan,
    room_for_arms,
    room_for_knowledge,
    room_for_log,
)
from gai_core.engine.loop_parts import (
    EVERY_DOSE,
    PlainRows,
    Scoring,
    Source,
    StopFlag,
    VerdictLimits,
)
from gai_core.engine.settling import settle
from gai_core.engine.trials import Trials
from gai_core.evidence import Curves, truth_key
from gai_core.rules import Rule, Tables
from gai_core.study import NO_CONTROL, Design, Study, Truth, look_numbers, terms

Runner = Callable[[Truth, int, Trials], None]
"""Simulates a truth's replicates from a first one on, into the rows of trials."""
SCORES_AT_ONCE = 20_000_000
"""Patients times arms for one call of the plain loop, which does not look at the stop flag itself:
that would cost it 2%. At 5 ns each a call takes 0.1 s at most, or one trial."""


def runner(study: Study, design: Design, stop: StopFlag | None = None) -> Runner:
    """A design made ready to run: its curves, its tables, its compiled loop.

    Once `stop` is set, a run ends within a bounded number of steps, and its rows are not to be
    used.
    """
    if study.conduct is not None:
        return conducted(study, design, stop=stop)
    from gai_core.engine.loop import kernel  # the compiler loads only when something is simulated

    prepared = prepare(study, design)
    loop = kernel(prepared.rule, study.outcome)
    n_max, stopped = study.simulation.n_max, (stop or StopFlag()).flag
    at_once = max(1, SCORES_AT_ONCE // (n_max * len(study.arms)))

    def run(truth: Truth, first: int, rows: Trials) -> None:
        source, count = source_of(study, truth), len(rows.verdict)
        for begin in range(0, max(count, 1), at_once):  # once without rows: then it compiles
            if stopped[0]:
                break
            part = PlainRows(**rows.rows(begin, begin + at_once).with_squares)
            loop(first + begin, source, prepared.scoring, prepared.limits, n_max, part)
        if design.order is not None:
            settle(rows, study.candidates)

    return run


def conducted(
    study: Study,
    design: Design,
    log: PatientLog | None = None,
    stop: StopFlag | None = None,
    pairs: Pairs | None = None,
) -> Runner:
    """The same for a study that says how its trials are run.

    `log` and `pairs`, if given, hold the patients of the last replicate, and who was whose
    partner, after a run.
    """
    from gai_core.engine.conducted_loop import conduct_kernel

    assert study.conduct is not None
    prepared = prepare(study, design)
    evidence = study.stream.outcome
    loop = conduct_kernel(prepared.rule, study.outcome, evidence)
    numbers, look_at = terms(study.conduct, study.set_apart), look_numbers(study.conduct)
    n_max, arms = study.simulation.n_max, len(study.arms)
    flag = (stop or StopFlag()).flag

    def run(truth: Truth, first: int, rows: Trials) -> None:
        loop(
            first,
            TrialPlan(
                source_of(study, truth), prepared.scoring, prepared.limits, numbers, look_at, n_max
            ),
            log or room_for_log(n_max, study.outcome),
            room_for_arms(arms, evidence),
            room_for_knowledge(arms),
            pairs or pairs_of(study),
            ConductedRows(**rows.with_squares),
            flag,
        )
        if design.order is not None:
            settle(rows, study.candidates)

    return run


def pairs_of(study: Study) -> Pairs:
    """Room for the pairs of one trial; none where doses are not compared with the control."""
    return room_for_pairs(study.simulation.n_max if study.target else 0, len(study.arms))


class Prepared(NamedTuple):
    """What a loop needs of a design: computed once, for any number of trials."""

    rule: Rule
    limits: VerdictLimits
    scoring: Scoring


def prepare(study: Study, design: Design) -> Prepared:
    """The curves and tables of a design."""
    (rule, _), stages, tables = design.sampling, study.stages(design), study.tables(design)
    _check_lengths(design, study.most_on_candidates, stages.first, tables)
    stream = study.stream
    scale = math.sqrt(stream.outcome.variance_at(stream.target))
    return Prepared(
        rule,
        VerdictLimits(
            stages.accept,
            stages.reject,
            stages.last.has_limits(stream.outcome),
            stages.only_at_end,
            design.burn_in,
            _wanted(study, design),
            design.order is not None,
            NO_CONTROL if study.set_apart is None else study.set_apart,
        ),
        Scoring(stream.target, scale, tables.of_n, tables.of_t, np.array(study.ratio, np.float64)),
    )


def _wanted(study: Study, design: Design) -> int:
    """Declarations after which the trial ends; one look at the end is about every dose."""
    wanted = study.doses_wanted
    return EVERY_DOSE if wanted is None or design.once_at_end else wanted


def _check_lengths(design: Design, most: int, curves: Curves, tables: Tables) -> None:
    """The loops read tables at every number of patients, and curves from the burn-in on."""
    last = len(curves.accept) - 1
    if min(tables.of_n.size, tables.of_t.size) <= most:
        raise InputError(f"the tables of the rule {design.rule!r} must go up to {most} patients")
    if len(curves.reject) != len(curves.accept) or not design.burn_in <= last <= most:
        raise InputError(
            f"the two curves of the criterion {design.criterion!r} must end at the same number, "
            f"between the burn-in ({design.burn_in}) and {most} patients"
        )


def source_of(study: Study, truth: Truth) -> Source:
    """Where the patients of a truth come from."""
    return Source(
        np.uint64(study.simulation.seed),
        truth_key(truth.name),
        study.outcome.locations(study.completing(truth)),
        study.spread(truth),
        float(truth.trend or 0.0),
    )

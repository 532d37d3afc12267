"""Steps of a conducted trial: a patient comes, the rule scores, and there will be an outcome.

They are those under "A patient comes" in docs/conduct.md, whose numbers they give;
`conduct_blocks` has those in which arms are chosen for a block of patients.
"""

from typing import Any, NamedTuple

import numpy as np

from gai_core.basics import loop_step
from gai_core.engine.conduct_state import (
    Cohort,
    Course,
    Flow,
    Functions,
    PatientLog,
    Records,
    TrialPlan,
    may_drop_out,
)
from gai_core.engine.loop_parts import Source, keep_stream, stream_at
from gai_core.evidence import (
    CHOICES,
    DELAYS,
    GAPS,
    RANDOMISATION,
    Stream,
    start,
    uniform,
)
from gai_core.study import (
    FIXED,
    ConductNumbers,
    draw_delay,
    draw_gap,
)


class Chances(NamedTuple):
    """The random streams of a whole trial."""

    choices: Stream
    """Of a randomised rule,"""
    allocation: Stream
    """of allocation by chance,"""
    gaps: Stream
    """of the gaps between patients,"""
    delays: Stream
    """and of the time to the outcome."""


class Reading(NamedTuple):
    """What the rule read of the patients in all, and from which t on it reads anew."""

    now: float
    stale_from: int


@loop_step
def chances_of(source: Source, replicate: Any) -> Chances:
    """The streams of a trial at their beginning (Random numbers)."""
    seed, truth, zero = source.seed, source.truth, np.uint64(0)
    return Chances(
        start(seed, truth, replicate, zero, CHOICES),
        start(seed, truth, replicate, zero, RANDOMISATION),
        start(seed, truth, replicate, zero, GAPS),
        start(seed, truth, replicate, zero, DELAYS),
    )


@loop_step
def next_patient(
    expected: float, chances: Chances, conduct: ConductNumbers
) -> tuple[float, Chances]:
    """How many patients are expected by the time that the next one comes (1)."""
    gap, gaps = 1.0, chances.gaps
    if conduct.poisson:
        gap, gaps = draw_gap(gaps)
    return expected + gap, Chances(chances.choices, chances.allocation, gaps, chances.delays)


@loop_step
def enrol(
    arm: Any,
    month: float,
    cohort: Cohort,
    course: Course,
    chances: Chances,
    functions: Functions,
    plan: TrialPlan,
    records: Records,
) -> tuple[Course, Chances]:
    """The patient gets the arm of a place; the outcome is drawn now (5), and known later (6, 7)."""
    conduct, flow, log = plan.conduct, course.flow, records.log
    x = outcome_of(arm, month, functions, plan.source, records.arms.outcomes)
    dropped = may_drop_out(conduct) and drops_out(
        arm, x >= plan.scoring.xi, conduct, records.arms.dropouts
    )
    wait, delays = conduct.delay, chances.delays
    if conduct.delay_kind != FIXED:
        wait, delays = draw_delay(delays, conduct.delay_kind, conduct.delay, conduct.delay_scale)
    patient = flow.enrolled
    log.arm[patient], log.dropped[patient] = arm, dropped
    log.outcome[patient] = 0 if dropped else x
    log.enrolled[patient], log.due[patient] = month, month + wait
    join(patient, flow.came_in, log)
    flow = Flow(patient + 1, flow.came_in)
    after = Course(
        flow,
        course.candidates,
        course.look,
        Cohort(cohort.to_come - 1, cohort.told, cohort.rests, cohort.begins),
        flow.enrolled < plan.n_max,
        flow.enrolled - flow.came_in - (wait == 0.0),
        course.end,
    )
    return after, Chances(chances.choices, chances.allocation, chances.gaps, delays)


@loop_step
def outcome_of(arm: Any, month: float, functions: Functions, source: Source, outcomes: Any) -> Any:
    """The next outcome of the arm's own stream, under a trend moved by the month (5)."""
    where = source.location[arm]
    if source.trend != 0.0:
        where = functions.move(where, source.trend * month)
    x, stream = functions.draw(stream_at(outcomes, arm), where, source.spread)
    keep_stream(outcomes, arm, stream)
    return x


@loop_step
def drops_out(arm: Any, on_target: bool, conduct: ConductNumbers, dropouts: Any) -> bool:
    """Whether the patient drops out (6)."""
    u, stream = uniform(stream_at(dropouts, arm))
    keep_stream(dropouts, arm, stream)
    return u < (conduct.dropout_on_target if on_target else conduct.dropout)


@loop_step
def join(patient: int, first: int, log: PatientLog) -> None:
    """Put a new patient into the queue, behind all whose outcome is due by the same time (7)."""
    place = patient
    while place > first and log.due[log.queue[place - 1]] > log.due[patient]:
        log.queue[place] = log.queue[place - 1]
        place -= 1
    log.queue[place] = patient

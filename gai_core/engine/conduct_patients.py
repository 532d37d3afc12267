"""Steps of a conducted trial: a patient comes, the rule scores, and there will be an outcome.

They are those under "A patient comes" in docs/conduct.md, whose numbers they give;
`conduct_blocks` has those in which arms are chosen for a block of patients.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from gai_core.basics import loop_step
from gai_core.engine.conduct_pairs import known_mean
from gai_core.engine.conduct_state import (
    Cohort,
    Course,
    Flow,
    Functions,
    Knowledge,
    PatientLog,
    Records,
    TrialPlan,
    may_drop_out,
)
from gai_core.engine.loop_parts import Scoring, Source, keep_stream, stream_at
from gai_core.evidence import (
    CHOICES,
    DELAYS,
    GAPS,
    RANDOMISATION,
    Stream,
    normal,
    start,
    uniform,
)
from gai_core.study import (
    FIXED,
    MIXED,
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
def has_room(arm: Any, last: int, top: int, functions: Functions, records: Records) -> bool:
    """Whether an open arm has fewer patients than the last number with limits (3).

    In a cohort with partners, also whether it has fewer than the others leave room for (`top`).
    """
    room: bool = records.trial.assigned[arm] - records.arms.lost[arm] < last
    if functions.paired:
        room = room and records.pairs.planned[arm] < top
    return room


@loop_step
def fewest(left: int, last: int, top: int, functions: Functions, records: Records) -> int:
    """The eligible arm with the fewest patients, the first of equals; -1 if there is none (4)."""
    assigned, chosen = records.trial.assigned, -1
    for k in range(left):
        arm = records.arms.open[k]
        if has_room(arm, last, top, functions, records) and (
            chosen < 0 or assigned[arm] < assigned[chosen]
        ):
            chosen = arm
    return chosen


@loop_step
def begin_cohort(
    cohort: Cohort,
    lacking: int,
    now: float,
    functions: Functions,
    plan: TrialPlan,
    records: Records,
) -> Cohort:
    """The cohort's first patient: the rule learns what has come in (4)."""
    trial, known = records.trial, records.known
    for k in range(cohort.told):
        arm = known.news[k]
        known.has_news[arm] = False
        known.n[arm], known.lost[arm] = trial.seen[arm], records.arms.lost[arm]
        if functions.paired:
            known.mean[arm] = known_mean(trial.seen[arm], trial.sum[arm], plan.scoring.xi)
        else:
            known.mean[arm] = trial.sum[arm] / trial.seen[arm]
        if functions.books.squares:
            known.scale[arm], known.unit[arm] = functions.books.scales(
                trial.seen[arm],
                trial.sum[arm],
                trial.squares[arm],
                plan.scoring.xi,
                plan.scoring.scale,
            )
        if not cohort.rests:
            n = trial.assigned[arm] if functions.counts_waiting else trial.seen[arm]
            score_arm(arm, n, now, functions, plan.scoring, known)
    begins = cohort.begins or (cohort.rests and lacking == 0)
    return Cohort(plan.conduct.cohort, 0, lacking > 0, begins)


@loop_step
def score_arm(
    arm: Any, patients: Any, now: float, functions: Functions, scoring: Scoring, known: Knowledge
) -> None:
    """What the rule makes of an arm with so many patients (4)."""
    n = np.uint32(patients)  # unsigned: numba need not look for a negative index
    if functions.paired:
        n = max(n, np.uint32(1))  # pairs that say nothing count as one at the target
    summary, index = functions.summary, functions.index
    scale, unit = scoring.scale, 1.0
    if functions.books.squares:
        scale, unit = known.scale[arm], known.unit[arm]
    centre, width = summary(known.mean[arm], n, scoring.of_n[n], scoring.xi, scale, unit)
    known.centre[arm], known.width[arm] = centre, width
    if not (functions.random or functions.rising):  # else it is made when it is asked for
        known.score[arm] = index(centre, width, now)


@loop_step
def read_anew(
    t: int, left: int, functions: Functions, scoring: Scoring, records: Records
) -> Reading:
    """The rule begins, or t has grown by a 16th: every open arm has a new score (4)."""
    now = scoring.of_t[t]
    for k in range(left):
        arm = records.arms.open[k]
        n = records.trial.assigned[arm] if functions.counts_waiting else records.known.n[arm]
        score_arm(arm, n, now, functions, scoring, records.known)
    return Reading(now, t + 1 + (t >> 4))


@loop_step
def best_arm(
    left: int,
    tight: bool,
    top: int,
    now: float,
    choices: Stream,
    functions: Functions,
    plan: TrialPlan,
    records: Records,
) -> tuple[Any, int, Stream]:
    """The eligible arm with the highest score, and how many may be chosen by chance (4)."""
    assigned, known, last = records.trial.assigned, records.known, plan.limits.at_look.size - 1
    # No number is at most nan: the first eligible arm is taken whatever its score.
    chosen, best, count = records.arms.open[0], np.nan, 0
    for k in range(left):
        arm = records.arms.open[k]
        if tight and not has_room(arm, last, top, functions, records):
            continue
        if functions.random:
            now, choices = normal(choices)
        value = known.score[arm]
        if functions.random or functions.rising:
            value = functions.index(known.centre[arm], known.width[arm], now)
        value = functions.credit(value, assigned[arm] - known.n[arm] - known.lost[arm])
        above = not value <= best
        chosen = arm if above else chosen
        best = value if above else best
        if plan.conduct.randomisation >= MIXED:
            known.eligible[count], known.values[count] = arm, value
            count += 1
    return chosen, count, choices


@loop_step
def by_chance(
    chosen: Any, count: int, chance: Stream, conduct: ConductNumbers, known: Knowledge
) -> tuple[Any, Stream]:
    """The arm of the next patient where chance has a say in it (4)."""
    u, chance = uniform(chance)
    if conduct.randomisation != MIXED:
        chosen = softened(count, conduct.softness, u, known)
    elif u < conduct.share:
        u, chance = uniform(chance)
        chosen = known.eligible[min(int(u * count), count - 1)]
    return chosen, chance


@loop_step
def softened(count: int, softness: float, u: float, known: Knowledge) -> Any:
    """The arm that a uniform number picks by weights exp(-(best - v)/(softness (best - worst))).

    The scores in `known.values` are replaced by the weights.
    """
    values, eligible = known.values, known.eligible
    best = worst = values[0]
    for k in range(1, count):
        best, worst = max(best, values[k]), min(worst, values[k])
    span = softness * (best - worst) if best > worst else 1.0
    total = 0.0
    for k in range(count):
        values[k] = math.exp((values[k] - best) / span)
        total += values[k]
    reached = 0.0
    for k in range(count):
        reached += values[k]
        if reached > u * total:
            return eligible[k]
    return eligible[count - 1]


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

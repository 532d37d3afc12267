"""The state of a conducted trial, by names.

Arrays have an entry per arm or per patient, and steps write into them. Numbers stand in small
tuples, and a step returns its tuple anew: so they stay in registers. A trial begins with `begin`;
whatever else fills the same state can let a trial go on from there.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gai_core.basics import loop_step
from gai_core.engine.conduct_pairs import Pairs, no_pairs
from gai_core.engine.loop_parts import Scoring, Source, VerdictLimits, keep_stream
from gai_core.evidence import (
    DROPOUTS,
    NO_CANDIDATE,
    PATIENTS,
    UNDECIDED,
    Bookkeeping,
    Outcome,
    start,
)
from gai_core.rules import RuleNumbers
from gai_core.study import ConductNumbers

Function = Callable[..., Any]


class TrialPlan(NamedTuple):
    """All that is fixed before the first patient comes."""

    source: Source
    scoring: Scoring
    limits: VerdictLimits
    conduct: ConductNumbers
    look_at: Any
    """Numbers of outcomes at which there is a look, if they are given one by one."""
    n_max: int


class ConductedRows(NamedTuple):
    """The arrays of trials with a calendar, under the names of `Trials.named_arrays`."""

    verdict: Any
    decided: Any
    assigned: Any
    sum: Any
    squares: Any
    seen: Any
    month: Any
    waiting: Any
    enrolment: Any
    end: Any
    pipeline: Any


class TrialRow(NamedTuple):
    """What is kept of every arm of one trial: its row of the results."""

    verdict: Any
    decided: Any
    assigned: Any
    sum: Any
    squares: Any
    seen: Any
    month: Any
    waiting: Any


class Arms(NamedTuple):
    """What else is to be known of every arm while the trial goes on."""

    lost: Any
    """Dropouts that were left out; of pairs also those that say nothing."""
    judged_n: Any
    """What a verdict is about: the outcomes at the last n that has limits,"""
    judged_s: Any
    """their sum,"""
    judged_q: Any
    """and the second number of the stream, where one is kept."""
    both: Any
    """Sums of x + y over the pairs, where these tell the variance."""
    open: Any
    """The arms that are open, in their order; `Candidates.open` says how many."""
    outcomes: Any
    """Streams of outcomes, four words each,"""
    dropouts: Any
    """and of dropouts."""


class Knowledge(NamedTuple):
    """What the rule knows of every arm, and what it makes of it."""

    n: Any
    """Outcomes when the cohort began,"""
    mean: Any
    """their mean,"""
    scale: Any
    """what the rule takes for their standard deviation,"""
    unit: Any
    """the unit of its tables,"""
    lost: Any
    """and the dropouts left out by then."""
    centre: Any
    width: Any
    score: Any
    news: Any
    """Arms of which something came in since the cohort began; `Cohort.told` says how many."""
    has_news: Any
    eligible: Any
    """Room for the arms to choose among by chance,"""
    values: Any
    """and for their scores."""


class PatientLog(NamedTuple):
    """The patients of one trial in the order of enrolment; room for n_max of them."""

    arm: Any
    outcome: Any
    enrolled: Any
    """Month of enrolment."""
    due: Any
    """Month in which the outcome, or the dropout, is known."""
    dropped: Any
    queue: Any
    """Patients in the order in which their outcomes come in."""
    places: Any
    """Arms of the next patients; `Block.places` says how many."""


class Functions(NamedTuple):
    """The functions of rules and of outcomes, and what is known of them beforehand.

    Those of rules take the number of the one that is meant before all else.
    """

    summary: Function
    index: Function
    credit: Function
    largest_mean: Function
    """The index of rules that take the outcome's own."""
    draw: Function
    move: Function
    books: Bookkeeping
    combine: Function
    """What a pair says,"""
    paired: bool
    """where evidence is made of pairs."""
    rule: RuleNumbers


class Records(NamedTuple):
    """All arrays of a trial under way."""

    trial: TrialRow
    arms: Arms
    known: Knowledge
    log: PatientLog
    pairs: Pairs


class Flow(NamedTuple):
    """How many patients were enrolled, and of how many the outcome came."""

    enrolled: int
    came_in: int


class Candidates(NamedTuple):
    """How many candidates are open, lack outcomes of the burn-in, were declared, were dropped."""

    open: int
    lacking: int
    declared: int
    dropped: int


class NextLook(NamedTuple):
    """Outcomes so far, how many are missing to the next look, which given number is next, and
    the month of a planned look (infinite without one)."""

    outcomes: int
    to_come: int
    next_at: int
    month: float


class Cohort(NamedTuple):
    """Patients of the cohort still to come, arms with news for the next one, whether the rule
    rests during burn-in, and whether it begins now."""

    to_come: int
    told: int
    rests: bool
    begins: bool


class Course(NamedTuple):
    """How far a trial has come."""

    flow: Flow
    candidates: Candidates
    look: NextLook
    cohort: Cohort
    enrolling: bool
    pipeline: int
    """Patients who waited for their outcome when enrolment ended, or at the last enrolment."""
    end: float
    """Month of the last outcome or verdict."""


def room_for_log(n_max: int, outcome: Outcome) -> PatientLog:
    """Room for the patients of one trial."""
    return PatientLog(
        arm=np.empty(n_max, np.uint32),
        outcome=np.empty(n_max, outcome.curve_type),
        enrolled=np.empty(n_max),
        due=np.empty(n_max),
        dropped=np.empty(n_max, np.bool_),
        queue=np.empty(n_max, np.uint32),
        places=np.empty(n_max, np.uint32),
    )


def room_for_arms(arms: int, outcome: Outcome) -> Arms:
    """Room for what is to be known of every arm."""
    return Arms(
        lost=np.empty(arms, np.int64),
        judged_n=np.empty(arms, np.int64),
        judged_s=np.empty(arms, outcome.curve_type),
        judged_q=np.zeros(arms),
        both=np.zeros(arms),
        open=np.empty(arms, np.uint32),
        outcomes=np.empty((arms, 4), np.uint64),
        dropouts=np.empty((arms, 4), np.uint64),
    )


def room_for_knowledge(arms: int) -> Knowledge:
    """Room for what the rule knows of every arm."""
    return Knowledge(
        n=np.empty(arms, np.int64),
        mean=np.empty(arms),
        scale=np.empty(arms),
        unit=np.empty(arms),
        lost=np.empty(arms, np.int64),
        centre=np.empty(arms),
        width=np.empty(arms),
        score=np.empty(arms),
        news=np.empty(arms + 1, np.uint32),
        has_news=np.empty(arms, np.bool_),
        eligible=np.empty(arms, np.uint32),
        values=np.empty(arms),
    )


@loop_step
def row_of(rows: ConductedRows, row: int) -> TrialRow:
    """The row of one trial, to write into."""
    return TrialRow(
        rows.verdict[row],
        rows.decided[row],
        rows.assigned[row],
        rows.sum[row],
        rows.squares[row],
        rows.seen[row],
        rows.month[row],
        rows.waiting[row],
    )


@loop_step
def may_drop_out(conduct: ConductNumbers) -> bool:
    """Whether any patient can drop out."""
    return conduct.dropout > 0.0 or conduct.dropout_on_target > 0.0


@loop_step
def begin(replicate: Any, functions: Functions, plan: TrialPlan, records: Records) -> Course:
    """Nobody is enrolled yet, and every candidate is open."""
    source, trial, arms, known = plan.source, records.trial, records.arms, records.known
    left = 0
    if functions.paired:
        no_pairs(records.pairs)
    for arm in range(trial.verdict.size):
        stream = start(source.seed, source.truth, replicate, np.uint64(arm), PATIENTS)
        keep_stream(arms.outcomes, arm, stream)
        if may_drop_out(plan.conduct):
            stream = start(source.seed, source.truth, replicate, np.uint64(arm), DROPOUTS)
            keep_stream(arms.dropouts, arm, stream)
        trial.assigned[arm], trial.seen[arm], trial.sum[arm], arms.lost[arm] = 0, 0, 0, 0
        arms.judged_n[arm], arms.judged_s[arm] = 0, 0
        if functions.books.squares:
            trial.squares[arm], arms.judged_q[arm], arms.both[arm] = 0.0, 0.0, 0.0
            known.scale[arm], known.unit[arm] = plan.scoring.scale, 1.0
        known.n[arm], known.mean[arm], known.lost[arm] = 0, 0.0, 0
        known.has_news[arm] = False
        trial.verdict[arm], trial.decided[arm] = NO_CANDIDATE, 0
        trial.month[arm], trial.waiting[arm] = np.nan, 0
        if arm != plan.conduct.control:
            trial.verdict[arm], arms.open[left] = UNDECIDED, arm
            left += 1
    return Course(
        Flow(0, 0),
        Candidates(left, left, 0, 0),
        NextLook(0, plan.conduct.look_outcomes, 0, np.inf),
        Cohort(0, 0, True, False),
        True,
        0,
        0.0,
    )


@loop_step
def closed(course: Course, cohort: Cohort) -> Course:
    """Nobody else is enrolled, also if a cohort has just begun (The end)."""
    return Course(
        course.flow,
        course.candidates,
        course.look,
        cohort,
        False,
        course.pipeline,
        course.end,
    )

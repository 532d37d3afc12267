"""Steps of a conducted trial: outcomes come in, looks are held, verdicts are given.

They are those under "An outcome comes in" in docs/conduct.md.
"""

import math
from typing import Any

import numpy as np

from gai_core.basics import loop_step
from gai_core.engine.conduct_pairs import next_partner
from gai_core.engine.conduct_state import (
    Candidates,
    Cohort,
    Course,
    Flow,
    Functions,
    Knowledge,
    NextLook,
    Records,
    TrialPlan,
)
from gai_core.engine.loop_parts import declared_in_order, stage, step_down
from gai_core.evidence import GOOD, UNDECIDED, Bookkeeping
from gai_core.study import ConductNumbers

MOST_LOOKS = 2.0**53
"""Looks that a number can count; where there would be more, one follows every outcome."""


@loop_step
def let_happen(
    arrival: float, course: Course, functions: Functions, plan: TrialPlan, records: Records
) -> Course:
    """Outcomes and looks until the next patient comes; to the end once nobody comes.

    An outcome comes before a look of the same month. Every turn takes an outcome, or the look
    that is planned, so that there are at most two turns for every patient.
    """
    log = records.log
    while course.enrolling or course.flow.came_in < course.flow.enrolled:
        until = arrival if course.enrolling else np.inf
        flow, planned = course.flow, course.look.month
        waiting, due = flow.came_in < flow.enrolled, np.inf
        if waiting:
            due = log.due[log.queue[flow.came_in]]
        if waiting and due <= until and due <= planned:
            course, looking = come_in(due, course, functions, plan, records)
            month = due
        elif planned <= until and planned < np.inf:
            course, looking = hold_planned_look(course), True
            month = planned
        else:
            break
        if looking and course.candidates.lacking == 0 and not plan.limits.only_at_end:
            course = look(month, course, functions, plan, records)
    return course


@loop_step
def come_in(
    month: float, course: Course, functions: Functions, plan: TrialPlan, records: Records
) -> tuple[Course, bool]:
    """The next outcome, or dropout, comes in; whether a look is due."""
    flow, conduct, log = course.flow, plan.conduct, records.log
    candidates, cohort, look, looking = course.candidates, course.cohort, course.look, False
    patient = log.queue[flow.came_in]
    arm, counts = log.arm[patient], not (conduct.left_out and log.dropped[patient])
    if functions.paired:
        lacking, crossing, cohort = hear(
            patient, counts, candidates.lacking, cohort, functions, plan, records
        )
    else:
        if arm != conduct.control:
            cohort = take_note(arm, cohort, records.known)
        lacking, crossing = candidates.lacking, False
        if counts:
            lacking, crossing = add_outcome(
                arm, log.outcome[patient], lacking, functions.books, plan, records
            )
        else:
            records.arms.lost[arm] += 1
    candidates = Candidates(candidates.open, lacking, candidates.declared, candidates.dropped)
    if counts:
        look, looking = count_to_look(month, look, crossing, conduct, plan.look_at)
    flow = Flow(flow.enrolled, flow.came_in + 1)
    after = Course(flow, candidates, look, cohort, course.enrolling, course.pipeline, month)
    return after, looking


@loop_step
def hear(
    patient: Any,
    counts: bool,
    lacking: int,
    cohort: Cohort,
    functions: Functions,
    plan: TrialPlan,
    records: Records,
) -> tuple[int, bool, Cohort]:
    """An outcome, or a dropout, is known: the pairs that count now are added to their doses.

    A control may have a partner on every dose. A dropout may let pairs count that waited for it,
    and is no outcome that brings a look: so at the next one any dose may have changed.
    """
    log, pairs, trial = records.log, records.pairs, records.trial
    arm, control, crossing = log.arm[patient], plan.conduct.control, False
    pairs.heard[patient] = True
    if arm == control and counts:
        trial.seen[control] += 1
        trial.sum[control] += log.outcome[patient]
    nobody = np.uint32(pairs.partner.size)
    for dose in range(trial.verdict.size):
        if dose == control or (arm != control and dose != arm):
            continue
        partner = next_partner(dose, pairs)
        while partner != nobody:
            one = pairs.next[dose]
            pairs.next[dose] = pairs.later[one]
            cohort = take_note(dose, cohort, records.known)
            if plan.conduct.left_out and (log.dropped[one] or log.dropped[partner]):
                records.arms.lost[dose] += 1
            else:
                lacking, crosses = add_pair(
                    dose, log.outcome[one], log.outcome[partner], lacking, functions, plan, records
                )
                crossing = crossing or crosses
            partner = next_partner(dose, pairs)
    return lacking, crossing or plan.conduct.left_out, cohort


@loop_step
def add_pair(
    dose: int,
    x: Any,
    y: Any,
    lacking: int,
    functions: Functions,
    plan: TrialPlan,
    records: Records,
) -> tuple[int, bool]:
    """A pair is added to its dose, if it says anything; it counts for the burn-in in any case."""
    counts, value = functions.combine(x, y)
    crossing = False
    if counts:
        if functions.books.pools:
            pool(dose, value + 2 * y, functions.books, records)
        crossing = add_number(dose, value, y, functions.books, plan, records)
    else:
        records.arms.lost[dose] += 1
    records.pairs.complete[dose] += 1
    if records.pairs.complete[dose] == plan.limits.burn_in:
        lacking -= 1
        crossing = True  # the end of burn-in: look at every dose
    return lacking, crossing


@loop_step
def pool(dose: int, u: Any, books: Bookkeeping, records: Records) -> None:
    """What the sum of both outcomes of the next pair tells of the variance is added to q."""
    trial, arms = records.trial, records.arms
    more, arms.both[dose] = books.add_both(trial.seen[dose] + 1, arms.both[dose], u)
    trial.squares[dose] += more


@loop_step
def take_note(arm: Any, cohort: Cohort, known: Knowledge) -> Cohort:
    """The arm has news for the next cohort."""
    told = cohort.told
    known.news[told] = arm  # written in any case: no branch that depends on the order of arms
    told += not known.has_news[arm]
    known.has_news[arm] = True
    return Cohort(cohort.to_come, told, cohort.rests, cohort.begins)


@loop_step
def add_outcome(
    arm: Any,
    outcome: Any,
    lacking: int,
    books: Bookkeeping,
    plan: TrialPlan,
    records: Records,
) -> tuple[int, bool]:
    """The outcome is added to its arm. How many arms lack outcomes; may there be a verdict?"""
    crossing = add_number(arm, outcome, 0, books, plan, records)
    if arm != plan.conduct.control and records.trial.seen[arm] == plan.limits.burn_in:
        lacking -= 1
        crossing = True  # the end of burn-in: look at every arm
    return lacking, crossing


@loop_step
def add_number(
    arm: Any, number: Any, control: Any, books: Bookkeeping, plan: TrialPlan, records: Records
) -> bool:
    """A number is added to the arm's stream: may there be a verdict?

    `control` is what the control of a pair has; nothing is compared with it elsewhere.
    A verdict is about the arm's stream at the last n that has limits.
    """
    trial, arms, limits, xi = records.trial, records.arms, plan.limits, plan.scoring.xi
    n, s, q = np.uint32(trial.seen[arm] + 1), trial.sum[arm] + number, 0.0
    trial.seen[arm], trial.sum[arm] = n, s
    if books.squares:
        q = books.add(trial.squares[arm], number, control, xi)
        trial.squares[arm] = q
    crossing = False
    if arm != plan.conduct.control and limits.at_look[n]:
        arms.judged_n[arm], arms.judged_s[arm] = n, s
        if books.squares:
            arms.judged_q[arm] = q
        # At the stage that decides most easily: a look finds out at which one the trial is.
        crossing = books.beyond(n, s, q, xi, limits.accept[-1, n], limits.reject[-1, n])
    return crossing


@loop_step
def count_to_look(
    month: float, look: NextLook, crossing: bool, conduct: ConductNumbers, look_at: Any
) -> tuple[NextLook, bool]:
    """One more outcome: is there a look now, after so many or at a given number? When is the next?

    Where every outcome brings a look, no arm but the outcome's own has changed since the last.
    """
    outcomes, to_come, next_at, planned = look.outcomes + 1, look.to_come, look.next_at, look.month
    if next_at < look_at.size and outcomes == look_at[next_at]:
        looking, next_at = True, next_at + 1
    elif conduct.look_outcomes == 1:
        looking = crossing
    else:
        to_come -= 1
        looking = to_come == 0
        to_come = conduct.look_outcomes if looking else to_come
    if conduct.look_months < np.inf and planned == np.inf:
        planned = look_from(month, conduct.look_months)
    return NextLook(outcomes, to_come, next_at, planned), looking


@loop_step
def look_from(month: float, every: float) -> float:
    """The first month from this one on that is `every`, 2 `every`, 3 `every`, ...

    A look without an outcome since the last one changes nothing. So a look is planned only when
    an outcome has come in, and those that fall before are passed over however many they are.
    """
    if not month < MOST_LOOKS * every:
        return month
    looks = max(1.0, math.ceil(month / every))
    if looks * every < month:  # the quotient was rounded down
        looks += 1.0
    elif looks > 1.0 and (looks - 1.0) * every >= month:  # the product was rounded up
        looks -= 1.0
    return looks * every


@loop_step
def hold_planned_look(course: Course) -> Course:
    """No look is planned any more, until the next outcome."""
    before = course.look
    look = NextLook(before.outcomes, before.to_come, before.next_at, np.inf)
    return Course(
        course.flow,
        course.candidates,
        look,
        course.cohort,
        course.enrolling,
        course.pipeline,
        course.end,
    )


@loop_step
def look(
    month: float, course: Course, functions: Functions, plan: TrialPlan, records: Records
) -> Course:
    """A look: verdicts, and perhaps the end of enrolment (The end)."""
    flow = course.flow
    candidates = give_verdicts(month, course.candidates, flow, functions.books, plan, records)
    end = month if candidates.open < course.candidates.open else course.end
    enrolling, pipeline = course.enrolling, course.pipeline
    if enrolling and (candidates.open == 0 or candidates.declared >= plan.limits.wanted):
        enrolling, pipeline = False, flow.enrolled - flow.came_in
    return Course(flow, candidates, course.look, course.cohort, enrolling, pipeline, end)


@loop_step
def give_verdicts(
    month: float,
    candidates: Candidates,
    flow: Flow,
    books: Bookkeeping,
    plan: TrialPlan,
    records: Records,
) -> Candidates:
    """Every open arm is judged, and closed if that gives a verdict.

    Where verdicts change the limits of the others, these are judged again, until nothing changes.
    """
    again = True
    while again:
        before = candidates.open
        candidates = judge_all(month, candidates, flow, books, plan, records)
        again = step_down(plan.limits) and candidates.open < before
    return candidates


@loop_step
def judge_all(
    month: float,
    candidates: Candidates,
    flow: Flow,
    books: Bookkeeping,
    plan: TrialPlan,
    records: Records,
) -> Candidates:
    """Every open arm is judged once, at the stage that the verdicts before it lead to."""
    trial, arms, limits, xi = records.trial, records.arms, plan.limits, plan.scoring.xi
    left, declared, dropped, k = candidates.open, candidates.declared, candidates.dropped, 0
    while k < left:
        arm = arms.open[k]
        n = arms.judged_n[arm]
        q = arms.judged_q[arm] if books.squares else 0.0
        accept = limits.accept[stage(limits.accept, declared), n]
        reject = limits.reject[stage(limits.reject, dropped), n]
        found = books.judge(n, arms.judged_s[arm], q, xi, accept, reject)
        k += 1
        if found != UNDECIDED:
            trial.verdict[arm], trial.decided[arm] = found, flow.enrolled
            trial.month[arm], trial.waiting[arm] = month, flow.enrolled - flow.came_in
            declared += found == GOOD
            dropped += found != GOOD
            left, k = left - 1, k - 1
            for i in range(k, left):
                arms.open[i] = arms.open[i + 1]
    if limits.ordered:
        declared = declared_in_order(trial.verdict)
    return Candidates(left, candidates.lacking, declared, dropped)

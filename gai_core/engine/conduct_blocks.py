"""Steps of a conducted trial: the arms of a block are chosen, and its patients draw them.

They are steps 3 and 4 under "A patient comes" in docs/conduct.md. Where the order is not left to
chance a block is one place, which the next patient takes.
"""

from typing import Any, NamedTuple

import numpy as np

from gai_core.basics import loop_step
from gai_core.engine.conduct_pairs import ANY_NUMBER, begin_pairing, ceiling, most_planned
from gai_core.engine.conduct_patients import Chances, Reading
from gai_core.engine.conduct_scores import (
    begin_cohort,
    best_arm,
    by_chance,
    fewest,
    read_anew,
    score_arm,
)
from gai_core.engine.conduct_state import Candidates, Cohort, Course, Functions, Records, TrialPlan
from gai_core.evidence import UNDECIDED, uniform
from gai_core.study import BLOCKS, MIXED, ConductNumbers, control_patients


class Block(NamedTuple):
    """Places of the block that nobody has taken, patients on candidates with those to come, how
    many candidates were open when the block was made, and controls enrolled before it."""

    places: int
    t: int
    open: int
    controls: int


@loop_step
def make_block(
    block: Block,
    course: Course,
    reading: Reading,
    chances: Chances,
    tight: bool,
    functions: Functions,
    plan: TrialPlan,
    records: Records,
) -> tuple[Block, Cohort, Reading, Chances]:
    """The places of the next patients; none if no arm is eligible (3).

    A place counts as an assigned patient from now on.
    """
    cohort, candidates, conduct = course.cohort, course.candidates, plan.conduct
    ratio = plan.scoring.ratio
    if cohort.to_come == 0:
        cohort = begin_cohort(cohort, candidates.lacking, reading.now, functions, plan, records)
    places, t, missing = without_closed(block, candidates, conduct, records)
    if block.places == 0:
        missing = 1
        if conduct.randomisation == BLOCKS:
            missing = min(cohort.to_come, plan.n_max - course.flow.enrolled)
    for _ in range(missing):
        last = plan.limits.at_look.size - 1
        if tight and fewest(candidates.open, last, ANY_NUMBER, ratio, functions, records) < 0:
            break
        arm = np.uint32(max(conduct.control, 0))
        if not control_is_next(course.flow.enrolled + places, conduct, records):
            arm, cohort, reading, chances = choose(
                t,
                candidates.open,
                cohort,
                reading,
                chances,
                tight,
                ANY_NUMBER,
                functions,
                plan,
                records,
            )
        chances = add_place(arm, places, chances, records)
        places += 1
        if arm != conduct.control:
            t += 1
            if functions.rule.counts_waiting and not cohort.rests:
                patients = records.trial.assigned[arm]
                score_arm(arm, patients, reading.now, functions, plan.scoring, records.known)
    return Block(places, t, candidates.open, 0), cohort, reading, chances


@loop_step
def make_paired_block(
    block: Block,
    course: Course,
    reading: Reading,
    chances: Chances,
    functions: Functions,
    plan: TrialPlan,
    records: Records,
) -> tuple[Block, Cohort, Reading, Chances]:
    """The same against a concurrent control: a block is a cohort, and has a control for every
    patient on its most frequent dose. It is not filled anew, as outcomes of it may be known."""
    cohort, candidates, conduct = course.cohort, course.candidates, plan.conduct
    pairs, last, most = records.pairs, plan.limits.at_look.size - 1, 0
    ratio = plan.scoring.ratio
    places, t = without_needless(block, candidates, conduct, records)
    if places > 0:
        return Block(places, t, candidates.open, block.controls), cohort, reading, chances
    cohort = begin_cohort(cohort, candidates.lacking, reading.now, functions, plan, records)
    size = min(conduct.cohort, plan.n_max - course.flow.enrolled)
    controls: Any = np.int64(records.trial.assigned[conduct.control])  # all are enrolled
    begin_pairing(controls, size, pairs)
    top = ceiling(places, size, most)
    while fewest(candidates.open, last, top, ratio, functions, records) >= 0:
        arm, cohort, reading, chances = choose(
            t, candidates.open, cohort, reading, chances, True, top, functions, plan, records
        )
        chances = add_place(arm, places, chances, records)
        pairs.planned[arm] += 1
        most = max(most, pairs.planned[arm])
        places, t = places + 1, t + 1
        top = ceiling(places, size, most)
        if functions.rule.counts_waiting and not cohort.rests:
            patients = records.trial.assigned[arm]
            score_arm(arm, patients, reading.now, functions, plan.scoring, records.known)
    for _ in range(most):
        chances = add_place(np.uint32(conduct.control), places, chances, records)
        places += 1
    pairs.planned[conduct.control] = most
    return Block(places, t, candidates.open, controls), cohort, reading, chances


@loop_step
def without_needless(
    block: Block, candidates: Candidates, conduct: ConductNumbers, records: Records
) -> tuple[int, int]:
    """The cohort without places of doses that have their verdict since, and of controls whom no
    patient of the cohort needs any more."""
    if block.open == candidates.open:
        return block.places, block.t
    pairs, kept, control = records.pairs, 0, conduct.control
    for k in range(block.places):
        arm = records.log.places[k]
        if arm != control and records.trial.verdict[arm] != UNDECIDED:
            pairs.planned[arm] -= 1
    surplus = pairs.planned[control] - most_planned(control, pairs)
    t = block.t
    for k in range(block.places):
        arm = records.log.places[k]
        needless = surplus > 0
        if arm != control:
            needless = records.trial.verdict[arm] != UNDECIDED
        if needless:
            records.trial.assigned[arm] -= 1
            if arm == control:
                surplus -= 1
                pairs.planned[control] -= 1
            else:
                t -= 1
        else:
            records.log.places[kept] = arm
            kept += 1
    return kept, t


@loop_step
def without_closed(
    block: Block, candidates: Candidates, conduct: ConductNumbers, records: Records
) -> tuple[int, int, int]:
    """The block without places of arms that have their verdict since: how many these were (3)."""
    if block.open == candidates.open:
        return block.places, block.t, 0
    places, kept = records.log.places, 0
    for k in range(block.places):
        arm = places[k]
        if arm == conduct.control or records.trial.verdict[arm] == UNDECIDED:
            places[kept] = arm
            kept += 1
        else:
            records.trial.assigned[arm] -= 1
    gone = block.places - kept
    return kept, block.t - gone, gone


@loop_step
def control_is_next(patients: int, conduct: ConductNumbers, records: Records) -> bool:
    """Whether the place after so many patients is the control's (3)."""
    share = conduct.control_share
    return (
        share > 0.0
        and control_patients(patients + 1, share) > records.trial.assigned[conduct.control]
    )


@loop_step
def choose(
    t: int,
    left: int,
    cohort: Cohort,
    reading: Reading,
    chances: Chances,
    tight: bool,
    top: int,
    functions: Functions,
    plan: TrialPlan,
    records: Records,
) -> tuple[Any, Cohort, Reading, Chances]:
    """The arm of a place that is not the control's: the one with the fewest, or the rule's (4)."""
    if cohort.rests:
        last = plan.limits.at_look.size - 1
        arm = np.uint32(fewest(left, last, top, plan.scoring.ratio, functions, records))
        return arm, cohort, reading, chances
    if cohort.begins or (functions.rule.in_steps and t >= reading.stale_from):
        reading = read_anew(t, left, functions, plan.scoring, records)
    if functions.rule.rising:
        reading = Reading(plan.scoring.of_t[t], reading.stale_from)
    chosen, count, choices = best_arm(
        left, tight, top, reading.now, chances.choices, functions, plan, records
    )
    allocation = chances.allocation
    if plan.conduct.randomisation >= MIXED:
        chosen, allocation = by_chance(chosen, count, allocation, plan.conduct, records.known)
    chances = Chances(choices, allocation, chances.gaps, chances.delays)
    return chosen, Cohort(cohort.to_come, cohort.told, False, False), reading, chances


@loop_step
def add_place(arm: Any, last: int, chances: Chances, records: Records) -> Chances:
    """A place after so many others changes places with any of them or none: a random order (3)."""
    places, other, allocation = records.log.places, last, chances.allocation
    if last > 0:
        u, allocation = uniform(allocation)
        other = min(int(u * (last + 1)), last)
    places[last] = places[other]
    places[other] = arm
    records.trial.assigned[arm] += 1
    return Chances(chances.choices, allocation, chances.gaps, chances.delays)


@loop_step
def take_place(block: Block, records: Records) -> tuple[Any, Block]:
    """The next patient takes the last place (3)."""
    last = block.places - 1
    return records.log.places[last], Block(last, block.t, block.open, block.controls)


@loop_step
def give_back(block: Block, records: Records) -> None:
    """Enrolment is over: places that nobody took are no patients."""
    for k in range(block.places):
        records.trial.assigned[records.log.places[k]] -= 1

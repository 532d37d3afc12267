"""Steps of a conducted trial: what the rule knows of the arms, and which arm it takes.

They are step 4 under "A patient comes" in docs/conduct.md. All of the planner's own rules are
compiled into one loop: numbers in `Functions.rule` say which one is meant.
"""

import math
from typing import Any

import numpy as np

from gai_core.basics import loop_step
from gai_core.engine.conduct_pairs import known_mean
from gai_core.engine.conduct_patients import Reading
from gai_core.engine.conduct_state import Cohort, Functions, Knowledge, Records, TrialPlan
from gai_core.engine.loop_parts import Scoring
from gai_core.evidence import Stream, normal, uniform
from gai_core.rules import RuleNumbers
from gai_core.study import MIXED, ConductNumbers

RESTING = RuleNumbers(0, 0, 0, False, False, False, False, False, False, False)
"""What matters of a rule whose scores are there, where nobody's waiting changes them,"""
RISING = RESTING._replace(rising=True)
"""and of one whose scores rise with t."""


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
def fewest(
    left: int, last: int, top: int, ratio: Any, functions: Functions, records: Records
) -> int:
    """The eligible arm with the fewest patients in parts of its ratio, the first of equals; -1 if
    there is none (4)."""
    assigned, chosen = records.trial.assigned, -1
    for k in range(left):
        arm = records.arms.open[k]
        if has_room(arm, last, top, functions, records) and (
            chosen < 0 or assigned[arm] * ratio[chosen] < assigned[chosen] * ratio[arm]
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
            n = trial.assigned[arm] if functions.rule.counts_waiting else trial.seen[arm]
            score_arm(arm, n, now, functions, plan.scoring, known)
    begins = cohort.begins or (cohort.rests and lacking == 0)
    return Cohort(plan.conduct.cohort, 0, lacking > 0, begins)


@loop_step
def index_of(
    centre: float, width: float, x: float, by_divergence: bool, functions: Functions
) -> float:
    """The score that the rule makes of an arm's two numbers (4)."""
    if by_divergence:
        score: float = functions.largest_mean(centre, width, x)
    else:
        score = functions.index(functions.rule.index_number, centre, width, x)
    return score


@loop_step
def score_arm(
    arm: Any, patients: Any, now: float, functions: Functions, scoring: Scoring, known: Knowledge
) -> None:
    """What the rule makes of an arm with so many patients (4)."""
    n = np.uint32(patients)  # unsigned: numba need not look for a negative index
    if functions.paired:
        n = max(n, np.uint32(1))  # pairs that say nothing count as one at the target
    scale, unit = scoring.scale, 1.0
    if functions.books.squares:
        scale, unit = known.scale[arm], known.unit[arm]
    centre, width = functions.summary(
        functions.rule.summary_number, known.mean[arm], n, scoring.of_n[n], scoring.xi, scale, unit
    )
    if functions.rule.by_ratio:
        centre /= scoring.ratio[arm]
    known.centre[arm], known.width[arm] = centre, width
    if not (functions.rule.random or functions.rule.rising):  # else it is made when it is asked for
        known.score[arm] = index_of(centre, width, now, functions.rule.by_divergence, functions)


@loop_step
def read_anew(
    t: int, left: int, functions: Functions, scoring: Scoring, records: Records
) -> Reading:
    """The rule begins, or t has grown by a 16th: every open arm has a new score (4)."""
    now = scoring.of_t[t]
    for k in range(left):
        arm = records.arms.open[k]
        n = records.trial.assigned[arm] if functions.rule.counts_waiting else records.known.n[arm]
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
    """The eligible arm with the highest score, and how many may be chosen by chance (4).

    The compiler makes a loop over the arms for each of these calls, with nothing in it that its
    rules do not need.
    """
    rule = functions.rule
    if rule.random or rule.credited or (rule.rising and rule.by_divergence):
        chosen, count, choices = highest(
            left, tight, top, now, choices, rule, functions, plan, records
        )
    elif rule.rising:
        chosen, count, choices = highest(
            left, tight, top, now, choices, RISING, functions, plan, records
        )
    else:
        chosen, count, choices = highest(
            left, tight, top, now, choices, RESTING, functions, plan, records
        )
    return chosen, count, choices


@loop_step
def highest(
    left: int,
    tight: bool,
    top: int,
    now: float,
    choices: Stream,
    rule: RuleNumbers,
    functions: Functions,
    plan: TrialPlan,
    records: Records,
) -> tuple[Any, int, Stream]:
    """The same for a rule of which these numbers are known."""
    assigned, known, last = records.trial.assigned, records.known, plan.limits.at_look.size - 1
    # No number is at most nan: the first eligible arm is taken whatever its score.
    chosen, best, count = records.arms.open[0], np.nan, 0
    for k in range(left):
        arm = records.arms.open[k]
        if tight and not has_room(arm, last, top, functions, records):
            continue
        if rule.random:
            now, choices = normal(choices)
        value = known.score[arm]
        if rule.random or rule.rising:
            value = index_of(
                known.centre[arm], known.width[arm], now, rule.by_divergence, functions
            )
        if rule.credited:
            waiting = assigned[arm] - known.n[arm] - known.lost[arm]
            value = functions.credit(functions.rule.credit_number, value, waiting)
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

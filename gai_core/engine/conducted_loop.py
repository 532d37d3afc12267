"""The loop of a trial as it is run: patients come in time, outcomes later, verdicts at looks.

docs/conduct.md says what it does, step by step; tests/naive_conduct.py does the same slowly.
Like `engine.kernel` it is compiled with the rule's and the outcome's own functions inside,
releases the GIL and keeps no state between replicates.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from gai_core.engine.loop import Function, Kernel, compile_loop, judge
from gai_core.evidence import (
    CHOICES,
    DELAYS,
    DROPOUTS,
    GAPS,
    GOOD,
    NO_CANDIDATE,
    PATIENTS,
    RANDOMISATION,
    UNDECIDED,
    Outcome,
    normal,
    start,
    uniform,
)
from gai_core.rules import Rule
from gai_core.study import (
    AS_CHOSEN,
    FIXED,
    MIXED,
    control_patients,
    draw_delay,
    draw_gap,
    enrolment_month,
    fewest,
    join,
    softened,
)


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


class Limits(NamedTuple):
    """The two curves, at which n they have limits, and whether only the last look counts."""

    accept: Any
    reject: Any
    at_look: Any
    only_at_end: bool


class Results(NamedTuple):
    """What is kept of every replicate: per arm, then per trial (`simulate.Trials`)."""

    verdict: Any
    decided: Any
    assigned: Any
    sums: Any
    seen: Any
    month: Any
    waiting: Any
    enrolment: Any
    end: Any
    pipeline: Any


def patient_log(n_max: int, outcome: Outcome) -> PatientLog:
    """Room for the patients of one trial."""
    return PatientLog(
        np.empty(n_max, np.uint32),
        np.empty(n_max, outcome.curve_type),
        np.empty(n_max),
        np.empty(n_max),
        np.empty(n_max, np.bool_),
        np.empty(n_max, np.uint32),
    )


def conduct_kernel(rule: Rule, outcome: Outcome) -> Kernel:
    """The compiled loop of a rule and a kind of outcome."""
    return _kernel(
        rule.summary,
        rule.index_for(outcome),
        rule.varies,
        rule.counts_waiting,
        rule.credit,
        type(outcome).draw,
        type(outcome).move,
    )


@functools.cache
def _kernel(  # noqa: C901
    summary: Function,
    index: Function,
    varies: str,
    counts_waiting: bool,
    credit: Function,
    draw: Function,
    move: Function,
) -> Kernel:
    random, rising, in_steps = varies == "at random", varies == "with t", varies == "in steps"

    def trials(  # noqa: C901 (one loop, read from top to bottom)
        first: int,
        seed: Any,
        truth: Any,
        location: Any,
        spread: float,
        trend: float,
        xi: float,
        scale: float,
        limits: Limits,
        of_n: Any,
        of_t: Any,
        burn_in: int,
        n_max: int,
        terms: Any,
        look_at: Any,
        people: PatientLog,
        results: Results,
    ) -> None:
        """Simulate replicates first, first + 1, ... into the rows of the results."""
        arms, zero = location.size, np.uint64(0)
        accept, reject, at_look, only_at_end = limits
        arm_of, outcome_of, enrolled_at, due_at, dropped_out, queue = people
        last = accept.size - 1
        streams, dropouts = np.empty((arms, 4), np.uint64), np.empty((arms, 4), np.uint64)
        open_arms, eligible = np.empty(arms, np.uint32), np.empty(arms, np.uint32)
        # What the rule knows of an arm: outcomes, their sum, dropouts; what it makes of them.
        known_n, known_lost = np.empty(arms, np.int64), np.empty(arms, np.int64)
        mean = np.empty(arms)
        news, has_news = np.empty(arms, np.uint32), np.empty(arms, np.bool_)
        centre, width, score = np.empty(arms), np.empty(arms), np.empty(arms)
        values, lost = np.empty(arms), np.empty(arms, np.int64)
        # What a verdict is about: the outcomes at the last n that has limits.
        judged_n, judged_s = np.empty(arms, np.int64), np.empty(arms, outcome_of.dtype)
        # No arm can be full where limits go as far as there are patients.
        tight = last < of_t.size - 1
        may_drop_out = terms.dropout > 0.0 or terms.dropout_on_target > 0.0
        verdicts, decided, all_assigned, all_sums, all_seen = results[:5]
        verdict_month, verdict_waiting, enrolment, ended, pipeline = results[5:]
        for row in range(verdicts.shape[0]):
            replicate = np.uint64(first + row)
            choices = start(seed, truth, replicate, zero, CHOICES)
            chance = start(seed, truth, replicate, zero, RANDOMISATION)
            gaps = start(seed, truth, replicate, zero, GAPS)
            delays = start(seed, truth, replicate, zero, DELAYS)
            verdict, assigned = verdicts[row], all_assigned[row]
            seen, sums = all_seen[row], all_sums[row]
            left = 0
            for arm in range(arms):
                stream = start(seed, truth, replicate, np.uint64(arm), PATIENTS)
                streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3] = stream
                if may_drop_out:
                    stream = start(seed, truth, replicate, np.uint64(arm), DROPOUTS)
                    dropouts[arm, 0], dropouts[arm, 1] = stream[0], stream[1]
                    dropouts[arm, 2], dropouts[arm, 3] = stream[2], stream[3]
                assigned[arm], seen[arm], sums[arm], lost[arm] = 0, 0, 0, 0
                judged_n[arm], judged_s[arm] = 0, 0
                has_news[arm] = False
                known_n[arm], mean[arm], known_lost[arm] = 0, 0.0, 0
                verdict[arm], decided[row, arm] = NO_CANDIDATE, 0
                verdict_month[row, arm], verdict_waiting[row, arm] = np.nan, 0
                if arm != terms.control:
                    verdict[arm], open_arms[left] = UNDECIDED, arm
                    left += 1
            lacking = left  # candidates with fewer outcomes than the burn-in
            rule_rests, rule_begins, told = True, False, 0
            enrolled, came_in, declared, t = 0, 0, 0, 0
            outcomes, to_look, to_cohort = 0, terms.look_outcomes, 0
            clock, month, end, looks, next_at = 0.0, 0.0, 0.0, 1, 0
            planned = terms.look_months
            now, stale_from = 0.0, 0
            enrolling = True
            while True:
                arrival = np.inf
                if enrolling:
                    gap = 1.0
                    if terms.poisson:
                        gap, gaps = draw_gap(gaps)
                    clock += gap
                    arrival = enrolment_month(clock, terms.per_month, terms.ramp_up)
                # Outcomes and looks until the next patient comes; to the end if nobody comes.
                while came_in < enrolled or enrolling:
                    due = due_at[queue[came_in]] if came_in < enrolled else np.inf
                    if min(due, planned) > arrival:
                        break
                    judging = False
                    if planned < due:
                        month, judging, looks = planned, lacking == 0, looks + 1
                        planned = looks * terms.look_months
                    else:
                        patient, month, end = queue[came_in], due, due
                        came_in += 1
                        arm = arm_of[patient]
                        if not has_news[arm] and arm != terms.control:
                            news[told], has_news[arm] = arm, True
                            told += 1
                        if terms.left_out and dropped_out[patient]:
                            lost[arm] += 1
                        else:
                            outcomes += 1
                            n, s = np.uint32(seen[arm] + 1), sums[arm] + outcome_of[patient]
                            seen[arm], sums[arm] = n, s
                            crossing = False
                            if arm != terms.control:
                                if at_look[n]:
                                    judged_n[arm], judged_s[arm] = n, s
                                    crossing = s >= accept[n] or s <= reject[n]
                                if n == burn_in:
                                    lacking -= 1
                                    crossing = True  # the end of burn-in: look at every arm
                            if next_at < look_at.size and outcomes == look_at[next_at]:
                                next_at, judging = next_at + 1, True
                            elif terms.look_outcomes == 1:
                                judging = crossing  # no other arm has changed
                            else:
                                to_look -= 1
                                judging = to_look == 0
                                to_look = terms.look_outcomes if judging else to_look
                            judging = judging and lacking == 0
                    if judging and not only_at_end:
                        k = 0
                        while k < left:
                            arm = open_arms[k]
                            n = judged_n[arm]
                            found = judge(judged_s[arm], accept[n], reject[n])
                            k += 1
                            if found != UNDECIDED:
                                verdict[arm], decided[row, arm] = found, enrolled
                                verdict_month[row, arm], end = month, month
                                verdict_waiting[row, arm] = enrolled - came_in
                                declared += found == GOOD
                                left, k = left - 1, k - 1
                                for i in range(k, left):
                                    open_arms[i] = open_arms[i + 1]
                        if enrolling and (left == 0 or declared >= terms.wanted):
                            enrolling, arrival = False, np.inf
                            pipeline[row] = enrolled - came_in
                if not enrolling:
                    break
                if tight and fewest(open_arms, left, assigned, lost, last) < 0:
                    enrolling = False
                    continue
                # The cohort's first patient: the rule learns what has come in.
                if to_cohort == 0:
                    to_cohort = terms.cohort
                    for k in range(told):
                        arm = news[k]
                        has_news[arm] = False
                        known_n[arm], known_lost[arm] = seen[arm], lost[arm]
                        mean[arm] = sums[arm] / seen[arm]
                        if not rule_rests:
                            n = np.uint32(assigned[arm] if counts_waiting else seen[arm])
                            centre[arm], width[arm] = summary(mean[arm], n, of_n[n], xi, scale)
                            score[arm] = index(centre[arm], width[arm], now)
                    told = 0
                    rule_begins = rule_begins or (rule_rests and lacking == 0)
                    rule_rests = lacking > 0
                to_cohort -= 1
                # Which arm?
                if terms.control_share > 0.0 and control_patients(
                    enrolled + 1, terms.control_share
                ) > control_patients(enrolled, terms.control_share):
                    chosen = np.uint32(terms.control)
                elif rule_rests:
                    chosen = np.uint32(fewest(open_arms, left, assigned, lost, last))
                else:
                    if rule_begins or (in_steps and t >= stale_from):
                        rule_begins = False
                        now, stale_from = of_t[t], t + 1 + (t >> 4)
                        for k in range(left):
                            arm = open_arms[k]
                            n = np.uint32(assigned[arm] if counts_waiting else known_n[arm])
                            centre[arm], width[arm] = summary(mean[arm], n, of_n[n], xi, scale)
                            score[arm] = index(centre[arm], width[arm], now)
                    if rising:
                        now = of_t[t]
                    chosen, best, count = open_arms[0], -np.inf, 0
                    for k in range(left):
                        arm = open_arms[k]
                        if tight and assigned[arm] - lost[arm] >= last:
                            continue
                        if random:
                            now, choices = normal(choices)
                        value = score[arm]
                        if random or rising:
                            value = index(centre[arm], width[arm], now)
                        value = credit(value, assigned[arm] - known_n[arm] - known_lost[arm])
                        chosen = arm if value > best else chosen
                        best = value if value > best else best
                        if terms.randomisation != AS_CHOSEN:
                            eligible[count], values[count] = arm, value
                            count += 1
                    if terms.randomisation != AS_CHOSEN:
                        u, chance = uniform(chance)
                        if terms.randomisation != MIXED:
                            chosen = np.uint32(softened(eligible, values, count, terms.softness, u))
                        elif u < terms.share:
                            u, chance = uniform(chance)
                            chosen = eligible[int(u * count)]
                # The patient gets it; the outcome is drawn now and known later.
                stream = (
                    streams[chosen, 0], streams[chosen, 1], streams[chosen, 2], streams[chosen, 3],
                )  # fmt: skip
                where = location[chosen]
                if trend != 0.0:
                    where = move(where, trend * arrival)
                x, stream = draw(stream, where, spread)
                streams[chosen, 0], streams[chosen, 1] = stream[0], stream[1]
                streams[chosen, 2], streams[chosen, 3] = stream[2], stream[3]
                dropped = False
                if may_drop_out:
                    stream = (
                        dropouts[chosen, 0], dropouts[chosen, 1],
                        dropouts[chosen, 2], dropouts[chosen, 3],
                    )  # fmt: skip
                    u, stream = uniform(stream)
                    dropouts[chosen, 0], dropouts[chosen, 1] = stream[0], stream[1]
                    dropouts[chosen, 2], dropouts[chosen, 3] = stream[2], stream[3]
                    dropped = u < (terms.dropout_on_target if x >= xi else terms.dropout)
                wait = terms.delay
                if terms.delay_kind != FIXED:
                    wait, delays = draw_delay(
                        delays, terms.delay_kind, terms.delay, terms.delay_scale
                    )
                arm_of[enrolled], dropped_out[enrolled] = chosen, dropped
                outcome_of[enrolled] = 0 if dropped else x
                enrolled_at[enrolled], due_at[enrolled] = arrival, arrival + wait
                join(queue, due_at, enrolled, came_in)
                assigned[chosen] += 1
                enrolled += 1
                if chosen != terms.control:
                    t += 1
                    if counts_waiting and not rule_rests:
                        n = np.uint32(assigned[chosen])
                        centre[chosen], width[chosen] = summary(mean[chosen], n, of_n[n], xi, scale)
                        score[chosen] = index(centre[chosen], width[chosen], now)
                enrolment[row] = arrival
                pipeline[row] = enrolled - came_in - (wait == 0.0)
                enrolling = enrolled < n_max
            # The last look: every outcome is in.
            ended[row] = end
            for k in range(left):
                arm = open_arms[k]
                n = judged_n[arm]
                found = judge(judged_s[arm], accept[n], reject[n])
                if found != UNDECIDED:
                    verdict[arm], decided[row, arm] = found, enrolled
                    verdict_month[row, arm], verdict_waiting[row, arm] = end, 0

    return compile_loop(trials)

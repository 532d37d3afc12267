"""The loop of a trial as it is run: patients come in time, outcomes later, verdicts at looks.

docs/conduct.md says what it does, step by step; tests/naive_conduct.py does the same slowly.
Like `engine.kernel` it is compiled with the rule's and the outcome's own functions inside,
releases the GIL and keeps no state between replicates.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from gai_core.conduct_steps import (
    AS_CHOSEN,
    MIXED,
    control_patients,
    draw_delay,
    draw_gap,
    enrolment_month,
    fewest,
    join,
    softened,
)
from gai_core.engine import Function, Kernel, compile_loop, judge
from gai_core.outcomes import Bernoulli, Gaussian
from gai_core.registry import Rule
from gai_core.setting import GOOD, NO_CANDIDATE, UNDECIDED
from gai_core.streams import (
    CHOICES,
    DELAYS,
    DROPOUTS,
    GAPS,
    OUTCOMES,
    RANDOMISATION,
    start,
    uniform,
)
from gai_core.ziggurat import normal


class People(NamedTuple):
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


def people_for(n_max: int, outcome: Bernoulli | Gaussian) -> People:
    """Room for the patients of one trial."""
    return People(
        np.empty(n_max, np.int32),
        np.empty(n_max, outcome.curve_type),
        np.empty(n_max),
        np.empty(n_max),
        np.empty(n_max, np.bool_),
        np.empty(n_max, np.int32),
    )


def conduct_kernel(rule: Rule, outcome: Bernoulli | Gaussian) -> Kernel:
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
        people: People,
        results: Results,
    ) -> None:
        """Simulate replicates first, first + 1, ... into the rows of the results."""
        arms, zero = location.size, np.uint64(0)
        accept, reject, at_look = limits.accept, limits.reject, limits.at_look
        last = accept.size - 1
        streams, dropouts = np.empty((arms, 4), np.uint64), np.empty((arms, 4), np.uint64)
        open_arms, eligible = np.empty(arms, np.int64), np.empty(arms, np.int64)
        # What the rule knows of an arm: outcomes, their sum, dropouts; what it makes of them.
        known_n, known_lost = np.empty(arms, np.int64), np.empty(arms, np.int64)
        known_s = np.empty(arms, people.outcome.dtype)
        fresh, stale = np.empty(arms, np.bool_), np.empty(arms, np.bool_)
        centre, width, score = np.empty(arms), np.empty(arms), np.empty(arms)
        values, lost = np.empty(arms), np.empty(arms, np.int64)
        # What a verdict is about: the outcomes at the last n that has limits.
        judged_n, judged_s = np.empty(arms, np.int64), np.empty(arms, people.outcome.dtype)
        may_drop_out = terms.dropout > 0.0 or terms.dropout_on_target > 0.0
        for row in range(results.verdict.shape[0]):
            replicate = np.uint64(first + row)
            choices = start(seed, truth, replicate, zero, CHOICES)
            chance = start(seed, truth, replicate, zero, RANDOMISATION)
            gaps = start(seed, truth, replicate, zero, GAPS)
            delays = start(seed, truth, replicate, zero, DELAYS)
            verdict, assigned = results.verdict[row], results.assigned[row]
            seen, sums = results.seen[row], results.sums[row]
            left = 0
            for arm in range(arms):
                stream = start(seed, truth, replicate, np.uint64(arm), OUTCOMES)
                streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3] = stream
                if may_drop_out:
                    stream = start(seed, truth, replicate, np.uint64(arm), DROPOUTS)
                    dropouts[arm, 0], dropouts[arm, 1] = stream[0], stream[1]
                    dropouts[arm, 2], dropouts[arm, 3] = stream[2], stream[3]
                assigned[arm], seen[arm], sums[arm], lost[arm] = 0, 0, 0, 0
                judged_n[arm], judged_s[arm] = 0, 0
                fresh[arm], stale[arm] = False, True
                known_n[arm], known_s[arm], known_lost[arm] = 0, 0, 0
                verdict[arm], results.decided[row, arm] = NO_CANDIDATE, 0
                results.month[row, arm], results.waiting[row, arm] = np.nan, 0
                if arm != terms.control:
                    verdict[arm], open_arms[left] = UNDECIDED, arm
                    left += 1
            lacking = left  # candidates with fewer outcomes than the burn-in
            rule_begins, rule_rests = False, True
            enrolled, came_in, outcomes, declared, t = 0, 0, 0, 0, 0
            clock, month, end, look, next_at = 0.0, 0.0, 0.0, 1, 0
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
                    due = people.due[people.queue[came_in]] if came_in < enrolled else np.inf
                    planned = look * terms.look_months
                    if min(due, planned) > arrival:
                        break
                    judging = False
                    if planned < due:
                        month, look, judging = planned, look + 1, lacking == 0
                    else:
                        patient, month, end = people.queue[came_in], due, due
                        came_in += 1
                        arm = people.arm[patient]
                        fresh[arm] = True
                        if terms.left_out and people.dropped[patient]:
                            lost[arm] += 1
                        else:
                            outcomes += 1
                            n, s = seen[arm] + 1, sums[arm] + people.outcome[patient]
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
                            elif terms.look_outcomes > 1:
                                judging = outcomes % terms.look_outcomes == 0
                            judging = judging and lacking == 0
                    if judging and not limits.only_at_end:
                        k = 0
                        while k < left:
                            arm = open_arms[k]
                            n = judged_n[arm]
                            found = judge(judged_s[arm], accept[n], reject[n])
                            k += 1
                            if found != UNDECIDED:
                                verdict[arm], results.decided[row, arm] = found, enrolled
                                results.month[row, arm], end = month, month
                                results.waiting[row, arm] = enrolled - came_in
                                declared += found == GOOD
                                left, k = left - 1, k - 1
                                for i in range(k, left):
                                    open_arms[i] = open_arms[i + 1]
                        if enrolling and (left == 0 or declared >= terms.wanted):
                            enrolling, arrival = False, np.inf
                            results.pipeline[row] = enrolled - came_in
                if enrolling and fewest(open_arms, left, assigned, lost, last) < 0:
                    enrolling = False
                    continue
                if not enrolling:
                    break
                # The cohort's first patient: the rule learns what has come in.
                if enrolled % terms.cohort == 0:
                    rule_begins = rule_rests and lacking == 0
                    rule_rests = lacking > 0
                    for k in range(left):
                        arm = open_arms[k]
                        if fresh[arm]:
                            known_n[arm], known_s[arm] = seen[arm], sums[arm]
                            known_lost[arm] = lost[arm]
                            fresh[arm], stale[arm] = False, True
                # Which arm?
                apart = control_patients(enrolled + 1, terms.control_share)
                if apart > control_patients(enrolled, terms.control_share):
                    chosen = terms.control
                elif rule_rests:
                    chosen = fewest(open_arms, left, assigned, lost, last)
                else:
                    if rule_begins or (in_steps and t >= stale_from):
                        now, stale_from = of_t[t], t + 1 + (t >> 4)
                        for k in range(left):
                            stale[open_arms[k]] = True
                        rule_begins = False
                    if rising:
                        now = of_t[t]
                    chosen, best, count = -1, -np.inf, 0
                    for k in range(left):
                        arm = open_arms[k]
                        if assigned[arm] - lost[arm] >= last:
                            continue
                        if stale[arm]:
                            n = np.int64(assigned[arm]) if counts_waiting else known_n[arm]
                            mean = known_s[arm] / known_n[arm]
                            centre[arm], width[arm] = summary(mean, n, of_n[n], xi, scale)
                            if not (random or rising):
                                score[arm] = index(centre[arm], width[arm], now)
                            stale[arm] = False
                        if random:
                            now, choices = normal(choices)
                        value = score[arm]
                        if random or rising:
                            value = index(centre[arm], width[arm], now)
                        value = credit(value, assigned[arm] - known_n[arm] - known_lost[arm])
                        if chosen < 0 or value > best:
                            chosen, best = arm, value
                        eligible[count], values[count] = arm, value
                        count += 1
                    if terms.randomisation != AS_CHOSEN:
                        u, chance = uniform(chance)
                        if terms.randomisation != MIXED:
                            chosen = softened(eligible, values, count, terms.softness, u)
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
                wait, delays = draw_delay(delays, terms.delay_kind, terms.delay, terms.delay_scale)
                people.arm[enrolled], people.dropped[enrolled] = chosen, dropped
                people.outcome[enrolled] = 0 if dropped else x
                people.enrolled[enrolled], people.due[enrolled] = arrival, arrival + wait
                join(people, enrolled, came_in)
                assigned[chosen] += 1
                if chosen != terms.control:
                    t += 1
                    stale[chosen] = stale[chosen] or counts_waiting
                enrolled += 1
                results.enrolment[row], results.pipeline[row] = arrival, enrolled - came_in
                enrolling = enrolled < n_max
            # The last look: every outcome is in.
            results.end[row] = end
            for k in range(left):
                arm = open_arms[k]
                n = judged_n[arm]
                found = judge(judged_s[arm], accept[n], reject[n])
                if found != UNDECIDED:
                    verdict[arm], results.decided[row, arm] = found, enrolled
                    results.month[row, arm], results.waiting[row, arm] = end, 0

    return compile_loop(trials)

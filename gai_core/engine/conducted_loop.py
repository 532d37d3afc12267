"""The loop of a trial as it is run: patients come in time, outcomes later, verdicts at looks.

docs/conduct.md says what it does, step by step; tests/naive_conduct.py does the same slowly.
Here is the order of the steps: `conduct_blocks`, `conduct_patients` and `conduct_verdicts` have
the steps, and `conduct_state` the state that they change. Like `loop.kernel` it is compiled with
the rules' and the outcome's own functions inside, releases the GIL and keeps nothing between
replicates.
"""

import functools
from typing import Any

import numpy as np

from gai_core.engine.conduct_blocks import (
    Block,
    give_back,
    make_block,
    make_paired_block,
    take_place,
)
from gai_core.engine.conduct_pairs import Pairs, pair_up, unpaired
from gai_core.engine.conduct_patients import (
    Reading,
    chances_of,
    enrol,
    next_patient,
)
from gai_core.engine.conduct_state import (
    Arms,
    ConductedRows,
    Functions,
    Knowledge,
    PatientLog,
    Records,
    TrialPlan,
    begin,
    closed,
    row_of,
)
from gai_core.engine.conduct_verdicts import give_verdicts, let_happen
from gai_core.engine.loop import LOADING, Function, Kernel, compile_loop
from gai_core.evidence import Bookkeeping, Outcome
from gai_core.rules import OWN, Rule, RuleNumbers, Together, switch
from gai_core.study import enrolment_month

LOOK_AT_STOP = 1023
"""The flag is looked at when these bits of the number enrolled are 0, and after every trial."""


def conduct_kernel(rule: Rule, outcome: Outcome, evidence: Outcome | None = None) -> Kernel:
    """The compiled loop for a kind of outcome, told which rule is meant.

    The planner's own rules share it. `evidence` is what streams are made of.
    """
    evidence = evidence or outcome
    sharing = Together.of(*OWN) if rule in OWN else Together.of(rule)
    with LOADING:
        loop = _kernel(
            sharing,
            type(evidence).largest_mean,
            type(outcome).draw,
            type(outcome).move,
            type(evidence).bookkeeping,
            type(evidence).combine,
        )
    return functools.partial(loop, sharing.numbers(rule))


@functools.cache
def _kernel(  # noqa: C901 (one loop, read from top to bottom)
    rules: Together,
    largest_mean: Function,
    draw: Function,
    move: Function,
    bookkeeping: Bookkeeping,
    of_pair: Function | None,
) -> Kernel:
    squares, add, beyond, judge, scales, pools, add_both = bookkeeping
    paired, combine = of_pair is not None, of_pair or unpaired
    summary, index, credit = map(switch, rules)

    def trials(
        rule: RuleNumbers,
        first: int,
        plan: TrialPlan,
        log: PatientLog,
        arms: Arms,
        known: Knowledge,
        pairs: Pairs,
        rows: ConductedRows,
        stop: Any,
    ) -> None:
        """Simulate replicates first, first + 1, ... into the rows, until somebody says stop."""
        books = Bookkeeping(squares, add, beyond, judge, scales, pools, add_both)
        functions = Functions(
            summary,
            index,
            credit,
            largest_mean,
            draw,
            move,
            books,
            combine,
            paired,
            rule,
        )
        conduct, last = plan.conduct, plan.limits.at_look.size - 1
        # No arm can be full where limits go as far as there are patients.
        tight = last < plan.scoring.of_t.size - 1
        for row in range(rows.verdict.shape[0]):
            replicate = np.uint64(first + row)
            records = Records(row_of(rows, row), arms, known, log, pairs)
            chances = chances_of(plan.source, replicate)
            course = begin(replicate, functions, plan, records)
            reading, block = Reading(0.0, 0), Block(0, 0, course.candidates.open, 0)
            expected, arrival, enrolment = 0.0, 0.0, 0.0
            while True:
                if course.enrolling:
                    expected, chances = next_patient(expected, chances, conduct)
                    arrival = enrolment_month(expected, conduct.per_month, conduct.ramp_up)
                course = let_happen(arrival, course, functions, plan, records)
                if not course.enrolling:
                    break
                if paired:
                    block, cohort, reading, chances = make_paired_block(
                        block, course, reading, chances, functions, plan, records
                    )
                else:
                    block, cohort, reading, chances = make_block(
                        block, course, reading, chances, tight, functions, plan, records
                    )
                if block.places == 0:
                    course = closed(course, cohort)
                    continue
                arm, block = take_place(block, records)
                if paired:
                    pair_up(arm, conduct.control, block.controls, course.flow.enrolled, pairs)
                course, chances = enrol(
                    arm, arrival, cohort, course, chances, functions, plan, records
                )
                enrolment = arrival
                if course.flow.enrolled & LOOK_AT_STOP == 0 and stop[0]:
                    return
            give_back(block, records)
            # The last look: every outcome is in.
            rows.enrolment[row], rows.end[row] = enrolment, course.end
            rows.pipeline[row] = course.pipeline
            give_verdicts(course.end, course.candidates, course.flow, books, plan, records)
            if stop[0]:
                return

    return compile_loop(trials, allocates=False)

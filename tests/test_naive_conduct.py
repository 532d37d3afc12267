"""The oracle of conducted trials itself: tiny trials worked out by hand, and the plain engine."""

from collections.abc import Iterator
from itertools import repeat
from math import exp
from typing import Any

import numpy as np
import pytest
from conftest import make_study
from naive_conduct import ConductedTrial, Numbers, conducted_trial, numbers_of

from gai_core import RULES, Study, simulate
from gai_core.evidence import BAD, GOOD, UNDECIDED
from gai_core.study.conduct import WEEKS_PER_MONTH

VERDICTS = {"good": GOOD, "bad": BAD, "undecided": UNDECIDED}
AT_TWO = {"criterion": "exact", "criterion_parameters": {"looks": [2]}}
"""At an error of 0.3 per dose: good from a sum of 0.74 on (0.524 sqrt 2), bad from -0.74 down."""
NEVER = {"criterion": "union"}
"""Never decides with so few patients."""


def tiny_study(
    rule: str = "equal",
    design: dict[str, Any] = NEVER,
    arms: int = 2,
    n_max: int = 6,
    truth: dict[str, Any] | None = None,
    rates: bool = False,
    **conduct: Any,
) -> Study:
    """Scores with variance 1 and target 0, or rates with target 1/2; one patient a month.

    The burn-in is 1, and a wrong verdict on a dose has a chance of at most 0.3.
    """
    target = 0.5 if rates else 0.0
    candidates = arms - ("control_share" in conduct)
    return make_study(
        threshold=target,
        delta=0.3 * candidates,
        outcome={"kind": "bernoulli"} if rates else {"kind": "gaussian", "variance": 1.0},
        simulation={"runs": 1, "n_max": n_max, "seed": 1},
        arms=[{"label": str(i), "control": i == 0} for i in range(arms)],
        truths=[{"name": "any", "means": [target] * arms} | (truth or {})],
        designs=[{"name": "one", "rule": rule, "burn_in": 1} | design],
        conduct={"accrual": {"per_month": 1.0}, "randomisation": {"kind": "rule"}} | conduct,
    )


def fixed(months: float) -> dict[str, Any]:
    return {"weeks": months * WEEKS_PER_MONTH}


def nothing() -> Iterator[float]:
    """Numbers that must not be asked for."""
    raise AssertionError("a number was drawn that no step needs")
    yield 0.0


def trial_of(study: Study, *outcomes: str, months: float = 0.0, **numbers: Any) -> ConductedTrial:
    """The trial whose patients score 1 (+) or -1 (-), or respond or not, as written per arm."""
    number = {"+": 1.0, "-": -1.0} if study.outcome.kind == "gaussian" else {"+": 0.0, "-": 0.99}
    given: dict[str, Any] = {
        "outcomes": [iter([number[sign] for sign in arm]) for arm in outcomes],
        "dropouts": [nothing() for _ in outcomes],
        "choices": nothing(),
        "randomisation": nothing(),
        "gaps": nothing(),
        "delays": repeat(months),
    }
    return conducted_trial(study, study.truths[0], study.designs[0], Numbers(**given | numbers))


def test_outcomes_come_late() -> None:
    """Enrolled in months 1 2 3 4 on doses 0 1 0 1; outcomes in months 2.5 3.5 4.5 5.5."""
    study = tiny_study(design=AT_TWO, delay=fixed(1.5))
    trial = trial_of(study, "++", "--", months=1.5)
    assert trial.arms == [0, 1, 0, 1]  # then both doses have the 2 patients there are limits for
    assert trial.verdict == ["good", "bad"]
    assert trial.month == [4.5, 5.5]
    assert trial.decided == [4, 4]
    assert trial.waiting == [1, 0]
    assert trial.seen == [2, 2]
    assert trial.sums == [2.0, -2.0]
    assert (trial.enrolment, trial.end, trial.pipeline) == (4.0, 5.5, 2)


def test_the_first_burn_in_outcome_is_awaited_before_the_rule_begins() -> None:
    """APGAI would leave dose 1 at once; it knows of its failure from month 4.5 on."""
    study = tiny_study("apgai", delay=fixed(2.5))
    trial = trial_of(study, "++++++", "---", months=2.5)
    assert trial.arms == [0, 1, 0, 1, 0, 0]
    assert (trial.enrolment, trial.end, trial.pipeline) == (6.0, 8.5, 3)


def test_an_outcome_due_when_a_patient_comes_is_known() -> None:
    """Delay 2: the outcome of patient 2 is known to patient 4."""
    trial = trial_of(tiny_study("apgai", n_max=4, delay=fixed(2.0)), "+++", "---", months=2.0)
    assert trial.arms == [0, 1, 0, 0]
    assert trial.pipeline == 2  # patients 3 and 4; that of patient 2 came in in month 4


def test_outcomes_may_overtake_each_other() -> None:
    """Due in months 6, 3, 4 and 5: dose 1 has its two outcomes in month 5, dose 0 in month 6."""
    study = tiny_study(design=AT_TWO, delay={"weeks": 9.0, "pattern": "exponential"})
    trial = trial_of(study, "++", "++", delays=iter([5.0, 1.0, 1.0, 1.0]))
    assert trial.verdict == ["good", "good"]
    assert trial.month == [6.0, 5.0]
    assert trial.waiting == [0, 1]
    assert (trial.enrolment, trial.end, trial.pipeline) == (4.0, 6.0, 2)


def test_the_first_outcomes_are_those_that_come_in_first() -> None:
    """Limits at 2 outcomes: of + - - on dose 0 the two minuses come first."""
    design = {"criterion": "exact", "criterion_parameters": {"looks": [2, 4]}}
    study = tiny_study(design=design, delay={"weeks": 9.0, "pattern": "exponential"})
    delays = iter([9.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert trial_of(study, "+--", "+--", delays=delays).verdict == ["bad", "undecided"]


def test_a_cohort_does_not_hear_of_its_own_outcomes() -> None:
    """APGAI; with a cohort of 2, patient 4 gets the dose of patient 3, whatever came of it."""
    outcomes = "+---", "++++"
    alone = trial_of(tiny_study("apgai"), *outcomes)
    pairs = trial_of(tiny_study("apgai", cohort=2), *outcomes)
    assert alone.arms == [0, 1, 0, 1, 1, 1]
    assert pairs.arms == [0, 1, 0, 0, 1, 1]


def test_a_cohort_counts_its_own_patients() -> None:
    """HDoC with equal means goes to the dose with the fewest patients, within a cohort too."""
    trial = trial_of(tiny_study("hdoc", cohort=6, n_max=12), "+" * 6, "+" * 6)
    assert trial.arms == [0, 1] * 6


def test_a_look_is_held_after_every_cohort_of_outcomes() -> None:
    """Second outcomes in months 3 and 4; looks after outcomes 3 and 6."""
    design = {"criterion": "exact", "criterion_parameters": {"looks": [2, 6]}}
    trial = trial_of(tiny_study(design=design, cohort=3, n_max=9), "++", "++++")
    assert trial.arms == [0, 1, 0, 1, 1, 1]
    assert trial.month == [3.0, 6.0]
    assert trial.decided == [3, 6]


def test_looks_after_so_many_outcomes() -> None:
    study = tiny_study(design=AT_TWO, looks={"outcomes": 3}, delay=fixed(0.5))
    trial = trial_of(study, "++", "++", months=0.5)
    assert trial.month == [3.5, 4.5]  # the last look is held whatever the number


def test_looks_every_so_many_weeks() -> None:
    """Looks in months 1.6, 3.2, 4.8 and the last in 5.1; second outcomes in 4.1 and 5.1."""
    study = tiny_study(
        design=AT_TWO, looks={"weeks": 1.6 * WEEKS_PER_MONTH}, delay=fixed(0.1), n_max=5, arms=3
    )
    trial = trial_of(study, "++", "++", "++", months=0.1)
    assert trial.arms == [0, 1, 2, 0, 1]
    assert trial.month == [pytest.approx(4.8), pytest.approx(5.1), None]
    assert trial.decided == [4, 5, 0]
    assert trial.waiting == [0, 0, 0]
    assert trial.end == 5.1


def test_looks_at_given_numbers_of_outcomes() -> None:
    study = tiny_study(design=AT_TWO, looks={"at": [4, 5]}, delay=fixed(0.1), arms=3)
    trial = trial_of(study, "++", "--", "+-", months=0.1)
    assert trial.month == [4.1, 5.1, None]
    assert trial.verdict == ["good", "bad", "undecided"]


def test_the_control_gets_its_share_and_no_verdict() -> None:
    """Half of the patients: every second one. Its outcomes count for looks and for nothing else."""
    study = tiny_study(design=AT_TWO, arms=3, control_share=0.5, n_max=20)
    trial = trial_of(study, "+" * 10, "++", "--")
    assert trial.arms == [1, 0, 2, 0, 1, 0, 2]
    assert trial.verdict == ["control", "good", "bad"]
    assert trial.decided == [0, 5, 7]
    assert trial.month == [None, 5.0, 7.0]
    assert trial.seen == [3, 2, 2]
    assert trial.sums == [3.0, 2.0, -2.0]


def test_outcomes_of_the_control_bring_looks() -> None:
    """The sixth outcome is the control's; dose 1 had its second with the fifth."""
    study = tiny_study(design=AT_TWO, arms=3, control_share=0.5, n_max=20, looks={"outcomes": 6})
    trial = trial_of(study, "+++", "++", "--")
    assert trial.decided == [0, 6, 7]  # dose 2 at the last look


def test_dropouts_that_count_as_non_responders() -> None:
    """Good with 3 of 3, bad with 0 of 3 (chance 1/8). Numbers below 0.2 drop out."""
    study = tiny_study(
        design={"criterion": "exact", "criterion_parameters": {"looks": [3]}},
        rates=True,
        dropout={"probability": 0.2, "counted": "non-response", "in_means": False},
    )
    dropouts = [iter([0.1, 0.9, 0.19]), iter([0.2, 0.9, 0.9])]
    trial = trial_of(study, "+-+", "+++", dropouts=dropouts)
    assert trial.verdict == ["bad", "good"]
    assert (trial.seen, trial.sums) == ([3, 3], [0.0, 3.0])


def test_dropouts_that_count_as_no_improvement() -> None:
    study = tiny_study(
        n_max=4, dropout={"probability": 0.2, "counted": "baseline", "in_means": False}
    )
    trial = trial_of(study, "++", "--", dropouts=[iter([0.1, 0.9]), iter([0.9, 0.1])])
    assert (trial.seen, trial.sums) == ([2, 2], [1.0, -1.0])


def test_stated_means_with_dropouts_in_them_are_not_lowered_twice() -> None:
    """Rate 1/2 with 20% dropouts in it is 0.625 for those who stay."""
    study = tiny_study(n_max=2, rates=True, dropout={"probability": 0.2, "counted": "non-response"})
    dropouts = [repeat(0.9), repeat(0.9)]
    trial = trial_of(study, "", "", outcomes=[iter([0.624]), iter([0.626])], dropouts=dropouts)
    assert trial.sums == [1.0, 0.0]


def test_dropouts_that_are_left_out_are_replaced() -> None:
    """Patients 1 and 4 drop out, known in months 1.5 and 4.5: each dose gets a third patient."""
    study = tiny_study(
        design=AT_TWO, n_max=9, delay=fixed(0.5),
        dropout={"probability": 0.2, "counted": "left out", "in_means": False},
    )  # fmt: skip
    dropouts = [iter([0.1, 0.9, 0.9]), iter([0.9, 0.1, 0.9])]
    trial = trial_of(study, "-++", "-+-", months=0.5, dropouts=dropouts)
    assert trial.arms == [0, 1, 0, 1, 0, 1]
    assert trial.verdict == ["good", "bad"]
    assert trial.decided == [5, 6]
    assert (trial.assigned, trial.seen, trial.sums) == ([3, 3], [2, 2], [2.0, -2.0])
    assert (trial.month, trial.waiting, trial.end) == ([5.5, 6.5], [0, 0], 6.5)


def test_dropout_may_depend_on_the_outcome() -> None:
    """Number 0.3: who reaches the target (chance 0.4) drops out, the other (0.2) does not."""
    study = tiny_study(
        n_max=4,
        dropout={
            "probability": 0.2, "probability_on_target": 0.4, "counted": "left out",
            "in_means": False,
        },
    )  # fmt: skip
    trial = trial_of(study, "+-", "-+", dropouts=[repeat(0.3), repeat(0.3)])
    assert (trial.assigned, trial.seen, trial.sums) == ([2, 2], [1, 1], [-1.0, -1.0])


def test_one_test_at_the_end_where_dropouts_are_left_out() -> None:
    """Two of three remain on dose 0 (2 of 2: chance 1/4), three on dose 1 (0 of 3: 1/8)."""
    study = tiny_study(
        design={"criterion": "exact", "criterion_parameters": {"looks": "end"}},
        rates=True,
        dropout={"probability": 0.2, "counted": "left out", "in_means": False},
    )
    trial = trial_of(study, "+++", "---", dropouts=[iter([0.9, 0.1, 0.9]), repeat(0.9)])
    assert trial.verdict == ["good", "bad"]
    assert trial.decided == [6, 6]
    assert trial.month == [6.0, 6.0]


def test_enrolment_ends_with_the_doses_wanted() -> None:
    """Dose 0 is declared in month 5.2; dose 1, whose second patient waits, gets a verdict too."""
    study = tiny_study(design=AT_TWO, arms=3, wanted=1, delay=fixed(1.2), n_max=20)
    trial = trial_of(study, "++", "--", "--", months=1.2)
    assert trial.arms == [0, 1, 2, 0, 1]
    assert trial.verdict == ["good", "bad", "undecided"]
    assert trial.month == [5.2, 6.2, None]
    assert trial.decided == [5, 5, 0]
    assert trial.waiting == [1, 0, 0]
    assert (trial.enrolment, trial.end, trial.pipeline) == (5.0, 6.2, 1)


def test_poisson_gaps_and_a_ramp_up() -> None:
    """Gaps 1, 3 and 4 at one a month, where 2 patients come in a ramp-up of 4 months.

    1 patient is expected by month sqrt(2 x 4 x 1), 4 by 4 + 2, 8 by 8 + 2.
    """
    study = tiny_study(
        n_max=3, accrual={"per_month": 1.0, "pattern": "poisson", "ramp_up": 4.0}, cohort=2
    )
    trial = trial_of(study, "++", "+", gaps=iter([1.0, 3.0, 4.0]))
    assert (trial.arms, trial.enrolment) == ([0, 1, 0], 10.0)


@pytest.mark.parametrize(
    ("numbers", "arms"),
    [([0.5, 0.5], [0, 1, 0, 0]), ([0.1, 0.5, 0.5], [0, 1, 1, 0]), ([0.1, 0.49, 0.5], [0, 1, 0, 0])],
)
def test_mixed_takes_any_dose_now_and_then(numbers: list[float], arms: list[int]) -> None:
    """A number below the share: the next one chooses. APGAI would stay with dose 0."""
    study = tiny_study("apgai", n_max=4, randomisation={"kind": "mixed", "share": 0.2})
    assert trial_of(study, "+++", "--", randomisation=iter(numbers)).arms == arms


BLOCKS: dict[str, Any] = {"randomisation": {"kind": "blocks"}}


def test_a_block_is_drawn_in_random_order() -> None:
    """Places 1 2 0 in both blocks, 0 the control; the last is taken first.

    First 0.9 leaves dose 2 last, 0.0 brings dose 1 behind it: 0 2 1. Then 0.4: 2 1, and 0.5: 2 0 1.
    """
    study = tiny_study(arms=3, cohort=3, control_share=1 / 3, **BLOCKS)
    trial = trial_of(study, "++", "++", "++", randomisation=iter([0.9, 0.0, 0.4, 0.5]))
    assert trial.arms == [1, 2, 0, 1, 0, 2]


def test_the_last_block_has_the_places_that_are_left() -> None:
    """Places 0 1 0 become 1 0 and 1 0 0; then two are left, 1 0, which stay so."""
    study = tiny_study(n_max=5, cohort=3, **BLOCKS)
    trial = trial_of(study, "+++", "++", randomisation=iter([0.0, 0.9, 0.5]))
    assert trial.arms == [0, 0, 1, 0, 1]


def test_places_of_a_dose_with_a_verdict_go_to_the_rule_s_next_choice() -> None:
    """Places 0 1 2 0 1 2 0 1 2, all left as they are: 2 1 0 2 1 0 are taken.

    Then dose 0 is declared, and its third place goes to dose 1, the first of those with three
    patients; it changes places with the first of 1 2 1. So 0 1 2 becomes 1 2 1.
    """
    design = {"criterion": "exact", "criterion_parameters": {"looks": [2, 5]}}
    study = tiny_study(design=design, arms=3, n_max=9, cohort=9, looks={"outcomes": 1}, **BLOCKS)
    numbers = iter([0.99] * 8 + [0.0])
    trial = trial_of(study, "++", "+-+-", "-+-+", randomisation=numbers)
    assert trial.arms == [2, 1, 0, 2, 1, 0, 1, 2, 1]
    assert trial.verdict[0] == "good"
    assert trial.decided[0] == 6


def test_places_without_an_eligible_dose_are_left_out() -> None:
    """Limits for up to 4, places 0 1 0 1 0 1 0 1: after 1 0 1 0 dose 0 is declared, 1 is full."""
    design = {"criterion": "exact", "criterion_parameters": {"looks": [2, 4]}}
    study = tiny_study(design=design, n_max=8, cohort=8, looks={"outcomes": 1}, **BLOCKS)
    trial = trial_of(study, "++", "+-+-", randomisation=iter([0.99] * 7))
    assert trial.arms == [1, 0, 1, 0, 1, 1]


def test_places_that_nobody_takes_are_no_patients() -> None:
    """Places 0 1 0 1 0 1 0 1 0: one dose is wanted, and declared after 0 1 0."""
    design = {"criterion": "exact", "criterion_parameters": {"looks": [2, 9]}}
    study = tiny_study(design=design, n_max=9, cohort=9, wanted=1, looks={"outcomes": 1}, **BLOCKS)
    trial = trial_of(study, "++", "+", randomisation=iter([0.99] * 8))
    assert trial.arms == [0, 1, 0]
    assert trial.assigned == [2, 1]


def test_softened_chooses_by_weights() -> None:
    """Scores 1 and -1 with softness 1/2: weights 1 and exp(-2); the total is their sum."""
    study = tiny_study("apgai", n_max=3, randomisation={"kind": "softened"})
    edge = 1 / (1 + exp(-2))
    below = trial_of(study, "++", "--", randomisation=iter([edge - 1e-9]))
    above = trial_of(study, "++", "--", randomisation=iter([edge + 1e-9]))
    assert (below.arms[2], above.arms[2]) == (0, 1)
    same = trial_of(study, "++", "++", randomisation=iter([0.5]))
    assert same.arms[2] == 1  # equal scores: equal weights


def test_nearest_finish_leaves_a_dose_whose_waiting_patients_suffice() -> None:
    """Delay 2.5: doses 0 1 0 1, then both have one outcome, and one patient waiting.

    log(1/0.3) + log(1.1)/2 - log 2 = 0.559 is needed. Dose 0 (mean 1) has 1/2, so
    v = 1/sqrt(0.059) = 4.1 with z = 0, and N = 2/v^2 = 0.1 more are needed: fewer than wait, so
    its score is -1. Dose 1 (mean -1) has v = (z - 1)/sqrt(0.559).
    """
    study = tiny_study("nearest-finish", n_max=5, delay=fixed(2.5))
    behind = trial_of(study, "+++", "--", months=2.5, choices=iter([0.0, 0.0]))
    ahead = trial_of(study, "++", "---", months=2.5, choices=iter([0.0, 0.3]))
    assert behind.arms[4] == 0  # dose 1 has -1.3
    assert ahead.arms[4] == 1  # dose 1 has -0.9


def test_nearest_finish_credits_those_who_wait() -> None:
    """The same, one patient later: dose 0 has two outcomes (mean 0), dose 1 one and two waiting.

    Dose 0: needed log(1/0.3) + log(1.2)/2 - log 2 = 0.602, v = z/sqrt(2 x 0.602) = 1.18. Dose 1:
    v = 0.6/sqrt(0.559) = 0.80, N = 3.1; as two wait, 1.1 are to be found: sqrt(2/1.1) = 1.34.
    """
    study = tiny_study("nearest-finish", n_max=6, delay=fixed(2.5))
    numbers = [0.0, 0.3, 1.3, 1.6]
    trial = trial_of(study, "+-", "----", months=2.5, choices=iter(numbers))
    assert trial.arms == [0, 1, 0, 1, 1, 1]


def test_a_trend_moves_the_mean_and_the_variance_may_be_another() -> None:
    """Patient j of month j has mean 1 + j/2 and standard deviation 3 under this truth."""
    study = tiny_study(
        n_max=4,
        truth={"means": [1.0, 1.0], "variance": 9.0, "trend": 0.5},
    )
    trial = trial_of(study, "", "", outcomes=[iter([0.25, -1.0]), iter([0.0, 0.5])])
    assert trial.sums == [1.5 + 0.75 + 2.5 - 3, 2.0 + 3.0 + 1.5]


def test_a_response_rate_stays_within_0_and_1() -> None:
    study = tiny_study(n_max=4, rates=True, truth={"trend": 0.4})
    trial = trial_of(study, "", "", outcomes=[iter([0.89, 0.9999]), iter([0.9999, 0.9999])])
    assert trial.sums == [2.0, 2.0]  # rates 0.9, then 1
    falling = tiny_study(n_max=4, rates=True, truth={"trend": -0.4})
    trial = trial_of(falling, "", "", outcomes=[iter([0.11, 0.0]), iter([0.0, 0.0])])
    assert trial.sums == [0.0, 0.0]  # rates 0.1, then 0


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", ["bernoulli", "gaussian"])
def test_without_delay_the_oracle_is_the_plain_engine(rule: str, kind: str) -> None:
    plain = make_study(
        outcome={"kind": kind} | ({"variance": 0.25} if kind == "gaussian" else {}),
        simulation={"runs": 6, "n_max": 250, "seed": 4},
        delta=0.3,
        truths=[{"name": "near", "means": [0.3, 0.55, 0.85]}],
        designs=[
            {"name": "mixture", "rule": rule, "criterion": "mixture", "burn_in": 2},
            {"name": "looks", "rule": rule, "criterion": "exact", "burn_in": 3,
             "criterion_parameters": {"looks": [10, 25, 60]}},
        ],
    )  # fmt: skip
    study = Study.model_validate(plain.model_dump() | {"conduct": {}})
    runs, truth = simulate(plain), study.truths[0]
    for design in study.designs:
        block = runs["near", design.name]
        for replicate in range(study.simulation.runs):
            trial = conducted_trial(study, truth, design, numbers_of(study, truth, replicate))
            assert block.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict]
            assert block.decided[replicate].tolist() == trial.decided
            assert block.assigned[replicate].tolist() == trial.assigned == trial.seen
            assert np.allclose(block.sums[replicate], trial.sums, rtol=1e-12)
            assert trial.month == [t / 20 if t else None for t in trial.decided]
            assert trial.pipeline == 0

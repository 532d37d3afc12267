"""Double-programmed: conducted trials agree one by one with the oracle, and keep known limits."""

from itertools import product
from math import ceil, floor, nan, sqrt
from typing import Any

import numpy as np
import pytest
from conftest import make_study
from naive_conduct import ConductedTrial, conducted_trial, numbers_of

from gai_core import RULES, Study, simulate
from gai_core.evidence import BAD, GOOD, NO_CANDIDATE, UNDECIDED
from gai_core.study.conduct import WEEKS_PER_MONTH

VERDICTS = {"good": GOOD, "bad": BAD, "undecided": UNDECIDED, "control": NO_CANDIDATE}
KINDS = "bernoulli", "gaussian"
RATES, SCORES = KINDS
ACCRUAL = {"per_month": 7.3}
"""No multiple of weeks, so that nothing happens at the same time but what is meant to."""
LOOKS: dict[str, Any] = {"looks": [10, 25, 40]}
END: dict[str, Any] = {"looks": "end"}
NEAR, CLEAR = [0.3, 0.5, 0.65, 0.9], [0.9, 0.1, 0.85, 0.1]


def design(rule: str, criterion: str = "mixture", burn_in: int = 3, **given: Any) -> dict[str, Any]:
    """A design named after its parts; `given` are the criterion's parameters."""
    name = f"{rule} {criterion} {burn_in} {given or ''}".strip()
    return {
        "name": name, "rule": rule, "criterion": criterion, "burn_in": burn_in,
        "criterion_parameters": given,
    }  # fmt: skip


def case(
    kind: str,
    *designs: dict[str, Any],
    truth: dict[str, Any] | None = None,
    control: int | None = None,
    n_max: int = 150,
    runs: int = 6,
    **conduct: Any,
) -> Study:
    """Four arms, the target 1/2: under one truth most trials reach n_max, under one few do."""
    return make_study(
        outcome={"kind": kind} | ({"variance": 0.25} if kind == SCORES else {}),
        simulation={"runs": runs, "n_max": n_max, "seed": 12},
        delta=0.3,
        arms=[{"label": str(i), "control": i == control} for i in range(4)],
        truths=[
            {"name": "near", "means": NEAR} | (truth or {}),
            {"name": "clear", "means": CLEAR} | (truth or {}),
        ],
        designs=list(designs),
        conduct={"accrual": ACCRUAL} | conduct,
    )


def dropout(counted: str, in_means: bool = True, **other: Any) -> dict[str, Any]:
    return {"probability": 0.08, "counted": counted, "in_means": in_means} | other


EVERY_RULE = [design(rule) for rule in RULES]
THREE_RULES = [design("hdoc"), design("thompson"), design("nearest-finish")]
FIXED = {"weeks": 9.0}
UNIFORM = {"weeks": 8.0, "pattern": "uniform", "spread": 6.5}
EXPONENTIAL = {"weeks": 6.0, "pattern": "exponential"}
LOGNORMAL = {"weeks": 8.0, "pattern": "lognormal", "spread": 7.0}
RESPONDERS_LEAVE: dict[str, Any] = {"probability_on_target": 0.2}
POISSON = ACCRUAL | {"pattern": "poisson"}
RAMP_UP = ACCRUAL | {"ramp_up": 6.0}

CASES = {
    "every rule, rates, fixed delay": case(RATES, *EVERY_RULE, delay=FIXED),
    "every rule, scores, lognormal delay": case(SCORES, *EVERY_RULE, delay=LOGNORMAL),
    "every rule, rates, cohorts of 3": case(RATES, *EVERY_RULE, cohort=3, delay=UNIFORM),
    "every rule, scores, no delay, cohorts of 8": case(SCORES, *EVERY_RULE, cohort=8),
    "the paper's limits": case(
        RATES, design("lucb-g", "union", 5), design("hdoc", "union", 1), delay=FIXED, n_max=400
    ),
    "limits at some numbers": case(
        RATES, design("hdoc", "exact", **LOOKS), design("apgai", "exact", **LOOKS),
        delay=EXPONENTIAL, cohort=3,
    ),
    "limits at some numbers, scores": case(
        SCORES, design("thompson", "exact", looks=15), delay=LOGNORMAL, accrual=POISSON
    ),
    "limits at every number": case(
        RATES, design("kl-ucb", "exact", looks=1, largest=30), delay=UNIFORM, n_max=120
    ),
    "one look at the end": case(
        RATES, design("equal", "exact", **END), design("hdoc", "exact", **END), delay=UNIFORM
    ),
    "one look at the end, scores": case(SCORES, design("equal", "exact", **END), delay=FIXED),
    "one look at the end, some left out": case(
        RATES, design("equal", "exact", **END), design("equal", "exact", share="sidak", **END),
        dropout=dropout("left out"), delay=UNIFORM, cohort=3, n_max=122,
    ),
    "one look at the end, some scores left out": case(
        SCORES, design("equal", "exact", **END), dropout=dropout("left out"), delay=LOGNORMAL
    ),
    "poisson": case(RATES, *THREE_RULES, accrual=POISSON, delay=FIXED),
    "poisson, ramp-up, cohorts of 8": case(
        SCORES, *THREE_RULES, accrual=POISSON | {"ramp_up": 5.0}, delay=EXPONENTIAL, cohort=8
    ),
    "ramp-up": case(RATES, *THREE_RULES, accrual=RAMP_UP, delay=UNIFORM),
    "looks after outcomes": case(RATES, *THREE_RULES, looks={"outcomes": 10}, delay=EXPONENTIAL),
    "looks every weeks": case(RATES, *THREE_RULES, looks={"weeks": 5.0}, delay=LOGNORMAL, cohort=3),
    "looks every weeks, poisson": case(
        SCORES, *THREE_RULES, looks={"weeks": 0.7}, accrual=POISSON, delay=EXPONENTIAL
    ),
    "looks at numbers": case(RATES, *THREE_RULES, looks={"at": [110, 30, 60]}, delay=UNIFORM),
    "looks at numbers, limits at some": case(
        SCORES, design("nearest-finish", "exact", **LOOKS), looks={"at": [45, 90]}, delay=FIXED
    ),
    "mixed": case(
        RATES, *THREE_RULES, design("kl-ucb"), delay=FIXED, randomisation={"kind": "mixed"}
    ),
    "softened": case(
        RATES, *EVERY_RULE, delay=UNIFORM, randomisation={"kind": "softened", "softness": 0.7}
    ),
    "softened scores in cohorts": case(
        SCORES, *THREE_RULES, delay=FIXED, cohort=8, randomisation={"kind": "softened"}
    ),
    "blocks, verdicts within a cohort": case(
        RATES, *EVERY_RULE, delay=FIXED, cohort=8, looks={"outcomes": 1}
    ),
    "blocks, doses that fill up": case(
        RATES, design("hdoc", "exact", looks=1, largest=20), design("equal", "exact", looks=2),
        cohort=8, looks={"outcomes": 1}, control=1, control_share=0.3, delay=UNIFORM,
        dropout=dropout("left out"), n_max=131,
    ),
    "one block": case(SCORES, *THREE_RULES, delay=UNIFORM, cohort=1000, looks={"outcomes": 5}),
    "blocks, a dose is wanted": case(
        SCORES, *EVERY_RULE, delay=EXPONENTIAL, cohort=12, looks={"weeks": 2.0}, wanted=1,
        control=0, control_share=0.45,
    ),
    "in the rule's order": case(
        RATES, *EVERY_RULE, delay=FIXED, cohort=8, looks={"outcomes": 1}, control=0,
        control_share=0.3, randomisation={"kind": "rule"},
    ),
    "in the rule's order, doses that fill up": case(
        RATES, design("hdoc", "exact", looks=1, largest=20), cohort=8, looks={"outcomes": 1},
        control=1, control_share=0.3, delay=UNIFORM, dropout=dropout("left out"), n_max=131,
        randomisation={"kind": "rule"},
    ),
    "mixed in cohorts, with a control": case(
        RATES, *EVERY_RULE, delay=FIXED, cohort=8, control=0, control_share=0.3,
        randomisation={"kind": "mixed"},
    ),
    "in a ratio": case(
        RATES, *EVERY_RULE, delay=FIXED, cohort=8, randomisation={"ratio": [2, 1, 1, 3]}
    ),
    "in a ratio, drawn by chance, with a control": case(
        SCORES, design("equal"), design("hdoc"), delay=UNIFORM, cohort=5, control=1,
        control_share=0.3, randomisation={"kind": "softened", "ratio": [1, 3, 7]},
    ),
    "in a ratio, one look at the end": case(
        RATES, design("equal", "exact", **END), delay=UNIFORM, cohort=7,
        randomisation={"ratio": [3, 1, 2, 1]},
    ),
    "dropouts are failures": case(
        RATES, *THREE_RULES, delay=FIXED, dropout=dropout("non-response")
    ),
    "responders drop out and are failures": case(
        RATES, *THREE_RULES, delay=LOGNORMAL,
        dropout=dropout("non-response", in_means=False, **RESPONDERS_LEAVE),
    ),
    "dropouts are left out": case(
        RATES, *EVERY_RULE, delay=FIXED, cohort=3, dropout=dropout("left out", in_means=False)
    ),
    "responders drop out and are left out": case(
        RATES, *THREE_RULES, design("apt-g", "exact", **LOOKS), delay=UNIFORM,
        dropout=dropout("left out", in_means=False, **RESPONDERS_LEAVE),
    ),
    "no score is zero": case(SCORES, *THREE_RULES, delay=FIXED, dropout=dropout("baseline")),
    "the better ones drop out and are left out": case(
        SCORES, *THREE_RULES, delay=EXPONENTIAL, cohort=3,
        dropout=dropout("left out", in_means=False, **RESPONDERS_LEAVE),
    ),
    "nobody drops out": case(
        RATES, design("thompson"), dropout={"probability": 0.0, "counted": "left out"}
    ),
    "control": case(RATES, *EVERY_RULE, delay=FIXED, control=0, control_share=0.3),
    "control in the middle": case(
        SCORES, *THREE_RULES, delay=UNIFORM, cohort=3, control=2, control_share=0.45
    ),
    "control that is a candidate": case(RATES, design("hdoc"), delay=FIXED, control=0),
    "one dose is wanted": case(RATES, *EVERY_RULE, delay=LOGNORMAL, wanted=1),
    "two doses are wanted": case(
        SCORES, *THREE_RULES, delay=FIXED, wanted=2, control=0, control_share=0.2
    ),
    "another variance": case(SCORES, *THREE_RULES, delay=FIXED, truth={"variance": 0.6}),
    "a trend": case(RATES, *THREE_RULES, delay=FIXED, truth={"trend": 0.03}),
    "a trend of scores": case(
        SCORES, *THREE_RULES, delay=FIXED, truth={"trend": -0.02, "variance": 0.1}
    ),
    "a delay longer than the trial": case(RATES, *THREE_RULES, delay={"weeks": 200.0}),
    "everything": case(
        RATES, *EVERY_RULE, design("kl-ucb", "exact", **LOOKS), truth={"trend": -0.01},
        accrual=POISSON | {"ramp_up": 3.0}, delay=LOGNORMAL, cohort=3, looks={"weeks": 3.0},
        randomisation={"kind": "mixed", "share": 0.4}, control=3, control_share=0.21, wanted=2,
        dropout=dropout("left out", in_means=False, **RESPONDERS_LEAVE), n_max=220,
    ),
}  # fmt: skip


def oracle(study: Study, truth: str, name: str, replicate: int) -> ConductedTrial:
    assumed = study.truth(truth)
    numbers = numbers_of(study, assumed, replicate)
    return conducted_trial(study, assumed, study.design(name), numbers)


def assert_same(block: Any, row: int, trial: ConductedTrial, place: str) -> None:
    """A row of the engine's arrays is the oracle's trial."""
    calendar = block.calendar
    assert block.assigned[row].tolist() == trial.assigned, place
    assert block.verdict[row].tolist() == [VERDICTS[verdict] for verdict in trial.verdict], place
    assert block.decided[row].tolist() == trial.decided, place
    assert calendar.seen[row].tolist() == trial.seen, place
    assert calendar.waiting[row].tolist() == trial.waiting, place
    assert calendar.pipeline[row] == trial.pipeline, place
    np.testing.assert_allclose(block.sums[row], trial.sums, rtol=1e-12, err_msg=place)
    months = [nan if month is None else month for month in trial.month]
    np.testing.assert_allclose(calendar.month[row], months, rtol=1e-12, err_msg=place)
    np.testing.assert_allclose(calendar.enrolment[row], trial.enrolment, rtol=1e-12, err_msg=place)
    np.testing.assert_allclose(calendar.end[row], trial.end, rtol=1e-12, err_msg=place)


@pytest.mark.parametrize("name", CASES)
def test_every_trial_is_the_oracle_s(name: str) -> None:
    study = CASES[name]
    runs, decided = simulate(study), 0
    for truth, plan in product(study.truths, study.designs):
        block = runs[truth.name, plan.name]
        for replicate in range(study.simulation.runs):
            trial = oracle(study, truth.name, plan.name, replicate)
            place = f"{truth.name}, {plan.name}, replicate {replicate}"
            assert_same(block, replicate, trial, place)
            decided += sum(verdict in ("good", "bad") for verdict in trial.verdict)
    trials = study.simulation.runs * len(runs.trials)
    assert decided >= trials / 2  # the comparison is not about trials in which nothing happens


def without_conduct(study: Study) -> Study:
    return Study.model_validate(study.model_dump() | {"conduct": None})


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_without_delay_a_conducted_trial_is_the_plain_one(rule: str, kind: str) -> None:
    designs = design(rule), design(rule, "union", 1), design(rule, "exact", 5, **LOOKS)
    study = case(kind, *designs, n_max=600, runs=60)
    conducted, plain, verdicts = simulate(study), simulate(without_conduct(study)), 0
    for key in plain.trials:
        ours: Any = conducted[key]
        for name in ("verdict", "decided", "assigned", "sums"):
            assert np.array_equal(getattr(ours, name), getattr(plain[key], name)), (key, name)
        assert np.array_equal(ours.calendar.seen, ours.assigned)
        assert (ours.calendar.waiting == 0).all()
        assert (ours.calendar.pipeline == 0).all()
        assert np.array_equal(ours.calendar.end, ours.calendar.enrolment)
        given = ours.verdict != UNDECIDED
        verdicts += given.sum()
        months = ours.decided / ACCRUAL["per_month"]
        np.testing.assert_allclose(ours.calendar.month[given], months[given], rtol=1e-12)
        assert np.isnan(ours.calendar.month[~given]).all()
    assert verdicts > study.simulation.runs


def endless(n_max: int, runs: int, *designs: dict[str, Any], **conduct: Any) -> Any:
    """The trials of designs that decide nothing before n_max: all means at the target."""
    study = make_study(
        delta=1e-12,
        simulation={"runs": runs, "n_max": n_max, "seed": 5},
        arms=[{"label": str(i), "control": i == 0} for i in range(3)],
        truths=[{"name": "at the target", "means": [0.5] * 3}],
        designs=list(designs or [design("equal", "union", 1)]),
        conduct=conduct,
    )
    return simulate(study)


def only_block(runs: Any) -> Any:
    (block,) = runs.trials.values()
    return block


def test_the_pipeline_is_accrual_times_delay() -> None:
    """Those enrolled within the delay: at even intervals the next whole number."""
    per_month, weeks = 10.0, 13.0
    block = only_block(endless(200, 3, accrual={"per_month": per_month}, delay={"weeks": weeks}))
    pipeline = per_month * weeks / WEEKS_PER_MONTH
    assert block.calendar.pipeline.tolist() == [ceil(pipeline)] * 3
    np.testing.assert_allclose(block.calendar.end - block.calendar.enrolment, pipeline / per_month)


@pytest.mark.parametrize("delay", [UNIFORM, EXPONENTIAL, LOGNORMAL], ids=lambda d: d["pattern"])
def test_the_pipeline_of_a_poisson_process_is_accrual_times_delay(delay: dict[str, Any]) -> None:
    """The last patient, and a Poisson number of others with mean accrual x delay (Little's law)."""
    runs, per_month = 2000, 10.0
    accrual = {"per_month": per_month, "pattern": "poisson"}
    block = only_block(endless(600, runs, accrual=accrual, delay=delay))
    others = block.calendar.pipeline - 1.0
    expected = per_month * delay["weeks"] / WEEKS_PER_MONTH
    assert abs(others.mean() - expected) < 4 * sqrt(expected / runs)
    assert abs(others.var() / expected - 1) < 4 * sqrt((2 + 1 / expected) / runs)


def test_months_are_patients_by_accrual() -> None:
    even = only_block(endless(200, 2, accrual={"per_month": 8.0}))
    assert even.calendar.enrolment.tolist() == [25.0, 25.0]
    slow_start = only_block(endless(200, 2, accrual={"per_month": 8.0, "ramp_up": 6.0}))
    assert slow_start.calendar.enrolment.tolist() == [28.0, 28.0]


def test_poisson_months_are_gamma() -> None:
    """The n-th patient comes after a sum of n exponentials: mean n/rate, variance n/rate^2."""
    n, rate, runs = 100, 8.0, 4000
    accrual = {"per_month": rate, "pattern": "poisson"}
    months = only_block(endless(n, runs, accrual=accrual)).calendar.enrolment
    assert abs(months.mean() - n / rate) < 4 * sqrt(n / rate**2 / runs)
    assert abs(months.var() * rate**2 / n - 1) < 4 * sqrt((2 + 6 / n) / runs)


def test_every_rule_is_equal_allocation_if_no_outcome_comes_in_time() -> None:
    designs = [design(rule, "union", 1) for rule in RULES]
    runs = endless(100, 5, *designs, accrual={"per_month": 10.0}, delay={"weeks": 60.0})
    for block in runs.trials.values():
        assert (block.assigned == [34, 33, 33]).all()
        assert (block.calendar.pipeline == 100).all()
        assert np.array_equal(block.calendar.seen, block.assigned)


@pytest.mark.parametrize("share", [0.05, 1 / 3, 0.5, 0.9])
def test_the_control_gets_its_share(share: float) -> None:
    block = only_block(endless(157, 3, control_share=share))
    assert (block.assigned[:, 0] == floor(157 * share)).all()
    assert (block.patients == 157).all()
    assert (block.verdict[:, 0] == NO_CANDIDATE).all()
    decisive = case(RATES, *THREE_RULES, delay=FIXED, control=0, control_share=share, runs=40)
    runs: Any = simulate(decisive)
    for trials in runs.trials.values():
        assert np.array_equal(trials.assigned[:, 0], np.floor(trials.patients * share))

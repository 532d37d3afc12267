"""Scores of unknown variance: limits on R, their exact law, and trials beside the naive oracles."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from conftest import make_study, outcomes
from naive import algorithm_1
from naive_conduct import conducted_trial, numbers_of
from naive_student import t_limit, t_statistic
from scipy.integrate import quad
from scipy.stats import chi, nct, norm
from scipy.stats import t as student

from gai_core import RULES, Study, simulate
from gai_core.criteria import CRITERIA
from gai_core.criteria.exact import ExactParameters
from gai_core.criteria.student_mixture import log_evidence, student_limit
from gai_core.evidence import BAD, GOOD, NO_CANDIDATE, UNDECIDED, Curves, ErrorRates, Setting
from gai_core.evidence.crossing import law
from gai_core.evidence.outcomes import GaussianUnknown
from gai_core.results.replaying import replay
from gai_core.study import study_or_problems
from gai_core.theory.exact_errors import error_bounds, worst_case

UNKNOWN = GaussianUnknown(kind="gaussian", variance="unknown")
VERDICTS = {"good": GOOD, "bad": BAD, "undecided": UNDECIDED, "control": NO_CANDIDATE}


def scores(**changes: Any) -> Study:
    """Five doses of effect sizes -0.4 to 0.8 about a target of 1.2, SD 1.5."""
    data: dict[str, Any] = {
        "threshold": 1.2,
        "delta": 0.2,
        "outcome": {"kind": "gaussian", "variance": "unknown"},
        "simulation": {"runs": 10, "n_max": 300, "seed": 4},
        "arms": [{"label": str(i)} for i in range(5)],
        "truths": [{"name": "t", "means": [0.6, 1.2, 1.6, 2.0, 2.4], "variance": 2.25}],
        "designs": [{"name": "d", "rule": "hdoc", "criterion": "mixture"}],
    }
    return make_study(**(data | changes))


def setting(arms: int, errors: tuple[float, float], most: int = 60, burn_in: int = 5) -> Setting:
    rates = ErrorRates(declare=errors[0], drop=errors[1])
    return Setting(arms, 1.2, rates, UNKNOWN, most, burn_in)


# What a study file says.


def told(**changes: Any) -> str:
    data = scores().model_dump() | changes
    found = study_or_problems(data)
    assert isinstance(found, list)
    return " ".join(str(problem) for problem in found)


def test_every_truth_states_its_variance() -> None:
    words = told(truths=[{"name": "t", "means": [1.0] * 5}])
    assert "truths[0].variance must be given" in words
    assert "outcome.variance" in words


@pytest.mark.parametrize("key", ["union", "stitched", "union-published"])
def test_criteria_that_need_a_variance_say_so_and_what_works(key: str) -> None:
    words = told(designs=[{"name": "d", "rule": "equal", "criterion": key}])
    assert f"{key!r} needs a known variance" in words
    assert "choose 'mixture', 'exact'" in words
    as_futility = {"criterion": "mixture", "futility": key}
    words = told(designs=[{"name": "d", "rule": "equal"} | as_futility])
    assert f"{key!r} needs a known variance" in words
    assert "'below'" in words


def test_a_response_rate_has_no_variance_to_be_unknown() -> None:
    words = told(outcome={"kind": "bernoulli", "variance": "unknown"})
    assert "outcome.variance belongs to another kind of outcome" in words
    assert "leave it out, or choose kind = 'gaussian'" in words


def test_below_the_target_by_an_amount_needs_a_spread() -> None:
    futility = {"futility": "below", "futility_parameters": {"amount": 0.2}}
    words = told(designs=[{"name": "d", "rule": "equal", "criterion": "mixture"} | futility])
    assert "amount must be 0 where the variance is unknown" in words
    assert "set it to 0" in words


def test_means_are_within_reach_of_the_truths_variance() -> None:
    words = told(truths=[{"name": "t", "means": [1.0] * 4 + [1e5], "variance": 1e-4}])
    assert "truths[0].means[4] must lie within" in words


def test_a_small_error_is_not_calibrated() -> None:
    words = told(delta=1e-12, designs=[{"name": "d", "rule": "equal", "criterion": "exact"}])
    assert "must leave one dose an error of at least 1e-09" in words
    assert "mixture" in words


def test_any_variance_is_as_assumed() -> None:
    study = scores()
    assert study.as_assumed(study.truths[0])
    assert not scores(outcome={"kind": "gaussian", "variance": 1.0}).as_assumed(study.truths[0])


# R and the t-statistic.


def test_limits_on_r_are_those_of_t_tests() -> None:
    n = np.array([3.0, 4.0, 10.0, 200.0])
    for level in (0.2, 0.01, 1e-6):
        limit = UNKNOWN.test_limit(level, n, 0.0)
        assert UNKNOWN.limits_shown(n, limit) == pytest.approx(student.isf(level, n - 1), rel=1e-9)
        above, below = UNKNOWN.tails(n, 0.4, limit, -limit)
        expected = nct.sf(student.isf(level, n - 1), n - 1, 0.4 * np.sqrt(n))
        assert above == pytest.approx(expected, rel=1e-6)
        assert UNKNOWN.tails(n, 0.0, limit, -limit)[1] == pytest.approx([level] * 4, rel=1e-9)
        assert (below < level).all()
    values = [0.3, 2.1, 1.9, -0.4, 1.1]
    assert UNKNOWN.running(np.array(values), 0.7, np.empty(0))[1:] == pytest.approx(
        [t_statistic(values[:n], 0.7) for n in range(2, 6)]
    )


def test_the_mixture_is_the_integral_it_claims_to_be() -> None:
    """Half-normal over effect sizes e of E exp(e R X_n - n e^2/2), X_n chi with n degrees."""
    for n, r, g in ((4, 1.1, 0.2), (12, 2.5, 0.2), (30, -1.0, 1.0)):

        def weight(e: float, n: int = n, r: float = r) -> float:
            tilted = quad(lambda x: math.exp(e * r * x - n * e * e / 2) * chi.pdf(x, n), 0, 30)
            return float(tilted[0])

        def weighted(e: float, spread: float = math.sqrt(g), weight: Any = weight) -> float:
            return float(2 * norm.pdf(e, 0, spread) * weight(e))

        expected = quad(weighted, 0, 8 * math.sqrt(g))[0]
        ours = log_evidence(np.array([r]), np.array([float(n)]), g)
        assert float(ours[0]) == pytest.approx(math.log(expected), abs=1e-6)


def test_the_mixture_limit_is_where_the_evidence_is_enough() -> None:
    n = np.arange(1.0, 20_001)
    limit = student_limit(n, 0.2, math.log(100))
    there = np.isfinite(limit)
    assert not there[:3].any()
    assert there[10:].all()
    evidence = log_evidence(limit[there], n[there], 0.2)
    assert evidence == pytest.approx(np.full(evidence.size, math.log(100)), abs=1e-6)


# The exact law.


@pytest.mark.parametrize("effect", [0.0, 0.35, -0.3, 1.2])
def test_the_law_is_that_of_simulated_doses(effect: float) -> None:
    last, size = 80, 40_000
    n = np.arange(last + 1.0)
    accept, reject = UNKNOWN.at_level(n, 0.01), -UNKNOWN.at_level(n, 0.04)
    accept[:5], reject[:5] = np.inf, -np.inf
    accept[11:20], reject[11:17] = np.inf, -np.inf  # and without a look in between
    found = law(UNKNOWN, effect, Curves(accept, reject))
    x = np.random.default_rng(5).normal(effect, 1, (size, last))
    ratio = np.cumsum(x, axis=1) / np.sqrt(np.cumsum(x * x, axis=1))
    above, below = ratio >= accept[1:], ratio <= reject[1:]
    there = (above | below).any(axis=1)
    first = (above | below).argmax(axis=1)
    good, bad = (there & side[np.arange(size), first] for side in (above, below))
    for seen, chances in ((good, found.good), (bad, found.bad)):
        p = float(chances.sum())
        assert abs(seen.mean() - p) < 4 * math.sqrt(p * (1 - p) / size) + 1e-9
        by_20 = float(chances[:21].sum())
        early = seen & (first < 20)
        assert abs(early.mean() - by_20) < 4 * math.sqrt(by_20 * (1 - by_20) / size) + 1e-9


@pytest.mark.parametrize("shape", ["pocock", "obrien-fleming", "mixture"])
@pytest.mark.parametrize("looks", [1, 12])
def test_a_finer_grid_does_not_break_the_allowance(shape: str, looks: int) -> None:
    criterion = CRITERIA["exact"]
    own = ExactParameters.model_validate({"shape": shape, "looks": looks})
    frame = setting(5, (0.05, 0.05))
    curves = criterion.curves_of(frame, own)
    fine = law(UNKNOWN, 0.0, curves, smallest=1e-5, step=0.1)
    for side in (fine.good, fine.bad):
        assert 0.99 * 0.01 <= side.sum() <= 0.01


@pytest.mark.parametrize("key", ["mixture", "exact"])
@pytest.mark.parametrize("arms", [2, 5, 10])
def test_the_worst_error_is_within_alpha_and_beta(key: str, arms: int) -> None:
    for alpha, beta in ((0.2, 0.2), (0.05, 0.2), (0.025, 0.1), (0.001, 0.05)):
        study = scores(
            delta=None,
            errors={"declare": alpha, "drop": beta},
            simulation={"runs": 1, "n_max": 60 * arms, "seed": 1},
            arms=[{"label": str(i)} for i in range(arms)],
            truths=[{"name": "t", "means": [1.0] * arms, "variance": 1.0}],
            designs=[
                {"name": "d", "rule": "equal", "criterion": key,
                 "criterion_parameters": {"looks": 10, "largest": 60} if key == "exact" else {}},
            ],
        )  # fmt: skip
        worst = worst_case(study, study.designs[0])
        assert worst.any_false_declaration <= alpha
        assert worst.any_miss <= beta
        if key == "exact":
            assert worst.false_declaration >= 0.99 * worst.arm_allowance
            assert worst.miss >= 0.99 * worst.drop_allowance


@pytest.mark.parametrize("shape", ["pocock", "obrien-fleming", "mixture"])
def test_one_look_is_the_t_test(shape: str) -> None:
    criterion, frame = CRITERIA["exact"], setting(5, (0.05, 0.1))
    curves = criterion.curves_of(
        frame, ExactParameters.model_validate({"shape": shape, "looks": [37]})
    )
    n = np.arange(curves.accept.size)
    assert np.flatnonzero(np.isfinite(curves.accept)).tolist() == [37]
    declare, drop = (UNKNOWN.limits_shown(n, side)[37] for side in (curves.accept, curves.reject))
    assert declare == pytest.approx(student.isf(0.01, 36), rel=1e-12)
    assert drop == pytest.approx(-student.isf(0.02, 36), rel=1e-12)


# Trials.


def test_every_trial_is_the_naive_one() -> None:
    study = scores(
        simulation={"runs": 5, "n_max": 250, "seed": 4},
        designs=[
            {"name": f"{rule} {burn_in}", "rule": rule, "criterion": "mixture", "burn_in": burn_in}
            for rule in ("hdoc", "lucb-g", "apt-g", "equal")
            for burn_in in (1, 5)
        ],
    )
    runs, truth, decided = simulate(study), study.truths[0], 0
    for design, replicate in product(study.designs, range(study.simulation.runs)):
        curves = study.curves(design)

        def limits(n: int, curves: Curves = curves) -> tuple[float, float]:
            return t_limit(n, float(curves.accept[n])), t_limit(n, float(curves.reject[n]))

        trial = algorithm_1(
            outcomes(study, truth, replicate),
            rule=design.rule,
            threshold=1.2,
            delta=0.2,
            s2=1.0,
            burn_in=design.burn_in,
            n_max=250,
            t_limits=limits,
        )
        block = runs["t", design.name]
        assert block.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict]
        assert block.decided[replicate].tolist() == [t or 0 for t in trial.decided]
        assert block.assigned[replicate].tolist() == trial.assigned
        assert np.allclose(block.sums[replicate], trial.sums, rtol=1e-12)
        decided += sum(verdict != "undecided" for verdict in trial.verdict)
    assert decided > 60


@pytest.mark.parametrize("rule", RULES)
def test_a_replay_is_the_plain_trial_and_a_conduct_without_delay_too(rule: str) -> None:
    designs = [
        {"name": "mixture", "rule": rule, "criterion": "mixture", "burn_in": 2,
         "futility": "below", "futility_parameters": {"after": 6}},
        {"name": "exact", "rule": rule, "criterion": "exact",
         "criterion_parameters": {"looks": [10, 30, 60]}},
    ]  # fmt: skip
    size = {"runs": 3, "n_max": 160, "seed": 4}
    study = scores(designs=designs, simulation=size)
    in_time = scores(designs=designs, simulation=size, conduct={"accrual": {"per_month": 1.0}})
    runs, timed, truth = simulate(study), simulate(in_time), study.truths[0]
    for design, replicate in product(study.designs, range(study.simulation.runs)):
        block = runs["t", design.name]
        again = replay(study, truth, design, replicate)
        end = again.after(len(again.arms))
        assert block.verdict[replicate].tolist() == [arm.verdict for arm in end]
        assert block.assigned[replicate].tolist() == [arm.assigned for arm in end]
        assert block.squares is not None
        for arm in range(5):
            own = [y for a, y in zip(again.arms, again.outcomes, strict=True) if a == arm]
            squares = sum((y - 1.2) ** 2 for y in own)
            assert block.squares[replicate, arm] == pytest.approx(squares)
        slow = conducted_trial(in_time, truth, design, numbers_of(in_time, truth, replicate))
        assert timed["t", design.name].verdict[replicate].tolist() == [
            VERDICTS[v] for v in slow.verdict
        ]
        assert timed["t", design.name].assigned[replicate].tolist() == slow.assigned


CONDUCTS: dict[str, dict[str, Any]] = {
    "delay and cohorts": {"delay": {"weeks": 8.0}, "cohort": 4, "control_share": 0.2},
    "left out": {
        "delay": {"weeks": 4.0, "pattern": "exponential"},
        "looks": {"outcomes": 5},
        "randomisation": {"kind": "mixed"},
        "dropout": {"probability": 0.15, "counted": "left out", "in_means": False},
    },
    "counted": {
        "cohort": 3,
        "dropout": {"probability": 0.1, "counted": "baseline", "in_means": False},
    },
}


@pytest.mark.parametrize("how", CONDUCTS)
@pytest.mark.parametrize("rule", RULES)
def test_conducted_trials_are_the_naive_ones(rule: str, how: str) -> None:
    fixed = {"name": "Fixed", "rule": "equal", "criterion": "exact", "burn_in": 1,
             "criterion_parameters": {"looks": "end"}}  # fmt: skip
    study = scores(
        simulation={"runs": 3, "n_max": 140, "seed": 7},
        arms=[{"label": str(i), "control": i == 0} for i in range(5)],
        truths=[{"name": "t", "means": [0.6, 0.2, 1.6, 2.0, 2.4], "variance": 2.25}],
        conduct=CONDUCTS[how],
        designs=[
            {"name": "mixture", "rule": rule, "criterion": "mixture", "burn_in": 1},
            {"name": "exact", "rule": rule, "criterion": "exact", "futility": "mixture"},
            fixed,
        ],
    )
    runs, truth, verdicts = simulate(study), study.truths[0], set()
    for design, replicate in product(study.designs, range(study.simulation.runs)):
        trial = conducted_trial(study, truth, design, numbers_of(study, truth, replicate))
        block = runs["t", design.name]
        assert block.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict]
        assert block.decided[replicate].tolist() == trial.decided
        assert block.assigned[replicate].tolist() == trial.assigned
        verdicts |= set(trial.verdict)
    assert {"good", "bad"} <= verdicts


# What it is worth.


def at_target(deviation: float, **changes: Any) -> Study:
    """Every dose exactly at the target of 1.2, or as good as: any declaration is false."""
    truth = {"name": "t", "means": [1.2] * 5, "variance": deviation**2}
    return scores(delta=0.05, truths=[truth], **changes)


def test_the_mixtures_error_does_not_depend_on_sigma() -> None:
    shares = []
    for deviation in (0.1, 1.0, 10.0):
        study = at_target(deviation, simulation={"runs": 4000, "n_max": 1000, "seed": 3})
        block = simulate(study)["t", "d"]
        shares.append((block.verdict == GOOD).any(axis=1).mean())
    assert shares[0] == shares[1] == shares[2]
    assert 0 < shares[0] <= 0.05


@pytest.mark.parametrize("deviation", [1.2, 1.4, 1.5])
def test_the_fixed_designs_error_stays_whatever_the_spread(deviation: float) -> None:
    runs = 20_000
    study = at_target(
        deviation,
        simulation={"runs": runs, "n_max": 200, "seed": 9},
        designs=[
            {"name": "Fixed", "rule": "equal", "criterion": "exact", "burn_in": 1,
             "criterion_parameters": {"looks": "end"}},
        ],
    )  # fmt: skip
    false = (simulate(study)["t", "Fixed"].verdict == GOOD).any(axis=1).mean()
    exact = 1 - 0.99**5
    assert abs(false - exact) < 4 * math.sqrt(exact / runs)
    worst = worst_case(study, study.designs[0])
    assert worst.any_false_declaration == pytest.approx(exact, rel=1e-6)


def test_not_knowing_the_variance_costs_a_tenth_at_most() -> None:
    means = []
    for outcome in ({"variance": "unknown"}, {"variance": 1.0}):
        study = scores(
            threshold=0.0,
            delta=0.1,  # 0.05 for each of two doses
            outcome={"kind": "gaussian"} | outcome,
            simulation={"runs": 3000, "n_max": 2000, "seed": 1},
            arms=[{"label": "a"}, {"label": "b"}],
            truths=[{"name": "t", "means": [0.5, 0.5], "variance": 1.0}],
            designs=[{"name": "d", "rule": "equal", "criterion": "mixture"}],
        )
        block = simulate(study)["t", "d"]
        assert (block.verdict != UNDECIDED).all()
        means.append(block.assigned.mean())
    assert means[0] <= 1.1 * means[1]


def test_exact_errors_under_a_truth_are_those_of_its_own_spread() -> None:
    study = scores(
        simulation={"runs": 20_000, "n_max": 200, "seed": 2},
        arms=[{"label": "a"}, {"label": "b"}],
        truths=[{"name": "t", "means": [0.9, 1.5], "variance": 0.64}],
        designs=[{"name": "d", "rule": "equal", "criterion": "exact",
                  "criterion_parameters": {"largest": 100}}],
    )  # fmt: skip
    block = simulate(study)["t", "d"]
    false, missed = error_bounds(study, study.designs[0], study.truths[0])
    for seen, exact in (
        ((block.verdict[:, 0] == GOOD), false),
        ((block.verdict[:, 1] == BAD), missed),
    ):
        assert abs(seen.mean() - exact) < 4 * math.sqrt(exact / 20_000)

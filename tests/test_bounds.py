"""Lower bounds against figures computed elsewhere, a linear programme, and their edge cases."""

import math

import numpy as np
import pytest
from conducted import FIXED
from conftest import make_study
from scipy.optimize import linprog

from gai_core import bounds, cautions, load_study, simulate
from gai_core.evidence import ErrorRates
from gai_core.study.changing import changed
from gai_core.study.study import Study, Truth
from gai_core.theory.lower_bounds import (
    Instance,
    instance,
    kappa,
    sharper,
    sharper_stop,
    theorem_1,
    theorem_3,
    theorem_3_stop,
)
from gai_core.theory.reachable import evidence_for_any, least_n_max


def value(study: str, quantity: str, bound: str) -> float:
    table = bounds(load_study(study))
    row = table[
        (table.truth == "published") & (table.quantity == quantity) & (table.bound == bound)
    ]
    return float(row.value.iloc[0])


@pytest.mark.parametrize(
    ("study", "quantity", "bound", "figure"),
    [
        ("medical-1", "tau_1", "theorem_1", 475),
        ("medical-1", "tau_1", "sharper", 967),
        ("threshold-3", "tau_1", "sharper", 529),
        ("threshold-3", "tau_3", "theorem_1", 780),
        ("threshold-3", "tau_3", "sharper", 1587),
        ("threshold-1", "tau_5", "sharper", 609),
        ("threshold-1", "tau_stop", "sharper", 1217),
        ("threshold-2", "tau_stop", "sharper", 1104),
        ("threshold-3", "tau_stop", "sharper", 5291),
        ("medical-1", "tau_stop", "sharper", 3543),
        ("medical-2", "tau_stop", "sharper", math.inf),
    ],
)
def test_figures_computed_elsewhere(study: str, quantity: str, bound: str, figure: float) -> None:
    assert value(study, quantity, bound) == pytest.approx(figure, abs=0.5)


def test_a_negative_theorem_1_is_shown_as_zero_with_a_note() -> None:
    study = load_study("threshold-3")
    bound = theorem_1(instance(study, study.truths[0]), 1)
    assert bound.value == 0
    assert "-139" in bound.note


def random_instance(rng: np.random.Generator) -> Instance:
    good = rng.integers(1, 7)
    d = np.sort(rng.exponential(size=good) + 0.01)[::-1]
    errors = ErrorRates.both(float(rng.uniform(0.001, 0.3)))
    return Instance(d, d, d[:0], np.ones(good), np.ones(good), errors)


def test_sharper_is_the_value_of_its_linear_programme() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        problem = random_instance(rng)
        m = problem.good
        for k in range(1, m + 1):
            # The m-k+1 smallest N_i d_i must add up to kappa. Variables N_1..N_m, q, u_1..u_m:
            # that sum is the largest (m-k+1) q - sum u with q - u_i <= N_i d_i.
            size = m - k + 1
            cost = np.concatenate([np.ones(m), np.zeros(m + 1)])
            rows = [np.concatenate([np.zeros(m), [-size], np.ones(m)])]
            limits = [-kappa(problem.delta)]
            for i in range(m):
                row = np.zeros(2 * m + 1)
                row[i], row[m], row[m + 1 + i] = -problem.divergences[i], 1.0, -1.0
                rows.append(row)
                limits.append(0.0)
            ranges = [(0, None)] * m + [(None, None)] + [(0, None)] * m
            solved = linprog(cost, A_ub=np.array(rows), b_ub=limits, bounds=ranges)
            assert sharper(problem, k).value == pytest.approx(solved.fun, rel=1e-6)


def test_an_arm_at_the_threshold_makes_only_what_needs_it_infinite() -> None:
    study = load_study("medical-2")
    problem = instance(study, study.truths[0])
    assert problem.good == 3
    assert 0 < sharper(problem, 1).value < sharper(problem, 2).value < math.inf
    assert math.isinf(sharper(problem, 3).value)
    assert "threshold" in sharper(problem, 3).note
    assert math.isinf(sharper_stop(problem).value)
    assert math.isnan(theorem_3(problem, 1).value)
    assert "does not apply" in theorem_3(problem, 1).note


def test_only_an_arm_at_the_threshold_is_good() -> None:
    study = make_study(truths=[{"name": "edge", "means": [0.2, 0.3, 0.5]}])
    problem = instance(study, study.truths[0])
    assert math.isinf(sharper(problem, 1).value)
    assert math.isinf(theorem_1(problem, 1).value)  # log(1/(2 delta)) > m = 1


def test_theorem_1_may_say_nothing_of_an_arm_at_the_threshold() -> None:
    """medical-2, tau_3: one such arm among m = 3, and log(1/(2 delta)) = 2.3 < 3."""
    study = load_study("medical-2")
    bound = theorem_1(instance(study, study.truths[0]), 3)
    assert bound.value == 0
    assert "minus infinity" in bound.note
    near = study.model_copy(
        update={"truths": (Truth(name="near", means=(0.5, 0.7, 1.6, 1.8, 1.2001, 1.0, 0.6)),)}
    )
    assert theorem_1(instance(near, near.truths[0]), 3).value == 0


def theorem_3_by_hand(study: Study, k: int, epsilon: float) -> tuple[float, float]:
    """Theorem 3 term by term as printed, with 2 Delta^2 read as Delta^2 / (2 s2) (Remark 1)."""
    means = sorted(study.truths[0].means, reverse=True)
    arms, delta, unit = len(means), study.error_rates.declare, 2 * math.sqrt(study.outcome.s2)
    gaps = [abs(mean - study.stream.target) / unit for mean in means]
    root = math.sqrt(arms / delta)
    n = [
        math.log(4 * root / (gap - epsilon) ** 2 * math.log(5 * root / (gap - epsilon) ** 2))
        / (gap - epsilon) ** 2
        for gap in gaps
    ]
    total = sum(n[:k])
    for i in range(k, arms):
        distance = (means[k - 1] - means[i]) / unit
        total += math.log(arms * max(n)) / (2 * (distance - 2 * epsilon) ** 2) + delta * n[i]
    total += arms ** (2 - epsilon**2 / (min(gaps) - epsilon) ** 2) / (2 * epsilon**2)
    total += arms * (5 + math.log(1 / (2 * epsilon**2))) / (4 * epsilon**2)
    return total, sum(n) + arms / (2 * epsilon**2)


@pytest.mark.parametrize("kind", ["bernoulli", "gaussian"])
def test_theorem_3_and_corollary_1_are_the_printed_formulas(kind: str) -> None:
    outcome = (
        {"kind": "bernoulli"} if kind == "bernoulli" else {"kind": "gaussian", "variance": 0.7}
    )
    means = [0.2, 0.35, 0.6, 0.8, 0.95] if kind == "bernoulli" else [-0.6, -0.2, 0.9, 1.4, 2.0]
    study = make_study(
        outcome=outcome,
        delta=0.03,
        arms=[{"label": str(i)} for i in range(5)],
        truths=[{"name": "one", "means": means}],
    )
    problem = instance(study, study.truths[0])
    smallest = float(problem.gaps.min())
    for k in (1, 2, 3):
        step = float(problem.means[k - 1] - problem.means[k]) / 2
        grid = np.linspace(0, min(smallest, step, 0.5), 20_001)[1:-1]
        by_hand = [theorem_3_by_hand(study, k, epsilon) for epsilon in grid]
        least = min(min(value) for value in by_hand)
        assert theorem_3(problem, k).value == pytest.approx(least, rel=1e-4)
    stop = min(value[1] for value in by_hand)
    assert theorem_3_stop(problem).value == pytest.approx(stop, rel=0.2)
    s2 = study.outcome.s2
    limits = bounds(study).set_index(["quantity", "bound"]).value
    good = sorted((mean - 0.5 for mean in means if mean >= 0.5), reverse=True)
    for k in (1, 2, 3):
        expected = sum(2 * s2 / gap**2 for gap in good[:k])
        assert limits[f"tau_{k}", "corollary_1"] == pytest.approx(expected)


def test_theorem_3_is_above_what_hdoc_needs_and_above_the_lower_bounds() -> None:
    study = load_study("medical-1")
    problem = instance(study, study.truths[0])
    assert theorem_3(problem, 1).value > 9_776  # HDoC's mean in the reproduction
    assert theorem_3(problem, 1).value > sharper(problem, 1).value
    assert theorem_3(problem, 1).value <= theorem_3_stop(problem).value


def test_theorem_3_falls_towards_corollary_1_as_delta_goes_to_zero() -> None:
    study = make_study(truths=[{"name": "far", "means": [0.1, 0.6, 0.9]}])
    ratios: dict[str, list[float]] = {"tau_1": [], "tau_2": [], "tau_stop": []}
    for log in (20, 100, 690):
        table = bounds(changed(study, delta=math.exp(-log))).set_index(["quantity", "bound"]).value
        for quantity, seen in ratios.items():
            seen.append(table[quantity, "theorem_3"] / log / table[quantity, "corollary_1"])
    for seen in ratios.values():
        assert seen[0] > 1.2 * seen[1] > 1.2 * seen[2] > 1


def test_gaussian_asymptotic_bound_is_the_papers() -> None:
    """sum 2 sigma^2 log(1/delta) / Delta_i^2."""
    study = changed(load_study("medical-2"), delta=math.exp(-10))
    study = study.model_copy(update={"truths": study.truths[:1]})
    table = bounds(study).set_index(["quantity", "bound"]).value
    assert table["tau_1", "asymptotic"] == pytest.approx(2 * 1.44 * 10 / 0.36)
    assert table["tau_2", "asymptotic"] == pytest.approx(2 * 1.44 * 10 * (1 / 0.36 + 1 / 0.16))


def test_extreme_deltas_and_means() -> None:
    study = make_study(truths=[{"name": "sure", "means": [0.0, 1.0, 1.0]}], delta=math.exp(-50))
    table = bounds(study)
    assert (table[table.bound == "sharper"].value > 0).all()
    assert np.isfinite(table[table.bound == "sharper"].value).all()
    loose = changed(study, delta=0.7)
    assert (bounds(loose)[lambda t: t.bound == "sharper"].value == 0).all()
    tiny = bounds(changed(study, delta=1e-300))
    assert np.isfinite(tiny[tiny.bound == "sharper"].value).all()
    assert kappa(0.05) == pytest.approx(0.9 * math.log(19))
    guess = changed(load_study("medical-2"), delta=0.7)
    assert (bounds(guess)[lambda t: t.bound == "sharper"].value == 0).all()


def test_no_good_arm_has_only_tau_stop() -> None:
    study = make_study(truths=[{"name": "null", "means": [0.1, 0.2, 0.3]}])
    assert set(bounds(study).quantity) == {"tau_stop"}
    assert any("no dose meets the target" in text for text in cautions(study))


def test_cautions_come_before_a_run_in_words() -> None:
    assert any(
        "a dose exactly at the target (10 mg/kg)" in c for c in cautions(load_study("medical-2"))
    )
    study = load_study("medical-1")
    study = study.model_copy(update={"truths": study.truths[:1]})
    small = changed(study, n_max=300)
    (caution,) = cautions(small)
    assert "With at most 300 some trials must end without." in caution
    assert "at least 967 patients on average" in caution
    assert cautions(study) == []


POSTERIOR = {"c_good": 0.9, "c_bad": 0.1}
AT_TARGET = [
    {"name": "Exact", "rule": "nearest-finish", "criterion": "exact", "burn_in": 5},
    FIXED,
    {"name": "Posterior", "rule": "thompson", "criterion": "posterior"}
    | {"criterion_parameters": POSTERIOR},
]


@pytest.mark.parametrize("wanted", [None, 1])
def test_doses_at_the_target_stay_undecided_with_designs_that_keep_the_rate(
    wanted: int | None,
) -> None:
    """A posterior rule keeps none: it settles them, and trials end before the last patient.

    Where one dose is wanted those of other designs do, too: when another dose is declared.
    """
    doses = [0.5, 0.5, 0.5] if wanted is None else [0.5, 0.5, 0.9]
    study = make_study(
        wanted=wanted,
        truths=[{"name": "at", "means": doses}],
        designs=AT_TARGET,
        simulation={"runs": 1000, "n_max": 150, "seed": 5},
    )
    at = np.array(doses) == 0.5
    said = "leave all of them undecided in 80% of the trials or more."
    (caution,) = [text for text in cautions(study) if "exactly at the target" in text]
    designs = "designs that keep the error rate (Exact and Fixed)"
    assert caution.endswith(f"good by definition, and {designs} {said}")
    runs = simulate(study)
    undecided = {
        design.name: (runs["at", design.name].verdict[:, at] == 0).all(axis=1).mean()
        for design in study.designs
    }
    for name in ("Exact", "Fixed"):
        assert undecided[name] >= 0.8 - 4 * (0.8 * 0.2 / 1000) ** 0.5
    ending = "Posterior" if wanted is None else "Exact"
    assert (runs["at", ending].patients < 150).mean() > 0.3
    assert wanted is not None or undecided["Posterior"] < 0.7


def test_nothing_is_said_of_doses_at_the_target_where_nothing_follows() -> None:
    """Rates that allow any verdict, outcomes that are not as assumed, designs without a promise."""
    at = {"name": "at", "means": [0.2, 0.5, 0.9]}
    below = FIXED | {"criterion_parameters": {}, "futility": "below"}
    nothing_follows: list[dict[str, object]] = [
        {"delta": 0.5},
        {"truths": [at | {"trend": 0.01}], "conduct": {"cohort": 2}},
        {"designs": [below, AT_TARGET[-1]]},
    ]
    for changes in nothing_follows:
        study = make_study(**{"truths": [at], "simulation": {"n_max": 150, "runs": 2}} | changes)
        (caution,) = [text for text in cautions(study) if "exactly at the target" in text]
        assert caution == "at: a dose exactly at the target (“middle”): good by definition."
    apart = make_study(delta=None, errors={"declare": 0.0251, "drop": 0.1}, truths=[at])
    (caution,) = cautions(apart)
    assert caution.endswith("(all of this study) leave it undecided in 87% of the trials or more.")


@pytest.mark.parametrize("doubt", ["trend", "variance", "dropouts that count as zero"])
def test_nothing_is_said_to_be_out_of_reach_where_outcomes_are_not_as_assumed(doubt: str) -> None:
    truth = {"name": "close", "means": [0.0, 0.55, 0.1]}
    conduct: dict[str, object] = {}
    if doubt == "dropouts that count as zero":
        conduct["dropout"] = {"probability": 0.1, "counted": "baseline"}
    other = {} if conduct else {doubt: 0.5}
    score, small = {"kind": "gaussian", "variance": 1.0}, {"n_max": 100}
    study = make_study(outcome=score, simulation=small, truths=[truth | other], conduct=conduct)
    plain = make_study(outcome=score, simulation=small, truths=[truth])
    assert any("some trials must end without" in text for text in cautions(plain))
    assert bounds(plain).value.notna().any()
    assert not any("that always decides" in text for text in cautions(study))
    assert bounds(study).value.isna().all()
    assert least_n_max(plain, plain.truths[0], evidence_for_any, 0.8) > 0
    assert least_n_max(study, study.truths[0], evidence_for_any, 0.8) == 0

"""Lower bounds against figures computed elsewhere, a linear programme, and their edge cases."""

import math

import numpy as np
import pytest
from conftest import make_study
from scipy.optimize import linprog

from gai_core import bounds, cautions, load_study
from gai_core.bounds import Instance, instance, kappa, sharper, sharper_stop, theorem_1, theorem_3
from gai_core.study import changed


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
    return Instance(d, d, np.ones(good), np.ones(good), float(rng.uniform(0.001, 0.3)))


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
    assert math.isinf(theorem_1(problem, 1).value)


def test_theorem_3_is_above_what_hdoc_needs_and_above_the_lower_bounds() -> None:
    study = load_study("medical-1")
    problem = instance(study, study.truths[0])
    assert theorem_3(problem, 1).value > 9_776  # HDoC's mean in the reproduction
    assert theorem_3(problem, 1).value > sharper(problem, 1).value


def test_theorem_3_falls_towards_corollary_1_as_delta_goes_to_zero() -> None:
    study = make_study(truths=[{"name": "far", "means": [0.1, 0.6, 0.9]}])
    ratios: dict[str, list[float]] = {"tau_1": [], "tau_2": [], "tau_stop": []}
    for log in (20, 100, 690):
        table = bounds(changed(study, delta=math.exp(-log))).set_index(["quantity", "bound"]).value
        for quantity, seen in ratios.items():
            seen.append(table[quantity, "theorem_3"] / log / table[quantity, "corollary_1"])
    for seen in ratios.values():
        assert seen[0] > 1.5 * seen[1] > 1.5 * seen[2] > 1


def test_gaussian_asymptotic_bound_is_the_papers() -> None:
    """sum 2 sigma^2 log(1/delta) / Delta_i^2."""
    study = changed(load_study("medical-2"), delta=math.exp(-10))
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


def test_no_good_arm_has_only_tau_stop() -> None:
    study = make_study(truths=[{"name": "null", "means": [0.1, 0.2, 0.3]}])
    assert set(bounds(study).quantity) == {"tau_stop"}
    assert any("no arm meets the threshold" in text for text in cautions(study))


def test_cautions_come_before_a_run_in_words() -> None:
    assert any(
        "10 mg/kg lies exactly at the threshold" in c for c in cautions(load_study("medical-2"))
    )
    small = changed(load_study("medical-1"), n_max=300)
    (caution,) = cautions(small)
    assert "at least 967 patients" in caution
    assert "n_max is 300" in caution
    assert cautions(load_study("threshold-1")) == []

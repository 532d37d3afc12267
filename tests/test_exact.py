"""The exact law of a verdict against known values and simulation; every guarantee computed."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from conftest import make_study
from scipy import stats
from scipy.integrate import quad

from gai_core import CRITERIA, simulate
from gai_core.basics.registry import Parameters
from gai_core.criteria.exact import ExactParameters, allowance, look_counts
from gai_core.criteria.mixture import log_evidence
from gai_core.evidence.crossing import law
from gai_core.evidence.error_rates import ErrorRates
from gai_core.evidence.outcomes import Bernoulli, Gaussian
from gai_core.evidence.setting import Curves, Setting
from gai_core.results.decisions import decision_table
from gai_core.results.monte_carlo import share
from gai_core.results.quantities import events
from gai_core.study.study import Study
from gai_core.theory.exact_errors import any_of, arm_law, error_bounds, worst_case

UNIT = Gaussian(kind="gaussian", variance=1.0)
BOTH: tuple[Bernoulli | Gaussian, ...] = UNIT, Bernoulli()
GUARANTEED = [key for key, entry in CRITERIA.items() if entry.guarantee != "nothing"]


def curves(key: str, setting: Setting, **parameters: object) -> Curves:
    entry = CRITERIA[key]
    return entry.curves_of(setting, entry.parameters(**parameters))


# --- the law itself ---------------------------------------------------------------------------


def brute_force(p: float, pair: Curves) -> tuple[float, float]:
    """P(good), P(bad) by walking through every sequence of outcomes."""
    last = pair.accept.size - 1
    good = bad = 0.0
    for path in product((0, 1), repeat=last):
        chance, total = 1.0, 0
        for outcome in path:
            chance *= p if outcome else 1 - p
        for n, outcome in enumerate(path, start=1):
            total += outcome
            if total >= pair.accept[n]:
                good += chance
                break
            if total <= pair.reject[n]:
                bad += chance
                break
    return good, bad


@pytest.mark.parametrize("p", [0.0, 0.2, 0.5, 0.77, 1.0])
def test_lattice_recursion_is_the_sum_over_all_paths(p: float) -> None:
    pair = curves("mixture", Setting(2, 0.4, ErrorRates.both(0.6), Bernoulli(), 12))
    found = law(Bernoulli(), p, pair)
    good, bad = brute_force(p, pair)
    assert found.good.sum() == pytest.approx(good, abs=1e-12)
    assert found.bad.sum() == pytest.approx(bad, abs=1e-12)


def group_sequential(limits: list[float]) -> Curves:
    accept = np.concatenate([[np.inf], limits])
    return Curves(accept, -accept)


@pytest.mark.parametrize(("looks", "constant"), [(2, 2.178), (5, 2.413), (10, 2.555), (20, 2.672)])
def test_published_pocock_constants_spend_five_per_cent(looks: int, constant: float) -> None:
    """Jennison and Turnbull, Group Sequential Methods (2000), Table 2.1, two-sided .05."""
    pair = group_sequential([constant * math.sqrt(n) for n in range(1, looks + 1)])
    found = law(UNIT, 0.0, pair)
    assert found.good.sum() + found.bad.sum() == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize(("looks", "constant"), [(2, 1.977), (5, 2.040), (10, 2.087)])
def test_published_obrien_fleming_constants_spend_five_per_cent(
    looks: int, constant: float
) -> None:
    """Jennison and Turnbull (2000), Table 2.3, two-sided .05."""
    pair = group_sequential([constant * math.sqrt(looks)] * looks)
    found = law(UNIT, 0.0, pair)
    assert found.good.sum() + found.bad.sum() == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize(("mean", "looks"), [(0.0, 300), (0.07, 300), (-0.2, 60)])
def test_quadrature_has_converged_to_a_millionth(mean: float, looks: int) -> None:
    pair = group_sequential([2.9 * math.sqrt(n) for n in range(1, looks + 1)])
    normal, fine = (law(UNIT, mean, pair, step=step) for step in (0.25, 0.1))
    assert normal.good == pytest.approx(fine.good, abs=1e-7)
    assert normal.good.sum() == pytest.approx(fine.good.sum(), abs=1e-6)
    assert normal.bad.sum() == pytest.approx(fine.bad.sum(), abs=1e-6)


def test_one_look_is_the_textbook_test() -> None:
    gaussian = Curves(np.array([np.inf, np.inf, np.inf, 4.0]), np.array([-np.inf] * 3 + [-1.0]))
    found = law(UNIT, 0.3, gaussian)
    assert found.good[3] == pytest.approx(stats.norm.sf((4.0 - 0.9) / math.sqrt(3)), abs=1e-9)
    assert found.bad[3] == pytest.approx(stats.norm.cdf((-1.0 - 0.9) / math.sqrt(3)), abs=1e-9)
    setting = Setting(4, 0.35, ErrorRates.both(0.1), Bernoulli(), 200)
    pair = curves("exact", setting, looks=[60])
    assert pair.accept.size == 61
    least = int(stats.binom.isf(0.1 / 4, 60, 0.35)) + 1
    assert stats.binom.sf(least - 1, 60, 0.35) <= 0.025 < stats.binom.sf(least - 2, 60, 0.35)
    assert pair.accept[60] == least
    assert (pair.accept[1:60] == np.arange(1, 60) + 1).all()


@pytest.mark.parametrize("kind", ["bernoulli", "gaussian"])
def test_the_law_is_what_simulation_shows(kind: str) -> None:
    outcome = {"kind": kind} | ({"variance": 0.25} if kind == "gaussian" else {})
    study = make_study(
        outcome=outcome,
        delta=0.3,
        truths=[{"name": "one", "means": [0.42, 0.5, 0.6]}],
        designs=[{"name": "d", "rule": "equal", "criterion": "mixture"}],
        simulation={"runs": 20_000, "n_max": 1500, "seed": 4},
    )
    trials = simulate(study)["one", "d"]
    for arm, mean in enumerate(study.truths[0].means):
        exact = arm_law(study, study.designs[0], mean)
        for verdict, by in ((1, exact.good_by), (-1, exact.bad_by)):
            # Every arm has at least 300 patients of its own within n_max, unless it was decided.
            for n in (20, 100, 300):
                seen, error = share(
                    (trials.verdict[:, arm] == verdict) & (trials.assigned[:, arm] <= n)
                )
                assert abs(seen - by[n]) < 4.5 * max(error, 1e-4), (kind, mean, verdict, n)
        assert exact.stopping.sum() == pytest.approx(exact.good_by[-1] + exact.bad_by[-1])


# --- guarantees -------------------------------------------------------------------------------

GRID = [
    Setting(arms, threshold, ErrorRates.both(delta), Bernoulli(), n_max, 1)
    for threshold in (0.1, 0.35, 0.5, 0.8)
    for arms in (2, 5, 10)
    for delta in (0.2, 0.05, 0.001)
    for n_max in (60, 2000)
]
GAUSSIAN_GRID = [
    Setting(arms, 1.2, ErrorRates.both(delta), Gaussian(kind="gaussian", variance=1.44), n_max, 1)
    for arms in (2, 5, 10)
    for delta in (0.2, 0.05, 0.001)
    for n_max in (60, 1000)
]


def errors_at_threshold(setting: Setting, pair: Curves) -> tuple[float, float]:
    found = law(
        setting.outcome, setting.threshold, pair, smallest=setting.errors.declare / setting.arms
    )
    return float(found.good.sum()), float(found.bad.sum())


@pytest.mark.parametrize("key", GUARANTEED)
def test_the_exact_worst_error_is_within_the_allowance(key: str) -> None:
    for setting in GRID + GAUSSIAN_GRID:
        if setting.outcome.kind in CRITERIA[key].outcomes:
            good, bad = errors_at_threshold(setting, curves(key, setting))
            allowed = setting.errors.declare / setting.arms * (1 + 1e-6)
            assert good <= allowed, setting
            assert bad <= allowed, setting


@pytest.mark.parametrize(("shape", "sharing"), [
    ("pocock", "bonferroni"), ("obrien-fleming", "sidak"), ("mixture", "bonferroni"),
])  # fmt: skip
def test_exact_spends_at_least_80_per_cent_where_the_lattice_allows(
    shape: str, sharing: str
) -> None:
    for setting in GRID + GAUSSIAN_GRID:
        if setting.most_patients < 1000 and setting.outcome.kind == "bernoulli":
            continue  # 60 patients and an allowance of 0.0001: the lattice is too coarse
        # Without a burn-in two responders of two may spend most of the allowance at once.
        setting = replace(setting, burn_in=10)
        pair = curves("exact", setting, shape=shape, share=sharing)
        alpha = allowance(setting, sharing)
        for error in errors_at_threshold(setting, pair):
            assert 0.8 * alpha <= error <= alpha * (1 + 1e-6), (setting, error / alpha)


@pytest.mark.parametrize("looks", [25, [40, 80, 160], [200], "end"])
def test_exact_with_few_looks_keeps_and_uses_its_allowance(looks: object) -> None:
    for threshold in (0.1, 0.35, 0.5, 0.8):
        setting = Setting(4, threshold, ErrorRates.both(0.1), Bernoulli(), 800, 5)
        pair = curves("exact", setting, looks=looks)
        errors = errors_at_threshold(setting, pair)
        assert max(errors) <= 0.025 * (1 + 1e-9)
        for look in np.flatnonzero(pair.accept <= np.arange(pair.accept.size)):
            # As near as the lattice allows: no boundary count can be one lower.
            lower = Curves(pair.accept.copy(), np.full_like(pair.reject, -1))
            lower.accept[look] -= 1
            spent = law(setting.outcome, threshold, lower, smallest=0.025).good.sum()
            assert spent > 0.025 or lower.accept[look] <= look * threshold
        counts = look_counts(setting, ExactParameters(looks=looks))  # type: ignore[arg-type]
        assert pair.accept.size == counts[-1] + 1
        decides = np.flatnonzero((pair.accept <= np.arange(pair.accept.size)) | (pair.reject >= 0))
        assert set(decides) <= set(counts.astype(int))


def test_union_published_errs_more_than_union_and_promises_nothing() -> None:
    setting = Setting(2, 0.0, ErrorRates.both(0.98), UNIT, 3000, 1)
    wide, narrow = (
        errors_at_threshold(setting, curves(key, setting))[0]
        for key in ("union", "union-published")
    )
    assert wide <= 0.49
    assert narrow > 3 * wide
    assert CRITERIA["union-published"].guarantee == "nothing"


def two_looks_by_quad(first: int, second: int, a1: float, a2: float) -> float:
    """P(S >= a1 at the first look, or S >= a2 at the second), variance 1, mean 0, by scipy."""
    sd = math.sqrt(first)

    def later(x: float) -> float:
        return float(
            stats.norm.pdf(x / sd) / sd * stats.norm.sf((a2 - x) / math.sqrt(second - first))
        )

    points = [a2 - math.sqrt(second - first), 0.0]
    inside, _ = quad(
        later, -12 * sd, a1, limit=400, points=[p for p in points if -12 * sd < p < a1]
    )
    return float(stats.norm.sf(a1 / sd) + inside)


@pytest.mark.parametrize("looks", [(1, 100), (5, 1000), (2, 20_000), (1, 2), (10, 15), (300, 301)])
@pytest.mark.parametrize("shape", ["pocock", "obrien-fleming", "mixture"])
@pytest.mark.parametrize("delta", [0.05, 1e-6])
def test_gaussian_calibration_agrees_with_an_independent_integral(
    looks: tuple[int, int], shape: str, delta: float
) -> None:
    setting = Setting(5, 0.0, ErrorRates.both(delta), UNIT, 20_000, 1)
    pair = curves("exact", setting, looks=list(looks), shape=shape)
    spent = two_looks_by_quad(*looks, float(pair.accept[looks[0]]), float(pair.accept[looks[1]]))
    assert spent == pytest.approx(delta / 5, rel=1e-3)
    assert spent <= delta / 5 * (1 + 1e-5)


def test_gaussian_calibration_with_one_look_is_the_normal_quantile() -> None:
    for delta in (0.5, 0.05, 1e-9):
        setting = Setting(
            4, 1.0, ErrorRates.both(delta), Gaussian(kind="gaussian", variance=2.0), 90, 1
        )
        pair = curves("exact", setting, looks=[90])
        z = stats.norm.isf(delta / 4)
        assert pair.accept[90] == pytest.approx(90 + z * math.sqrt(180), rel=1e-5)


@pytest.mark.parametrize("delta", [0.05, 1e-30, 1e-200])
@pytest.mark.parametrize("shape", ["pocock", "obrien-fleming", "mixture"])
def test_calibration_works_for_tiny_deltas(delta: float, shape: str) -> None:
    for outcome in BOTH:
        setting = Setting(3, 0.4, ErrorRates.both(delta), outcome, 900, 5)
        pair = curves("exact", setting, shape=shape, looks=50)
        good, bad = errors_at_threshold(setting, pair)
        assert max(good, bad) <= delta / 3 * (1 + 1e-5)


@pytest.mark.parametrize("outcome", BOTH, ids=["gaussian", "bernoulli"])
@pytest.mark.parametrize("looks", ["end", 7])
def test_a_large_delta_leaves_the_curves_apart(
    outcome: Bernoulli | Gaussian, looks: object
) -> None:
    for sharing in ("bonferroni", "sidak"):
        setting = Setting(2, 0.4, ErrorRates.both(0.97), outcome, 200, 1)
        pair = curves("exact", setting, share=sharing, looks=looks)
        assert (pair.accept > pair.reject).all()
        assert max(errors_at_threshold(setting, pair)) <= allowance(setting, sharing) * (1 + 1e-6)


@pytest.mark.parametrize("mean", [-1e6, -30.0, -2.0, 1.0, 2.0, 4.0, 16.0, 1e6])
@pytest.mark.parametrize("key", ["mixture", "exact", "union"])
def test_means_far_from_the_threshold_are_settled_at_once(key: str, mean: float) -> None:
    setting = Setting(3, 0.0, ErrorRates.both(0.05), UNIT, 300, 5)
    found = law(UNIT, mean, curves(key, setting))
    right, wrong = (found.good, found.bad) if mean > 0 else (found.bad, found.good)
    assert right.sum() == pytest.approx(1, abs=1e-6)
    assert wrong.sum() < 1e-6


@pytest.mark.parametrize("weights", [(10.0, 200.0), (0.01,), (1e6,), (3.0, 3000.0)])
@pytest.mark.parametrize("xi", [0.02, 0.35, 0.5, 0.9])
def test_mixture_counts_are_the_least_with_enough_evidence(
    xi: float, weights: tuple[float, ...]
) -> None:
    setting = Setting(5, xi, ErrorRates.both(0.05), Bernoulli(), 60_000)
    accept = curves("mixture", setting, r=list(weights)).accept
    n = np.unique(np.round(np.geomspace(1, 60_000, 1500)))
    count = accept[n.astype(int)].astype(float)
    n, count = n[count <= n], count[count <= n]
    target = math.log(5 / 0.05)
    assert n.size > 100
    assert (log_evidence(count, n, xi, weights) >= target - 1e-7).all()
    assert (log_evidence(count - 1, n, xi, weights) < target + 1e-7).all()


def test_error_grows_towards_the_threshold() -> None:
    """Monotone coupling: the threshold is the worst mean on either side."""
    study = make_study(designs=[{"name": "d", "rule": "equal", "criterion": "exact"}])
    design = study.designs[0]
    below = [arm_law(study, design, mean).ever_good for mean in (0.3, 0.4, 0.45, 0.49, 0.5)]
    above = [arm_law(study, design, mean).ever_bad for mean in (0.7, 0.6, 0.55, 0.51, 0.5)]
    assert below == sorted(below)
    assert above == sorted(above)
    worst = worst_case(study, design)
    assert worst.false_declaration == below[-1]
    assert worst.miss == above[-1]
    assert 0.8 < worst.arm_share <= 1
    assert worst.list_share <= 1


def stress_study(kind: str, offset: float) -> Study:
    outcome = {"kind": kind} | ({"variance": 0.25} if kind == "gaussian" else {})
    return make_study(
        outcome=outcome,
        delta=0.2,
        truths=[{"name": "hair", "means": [0.5 + offset] * 3}],
        designs=[
            {"name": f"{rule} {criterion}", "rule": rule, "criterion": criterion}
            for rule in ("hdoc", "nearest-finish", "equal")
            for criterion in GUARANTEED
            if kind in CRITERIA[criterion].outcomes
        ],
        simulation={"runs": 4000, "n_max": 900, "seed": 12},
    )


@pytest.mark.parametrize("kind", ["bernoulli", "gaussian"])
@pytest.mark.parametrize("offset", [-1e-4, 1e-4])
def test_stress_a_hair_from_the_threshold(kind: str, offset: float) -> None:
    study = stress_study(kind, offset)
    runs = simulate(study)
    truth = study.truths[0]
    for design in study.designs:
        seen = events(runs, "hair", design.name)
        rate, error = share(seen["any_error"])
        bound = any_of(error_bounds(study, design, truth))
        assert bound <= study.error_rates.declare * (1 + 1e-6)
        assert rate <= bound + 4 * max(error, 0.25 / study.simulation.runs), design.name
    tight = share(events(runs, "hair", "equal exact")["any_error"])[0]
    assert tight > 0.1  # it spends what it is allowed


# --- decision table ---------------------------------------------------------------------------


def test_the_decision_table_holds_every_change_and_nothing_else() -> None:
    study = make_study(
        designs=[{"name": "d", "rule": "equal", "criterion": "mixture", "burn_in": 3}]
    )
    design = study.designs[0]
    table = decision_table(study, design)
    pair = curves("mixture", replace(study.setting(design)))
    rows = table.set_index("n")
    declare, drop = np.nan, np.nan
    for n in range(1, pair.accept.size):
        if n in rows.index:
            declare, drop = rows.declare_at_least[n], rows.drop_at_most[n]
        assert pair.accept[n] == (n + 1 if np.isnan(declare) else declare)
        assert pair.reject[n] == (-1 if np.isnan(drop) else drop)
    repeated = (table[["declare_at_least", "drop_at_most"]].diff() == 0).all(axis=1)
    assert not repeated.any()
    assert table.n.min() >= 3


def test_gaussian_decision_tables_are_in_means() -> None:
    study = make_study(
        outcome={"kind": "gaussian", "variance": 1.0},
        designs=[{"name": "d", "rule": "equal", "criterion": "union", "burn_in": 5}],
    )
    table: pd.DataFrame = decision_table(study, study.designs[0])
    assert table.n.iloc[0] == 5
    middle = (table.declare_at_least + table.drop_at_most) / 2
    assert np.allclose(middle, study.stream.target)


def test_parameters_of_the_exact_criterion_can_be_hashed() -> None:
    """They are part of the key under which laws and calibrations are kept."""
    first: Parameters = ExactParameters(looks=[5, 3])  # type: ignore[arg-type]
    assert hash(first) == hash(ExactParameters(looks=(3, 5)))


def test_a_largest_share_is_the_same_number_of_patients_and_grows_with_n_max() -> None:
    for most, patients in ((300, 150), (600, 300)):
        setting = Setting(5, 0.5, ErrorRates.both(0.05), Bernoulli(), most, 3)
        by_share = curves("exact", setting, largest_share=2.5)
        by_number = curves("exact", setting, largest=patients)
        assert by_share.accept.size == patients + 1
        assert np.array_equal(by_share.accept, by_number.accept)
        assert np.array_equal(by_share.reject, by_number.reject)


@pytest.mark.parametrize("given", [{"largest": 50}, {"looks": [10, 20]}])
def test_a_largest_share_stands_alone(given: dict[str, object]) -> None:
    setting = Setting(5, 0.5, ErrorRates.both(0.05), Bernoulli(), 300, 3)
    parameters = ExactParameters.model_validate({"largest_share": 2.0, **given})
    problem = CRITERIA["exact"].problem(setting, parameters)
    assert problem is not None
    assert problem.place == ("largest_share",)

"""What the tight designs are worth: patients saved, on the same patients, in the same run."""

import numpy as np
import pytest

from gai_core import characteristics, load_study, paired_differences, simulate
from gai_core.criteria.exact import EXACT, ExactParameters, allowance, look_counts
from gai_core.evidence.crossing import law
from gai_core.evidence.error_rates import ErrorRates
from gai_core.evidence.outcomes import Bernoulli
from gai_core.evidence.setting import Curves, Setting
from gai_core.study.changing import changed
from gai_core.study.ready_made import fixed
from gai_core.study.study import Design, Study


def compare(
    scenario: str, designs: list[tuple[str, str]], runs: int, n_max: int = 100_000
) -> Study:
    study = load_study(scenario)
    made = tuple(
        Design(name=f"{rule} {criterion}", rule=rule, criterion=criterion, burn_in=5)
        for rule, criterion in designs
    )
    one = study.model_copy(update={"designs": made, "truths": (study.truth("published"),)})
    return changed(one, runs=runs, n_max=n_max)


def means(study: Study) -> dict[tuple[str, str], float]:
    table = characteristics(simulate(study))
    rows = table[table.statistic == "mean"]
    return {(row.design, row.quantity): row.value for row in rows.itertuples()}


def ratio(values: dict[tuple[str, str], float], quantity: str) -> float:
    return values["hdoc mixture", quantity] / values["hdoc union", quantity]


def test_mixture_needs_a_third_of_the_patients() -> None:
    both = [("hdoc", "union"), ("hdoc", "mixture")]
    medical_1 = means(compare("medical-1", both, 1000))
    assert ratio(medical_1, "tau_1") <= 0.32
    assert ratio(medical_1, "tau_stop") <= 0.26
    assert ratio(means(compare("threshold-1", both, 1000)), "tau_stop") <= 0.32
    medical_2 = means(compare("medical-2", both, 1000, n_max=20_000))
    assert ratio(medical_2, "tau_1") <= 0.5
    assert ratio(medical_2, "tau_2") <= 0.5


def test_figures_computed_elsewhere() -> None:
    """HDoC, delta .05: stitched 4123/11810 on Medical 1, kl-union 100 on Threshold 1."""
    values = means(compare("medical-1", [("hdoc", "stitched")], 1000))
    assert values["hdoc stitched", "tau_1"] == pytest.approx(4123, rel=0.06)
    assert values["hdoc stitched", "tau_stop"] == pytest.approx(11810, rel=0.04)
    values = means(compare("threshold-1", [("hdoc", "kl-union"), ("hdoc", "mixture")], 1000))
    assert values["hdoc kl-union", "tau_1"] == pytest.approx(100, rel=0.04)
    assert values["hdoc mixture", "tau_1"] == pytest.approx(84, rel=0.04)
    assert values["hdoc mixture", "tau_stop"] == pytest.approx(2956, rel=0.04)


@pytest.mark.parametrize(("scenario", "largest"), [("medical-1", 0.96), ("threshold-3", 0.85)])
def test_nearest_finish_declares_sooner_than_hdoc(scenario: str, largest: float) -> None:
    pair = [("hdoc", "mixture"), ("nearest-finish", "mixture")]
    study = compare(scenario, pair, 2000)
    runs = simulate(study)
    table = characteristics(runs)
    hdoc, ours = (
        table[(table.design == name) & (table.quantity == "tau_1") & (table.statistic == "mean")]
        for name in ("hdoc mixture", "nearest-finish mixture")
    )
    assert float(ours.value.iloc[0]) <= largest * float(hdoc.value.iloc[0])
    paired = paired_differences(runs, "nearest-finish mixture", "hdoc mixture").set_index(
        "quantity"
    )
    assert paired.value["tau_1"] < -4 * paired.mcse["tau_1"]


def test_nearest_finish_does_not_stall_at_the_threshold() -> None:
    study = compare("medical-2", [("nearest-finish", "mixture")], 1000, n_max=20_000)
    table = characteristics(simulate(study)).set_index(["quantity", "statistic"])
    assert table.value["tau_2", "reached"] == 1


def tofacitinib() -> Study:
    """Published rates, target .5, at most 400 patients."""
    rates = (0.22, 0.315, 0.392, 0.592, 0.705, 0.719)
    study = load_study("threshold-2")
    truth = study.truths[0].model_copy(update={"means": rates})
    return changed(
        study.model_copy(update={"truths": (truth,), "threshold": 0.5}), n_max=400, runs=2000
    )


def test_a_trial_of_400_patients_becomes_possible() -> None:
    """Computed elsewhere: union declares in 82% after 278, exact in all after 95 patients."""
    designs = tuple(
        Design(name=criterion, rule="hdoc", criterion=criterion, burn_in=5)
        for criterion in ("union", "exact")
    )
    study = tofacitinib().model_copy(update={"designs": designs})
    table = characteristics(simulate(study)).set_index(["design", "quantity", "statistic"])
    assert table.value["union", "any_declared", "probability"] == pytest.approx(0.82, abs=0.04)
    assert table.value["union", "tau_1", "restricted_mean"] == pytest.approx(278, abs=8)
    assert table.value["exact", "any_declared", "probability"] > 0.995
    assert table.value["exact", "tau_1", "restricted_mean"] == pytest.approx(95, abs=4)


def test_the_fixed_design_treats_all_arms_alike_and_ends() -> None:
    study = tofacitinib()
    study = study.model_copy(update={"designs": (fixed(study),)})
    trials = simulate(study)[study.truths[0].name, "Fixed"]
    assert (trials.assigned == 66).all()
    assert (trials.decided[trials.verdict != 0] > 5 * 66).all()


def test_arms_without_a_verdict_at_the_last_look_are_closed() -> None:
    study = tofacitinib()
    design = Design(
        name="d",
        rule="hdoc",
        criterion="exact",
        criterion_parameters={"looks": [20, 40]},
        burn_in=5,
    )
    study = study.model_copy(update={"designs": (design,)})
    trials = simulate(study)[study.truths[0].name, "d"]
    assert trials.assigned.max() == 40
    assert (trials.assigned[trials.verdict == 0] == 40).all()
    assert set(np.unique(trials.assigned)) == {20, 40}


@pytest.mark.parametrize("parameters", [{}, {"looks": 7}, {"looks": "end"}, {"share": "sidak"}])
@pytest.mark.parametrize(
    ("xi", "n_max", "delta"), [(0.5, 60, 0.05), (0.3, 90, 0.2), (0.1, 40, 0.01)]
)
def test_no_look_of_a_calibrated_curve_could_be_lower(
    xi: float, n_max: int, delta: float, parameters: dict[str, object]
) -> None:
    """What the lattice leaves over is used up: one count less at any look would be too much."""
    setting = Setting(3, xi, ErrorRates.both(delta), Bernoulli(), n_max)
    chosen = ExactParameters(**parameters)  # type: ignore[arg-type]
    alpha = allowance(setting, chosen.share)
    accept = EXACT.curves_of(setting, chosen).accept
    never = np.full_like(accept, -1)

    def chance(counts: np.ndarray) -> float:
        return float(law(setting.outcome, xi, Curves(counts, never), smallest=alpha).good.sum())

    assert chance(accept) <= alpha
    tried = 0
    for n in look_counts(setting, chosen).astype(int):
        if n < accept.size and accept[n] - 2 > n * xi:
            lowered = accept.copy()
            lowered[n] -= 1
            assert chance(lowered) > alpha
            tried += 1
    assert tried > 0

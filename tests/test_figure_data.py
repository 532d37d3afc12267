"""What figures and tables show is what a slow count over the simulated trials gives."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from conftest import make_study
from scipy.stats import binomtest

from gai_core import Runs, bounds, characteristics, load_study, simulate
from gai_core.engine.trials import Trials
from gai_core.evidence import BAD, GOOD
from gai_core.results.figure_data import (
    bound_lines,
    declaration_curves,
    dose_patients,
    dose_response,
    first_bound_lines,
    time_boxes,
    verdict_shares,
)
from gai_core.results.monte_carlo import share_interval
from gai_core.results.summary import (
    NO_DESIGN_CAN_BEAT,
    Values,
    chances_table,
    doses_table,
    times_table,
)
from gai_core.results.timing import times

DESIGNS = [
    {"name": "HDoC", "rule": "hdoc"},
    {"name": "Exact", "rule": "equal", "criterion": "exact"},
]
N_MAX = 900
SIZES = [1, 3, 10, 57]


@pytest.fixture(scope="module")
def runs() -> Runs:
    """Trials of which some err and some are cut off: delta is large, n_max small."""
    simulation = {"runs": 40, "n_max": N_MAX, "seed": 3}
    truths = [{"name": "steep", "means": [0.4, 0.6, 0.7]}]
    return simulate(make_study(delta=0.4, simulation=simulation, truths=truths, designs=DESIGNS))


@pytest.fixture(scope="module")
def counted() -> Runs:
    """Four trials of one design, to be counted by hand; good are the last two arms."""
    trials = Trials(
        np.array([[BAD, 0, GOOD], [BAD, 0, GOOD], [BAD, 0, 0], [GOOD, 0, BAD]], np.int8),
        np.array([[60, 0, 30], [40, 0, 34], [45, 0, 0], [32, 0, 50]], np.int32),
        np.array([[10, 250, 20], [10, 250, 25], [15, 250, 30], [20, 250, 35]], np.int32),
        np.zeros((4, 3), np.int32),
    )
    return Runs(make_study(simulation={"runs": 4, "n_max": 500}), {("steep", "HDoC"): trials})


def read(runs: Runs) -> Values:
    return Values(characteristics(runs))


# --- declaration curves -----------------------------------------------------------------------


@pytest.mark.parametrize("doses", [1, 2, 3])
def test_declaration_curves_count_the_trials_with_so_many_doses(runs: Runs, doses: int) -> None:
    for curve in declaration_curves(runs, "steep", doses):
        block = runs["steep", curve.design]
        declared = np.where(block.verdict == GOOD, block.decided, math.inf).tolist()
        for patients, chance in zip(curve.patients, curve.chance, strict=True):
            happened = [sum(t <= patients for t in trial) >= doses for trial in declared]
            assert chance == sum(happened) / 40


def test_declaration_curves_rise_from_no_patient_to_n_max(runs: Runs) -> None:
    curves = declaration_curves(runs, "steep")
    assert [curve.design for curve in curves] == ["HDoC", "Exact"]
    for curve in curves:
        assert (curve.patients[0], curve.patients[-1]) == (0, N_MAX)
        assert curve.patients == sorted(set(curve.patients))
        assert curve.chance == sorted(curve.chance)
        assert curve.chance[0] == 0 < curve.chance[-1]


def test_declaration_curves_carry_the_interval_of_their_chance(runs: Runs) -> None:
    for _, _, chance, low, high in declaration_curves(runs, "steep"):
        expected = share_interval(np.array([round(40 * p) for p in chance]), 40)
        assert (low, high) == (expected[0].tolist(), expected[1].tolist())


@pytest.mark.parametrize("size", SIZES)
def test_the_interval_of_a_share_is_wilsons(size: int) -> None:
    low, high = share_interval(np.arange(size + 1), size)
    for happened in range(size + 1):
        wilson = binomtest(happened, size).proportion_ci(method="wilson")
        assert (low[happened], high[happened]) == pytest.approx((wilson.low, wilson.high))


def test_the_interval_of_a_share_holds_it_and_stays_within_0_and_1() -> None:
    for size in SIZES:
        share = np.arange(size + 1) / size
        low, high = share_interval(np.arange(size + 1), size)
        assert ((low >= 0) & (low <= share) & (share <= high) & (high <= 1)).all()


# --- boxes, verdicts, patients, bounds --------------------------------------------------------


def test_time_boxes_count_censored_trials_as_infinite(runs: Runs) -> None:
    boxes = time_boxes(runs.study, runs.study.truths[0], read(runs))
    shown = [(box.quantity, box.design) for box in boxes]
    quantities = "tau_1", "tau_2", "tau_stop"
    assert shown == [(time, design) for time in quantities for design in ("HDoC", "Exact")]
    for box in boxes:
        time = times(runs["steep", box.design], N_MAX)[box.quantity]
        ordered = sorted(np.where(time.reached, time.values, math.inf).tolist())
        reached = [patients for patients in ordered if patients < math.inf]
        assert box.quantiles == tuple(ordered[rank - 1] for rank in (4, 10, 20, 30, 36))
        assert box.reached == len(reached) / 40
        assert box.mean == pytest.approx(sum(reached) / len(reached))
    assert {box.quantiles[-1] < math.inf for box in boxes} == {True, False}


def test_verdict_shares_set_errors_apart_and_add_up_to_1(counted: Runs) -> None:
    (found,) = verdict_shares(counted.study, counted.study.truths[0], read(counted))
    assert (found.design, found.labels) == ("HDoC", ["low", "middle", "high"])
    assert found.shares == {
        "declared": [0, 0, 0.5],
        "dropped": [0.75, 0, 0],
        "undecided": [0, 1, 0.25],
        "missed": [0, 0, 0.25],
        "false": [0.25, 0, 0],
    }
    assert [sum(dose) for dose in zip(*found.shares.values(), strict=True)] == [1, 1, 1]


def test_dose_patients_are_the_mean_and_the_middle_80_per_cent(runs: Runs) -> None:
    for found in dose_patients(runs.study, runs.study.truths[0], read(runs)):
        for arm, patients in enumerate(runs["steep", found.design].assigned.T.tolist()):
            ordered = sorted(patients)
            assert found.mean[arm] == pytest.approx(sum(patients) / 40)
            assert (found.low[arm], found.high[arm]) == (ordered[3], ordered[35])


@pytest.mark.parametrize("name", ["tofacitinib", "tofacitinib-placebo", "threshold-1"])
def test_the_first_bound_line_is_that_of_all(name: str) -> None:
    study = load_study(name)
    truth = study.truths[0]
    all_lines = bound_lines(bounds(study), truth.name)
    assert first_bound_lines(study, truth, 1) == [
        line for line in all_lines if (line.quantity, line.bound) == ("tau_1", "sharper")
    ]


def test_bound_lines_are_the_lower_bounds_of_the_truth_that_say_something() -> None:
    rows = [
        ("steep", "tau_1", "sharper", 12.5, "shown"),
        ("steep", "tau_1", "theorem_1", 0.0, "says nothing"),
        ("steep", "tau_2", "asymptotic", math.inf, "infinite"),
        ("steep", "tau_2", "sharper", math.nan, "does not apply"),
        ("steep", "tau_stop", "theorem_3", 900.0, "an upper bound"),
        ("flat", "tau_1", "sharper", 30.0, "another truth"),
    ]
    limits = pd.DataFrame(rows, columns=["truth", "quantity", "bound", "value", "note"])
    assert bound_lines(limits, "steep") == [("tau_1", "sharper", 12.5, "shown")]


@pytest.mark.parametrize(("control", "effects"), [(False, None), (True, [0, 0.4, 0.6])])
def test_dose_response_has_effects_if_there_is_a_control(control: bool, effects: object) -> None:
    study = make_study(arms=[{"label": "a", "control": control}, {"label": "b"}, {"label": "c"}])
    found = dose_response(study, study.truths[0])
    assert (found.labels, found.means) == (["a", "b", "c"], [0.2, 0.6, 0.8])
    assert found.margins == pytest.approx([-0.3, 0.1, 0.3])
    assert found.good == (False, True, True)
    assert found.effects == (effects and pytest.approx(effects))


# --- tables of words --------------------------------------------------------------------------


def test_the_table_of_times_says_what_was_not_reached_and_by_how_many(counted: Runs) -> None:
    study = counted.study
    table = times_table(study, study.truths[0], read(counted), bounds(study))
    assert table.columns == [
        "design", "first declaration, or last verdict", "second declaration, or last verdict",
        "last verdict", "patients in the trial"
    ]  # fmt: skip
    # tau_1 is 30, 34, none (counts 500), 32; the trials have 280, 285, 295 and 305 patients
    design, bound = table.rows
    assert design == ["HDoC", "149 ± 117; 75% get there", "not reached", "not reached", "291 ± 5.5"]
    assert bound == [NO_DESIGN_CAN_BEAT, "9.1", "96.4", "106", ""]


STUDIES: dict[str, dict[str, object]] = {
    "one run": {"simulation": {"runs": 1, "n_max": 400}},
    "no good arm": {"truths": [{"name": "flat", "means": [0.1, 0.2, 0.2]}]},
    "all censored": {"simulation": {"runs": 3, "n_max": 15}},
    "one run, censored": {"simulation": {"runs": 1, "n_max": 15}},
    "at the threshold": {"truths": [{"name": "on", "means": [0.1, 0.5, 0.5]}]},
}


@pytest.mark.parametrize("name", STUDIES)
def test_tables_have_a_row_for_each_design_or_dose_and_words_for_no_number(name: str) -> None:
    study = make_study(designs=DESIGNS, **STUDIES[name])
    values, truth = read(simulate(study)), study.truths[0]
    patients = times_table(study, truth, values, bounds(study))
    chances, doses = chances_table(study, truth, values), doses_table(study, truth, values)
    assert [row[0] for row in patients.rows] == ["HDoC", "Exact", NO_DESIGN_CAN_BEAT]
    assert patients.bounds == (2,)
    assert [row[0] for row in chances.rows] == ["HDoC", "Exact"]
    assert chances.bounds == ()
    assert [row[0] for row in doses.rows] == ["low", "middle", "high"]
    for table in (patients, chances, doses):
        for row in table.rows:
            assert len(row) == len(table.columns)
            assert not re.search(r"\b(nan|inf)\b|± –", " ".join(row), re.IGNORECASE)

"""Operating characteristics of trials small enough to count by hand, and their standard errors."""

import numpy as np
import pytest
from conftest import make_study

from gai_core import InputError, Runs, characteristics, paired_differences, simulate
from gai_core.engine.trials import Trials
from gai_core.results.monte_carlo import mean, quantiles, share, standard_deviation
from gai_core.results.quantities import Judged, chances_of, quantities_of
from gai_core.results.tidy import COLUMNS
from gai_core.results.timing import times


def trials(verdict: list[list[int]], decided: list[list[int]]) -> Trials:
    shape = np.array(verdict)
    return Trials(
        shape.astype(np.int8),
        np.array(decided, np.int32),
        np.full(shape.shape, 20, np.int32),
        np.zeros(shape.shape, np.int32),
    )


THREE = trials(
    # declared 1 and 3; all settled | one declared, one open | nothing declared, all settled
    [[1, -1, 1], [1, 0, -1], [-1, -1, -1]],
    [[30, 60, 45], [50, 0, 20], [10, 25, 40]],
)


def test_times_follow_the_papers_definition() -> None:
    taus = times(THREE, n_max=60)
    assert taus["tau_1"].values.tolist() == [30, 50, 40]
    assert taus["tau_1"].reached.tolist() == [True, True, True]
    assert taus["tau_2"].values.tolist() == [45, 60, 40]  # censored at n_max; then tau_stop
    assert taus["tau_2"].reached.tolist() == [True, False, True]
    assert taus["tau_3"].values.tolist() == [60, 60, 40]
    assert taus["tau_stop"].values.tolist() == [60, 60, 40]
    assert taus["tau_stop"].reached.tolist() == [True, False, True]


def test_events_tell_false_declarations_from_misses() -> None:
    judged = Judged(THREE, (True, False, False), n_max=60, best=(0,))
    happened = {
        key: chance.value(judged).tolist() for key, chance in chances_of(make_study()).items()
    }
    assert happened == {
        "any_declared": [True, True, False],
        "good_declared": [True, True, False],
        "correct_list": [False, True, False],
        "any_error": [True, False, True],
        "false_declaration": [True, False, False],
        "missed_dose": [False, False, True],
        "best_dose_declared": [True, True, False],
    }


def test_censored_times_are_never_silently_averaged() -> None:
    study = make_study(simulation={"runs": 3, "n_max": 60})
    table = characteristics(Runs(study, {("steep", "HDoC"): THREE}))
    rows = table[table.quantity == "tau_2"].set_index("statistic").value
    assert rows["mean"] == pytest.approx(42.5)
    assert rows["reached"] == pytest.approx(2 / 3)
    assert rows["restricted_mean"] == pytest.approx((45 + 60 + 40) / 3)
    assert rows["q50"] == 45
    assert rows["q75"] == np.inf


def test_the_table_is_tidy_and_complete() -> None:
    study = make_study(designs=[{"name": "A", "rule": "hdoc"}, {"name": "B", "rule": "equal"}])
    table = characteristics(simulate(study))
    assert list(table.columns) == COLUMNS
    assert not table.duplicated(["truth", "design", "quantity", "arm", "statistic"]).any()
    every, chances = quantities_of(study), chances_of(study)
    per_arm = [key for key, quantity in every.items() if quantity.arms]
    assert set(table.quantity) == set(every)
    assert {"tau_1", "tau_2", "tau_3", "tau_stop", "first_declaration"} < set(every)
    assert {"false_declaration", "missed_dose", "any_error", "correct_list"} < set(chances)
    assert {"assigned", "good", "bad", "undecided"} < set(per_arm)
    assert set(table[table.quantity == "tau_1"].statistic) == {
        "mean", "sd", "reached", "restricted_mean", "q10", "q25", "q50", "q75", "q90",
    }  # fmt: skip
    assert set(table[table.quantity.isin(chances)].statistic) == {"probability"}
    assert set(table[table.quantity.isin(per_arm)].arm) == {"low", "middle", "high"}
    shares = table[table.quantity.isin(["good", "bad", "undecided"])]
    assert np.allclose(shares.groupby(["design", "arm"]).value.sum(), 1)
    for design in "AB":
        rows = table[(table.design == design) & (table.statistic == "mean")]
        assigned = rows[rows.quantity == "assigned"].value.sum()
        assert assigned == pytest.approx(rows[rows.quantity == "n_patients"].value.iloc[0])


def test_standard_errors_are_those_of_repeated_experiments() -> None:
    """The spread of an estimate over 2,000 samples of 400 is what its standard error says."""
    rng = np.random.default_rng(7)
    samples = rng.gamma(3.0, 50.0, size=(2000, 400))
    for estimate in (
        mean,
        standard_deviation,
        lambda v: quantiles(v)["q25"],
        lambda v: quantiles(v)["q50"],
    ):
        values, errors = np.array([estimate(sample) for sample in samples]).T
        assert np.sqrt((errors**2).mean()) == pytest.approx(values.std(), rel=0.1)
    flips = rng.random((2000, 400)) < 0.2
    values, errors = np.array([share(flip) for flip in flips]).T
    assert errors.mean() == pytest.approx(values.std(), rel=0.1)


def test_one_run_has_a_value_and_no_error() -> None:
    study = make_study(simulation={"runs": 1, "n_max": 2000})
    table = characteristics(simulate(study))
    row = table[(table.quantity == "n_patients") & (table.statistic == "mean")].iloc[0]
    assert row.value > 0
    assert np.isnan(row.mcse)


def test_quantiles_are_order_statistics() -> None:
    values = quantiles(np.arange(1.0, 101.0))
    assert [values[q][0] for q in ("q10", "q25", "q50", "q75", "q90")] == [10, 25, 50, 75, 90]
    assert values["q50"][1] == 5


def test_paired_differences_are_means_of_differences_with_smaller_errors() -> None:
    study = make_study(
        simulation={"runs": 400, "n_max": 2000, "seed": 2},
        designs=[{"name": "A", "rule": "hdoc"}, {"name": "B", "rule": "lucb-g"}],
    )
    runs = simulate(study)
    differences = paired_differences(runs, "B", "A").set_index("quantity")
    table = characteristics(runs)
    means = table[(table.quantity == "tau_1") & (table.statistic == "restricted_mean")]
    a, b = means[means.design == "A"].iloc[0], means[means.design == "B"].iloc[0]
    assert differences.value["tau_1"] == pytest.approx(b.value - a.value)
    assert differences.mcse["tau_1"] < np.hypot(a.mcse, b.mcse)
    assert differences.value["tau_stop"] == 0
    assert paired_differences(runs, "A", "A").value.eq(0).all()


def test_an_unknown_design_is_named() -> None:
    with pytest.raises(InputError, match="design 'HDoCC' is not in the study; did you mean 'HDoC'"):
        paired_differences(simulate(make_study()), "HDoCC", "HDoC")

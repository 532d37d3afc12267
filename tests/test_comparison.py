"""Designs compared by plain arithmetic on paired trials; what a study costs and accepts."""

import math
from itertools import product
from statistics import NormalDist, fmean, stdev
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import make_study

from gai_core import RULES, Runs, characteristics, load_study, simulate
from gai_core.engine.simulation import patients_at_most
from gai_core.evidence import GOOD
from gai_core.results.comparison import (
    benchmark_of,
    best_and_worst,
    compare,
)
from gai_core.results.monte_carlo import runs_for
from gai_core.results.quantities import comparable, events
from gai_core.results.summary import Values
from gai_core.results.timing import times
from gai_core.study.changing import changed
from gai_core.study.ready_made import fixed, sensible
from gai_core.study.validating import study_or_problems, validated
from gai_core.tools.warm_up import tiny_studies

DESIGNS = ["HDoC", "Equal", "Thompson"]
TRUTHS = {"steep": [0.2, 0.6, 0.8], "near": [0.45, 0.5, 0.55]}


@pytest.fixture(scope="module")
def runs() -> Runs:
    """Two truths and three designs, with errors and trials cut off at n_max."""
    return simulate(
        make_study(
            delta=0.4,
            simulation={"runs": 50, "n_max": 300, "seed": 3},
            truths=[{"name": name, "means": means} for name, means in TRUTHS.items()],
            designs=[
                {"name": "HDoC", "rule": "hdoc"},
                {"name": "Equal", "rule": "equal", "criterion": "exact"},
                {"name": "Thompson", "rule": "thompson", "criterion": "exact"},
            ],
        )
    )


@pytest.fixture(scope="module")
def values(runs: Runs) -> Values:
    return Values(characteristics(runs))


def per_trial(runs: Runs, truth: str, design: str, quantity: str) -> list[float]:
    block, study = runs[truth, design], runs.study
    patients, n_max = block.assigned.sum(axis=1), study.simulation.n_max
    found: dict[str, Any] = {"n_patients": patients, "enrolled": patients}
    first = np.where(block.verdict == GOOD, block.decided, n_max).min(axis=1)
    if study.design(design).once_at_end:  # then nothing is declared before all patients are in
        first = np.where((block.verdict == GOOD).any(axis=1), patients, n_max)
    found["first_declaration"] = first
    found |= {name: time.values for name, time in times(block, n_max).items()}
    found |= events(runs, truth, design)
    return [float(value) for value in found[quantity]]


# --- comparison -------------------------------------------------------------------------------


OF_ALL_TRIALS = [key for key, found in comparable(make_study()).items() if not found.kind.partial]
"""The others, which only some trials have, are compared in test_estimates.py."""


@pytest.mark.parametrize("quantity", OF_ALL_TRIALS)
def test_designs_are_compared_trial_by_trial(runs: Runs, values: Values, quantity: str) -> None:
    compared = compare(runs, values, "HDoC", quantity)
    assert set(zip(compared.truth, compared.design, strict=True)) == set(product(TRUTHS, DESIGNS))
    for row in compared.itertuples():
        own, base = (per_trial(runs, row.truth, d, quantity) for d in (row.design, "HDoC"))
        differences = [a - b for a, b in zip(own, base, strict=True)]
        error = stdev(differences) / math.sqrt(50)
        half = NormalDist().inv_cdf(0.975) * error
        assert row.value == pytest.approx(fmean(own))
        assert row.difference == pytest.approx(fmean(differences))
        assert row.difference_mcse == pytest.approx(error)
        assert row.low == pytest.approx(row.difference - half)
        assert row.high == pytest.approx(row.difference + half)
    assert compared.difference.any()  # the designs do differ


def test_a_value_has_the_standard_error_of_its_own_trials(runs: Runs, values: Values) -> None:
    for row in compare(runs, values, "HDoC", "tau_1").itertuples():
        own = per_trial(runs, row.truth, row.design, "tau_1")
        assert row.mcse == pytest.approx(stdev(own) / math.sqrt(50))


@pytest.mark.parametrize("baseline", DESIGNS)
def test_a_baseline_does_not_differ_from_itself(runs: Runs, values: Values, baseline: str) -> None:
    compared = compare(runs, values, baseline, "n_patients")
    itself = compared[compared.design == baseline]
    assert len(itself) == 2
    assert not itself[["difference", "difference_mcse", "low", "high"]].to_numpy().any()


@pytest.mark.parametrize(
    ("quantity", "best", "worst"),
    [("tau_1", ("a", 10.0), ("c", 30.0)), ("correct_list", ("c", 30.0), ("a", 10.0))],
)
def test_best_and_worst_know_whether_less_is_better(
    quantity: str, best: tuple[str, float], worst: tuple[str, float]
) -> None:
    cells = [("b", "Y", 20.0), ("a", "Y", 10.0), ("c", "Y", 30.0), ("a", "X", 5.0)]
    compared = pd.DataFrame(cells, columns=["truth", "design", "value"])
    compared["mcse"] = compared.value / 10
    several, single = best_and_worst(compared, comparable(make_study())[quantity]).itertuples(
        index=False
    )
    of_best, of_worst = (*best, best[1] / 10), (*worst, worst[1] / 10)
    assert tuple(several) == ("Y", *of_best, *of_worst)
    assert tuple(single) == ("X", "a", 5.0, 0.5, "a", 5.0, 0.5)


def test_everything_that_is_compared_has_a_label_of_its_own() -> None:
    known = comparable(load_study("tofacitinib-conduct"))
    assert {"tau_1", "n_patients", "any_declared", "months_end", "share_on_good"} <= set(known)
    assert len({quantity.compared_label for quantity in known.values()}) == len(known)


def test_the_benchmark_is_known_by_what_it_does_whatever_its_name_and_place() -> None:
    study = make_study()
    renamed = fixed(study).model_copy(update={"name": "One look"})
    for designs, name in (
        ((*study.designs, renamed), "One look"),
        (sensible(study), "Group sequential, 4 looks"),
    ):
        assert benchmark_of(study.model_copy(update={"designs": tuple(designs)})) == name


@pytest.mark.parametrize(
    "parts",
    [
        {"rule": "equal"},
        {"rule": "equal", "criterion": "exact", "criterion_parameters": {"looks": 20}},
        {"rule": "hdoc", "criterion": "exact", "criterion_parameters": {"looks": "end"}},
    ],
)
def test_a_design_that_looks_earlier_or_adapts_is_no_benchmark(parts: dict[str, object]) -> None:
    assert benchmark_of(make_study(designs=[{"name": "other"} | parts])) is None


# --- what a simulation costs ------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [0.5, 0.07, 0.01])
def test_runs_for_is_the_least_number_that_brings_the_error_down(wanted: float) -> None:
    sd, runs = 2.0, 100
    needed = runs_for(sd / math.sqrt(runs), runs, wanted)
    assert sd / math.sqrt(needed) <= wanted * (1 + 1e-9)
    assert sd / math.sqrt(needed - 1) > wanted * (1 - 1e-9)


def test_runs_for_asks_for_two_trials_at_least() -> None:
    assert runs_for(0.0, 100, 0.1) == runs_for(0.1, 100, 5.0) == 2


def patients_in(runs: Runs) -> int:
    return sum(sum(block.patients.tolist()) for block in runs.trials.values())


def test_no_simulation_needs_more_patients_than_announced(runs: Runs) -> None:
    assert patients_at_most(runs.study) == 50 * 300 * len(DESIGNS) * len(TRUTHS)
    assert patients_in(runs) < patients_at_most(runs.study)


def test_trials_that_all_run_to_n_max_need_every_announced_patient(runs: Runs) -> None:
    study = changed(runs.study, n_max=15)
    assert patients_in(simulate(study)) == patients_at_most(study)


# --- what a study accepts ---------------------------------------------------------------------


def test_valid_data_give_the_study() -> None:
    study = make_study()
    assert study_or_problems(study.model_dump()) == study


def truth(*means: object) -> dict[str, object]:
    return {"truths": [{"name": "t", "means": means}]}


@pytest.mark.parametrize(
    ("changes", "places"),
    [
        (truth(0.2, 1.6, 0.8), ["truths[0].means[1] must lie between 0 and 1"]),
        (truth(0.2, "x", 0.8), ["truths[0].means[1] must be a number"]),
        (truth(0.2, 0.6), ["truths[0].means must have one number"]),
        ({"threshold": 2.0, "delta": 1e-301}, ["delta must be", "threshold must lie"]),
        ({"arms": [{"label": "a"}] * 3}, ["arms: every label must be given once"]),
        ({"simulation": {"n_max": 2, "runs": 1}}, ["simulation.n_max must be at least 15"]),
        ({"designs": [{"name": "d", "rule": "hdocc"}]}, ["designs[0].rule 'hdocc'"]),
        ({"title": 3, "colour": "red"}, ["title must be a text", "colour is not a known key"]),
    ],
)  # fmt: skip
def test_every_problem_is_a_sentence_that_begins_with_its_place(
    changes: dict[str, object], places: list[str]
) -> None:
    found = study_or_problems(make_study().model_dump() | changes)
    assert isinstance(found, list)
    for problem, place in zip(found, places, strict=True):
        assert str(problem).startswith(place)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", ["bernoulli", "gaussian"])
def test_the_warm_up_studies_are_valid_and_simulate(rule: str, kind: str) -> None:
    plain, conducted = tiny_studies([(rule, kind)])
    assert [design.rule for design in plain.designs] == [rule, rule]
    assert (plain.conduct is None, conducted.conduct is None) == (True, False)
    for study in (plain, conducted):
        assert validated(study.model_dump(), "warm-up") == study
        assert study.outcome.kind == kind
        for block in simulate(study, threads=1).trials.values():
            assert 2 <= block.patients[0] <= study.simulation.n_max

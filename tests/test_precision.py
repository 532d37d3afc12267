"""Precision instead of runs: enough trials, the same ones as ever, and no false certainty."""

from typing import Any

import numpy as np
import pytest
from conftest import make_study

from gai_core import InputError, Runs, load_study, simulate
from gai_core.engine import Work
from gai_core.questions.precision import check_precision, most_uncertain, simulate_to
from gai_core.results.quantities import chances_of
from gai_core.results.summary import least_error
from gai_core.results.tidy import characteristics
from gai_core.study.changing import changed

STUDY = make_study(
    simulation={"runs": 50, "n_max": 60, "seed": 3},
    truths=[
        {"name": "steep", "means": [0.2, 0.6, 0.8]},
        {"name": "null", "means": [0.1, 0.1, 0.1]},
    ],
    designs=[{"name": "Exact", "rule": "equal", "criterion": "exact"}],
)


CHANCES = list(chances_of(STUDY))


@pytest.mark.parametrize("precision", [0.04, 0.02, 0.01])
def test_every_chance_is_as_precise_as_was_asked(precision: float) -> None:
    runs = simulate_to(STUDY, precision)
    table = characteristics(runs)
    chances = table[table.quantity.isin(CHANCES)]
    assert len(chances) == 2 * len(CHANCES)
    assert chances.mcse.max() <= precision
    # Not many more trials than needed: with a tenth fewer it is not reached.
    fewer = simulate(changed(STUDY, runs=int(0.9 * runs.study.simulation.runs)))
    assert most_uncertain(fewer, CHANCES).error > precision or precision == 0.04


def test_the_trials_are_those_of_a_study_with_so_many_runs() -> None:
    runs = simulate_to(STUDY, 0.02, work=Work(threads=2))
    plain = simulate(runs.study)
    assert runs.study == changed(STUDY, runs=runs.study.simulation.runs)
    for key, trials in plain.trials.items():
        for array, other in zip(trials.arrays, runs[key].arrays, strict=True):
            assert np.array_equal(array, other)


def test_only_the_chosen_chances_count() -> None:
    all_chances, one = (
        simulate_to(STUDY, 0.01, quantities=names).study.simulation.runs
        for names in ((), ("missed_dose",))
    )
    assert one < all_chances
    assert most_uncertain(simulate(changed(STUDY, runs=one)), ["missed_dose"]).error <= 0.01


def test_what_was_never_seen_is_not_known_for_sure() -> None:
    """Under the null nothing is declared falsely in any trial: the standard error would be 0."""
    null = STUDY.model_copy(update={"truths": STUDY.truths[1:]})
    runs = simulate_to(null, 0.001, quantities=["false_declaration"])
    table = characteristics(runs)
    assert table[table.quantity == "false_declaration"].value.max() == 0
    size = runs.study.simulation.runs
    assert least_error(size) <= 0.001 < least_error(size // 2)


def test_enough_runs_are_left_as_they_are() -> None:
    study = changed(load_study("tofacitinib"), runs=400, n_max=100)
    assert simulate_to(study, 0.03).study == study


def test_bad_requests_are_refused_before_any_work() -> None:
    def never(*_: Any, **__: Any) -> Runs:
        raise AssertionError("simulated")

    requests: list[tuple[float, list[str], str]] = [
        (0.0, [], "precision must lie between 0 and 1, but is 0"),
        (float("nan"), [], "must lie between 0 and 1"),
        (1e-9, [], "precision must be at least"),
        (0.1, ["any_eror"], "'any_eror' is no chance; did you mean 'any_error'?"),
    ]
    for precision, quantities, words in requests:
        with pytest.raises(InputError) as caught:
            simulate_to(STUDY, precision, quantities=quantities, work=Work(simulator=never))
        assert words in str(caught.value)
    assert check_precision(STUDY, 0.1) == CHANCES


def test_too_many_trials_are_refused_after_the_first_stage() -> None:
    with pytest.raises(InputError) as caught:
        simulate_to(STUDY, 0.005, most_runs=2000)
    assert "and at most 2,000 are simulated; choose a precision of" in str(caught.value)
    advised = float(str(caught.value).rsplit(" ", 1)[1])
    assert simulate_to(STUDY, advised, most_runs=2000).study.simulation.runs <= 2000

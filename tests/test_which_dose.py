"""Which dose is found: the lowest declared one as minimum effective dose, and the best one."""

from typing import Any

import numpy as np
import pytest
from conftest import make_study

from gai_core import InputError, Runs, Study, characteristics, load_study, simulate
from gai_core.engine.trials import Trials
from gai_core.questions import measure, parse_wish, plan
from gai_core.questions.precision import check_precision
from gai_core.results import Values, truth_tables, wishes_of
from gai_core.results.quantities import judged, quantities_of
from gai_core.study import best_doses, doses_in_order, scenario_names
from gai_core.theory import bounds

MED = ("med_right", "med_too_low", "med_too_high")
ARMS: list[dict[str, Any]] = [
    {"label": "placebo", "control": True, "dose": 0.0, "unit": "mg"},
    {"label": "40 mg", "dose": 40.0, "unit": "mg"},
    {"label": "10 mg", "dose": 10.0, "unit": "mg"},
    {"label": "20 mg", "dose": 20.0, "unit": "mg"},
]
"""Not in the order of their amounts."""
DESIGN = {"name": "HDoC", "rule": "hdoc", "criterion": "posterior"}
"""It promises nothing, so that wrong doses are declared often enough to be seen."""


def study(**changes: Any) -> Study:
    data: dict[str, Any] = {
        "arms": ARMS,
        "truths": [
            {"name": "rising", "means": [0.2, 0.8, 0.3, 0.7]},
            {"name": "falls again", "means": [0.2, 0.3, 0.6, 0.4]},
            {"name": "nothing good", "means": [0.2, 0.3, 0.2, 0.3]},
            {"name": "placebo good", "means": [0.9, 0.6, 0.3, 0.6]},
        ],
        "designs": [DESIGN],
        "delta": 0.3,
        "simulation": {"runs": 200, "n_max": 80, "seed": 5},
    }
    return make_study(**(data | changes))


@pytest.fixture(scope="module")
def runs() -> Runs:
    return simulate(study())


def by_hand(verdicts: list[list[int]], truth: str) -> dict[str, list[bool]]:
    """The four quantities of given verdicts, read by the library."""
    verdict = np.array(verdicts, np.int8)
    zeros = np.zeros(verdict.shape, np.int32)
    trials = Trials(verdict, zeros, zeros, zeros)
    found = judged(Runs(study(), {(truth, "HDoC"): trials}), truth, "HDoC")
    known = quantities_of(study())
    return {key: known[key].value(found).tolist() for key in (*MED, "best_dose_declared")}


# --- by hand: verdicts of placebo, 40, 10 and 20 mg -----------------------------------------------


def test_the_lowest_declared_dose_is_found_by_amounts_and_not_by_places() -> None:
    """20 and 40 mg are good, 40 mg is the best."""
    verdicts = [
        [0, 0, 0, 1],  # 20 mg alone: right, and the best one is missing
        [0, 1, 0, 1],  # 20 and 40 mg
        [0, 1, 0, 0],  # 40 mg alone: too high
        [0, 1, 1, 1],  # 10 mg too: too low
        [0, -1, -1, -1],  # nothing declared
        [1, 0, 0, 0],  # placebo, which is no dose
        [1, 0, 0, 1],
    ]
    assert by_hand(verdicts, "rising") == {
        "med_right": [True, True, False, False, False, False, True],
        "med_too_low": [False, False, False, True, False, False, False],
        "med_too_high": [False, False, True, False, False, False, False],
        "best_dose_declared": [False, True, True, True, False, False, False],
    }


def test_a_bad_dose_above_the_lowest_good_one_is_neither_too_low_nor_too_high() -> None:
    """Only 10 mg is good."""
    found = by_hand([[0, 1, 0, 0], [0, 1, 1, 0]], "falls again")
    assert found == {
        "med_right": [False, True],
        "med_too_low": [False, False],
        "med_too_high": [False, False],
        "best_dose_declared": [False, True],
    }


def test_where_no_dose_is_good_every_declared_one_is_too_low() -> None:
    found = by_hand([[0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]], "nothing good")
    assert found == {
        "med_right": [False, False, False],
        "med_too_low": [True, False, False],
        "med_too_high": [False, False, False],
        "best_dose_declared": [False, False, False],
    }


def test_doses_that_share_the_largest_mean_are_all_best_and_a_good_control_is_none() -> None:
    assert best_doses(study(), study().truth("placebo good")) == (1, 3)
    found = by_hand([[1, 0, 0, 0], [0, 0, 0, 1], [1, 1, 0, 0]], "placebo good")
    assert found["best_dose_declared"] == [False, True, True]
    assert found["med_right"] == [False, True, False]
    assert found["med_too_high"] == [False, False, True]


# --- an independent second count, trial by trial --------------------------------------------------


def one_by_one(found: Study, truth: str, verdict: Any) -> dict[str, bool]:
    """One trial, with sets of doses."""
    amounts = {arm.label: arm.dose or 0.0 for arm in found.arms if not arm.control}
    means = dict(zip((arm.label for arm in found.arms), found.truth(truth).means, strict=True))
    good = {label for label in amounts if means[label] >= 0.5}
    declared = {
        arm.label
        for arm, said in zip(found.arms, verdict, strict=True)
        if said == 1 and not arm.control
    }
    lowest = min(declared, key=lambda label: amounts[label], default=None)
    lower_good = {label for label in good if lowest and amounts[label] < amounts[lowest]}
    return {
        "med_right": lowest in good and not lower_good,
        "med_too_low": lowest is not None and lowest not in good and not lower_good,
        "med_too_high": lowest in good and bool(lower_good),
        "best_dose_declared": any(
            means[label] == max(means[other] for other in good) for label in declared & good
        ),
    }


def test_the_tidy_table_agrees_with_a_count_trial_by_trial(runs: Runs) -> None:
    table = characteristics(runs).set_index(["truth", "quantity"]).value
    for truth in ("rising", "falls again", "nothing good", "placebo good"):
        counted = [one_by_one(runs.study, truth, row) for row in runs[truth, "HDoC"].verdict]
        for key in (*MED, "best_dose_declared"):
            assert table[truth, key] == pytest.approx(np.mean([one[key] for one in counted]))
    assert 0 < table["rising", "med_too_high"] < table["rising", "med_right"] < 1
    assert table["nothing good", "med_too_low"] > 0


def test_the_tables_of_words_have_them_where_a_dose_is_good(runs: Runs) -> None:
    found, values = runs.study, Values(characteristics(runs))
    shown = {
        truth.name: {table.title: table for table in truth_tables(found, truth, values, limits)}
        for limits in [bounds(found)]
        for truth in found.truths
    }
    title = "rising: the lowest declared dose as minimum effective dose"
    assert shown["rising"][title].columns == [
        "design", "right", "too low", "too high", "best dose declared",
    ]  # fmt: skip
    assert not any("minimum effective" in table for table in shown["nothing good"])
    assert "right" not in shown["rising"]["rising: chances"].columns


# --- who has them ---------------------------------------------------------------------------------


def arms(**changes: Any) -> list[dict[str, Any]]:
    """The same arms with something changed at 20 mg."""
    return [*ARMS[:3], ARMS[3] | changes]


@pytest.mark.parametrize(
    "changes", [{"dose": None}, {"dose": 10.0}, {"unit": "mg/kg"}], ids=lambda c: f"{c}"
)
def test_without_an_order_of_the_doses_there_is_no_lowest(changes: dict[str, Any]) -> None:
    unordered = study(arms=arms(**changes))
    assert doses_in_order(unordered) == ()
    assert not set(MED) & set(quantities_of(unordered))
    assert "best_dose_declared" in quantities_of(unordered)
    words = "med_right needs a study with doses whose amounts differ, all stated in one unit"
    with pytest.raises(InputError, match=words):
        plan(unordered, parse_wish("med_right=0.5"), "n_max")
    with pytest.raises(InputError, match=words):
        measure(unordered, "med_right")
    with pytest.raises(InputError, match=words):
        check_precision(unordered, 0.1, ["med_right"])
    assert set(wishes_of(study())) - set(wishes_of(unordered)) == {"med_right"}


def test_the_amount_of_the_control_does_not_matter() -> None:
    bare = [{"label": "placebo", "control": True}, *ARMS[1:]]
    assert doses_in_order(study(arms=bare)) == doses_in_order(study()) == (2, 3, 1)


def test_shipped_studies_with_two_regimens_of_one_amount_have_no_lowest_dose() -> None:
    ordered = {name for name in scenario_names() if doses_in_order(load_study(name))}
    assert {"tofacitinib", "medical-1", "clazakizumab", "mk-3207"} <= ordered
    assert not {"sarilumab", "threshold-1"} & ordered


def test_the_right_minimum_effective_dose_can_be_planned_for(runs: Runs) -> None:
    found = runs.study
    (answer,) = plan(
        found, parse_wish("med_right=0.5"), "n_max", among=(20, 200), truths=["rising"]
    )
    assert answer.value is not None
    for size, reached in ((answer.value, True), (answer.value - 1, False)):
        sized = study(simulation={"runs": 200, "n_max": int(size), "seed": 5})
        share = Values(characteristics(simulate(sized)))(
            "rising", "HDoC", "med_right", "probability"
        )
        assert (share[0] >= 0.5) is reached

"""First declaration and patients enrolled: what a trial says, and when it says it."""

import math
from typing import Any

import numpy as np
import pytest
from conftest import make_study
from reports import in_words

from gai_core import Study, characteristics, simulate
from gai_core.engine import Calendar, Runs, Trials
from gai_core.report import build_report
from gai_core.results import Values
from gai_core.results.quantities import Judged, judged, quantities_of
from gai_core.study import fixed, group_sequential

N = math.nan
TRIALS = Trials(
    # one declared late | all dropped | nothing settled | two declared
    verdict=np.array([[-1, 0, 1], [-1, -1, -1], [0, 0, 0], [1, 1, 0]], np.int8),
    decided=np.array([[10, 0, 44], [12, 15, 30], [0, 0, 0], [20, 18, 0]], np.int32),
    assigned=np.array([[5, 20, 19], [8, 8, 14], [20, 20, 20], [10, 5, 5]], np.int32),
    sums=np.zeros((4, 3), np.int32),
    calendar=Calendar(
        seen=np.zeros((4, 3), np.int32),
        month=np.array([[1.0, N, 4.5], [1.0, 1.5, 3.0], [N, N, N], [2.0, 1.75, N]]),
        waiting=np.zeros((4, 3), np.int32),
        enrolment=np.array([4.0, 3.0, 6.0, 2.0]),
        end=np.array([5.0, 3.5, 7.0, 2.5]),
        pipeline=np.zeros(4, np.int32),
    ),
)


def value(key: str, *, once_at_end: bool = False) -> Any:
    quantity = quantities_of(make_study(conduct={}))[key]
    return quantity.value(Judged(TRIALS, (False, True, True), 60, once_at_end))


def test_a_trial_without_a_declaration_counts_as_the_largest_sample_size() -> None:
    """Unlike tau_1, which counts the last verdict of the second trial."""
    first = value("first_declaration")
    assert first.values.tolist() == [44, 60, 60, 18]
    assert first.reached.tolist() == [True, False, False, True]
    assert value("tau_1").values.tolist() == [44, 30, 60, 18]


def test_months_until_the_first_declaration_end_with_the_trial() -> None:
    first = value("months_first_declaration")
    assert first.values.tolist() == [4.5, 3.5, 7.0, 1.75]
    assert first.reached.tolist() == [True, False, False, True]


def test_with_one_look_at_the_end_a_declaration_comes_then() -> None:
    assert value("first_declaration", once_at_end=True).values.tolist() == [44, 60, 60, 20]
    assert value("months_first_declaration", once_at_end=True).values.tolist() == [5, 3.5, 7, 2.5]


def test_enrolled_has_its_largest_value() -> None:
    study = make_study(simulation={"runs": 4, "n_max": 60, "seed": 1}, conduct={})
    values = Values(characteristics(Runs(study, {("steep", "HDoC"): TRIALS})))
    assert values("steep", "HDoC", "enrolled", "largest")[0] == 60
    assert math.isnan(values("steep", "HDoC", "enrolled", "largest")[1])
    assert values("steep", "HDoC", "enrolled", "mean")[0] == (44 + 30 + 60 + 20) / 4
    assert values("steep", "HDoC", "first_declaration", "reached")[0] == 0.5
    assert values("steep", "HDoC", "first_declaration", "mean")[0] == 31
    assert values("steep", "HDoC", "first_declaration", "restricted_mean")[0] == 45.5


def with_fixed(**changes: Any) -> Study:
    """Seventy patients for three doses: 69 of them are used by the fixed design."""
    study = make_study(simulation={"runs": 60, "n_max": 70, "seed": 2}, **changes)
    designs = [fixed(study).model_dump(), {"name": "HDoC", "rule": "hdoc", "criterion": "exact"}]
    return Study.model_validate(study.model_dump() | {"designs": designs})


@pytest.mark.parametrize("wanted", [None, 1])
@pytest.mark.parametrize("conduct", [None, {"delay": {"weeks": 4.0}, "cohort": 2}])
def test_the_fixed_design_enrols_everybody_and_then_declares(
    wanted: int | None, conduct: dict[str, Any] | None
) -> None:
    """Its doses reach their last patient one after the other: that is no earlier answer."""
    study = with_fixed(wanted=wanted, conduct=conduct)
    runs = simulate(study)
    trials = judged(runs, "steep", "Fixed")
    known = quantities_of(study)
    first = known["first_declaration"].value(trials)
    assert trials.any_declared.mean() > 0.8
    assert set(first.values[trials.any_declared]) == {69}
    assert set(known["enrolled"].value(trials)) == {69}
    assert (trials.trials.assigned == 23).all()
    assert trials.times["tau_1"].values.min() < 69 or conduct is not None
    others = judged(runs, "steep", "HDoC")
    first = known["first_declaration"].value(others).values
    assert first.min() < 60
    stops = known["enrolled"].value(others) == first
    assert stops.all() if wanted == 1 else not stops.all()


def test_a_trial_without_its_answer_ends_where_no_open_dose_may_get_more() -> None:
    """What a dropped dose leaves over of a group-sequential trial is not given to the others."""
    study = make_study(
        simulation={"runs": 60, "n_max": 120, "seed": 2},
        truths=[{"name": "close", "means": [0.1, 0.52, 0.52]}],
    )
    study = study.model_copy(update={"designs": (group_sequential(study),)})
    trials = simulate(study)["close", study.designs[0].name]
    without = (trials.verdict == 0).any(axis=1) & ~(trials.verdict == 1).any(axis=1)
    assert without.sum() > 5
    assert trials.patients[without].max() < 120
    about = quantities_of(study)["enrolled"].meaning
    assert "goes on until no open dose may get more patients, at most to its largest" in about


def test_the_report_counts_by_it() -> None:
    study = with_fixed()
    runs = simulate(study.model_copy(update={"designs": study.designs[:1]}))
    text = in_words(build_report(runs))[-1]
    first = np.where((runs["steep", "Fixed"].verdict == 1).any(axis=1), 69, 70)
    assert "Fixed declares a dose in 85.0% ± 4.6 of the trials, after" in text
    assert f"after {first.mean():,.1f} ± " in text

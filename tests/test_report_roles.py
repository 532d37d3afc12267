"""What an assumption stands for on the first page: hoped for, less favourable, or an inert drug."""

from typing import Any

import pytest
from conducted import FIXED, HDOC, USUAL, conducted_study
from conftest import make_study

from gai_core import Study, scenario_names, simulate
from gai_core.questions import inert_truth
from gai_core.report.checklist import CHECKLIST
from gai_core.report.first_page import characteristics, not_guaranteed
from gai_core.report.sample_size import sample_size
from gai_core.report.subject import HOPED_FOR, INERT, LESS, Subject
from gai_core.study import load_study

TINY = {"runs": 40, "n_max": 60, "seed": 4}
HOPED = {"name": "hoped", "means": [0.2, 0.6, 0.8]}
EDGE = {"name": "edge", "means": [0.5, 0.5, 0.5]}
WORSE = {"name": "control best", "means": [0.6, 0.4, 0.5]}
SAME = {"name": "like the control", "means": [0.3, 0.3, 0.3]}


def in_table(study: Study) -> dict[str, str]:
    """What the first table calls every truth in it."""
    rows = characteristics(Subject(simulate(study))).rows
    return dict(row[0].removesuffix(")").split(" (") for row in rows if row[0])


def against_control(**changes: Any) -> Study:
    data: dict[str, Any] = {
        "simulation": TINY,
        "threshold": None,
        "target": {"over": "control", "margin": 0.1, "evidence": "differences"},
        "arms": [{"label": "placebo", "control": True}, {"label": "low"}, {"label": "high"}],
        "conduct": {"cohort": 6},
        "designs": [FIXED],
        "truths": [WORSE, {"name": "hoped", "means": [0.2, 0.5, 0.25]}, SAME],
    }
    return make_study(**data | changes)


def test_a_truth_with_doses_at_the_target_is_not_one_without_a_good_dose() -> None:
    """At a fixed target a dose is good, and is declared in some trials."""
    study = make_study(simulation=TINY, truths=[HOPED, EDGE], designs=[FIXED])
    subject = Subject(simulate(study))
    assert inert_truth(study) is None
    assert subject.role(INERT) is None
    assert subject.role(LESS) == study.truth("edge")
    assert in_table(study) == {"hoped": HOPED_FOR, "edge": LESS}
    assert "If no dose meets the target" not in " ".join(sample_size(subject))
    assert any("does not assume that no dose meets" in said for said in not_guaranteed(subject))
    bad = make_study(simulation=TINY, truths=[HOPED, EDGE, SAME], designs=[FIXED])
    said = " ".join(sample_size(Subject(simulate(bad))))
    assert "If no dose meets the target (response rates of 0.3 on every arm)" in said


def test_without_a_hoped_for_truth_none_is_less_favourable_than_it() -> None:
    study = make_study(simulation=TINY, truths=[EDGE], designs=[FIXED])
    assert in_table(study) == {"edge": "no dose above the target"}
    (item,) = (item for item in CHECKLIST if item.asked == "A less favourable truth")
    assert not item.there(Subject(simulate(study)))
    both = make_study(simulation=TINY, truths=[HOPED, EDGE], designs=[FIXED])
    assert item.there(Subject(simulate(both)))


@pytest.mark.parametrize("trend", [None, 0.01])
def test_an_inert_drug_does_what_the_control_does_and_not_less(trend: float | None) -> None:
    """Also under a trend that the guarantee covers; the sample size says that there is one."""
    study = against_control(
        truths=[WORSE, {"name": "hoped", "means": [0.2, 0.5, 0.25]}, SAME | {"trend": trend}]
    )
    named = in_table(study)
    assert named["like the control"] == "drug inert"
    assert named["control best"] == LESS
    said = " ".join(sample_size(Subject(simulate(study))))
    assert ("0.3 on every arm at the start, changing by +0.01 a month)" in said) is bool(trend)
    alone = against_control(truths=[{"name": "hoped", "means": [0.2, 0.5, 0.25]}, WORSE])
    assert in_table(alone)["control best"] == "no dose meets the target"


def test_what_the_guarantee_does_not_cover_comes_last() -> None:
    """With a fixed target it covers no trend: there a flat truth is not what inert stands for."""
    below = {"name": "below", "means": [0.2, 0.1, 0.3, 0.3]}
    drifting = {"name": "drifting", "means": [0.2] * 4, "trend": 0.01}
    clear = {"name": "clear", "means": [0.2, 0.1, 0.75, 0.95]}
    study = conducted_study(USUAL, truths=[clear, drifting, below], designs=[HDOC])
    found = inert_truth(study)
    assert found is not None
    assert found.name == "below"


@pytest.mark.parametrize("name", scenario_names())
def test_a_shipped_inert_drug_is_inert(name: str) -> None:
    study = load_study(name)
    found = inert_truth(study)
    assert found is not None
    assert not any(study.good(found))
    assert len(set(found.means)) == 1

"""Small runs of changed studies: what a label says is true of every truth that is changed."""

import re
from typing import Any

import pytest
from conducted import HDOC, SCORE, USUAL, conducted_study
from conftest import make_study
from test_report_words import part_of

from gai_core import Study, simulate
from gai_core.questions import Robustness
from gai_core.questions.small_runs import robustness
from gai_core.report.subject import Subject
from gai_core.results import analyse
from gai_core.study import changed

LEFT_OUT = {"probability": 0.2, "counted": "left out", "in_means": True}
NON_RESPONSE = {"probability": 0.2, "counted": "non-response", "in_means": False}


def small(study: Study) -> Robustness:
    study = changed(study, runs=2)
    found = robustness(
        analyse(simulate(study)), [study.designs[0].name], [t.name for t in study.truths]
    )
    assert found is not None
    return found


def changes(study: Study, words: str) -> dict[float, tuple[str, Study]]:
    """The changes whose label has the words, by the first number in it."""
    return {
        float(re.findall(r"[-+]?\d+\.?\d*", change.what)[0]): (change.what, change.runs.study)
        for change in small(study).sensitivity
        if words in change.what
    }


def two_truths(conduct: dict[str, Any] | None = None, **more: Any) -> Study:
    truths = [
        {"name": "one", "means": [0.2, 0.3, 0.5, 0.7]},
        {"name": "other", "means": [0.2, 0.25, 0.3, 0.35], **more},
    ]
    kind = {"outcome": SCORE} if "variance" in more else {}
    return conducted_study(conduct, truths=truths, designs=[HDOC], **kind)


def test_a_wider_spread_is_a_factor_that_every_truth_has() -> None:
    study = two_truths({"control_share": 0.25}, variance=2.5)
    ((factor, (what, wider)),) = changes(study, "standard deviation").items()
    assert what == f"standard deviation {factor:g} times as large"
    for before, after in zip(study.truths, wider.truths, strict=True):
        assert wider.spread(after) / study.spread(before) == pytest.approx(factor, abs=0.005)


@pytest.mark.parametrize("trend", [None, 0.004])
def test_a_drift_comes_to_that_of_every_truth(trend: float | None) -> None:
    study = two_truths(trend=trend)
    assert study.conduct is not None
    months, found = study.conduct.months(120), changes(study, "drift of")
    assert [*found] == [0.05, -0.05]
    for drift, (what, moved) in found.items():
        assert "by the time patient 120 is expected" in what
        assert what.endswith(", beside what is assumed") is (trend is not None)
        for before, after in zip(study.truths, moved.truths, strict=True):
            assert after.trend is not None
            more = (after.trend - (before.trend or 0)) * months
            assert more == pytest.approx(drift)


def test_a_drift_that_rates_cannot_follow_to_its_end_says_so() -> None:
    def said(rate: float) -> list[bool]:
        truths = [{"name": "one", "means": [0.2, 0.3, 0.5, rate]}]
        study = conducted_study(truths=truths, designs=[HDOC])
        found = changes(study, "drift of")
        return [found[drift][0].endswith(", rates cut off at 0 and 1") for drift in (0.05, -0.05)]

    assert said(0.7) == [False, False]
    assert said(0.96) == [True, False]
    assert said(0.04) == [False, True]
    scores = conducted_study({"control_share": 0.25}, designs=[HDOC], outcome=SCORE)
    assert not [what for what, _ in changes(scores, "drift of").values() if "cut off" in what]


@pytest.mark.parametrize("dropout", [LEFT_OUT, NON_RESPONSE])
def test_the_means_that_move_are_the_assumed_ones(dropout: dict[str, Any]) -> None:
    study = two_truths({**USUAL, "dropout": dropout})
    found = changes(study, "the control and every dose: assumed mean ")
    assert [*found] == [0.05, -0.05]
    for step, (_, moved) in found.items():
        for before, after in zip(study.truths, moved.truths, strict=True):
            differences = [b - a for a, b in zip(before.means, after.means, strict=True)]
            assert differences == pytest.approx([step] * 4)


@pytest.mark.parametrize("dropout", [LEFT_OUT, NON_RESPONSE])
def test_those_who_stay_do_as_before_where_more_drop_out(dropout: dict[str, Any]) -> None:
    """Also at the target: 0.32 of all, of whom a fifth drop out, is 0.4, and no hair below."""
    truths = [{"name": "at the target", "means": [0.2, 0.32, 0.32, 0.6]}]
    study = conducted_study({**USUAL, "dropout": dropout}, truths=truths, designs=[HDOC])
    ((percent, (what, more)),) = changes(study, "dropout").items()
    assert percent == 30
    assert what == (
        "dropout 30%, left out"
        if dropout["counted"] == "left out"
        else "dropout 30%, counted as non-response"
    )
    assert more.dropout is not None
    assert more.dropout.probability == 0.3
    (before,), (after,) = study.truths, more.truths
    assert more.completing(after) == pytest.approx(study.completing(before))
    if dropout["counted"] == "left out":
        assert more.good(after) == study.good(before) == (False, True, True, True)


@pytest.mark.parametrize("dropout", [LEFT_OUT, NON_RESPONSE, None])
def test_without_a_control_effects_are_over_the_target_of_verdicts(
    dropout: dict[str, Any] | None,
) -> None:
    truths = [{"name": "hoped", "means": [0.3, 0.45, 0.6]}]
    study = make_study(
        truths=truths, threshold=0.4, delta=0.3, conduct={"dropout": dropout},
        simulation={"runs": 2, "n_max": 60, "seed": 3},
    )  # fmt: skip
    found, planned = small(study), study.expected(study.truths[0])
    assert found.power[0].factor == 0
    for change in found.power:
        changed_study = change.runs.study
        expected = changed_study.expected(changed_study.truths[0])
        over = [0.4 + change.factor * (mean - 0.4) for mean in planned]
        assert expected == pytest.approx(over)
    assert all(found.power[0].runs.study.good(found.power[0].runs.study.truths[0]))


def test_a_factor_of_0_is_an_inert_drug_only_beside_a_control() -> None:
    size = {"runs": 4, "n_max": 60, "seed": 3}
    for study, words in (
        (make_study(simulation=size), "0 every dose at the target"),
        (changed(conducted_study(), runs=4), "0 an inert drug"),
    ):
        assert words in " ".join(part_of(Subject(simulate(study)), "power"))


LOOKING = {
    "name": "Looks", "rule": "equal", "criterion": "exact", "burn_in": 1,
    "criterion_parameters": {"looks": {"equal": 3}},
}  # fmt: skip


@pytest.mark.parametrize("dropout", [LEFT_OUT, NON_RESPONSE])
def test_limits_that_plan_for_missing_outcomes_do_not_stay(dropout: dict[str, Any]) -> None:
    truths = [{"name": "hoped", "means": [0.2, 0.3, 0.5, 0.6]}]
    conduct = {**USUAL, "dropout": dropout}
    study = changed(conducted_study(conduct, truths=truths, designs=[LOOKING]), runs=2)
    said = " ".join(part_of(Subject(simulate(study)), "sensitivity"))
    ((_, (what, more)),) = changes(study, "dropout").items()
    before, after = (one.curves(one.designs[0]) for one in (study, more))
    stay = [*before.accept] == [*after.accept]
    assert stay is (dropout["counted"] != "left out")
    but = f" (but with “{what}”, as missing outcomes are planned for)"
    assert f"limits stay as planned{'' if stay else but}." in said

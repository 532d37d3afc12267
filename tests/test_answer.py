"""The answer in a sentence: the design, its chance and its patients, each as it was computed."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import make_study

from gai_core import Study, simulate
from gai_core.questions import USUAL_WISH, Plan, answer, answer_sentences, plan, side_by_side
from gai_core.questions.ranking import fewest_first
from gai_core.results import Analysis, analyse

FIXED = {
    "name": "Fixed",
    "rule": "equal",
    "criterion": "exact",
    "criterion_parameters": {"looks": "end"},
}


def study_with(*designs: object, **changes: object) -> Study:
    return make_study(
        simulation={"runs": 200, "n_max": 60, "seed": 2}, designs=list(designs), **changes
    )


ADAPTIVE = {"name": "HDoC", "rule": "hdoc", "criterion": "exact"}
NO_PROMISE = {"name": "Bare", "rule": "hdoc", "criterion": "paper"}


def analysed(*designs: object, **changes: object) -> Analysis:
    return analyse(simulate(study_with(*designs, **changes)))


def test_the_design_is_the_one_that_needs_the_fewest_patients() -> None:
    found = answer(analysed(FIXED, ADAPTIVE))
    assert found is not None
    assert (found.design, found.benchmark, found.truth) == ("HDoC", "Fixed", "steep")


def test_the_sentence_has_the_simulated_chance_and_the_searched_patients() -> None:
    analysis = analysed(FIXED, ADAPTIVE)
    found = answer(analysis)
    assert found is not None
    plans = plan(
        analysis.study, USUAL_WISH, "n_max", truths=[found.truth], designs=list(found.designs)
    )
    first, second = answer_sentences(analysis, plans)
    declared = (analysis.runs["steep", "HDoC"].verdict == 1).any(axis=1).mean()
    assert first.startswith("Use HDoC: assuming “steep”, at least one dose is declared in")
    assert f"in {100 * declared:.1f}% ±" in first
    assert first.endswith("of the trials of at most 60 patients.")
    own, fixed = plans
    assert f"80% needs at most {own.value:,} patients ({own.may:,} to {own.sure:,})" in second
    named = "Fixed, the fixed benchmark at the same error rate,"
    assert f"; {named} needs at most {fixed.value:,} patients" in second


def test_other_results_give_another_sentence() -> None:
    analysis = analysed(FIXED, ADAPTIVE)
    trials = dict(analysis.runs.trials)
    like = trials["steep", "HDoC"]
    trials["steep", "HDoC"] = replace(like, verdict=np.zeros_like(like.verdict))
    other = analyse(replace(analysis.runs, trials=trials))
    found = answer(other)
    assert found is not None
    assert (found.design, found.benchmark) == ("Fixed", None)
    assert next(answer_sentences(other)).startswith("Use Fixed: ")


SMALL = {
    "name": "Small",
    "rule": "equal",
    "criterion": "exact",
    "criterion_parameters": {"largest": 12},
}


def test_a_design_that_finds_a_good_dose_more_often_is_named_with_what_it_costs() -> None:
    means = [0.2, 0.2, 0.75]
    analysis = analysed(
        FIXED,
        SMALL,
        wanted=1,
        truths=[{"name": "steep", "means": means}, {"name": "inert", "means": [0.2, 0.2, 0.2]}],
    )
    found = answer(analysis)
    assert found is not None
    assert found.design == "Small"
    (own, _), (theirs, _) = (
        analysis.values("steep", name, "good_declared", "probability")
        for name in ("Small", "Fixed")
    )
    _, more = answer_sentences(analysis)
    assert more.startswith(
        f"Fixed declares a good dose more often, in {100 * theirs:.0f}% of the trials instead of "
        f"{100 * own:.0f}%, and enrols 60 patients on average instead of "
    )
    # With its power taken away there is nothing to say.
    trials = dict(analysis.runs.trials)
    trials["steep", "Fixed"] = trials["steep", "Small"]
    assert len(list(answer_sentences(analyse(replace(analysis.runs, trials=trials))))) == 1


def a_plan(design: str, value: int | None, **more: object) -> Plan:
    like = plan(study_with(FIXED), USUAL_WISH, "n_max", among=(30, 32))[0]
    return replace(like, design=design, value=value, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("own", "fixed", "words"),
    [
        (None, 90, "For 80%: not reached from 5 to 9; Fixed, the fixed benchmark at the same"),
        (60, None, "80% needs at most 60 patients (55 to more); Fixed, the fixed benchmark"),
        (60, 0, "80% needs at most 60 patients (55 to more)."),
    ],
)
def test_what_is_not_reached_is_said(own: int | None, fixed: int | None, words: str) -> None:
    analysis = analysed(FIXED, ADAPTIVE)
    plans = [
        a_plan(name, value, may=55, sure=None, why_not="not reached from 5 to 9")
        for name, value in (("HDoC", own), ("Fixed", fixed))
        if value != 0
    ]
    assert words in " ".join(answer_sentences(analysis, plans))


def test_where_nothing_can_be_found_it_says_why() -> None:
    nothing = [{"name": "inert", "means": [0.2, 0.2, 0.2]}]
    (text,) = answer_sentences(analysed(ADAPTIVE, truths=nothing))
    assert text.startswith("Under no assumed dose-response is a dose above the target")
    analysis = analysed(ADAPTIVE)
    never = {
        place: replace(one, verdict=np.zeros_like(one.verdict))
        for place, one in analysis.runs.trials.items()
    }
    (text,) = answer_sentences(analyse(replace(analysis.runs, trials=never)))
    assert text.startswith("No design declares a good dose within 60 patients")


def test_runs_stand_side_by_side_each_with_its_own_answer() -> None:
    one, other = analysed(FIXED, ADAPTIVE), analysed(FIXED)
    nothing = analysed(ADAPTIVE, truths=[{"name": "inert", "means": [0.2, 0.2, 0.2]}])
    table = side_by_side([("first", one), ("second", other), ("third", nothing)])
    assert [row[:3] for row in table.rows] == [
        ["first", "HDoC", "steep"],
        ["second", "Fixed", "steep"],
        ["third", "none", "–"],
    ]
    declared = (other.runs["steep", "Fixed"].verdict == 1).any(axis=1).mean()
    assert table.rows[1][5].startswith(f"{100 * declared:.1f}%")
    assert {len(row) for row in table.rows} == {len(table.columns)}


def test_a_false_declaration_is_no_success() -> None:
    analysis = analysed(FIXED, ADAPTIVE)
    trials = dict(analysis.runs.trials)
    like = trials["steep", "HDoC"]
    trials["steep", "HDoC"] = replace(
        like,
        verdict=np.tile(np.array([1, 0, 0], like.verdict.dtype), (200, 1)),  # the bad dose at once
        decided=np.full_like(like.decided, 5),
    )
    assert fewest_first(replace(analysis.runs, trials=trials))[0] == "Fixed"

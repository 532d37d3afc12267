"""The answer in a sentence: the same design in app, report and advice, each number as computed."""

from dataclasses import replace
from functools import cache
from threading import Event
from typing import Any

import numpy as np
import pytest
from conftest import make_study
from gai_app.explore.jobs import AdviceAsked

from gai_core import Study, load_study, scenario_names, simulate
from gai_core.questions import (
    Advice,
    EqualPower,
    Wish,
    advice_on,
    advise,
    answer_sentences,
    equal_power,
    quick_to_advise,
    side_by_side,
    unasked_advice,
    without_trials,
)
from gai_core.report.first_page import recommendation
from gai_core.report.subject import Subject
from gai_core.results import Analysis, analyse
from gai_core.study import changed

FIXED = {
    "name": "Fixed",
    "rule": "equal",
    "criterion": "exact",
    "criterion_parameters": {"looks": "end"},
}
ADAPTIVE = {"name": "HDoC", "rule": "hdoc", "criterion": "exact"}
NO_PROMISE = {"name": "Bare", "rule": "hdoc", "criterion": "posterior"}
NOTHING = [{"name": "inert", "means": [0.2, 0.2, 0.2]}]
GROUP = "Group sequential, 4 looks"


def study_with(*designs: object, **changes: Any) -> Study:
    return make_study(
        simulation={"runs": 200, "n_max": 60, "seed": 2}, designs=list(designs), **changes
    )


def analysed(*designs: object, **changes: Any) -> Analysis:
    return analyse(simulate(study_with(*designs, **changes)))


@cache
def both() -> Analysis:
    return analysed(FIXED, ADAPTIVE, wanted=1)


@cache
def compared() -> EqualPower:
    """HDoC beside the benchmarks with 60 patients each, as if that were known for sure."""
    found = equal_power(both().study, Wish("good_declared", 0.8), among=(60, 60), fresh_runs=300)
    assert found.reached == ["Fixed", "HDoC", GROUP]
    certain = tuple(replace(one, may=one.value, sure=one.value) for one in found.plans)
    return replace(found, plans=certain)


def with_patients(found: EqualPower, design: str, factor: float) -> EqualPower:
    """The same, but a design enrols so many times the benchmark's patients."""
    like, trials = found.fresh[design], {}
    for truth, name in like.trials:
        theirs = found.fresh[GROUP][truth, GROUP].assigned
        many = np.round(theirs * factor).astype(np.int32)
        trials[truth, name] = replace(like[truth, name], assigned=many)
    return replace(found, fresh=dict(found.fresh) | {design: replace(like, trials=trials)})


def with_verdict(analysis: Analysis, design: str, verdict: int) -> Analysis:
    """The same, but all doses get one verdict from a design in every trial."""
    trials = {
        place: replace(one, verdict=np.full_like(one.verdict, verdict))
        if place[1] == design
        else one
        for place, one in analysis.runs.trials.items()
    }
    return analyse(replace(analysis.runs, trials=trials))


def test_before_designs_are_compared_none_is_recommended() -> None:
    analysis = both()
    first, second = answer_sentences(analysis)
    chances = {
        name: (analysis.runs["steep", name].verdict[:, 1:] == 1).any(axis=1).mean()
        for name in ("Fixed", "HDoC")
    }
    less, more = sorted(chances, key=lambda name: chances[name])
    assert first.startswith(
        "With at most 60 patients, assuming “steep”, a good dose is declared in "
        f"{100 * chances[less]:.1f}%"
    )
    assert f"({less}) to " in first
    assert f"({more}) of the trials" in first
    enrolled = analysis.runs["steep", "HDoC"].patients.mean()
    assert f"and {enrolled:.1f} ± " in first
    assert "(HDoC) to 60.0 ± 0 (Fixed) patients are enrolled on average." in first
    assert second.startswith("The design to use is named when all have been compared")
    assert "Use " not in first + second


def test_other_results_give_another_sentence() -> None:
    never = with_verdict(both(), "Fixed", 0)
    first, _ = answer_sentences(never)
    assert "a good dose is declared in 0% (< 1.5%) (Fixed) to " in first
    always = with_verdict(with_verdict(both(), "Fixed", 1), "HDoC", 1)
    assert "is declared in 100% (> 98.5%) of the trials" in next(answer_sentences(always))


def test_numbers_of_one_design_among_several_have_its_name() -> None:
    """Only its error is bounded; the other declares a good dose more often."""
    analysis = analysed(ADAPTIVE, NO_PROMISE)
    ours, theirs = (
        100 * (analysis.runs["steep", name].verdict[:, 1:] == 1).any(axis=1).mean()
        for name in ("HDoC", "Bare")
    )
    assert theirs > ours
    first = next(answer_sentences(analysis))
    assert f"a good dose is declared in {ours:.1f}% ± " in first
    assert " (HDoC) of the trials" in first
    assert first.endswith(" (HDoC) patients are enrolled on average.")
    (row,) = side_by_side([("one", analysis, None)]).rows
    assert [cell.endswith(" (HDoC)") for cell in row[4:6]] == [True, True]
    (alone,) = side_by_side([("one", analysed(ADAPTIVE), None)]).rows
    assert "HDoC" not in " ".join(alone)


def test_a_report_of_one_trial_does_not_name_a_command_that_refuses_it() -> None:
    """`gai report --at` needs two trials to know how sure it is."""
    for runs, more in ((1, ", with more than one simulated trial"), (2, "")):
        study = changed(study_with(ADAPTIVE), runs=runs)
        *_, last = recommendation(Subject(simulate(study)))
        assert last.endswith(f"makes it{more}).")


def test_the_design_that_the_comparison_recommends_is_named_with_its_patients() -> None:
    advice = advice_on(with_patients(with_patients(compared(), "HDoC", 0.7), "Fixed", 1.3))
    first, second, third = answer_sentences(both(), advice)
    assert (first, second) == advice.answer
    mean = advice.found.per_trial("steep", "HDoC", "enrolled").mean()
    assert first.startswith(
        "Use HDoC: for a chance of 80% that a good dose is declared, assuming “steep”, it needs up "
        f"to 60 patients and enrols {mean:.1f} ± "
    )
    assert f"For that chance at the same error {GROUP}, a group-sequential trial, needs" in second
    assert "HDoC enrols 0.7" in second
    chance = (both().runs["steep", "HDoC"].verdict[:, 1:] == 1).any(axis=1).mean()
    assert third.startswith("With the study's own limit of 60 patients that chance is ")
    assert f"{100 * chance:.1f}% ±" in third


def test_other_trials_recommend_another_design() -> None:
    advice = advice_on(with_patients(with_patients(compared(), "HDoC", 1.2), "Fixed", 0.8))
    assert next(answer_sentences(both(), advice)).startswith("Use Fixed: ")
    costly = advice_on(with_patients(with_patients(compared(), "HDoC", 1.2), "Fixed", 1.3))
    first, second, third = answer_sentences(both(), costly)
    assert first.startswith(f"Use {GROUP}: ")
    assert "No design surely enrols fewer for that chance at the same error" in second
    assert "HDoC, the best of the others, enrols 1.2" in second
    assert third == f"{GROUP} is not among the study's designs."


def test_where_no_design_reaches_the_chance_it_says_so() -> None:
    none = replace(
        compared(),
        fresh={},
        plans=tuple(replace(one, value=None, why_not="no") for one in compared().plans),
    )
    first, second = answer_sentences(both(), advice_on(none))
    assert first.startswith("No compared design with a proven guarantee reaches a chance of 80% th")
    assert second.startswith("With at most 60 patients, assuming “steep”")


def test_without_its_trials_a_comparison_says_the_same() -> None:
    whole, kept = compared(), without_trials(compared())
    assert advice_on(kept).sentences == advice_on(whole).sentences
    assert advice_on(kept).table.equals(advice_on(whole).table)
    assert not any(runs.trials for runs in kept.fresh.values())


def test_where_nothing_is_promised_or_can_be_found_it_says_so() -> None:
    _, bare, _ = answer_sentences(analysed(NO_PROMISE))
    assert bare == "No design of the study promises anything about errors."
    (text,) = answer_sentences(analysed(ADAPTIVE, truths=NOTHING))
    assert text.startswith("Under no assumed dose-response is a dose above the target")
    never = with_verdict(with_verdict(both(), "Fixed", 0), "HDoC", 0)
    text, _ = answer_sentences(never)
    assert text.startswith("No design of the study declares a good dose within 60 patients")


def test_runs_stand_side_by_side_each_with_its_own_answer() -> None:
    nothing = analysed(ADAPTIVE, truths=NOTHING)
    advice = advice_on(with_patients(with_patients(compared(), "HDoC", 0.7), "Fixed", 1.3))
    table = side_by_side(
        [("first", both(), advice), ("second", both(), None), ("third", nothing, None)]
    )
    assert [[row[0], row[1], *row[6:]] for row in table.rows] == [
        ["first", "steep", "HDoC", "60 for 80%"],
        ["second", "steep", "not compared", "–"],
        ["third", "–", "not compared", "–"],
    ]
    assert {len(row) for row in table.rows} == {len(table.columns)}


SMALL = [name for name in scenario_names() if quick_to_advise(load_study(name))]


@pytest.mark.parametrize("name", SMALL)
def test_app_report_and_advice_recommend_the_same_design(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = changed(load_study(name), runs=20)
    found: dict[str, EqualPower] = {}

    def quick(asked: Study, _wish: Wish, **_more: object) -> EqualPower:
        """At one size, and with a chance that is reached there; the same question is asked once."""
        size, key = asked.simulation.n_max, asked.model_dump_json()
        if key not in found:
            wish = Wish("good_declared", 0.01)
            found[key] = equal_power(asked, wish, among=(size, size), fresh_runs=20)
        return found[key]

    monkeypatch.setattr("gai_core.questions.advice.equal_power", quick)
    told = advise(study)
    runs = simulate(study)
    app: Advice = AdviceAsked(study).work(lambda _done, _of: None, Event())
    in_app = list(answer_sentences(analyse(runs), app))
    on_page = " ".join(recommendation(Subject(runs, advice=unasked_advice(study))))
    assert app.recommended == told.recommended
    assert told.recommended
    assert told.answer[0].startswith(f"Use {told.recommended}: ")
    assert in_app[0] == told.answer[0]
    assert on_page.startswith(" ".join(in_app))
    others = {design.name for design in told.found.study.designs} - {told.recommended}
    assert not any(f"Use {other}: " in on_page for other in others)

"""`gai advise`: what it recommends, and every number of its sentences against the raw trials."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conftest import make_study

from gai_core import InputError, Runs, Study, load_study
from gai_core.engine import Work
from gai_core.engine.trials import Trials
from gai_core.questions.advice import REFERENCE, advise
from gai_core.study.study import changed


def test_advice_prefers_what_declares_soonest() -> None:
    study = changed(load_study("medical-2"), n_max=400, runs=300)
    study = study.model_copy(update={"truths": (study.truths[0], study.truths[3])})
    advice = advise(study)
    table = advice.table.set_index(["truth", "design"])
    for truth in ("published", "optimistic"):
        ours = table.loc[truth, advice.recommended]
        paper = table.loc[truth, "HDoC, the paper's"]
        assert ours.difference < -10 * ours.difference_mcse
        assert ours.until_found - paper.until_found == pytest.approx(ours.difference)
        assert ours.until_found <= 1.1 * table.loc[truth].until_found.min()
    assert advice.recommended in advice.sentences[0]
    assert advice.sentences[1].startswith("Runner-up: ")
    assert len(advice.sentences) == 4


def test_advice_recommends_nothing_where_nothing_is_declared() -> None:
    study = changed(load_study("medical-1"), n_max=30, runs=20)
    advice = advise(study)
    assert advice.recommended == ""
    assert "enlarge n_max" in advice.sentences[0]
    with pytest.raises(InputError, match="at least 2 runs"):
        advise(changed(study, runs=1))


def test_advice_needs_a_good_dose() -> None:
    study = load_study("medical-2")
    with pytest.raises(InputError, match="at least one arm is above the threshold"):
        advise(study.model_copy(update={"truths": (study.truth("just below the target"),)}))


def small(**parts: Any) -> Study:
    """Two doses, one good, at an error rate at which false declarations are common."""
    return make_study(
        threshold=0.5,
        delta=0.6,
        simulation={"runs": 400, "n_max": 60, "seed": 3},
        arms=[{"label": "low"}, {"label": "high"}],
        truths=[{"name": "hoped for", "means": [0.45, 0.55]}],
        **parts,
    )


def test_a_false_declaration_is_no_success() -> None:
    advice = advise(small())
    row = advice.table.set_index("design").loc[advice.recommended]
    trials = advice.runs["hoped for", advice.recommended]
    right = trials.verdict[:, 1] == 1
    any_declared = (trials.verdict == 1).any(axis=1)
    assert right.mean() < any_declared.mean() - 0.02  # the study is one where it matters
    assert row.found == pytest.approx(right.mean())
    until = np.where(right, trials.decided[:, 1], 60)
    assert row.until_found == pytest.approx(until.mean())
    assert row.until_found_if_any == pytest.approx(until[right].mean())
    assert f"in {100 * right.mean():.1f}% ±" in advice.sentences[2]


def counted(runs: Runs, change: dict[str, Trials]) -> Runs:
    """The same runs, but some designs' trials are others under the first truth."""
    truth = runs.study.truths[0].name
    return replace(
        runs, trials=dict(runs.trials) | {(truth, name): t for name, t in change.items()}
    )


def advised(runs: Runs, study: Study) -> tuple[str, ...]:
    return advise(study, work=Work(simulator=lambda *_args, **_options: runs)).sentences


def test_every_number_and_every_ranking_changes_with_the_trials() -> None:
    study = small()
    advice = advise(study)
    runs, truth = advice.runs, study.truths[0].name
    best, fixed = advice.recommended, "Fixed"
    assert best != fixed
    text = advised(runs, study)[2]
    # Another design that always declares the good dose is said to do it more often.
    sure = replace(
        runs[truth, fixed],
        verdict=np.tile(np.array([0, 1], np.int8), (400, 1)),
        decided=np.tile(np.array([0, 60], np.int32), (400, 1)),
    )
    rarely = replace(sure, verdict=np.zeros_like(sure.verdict))
    assert f"{fixed} finds" not in advised(counted(runs, {fixed: rarely}), study)[2]
    assert (
        f"{fixed} finds one more often, in 100%" in advised(counted(runs, {fixed: sure}), study)[2]
    )
    # A design that declares it at once is recommended in its place.
    ones = np.ones_like(sure.assigned)  # two patients in all: it looks once, when all are in
    soon = replace(sure, decided=np.tile(np.array([0, 2], np.int32), (400, 1)), assigned=ones)
    others = advised(counted(runs, {fixed: soon}), study)
    assert others[0].startswith(f"Recommended: {fixed} ")
    assert "in 100% (> 99.25%) of the trials" in others[2]
    assert "after 2.0 ± 0.0 patients on average." in others[2]
    # Larger trials, other errors: each has its sentence.
    larger = replace(runs[truth, best], assigned=runs[truth, best].assigned + 5)
    assert advised(counted(runs, {best: larger}), study)[2] != text
    wrong = replace(runs[truth, best], verdict=np.abs(runs[truth, best].verdict))
    errors = (wrong.verdict[:, 0] == 1).mean()
    changed_text = advised(counted(runs, {best: wrong}), study)[2]
    assert f"Any wrong verdict: {100 * errors:.1f}%" in changed_text


def test_wrong_verdicts_are_counted_once_a_trial() -> None:
    """A trial with a false declaration and a dropped good dose is one trial with an error."""
    study = small()
    advice = advise(study)
    best, truth = advice.recommended, study.truths[0].name
    both = replace(advice.runs[truth, best], verdict=np.tile(np.array([1, -1], np.int8), (400, 1)))
    runs = counted(advice.runs, {name.name: both for name in advice.runs.study.designs})
    nothing = advised(runs, study)
    assert "No design declares a good dose" in nothing[0]
    half = np.where(np.arange(400)[:, None] < 200, both.verdict, advice.runs[truth, best].verdict)
    runs = counted(advice.runs, {best: replace(both, verdict=half)})
    row = (
        advise(study, work=Work(simulator=lambda *_a, **_o: runs))
        .table.set_index("design")
        .loc[best]
    )
    errors = ((half[:, 0] == 1) | (half[:, 1] == -1)).mean()
    assert row.any_error == pytest.approx(errors)
    assert row.false_declaration + row.missed_dose > row.any_error


def test_no_bound_is_stated_where_it_does_not_apply() -> None:
    study = changed(load_study("tofacitinib-conduct"), runs=50)
    said = "A design that always decides needs"
    assert any(said in text for text in advise(study).sentences)
    drifting = [truth.model_copy(update={"trend": 0.001}) for truth in study.truths]
    unsure = advise(study.model_copy(update={"truths": tuple(drifting)}))
    assert not any(said in text for text in unsure.sentences)
    assert unsure.table.lower_bound.isna().all()
    assert all("the guarantee does not cover" in text for text in unsure.sentences[2:])


def test_n_max_for_trials_without_a_declaration_is_said() -> None:
    study = changed(load_study("tofacitinib"), runs=300)
    advice = advise(study)
    flatter = next(text for text in advice.sentences if text.startswith("flatter: "))
    trials, good = advice.runs["flatter", advice.recommended], study.good(study.truth("flatter"))
    found = ((trials.verdict == 1) & np.array(good)).any(axis=1)
    first = np.where((trials.verdict == 1) & np.array(good), trials.decided, 400).min(axis=1)
    assert 0.3 < found.mean() < 0.9
    assert f"after {first[found].mean():,.0f} ± " in flatter
    assert f"{first.mean():,.0f} ± " in flatter
    assert "counting 400 where none is" in flatter
    assert REFERENCE in flatter

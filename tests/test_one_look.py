"""A design that looks once, at the end, has no verdict before: wherever a moment is shown."""

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conducted import FIXED, HDOC, conducted_study, when_known
from conftest import make_study
from reports import texts

from gai_core import Runs, Study, characteristics, simulate
from gai_core.engine.trials import Trials
from gai_core.evidence import BAD, GOOD
from gai_core.report import build_report
from gai_core.results import (
    declaration_curves,
    enrolment_curves,
    month_curves,
    reading_note,
    replay,
    typical,
)
from gai_core.results.summary import Values
from gai_core.results.timing import times

ONCE = "looks once, at the end"
SIZE = {"runs": 40, "n_max": 70, "seed": 2}
RANDOM_DELAY = {"delay": {"weeks": 8.0, "pattern": "uniform", "spread": 8.0}}


@pytest.fixture(scope="module")
def plain() -> Runs:
    """Three doses of 23 patients each, of which 69 come; and a design that looks all the time."""
    exact = {"name": "All the time", "rule": "hdoc", "criterion": "exact", "burn_in": 2}
    return simulate(make_study(simulation=SIZE, designs=[FIXED, exact]))


@pytest.fixture(scope="module")
def in_time() -> Runs:
    """The same with outcomes that come after a random time: doses are complete at other months."""
    return simulate(conducted_study(RANDOM_DELAY, designs=[HDOC, FIXED]))


def shown(runs: Runs, truth: str, design: str) -> Trials:
    """Trials as they should be shown, by a slow count."""
    found = runs[truth, design]
    return when_known(found) if runs.study.design(design).once_at_end else found


@pytest.mark.parametrize("doses", [1, 2])
def test_curves_count_its_declarations_when_all_patients_are_in(plain: Runs, doses: int) -> None:
    earlier = 0
    for curve in declaration_curves(plain, "steep", doses):
        block, raw = shown(plain, "steep", curve.design), plain["steep", curve.design]
        trials = np.where(block.verdict == GOOD, block.decided, math.inf).tolist()
        for patients, chance in zip(curve.patients, curve.chance, strict=True):
            assert chance == sum(sum(t <= patients for t in one) >= doses for one in trials) / 40
        earlier += ((raw.verdict == GOOD) & (raw.decided < block.decided)).sum()
    once = declaration_curves(plain, "steep", doses)[0]
    assert max(c for n, c in zip(once.patients, once.chance, strict=True) if n < 69) == 0
    assert once.chance[-1] > 0
    assert earlier > 0  # its doses are complete one after the other


@pytest.mark.parametrize("truth", ["clear", "near"])
def test_months_count_its_verdicts_when_the_last_outcome_is_in(in_time: Runs, truth: str) -> None:
    curves, courses = month_curves(in_time, truth), enrolment_curves(in_time, truth)
    for curve, course in zip(curves, courses, strict=True):
        block = shown(in_time, truth, curve.design)
        assert block.calendar is not None
        month = block.calendar.month
        for place, (by, chance) in enumerate(zip(curve.months, curve.chance, strict=True)):
            assert chance == ((block.verdict == GOOD) & (month <= by)).any(axis=1).mean()
            for verdict, mean in ((GOOD, course.declared), (BAD, course.dropped)):
                counted = ((block.verdict == verdict) & (month <= by)).sum() / 40
                assert mean[place] == pytest.approx(counted)
    raw = in_time["clear", "Fixed"].calendar
    assert raw is not None
    assert (raw.end > raw.month.T).any()


def test_its_typical_trial_is_in_the_middle_by_when_it_declares() -> None:
    """By its doses' own last patients the first of three trials would be in the middle."""
    like = simulate(make_study(simulation=SIZE | {"runs": 3}, designs=[FIXED]))
    found = like["steep", "Fixed"]
    trials = replace(
        found,
        verdict=np.array([[0, 1, 1], [0, 0, 1], [0, 1, 1]], np.int8),
        decided=np.array([[0, 40, 69], [0, 0, 30], [0, 60, 66]], np.int32),
        assigned=np.array([[23, 23, 23], [23, 23, 22], [22, 22, 22]], np.int32),
    )
    runs = Runs(like.study, {("steep", "Fixed"): trials})
    assert typical(runs, "steep", "Fixed").replicate == 1  # 66, 68, 69 patients


def test_a_replay_gives_its_verdicts_at_the_end(plain: Runs) -> None:
    study = plain.study
    given = Counter[str]()
    for design in study.designs:
        block = shown(plain, "steep", design.name)
        for trial in range(10):
            moments = replay(study, study.truths[0], design, trial).moments
            assert {m.arm: (m.verdict, m.patient) for m in moments} == {
                arm: (verdict, block.decided[trial, arm])
                for arm, verdict in enumerate(block.verdict[trial])
                if verdict in (GOOD, BAD)
            }
            given[design.name] += len(moments)
    assert min(given.values()) > 10
    one = replay(study, study.truths[0], study.designs[0], 0)
    assert {state.verdict for state in one.after(68)} == {0}
    assert {state.verdict for state in one.after(69)} > {GOOD}


def test_a_conducted_replay_gives_its_verdicts_with_the_last_outcome(in_time: Runs) -> None:
    study = in_time.study
    block = in_time["clear", "Fixed"]
    assert block.calendar is not None
    for trial in range(10):
        again = replay(study, study.truths[0], study.design("Fixed"), trial)
        assert {m.month for m in again.moments} == {block.calendar.end[trial]}
        assert {m.patient for m in again.moments} == {block.patients[trial]}


def test_the_papers_times_stay_the_papers(plain: Runs) -> None:
    """tau_1 is the patients when the first declared dose is complete: not moved to the end."""
    block = plain["steep", "Fixed"]
    declared = [
        [t for t, v in zip(row, verdicts, strict=True) if v == GOOD]
        for row, verdicts in zip(block.decided.tolist(), block.verdict.tolist(), strict=True)
    ]
    first = [min(one, default=70) for one in declared]
    found = times(block, 70)["tau_1"]
    assert found.values[found.reached].tolist() == [
        t for t, one in zip(first, declared, strict=True) if one
    ]
    assert min(first) < 69
    values = Values(characteristics(plain))
    assert values("steep", "Fixed", "tau_1", "mean")[0] == np.mean([t for t in first if t < 70])


def once_in_words(*designs: dict[str, Any]) -> str:
    return reading_note(make_study(simulation=SIZE, designs=list(designs)))


def test_beside_the_papers_times_it_is_said_what_they_count(plain: Runs) -> None:
    other = FIXED | {"name": "Fixed, too"}
    assert f"Fixed {ONCE}: times of verdicts are the paper's" in once_in_words(HDOC, FIXED)
    assert "Fixed and Fixed, too look once, at the end:" in once_in_words(FIXED, other)
    assert "at the end" not in once_in_words(HDOC)
    report = build_report(plain, full=True)
    assert sum(ONCE in text for text in texts(report)) >= 2  # beside the tables and the boxes
    only: Study = plain.study.model_copy(update={"designs": plain.study.designs[1:]})
    report = build_report(replace(plain, study=only), full=True)
    assert not any(ONCE in text for text in texts(report))


def test_examples_of_a_report_declare_at_the_end(plain: Runs) -> None:
    """The bullets of the typical trial, and of the unlucky one, name its last patient alone."""
    alone: Study = plain.study.model_copy(update={"designs": plain.study.designs[:1]})
    runs = replace(plain, study=alone)
    said = [text for text in texts(build_report(runs, full=True)) if text.startswith("after pat")]
    assert len(said) >= 2
    assert all(text.startswith("after patient 69: ") for text in said)

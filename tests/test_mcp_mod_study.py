"""MCP-Mod of a study: the same patients, what it finds, refusals, words, command line, app."""

import io
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from app_page import MAIN, button, cells, go, plain, unfold
from conducted import conducted_study
from conftest import make_study
from gai_app import recipes
from gai_app.links import encoded
from patience import PATIENCE
from streamlit.testing.v1 import AppTest
from test_app_explore import finish
from test_conduct_cli import Run, gai, one_line
from test_recipes import ordered, typed

from gai_core import InputError, Study, analyse, load_study, simulate
from gai_core.engine import Work, equal_samples
from gai_core.mcp_mod import (
    McpMod,
    mcp_mod,
    mcp_mod_sentences,
    mcp_mod_summary,
    mcp_mod_table,
    mcp_mod_tables,
    method_for,
    why_not,
)
from gai_core.mcp_mod.benchmark import estimates_of
from gai_core.report import build_report
from gai_core.report.content import Bullets, Paragraph, Table
from gai_core.report.dose_finding import can_be_asked
from gai_core.results.potential_outcomes import potential_outcomes
from gai_core.study import changed, scenario_names

__all__ = ["gai"]

ARMS: list[dict[str, Any]] = [
    {"label": "20 mg", "dose": 20.0, "unit": "mg"},
    {"label": "placebo", "control": True, "dose": 0.0, "unit": "mg"},
    {"label": "5 mg", "dose": 5.0, "unit": "mg"},
    {"label": "10 mg", "dose": 10.0, "unit": "mg"},
]
"""Not in the order of their amounts."""
TRUTHS = [
    {"name": "rising", "means": [0.75, 0.2, 0.35, 0.6]},
    {"name": "inert", "means": [0.3] * 4},
]
SIZE = {"runs": 300, "n_max": 120, "seed": 4}


def small(**changes: Any) -> Study:
    data: dict[str, Any] = {
        "arms": ARMS, "truths": TRUTHS, "simulation": SIZE,
        "designs": [{"name": "HDoC", "rule": "hdoc", "criterion": "posterior"}],
    }  # fmt: skip
    return make_study(**(data | changes))


SCORES: dict[str, Any] = {"outcome": {"kind": "gaussian", "variance": 0.25}}


@pytest.fixture(scope="module")
def found() -> McpMod:
    return mcp_mod(small())


# --- the same patients ----------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", [{}, SCORES], ids=["rates", "scores"])
def test_the_patients_are_those_of_every_design(outcome: dict[str, Any]) -> None:
    study = small(**outcome)
    truth = study.truths[0]
    samples = equal_samples(study, truth, 30, 5, 2)
    for row, replicate in enumerate((5, 6)):
        for arm in range(4):
            drawn = list(islice(potential_outcomes(study, truth, replicate, arm), 30))
            assert samples.outcomes[row, arm] == 30
            assert samples.mean[row, arm] == pytest.approx(np.mean(drawn))
            assert samples.squares[row, arm] == pytest.approx(np.var(drawn) * 30)


@pytest.mark.parametrize("counted", ["non-response", "left out"])
def test_those_who_drop_out_are_the_same_too(counted: str) -> None:
    """Beside the engine's fixed design, which gives every dose 30 of 120 patients."""
    dropout = {"probability": 0.1, "probability_on_target": 0.3, "counted": counted}
    conduct = {"control_share": 0.25, "cohort": 4, "dropout": dropout | {"in_means": False}}
    study = conducted_study(conduct)
    trials = simulate(study)["clear", "Fixed"]
    doses = list(study.candidates)
    assert (trials.assigned[:, doses] == 30).all()
    samples = equal_samples(study, study.truth("clear"), 30, 0, study.simulation.runs)
    assert trials.calendar is not None
    assert (samples.outcomes[:, doses] == trials.calendar.seen[:, doses]).all()
    sums = samples.outcomes * samples.mean
    assert sums[:, doses] == pytest.approx(trials.sums[:, doses])
    assert (samples.outcomes < 30).any() == (counted == "left out")


def test_columns_are_the_control_and_the_doses_from_low_to_high() -> None:
    study = small(**SCORES)
    samples = equal_samples(study, study.truths[0], 30, 0, 3)
    assert estimates_of(study, study.truths[0], 0, 3).value == pytest.approx(
        samples.mean[:, [1, 2, 3, 0]]
    )


def test_more_trials_keep_the_earlier_ones_and_threads_change_nothing(found: McpMod) -> None:
    again = mcp_mod(changed(small(), runs=2_100), work=Work(threads=2))
    for truth, trials in found.trials.items():
        for name, values in vars(trials).items():
            assert (getattr(again.trials[truth], name)[:300] == values).all()


# --- what it finds --------------------------------------------------------------------------------


def test_the_dose_found_is_the_lowest_whose_fitted_mean_meets_the_target(found: McpMod) -> None:
    """10 and 20 mg meet the target of 0.5; the table counts what every trial found."""
    table = mcp_mod_table(found).set_index(["truth", "quantity", "arm"]).value
    trials = found.trials["rising"]
    assert table["rising", "signal", ""] == trials.signal.mean()
    assert table["rising", "med_too_low", ""] == (trials.lowest == 0).mean() > 0
    assert table["rising", "med_right", ""] == (trials.lowest == 1).mean() > 0.5
    assert table["rising", "med_too_high", ""] == (trials.lowest == 2).mean() > 0
    assert table["rising", "lowest_found", "10 mg"] == table["rising", "med_right", ""]
    assert table["rising", "enrolled", ""] == 120
    chosen = [table["rising", f"chosen_{c.shape.key}", ""] for c in found.method.candidates]
    assert sum(chosen) == pytest.approx(trials.signal.mean())
    assert (trials.lowest[~trials.signal] == -1).all()
    assert table["inert", "signal", ""] < 0.2
    assert table["inert", "med_right", ""] == 0


def test_against_the_control_a_dose_must_exceed_the_controls_fitted_mean_by_the_margin() -> None:
    target = {"over": "control", "margin": 0.3}
    changes: dict[str, Any] = {
        "threshold": None, "target": target, "conduct": {"cohort": 4},
        "designs": [{"name": "Equal", "rule": "equal", "criterion": "exact"}],
    }  # fmt: skip
    against = mcp_mod(small(**changes, **SCORES, delta=0.05))
    fixed = mcp_mod(small(**SCORES, delta=0.05))
    assert (against.trials["rising"].signal == fixed.trials["rising"].signal).all()
    chances = against.chances("rising")
    assert chances["med_right"].mean() > 0.4  # 10 mg is 0.4 above placebo, 5 mg 0.15
    words = " ".join(mcp_mod_sentences(against))
    assert "is more than 0.3 above the control's;" in words
    assert "With a margin of 0" not in words
    changes["target"] = target | {"margin": -0.1}
    below = " ".join(mcp_mod_sentences(mcp_mod(small(**changes, **SCORES, delta=0.05))))
    assert "is less than 0.1 below the control's;" in below
    changes["target"] = {"over": "control"}
    without = mcp_mod(small(**changes, **SCORES, delta=0.05))
    lowest = without.trials["rising"].lowest
    assert (lowest[lowest >= 0] == 0).mean() > 0.9
    assert "With a margin of 0" in " ".join(mcp_mod_sentences(without))


def test_a_clearer_curve_gives_more_signals_and_alpha_bounds_false_ones() -> None:
    scores = small(**SCORES, delta=0.05, simulation=SIZE | {"runs": 4_000})
    shares = {name: trials.signal.mean() for name, trials in mcp_mod(scores).trials.items()}
    assert shares["rising"] > 0.95
    assert shares["inert"] == pytest.approx(0.05, abs=3.5 * np.sqrt(0.05 * 0.95 / 4_000))


# --- refusals -------------------------------------------------------------------------------------


def arms(position: int, **changes: Any) -> list[dict[str, Any]]:
    return [arm | changes if i == position else arm for i, arm in enumerate(ARMS)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"arms": arms(1, control=False)}, "needs a study with a control arm"),
        ({"arms": arms(2, dose=None)}, "at least two doses whose amounts differ"),
        ({"arms": arms(2, dose=10.0)}, "at least two doses whose amounts differ"),
        ({"arms": arms(1, dose=1.0)}, "a control of amount 0 and doses above it"),
        ({"arms": arms(2, dose=-1.0)}, "a control of amount 0 and doses above it"),
        ({"simulation": SIZE | {"n_max": 7}}, "n_max must be at least 8 for MCP-Mod"),
    ],
)
def test_a_study_that_it_cannot_be_asked_of_is_refused(changes: dict[str, Any], words: str) -> None:
    study = small(**changes, **({} if "arms" in changes else {"designs": [
        {"name": "HDoC", "rule": "hdoc", "burn_in": 1}]}))  # fmt: skip
    with pytest.raises(InputError, match=words):
        mcp_mod(study)
    assert why_not(study) is not None


def test_truths_with_a_trend_are_left_out_and_named() -> None:
    drift = {"name": "drift", "means": [0.7, 0.2, 0.3, 0.6], "trend": 0.01}
    changes: dict[str, Any] = {"conduct": {}, "simulation": SIZE | {"runs": 20}}
    mixed = mcp_mod(small(truths=[*TRUTHS, drift], **changes))
    assert list(mixed.trials) == ["rising", "inert"]
    assert "needs a calendar: “drift”." in " ".join(mcp_mod_sentences(mixed))
    with pytest.raises(InputError, match="every truth has a trend"):
        mcp_mod(small(truths=[drift], **changes))


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("emacs", "is no shape; did you mean 'emax'"),
        ("emax=-1", "emax takes one above 0"),
        ("emax=1,2", "emax takes one above 0"),
        ("emax=nan", "emax takes one above 0"),
        ("quadratic=0.5", "quadratic takes one below 0"),
        ("logistic=1", "logistic takes one above 0 and one above 0"),
        ("linear=3", "linear takes no number"),
        ("exponential=0.001", "cannot be told at these doses"),
        ("linlog=1e300", "cannot be told at these doses"),
        ("emax=1e308", "cannot be told at these doses"),
        ("quadratic=-1e300", "cannot be told at these doses"),
    ],
)
def test_a_shape_that_cannot_be_is_refused(shape: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        method_for(small(), [shape])


def test_guesses_are_in_the_unit_of_the_doses() -> None:
    method = method_for(small(), ["emax=4", "quadratic=-0.0425", "sigmoid-emax=10,3"])
    assert [candidate.guess for candidate in method.candidates] == [
        (pytest.approx(0.2),), (pytest.approx(-0.85),), (pytest.approx(0.5), 3.0),
    ]  # fmt: skip
    with pytest.raises(InputError, match="named once"):
        method_for(small(), ["emax", "emax=3"])
    with pytest.raises(InputError, match="has 4 parameters"):
        method_for(
            small(arms=ARMS[:3], truths=[{"name": "x", "means": [0.1, 0.2, 0.3]}]), ["logistic"]
        )


def test_shipped_studies_are_taken_or_refused_in_words() -> None:
    for name in scenario_names():
        study = load_study(name)
        problem = why_not(study)
        assert (problem is None) == (not name.startswith(("sarilumab", "threshold")))
        if problem is None:
            assert method_for(study).units.shape[1] < len(study.arms)


# --- words ----------------------------------------------------------------------------------------


def test_the_words_have_the_numbers_of_the_analysis(found: McpMod) -> None:
    words = list(mcp_mod_sentences(found))
    assert "fixed trial of 120 patients, 30 on each of 4 arms" in words[0]
    assert "300 trials" in words[0]
    assert "any has a chance of 10%" in words[1]
    assert "half a responder" in words[1]
    assert "at least the target of 0.5" in " ".join(words)
    inert = found.trials["inert"]
    (false,) = (one for one in words if "any signal is false" in one)
    assert f"{100 * inert.signal.mean():.1f}%" in false
    assert "beside the 10% allowed" in false
    loud = replace(found, trials={"inert": replace(inert, signal=np.ones(300, bool))})
    assert "more than the 10% allowed" in " ".join(mcp_mod_sentences(loud))
    assert "pooled over the arms" in " ".join(mcp_mod_sentences(mcp_mod(small(**SCORES))))


def test_the_designs_stand_beside_it(found: McpMod) -> None:
    designs = analyse(simulate(small()))
    first, second = mcp_mod_tables(found, small(), designs.values)
    assert first.title == "rising: which dose is found"
    assert [row[0] for row in first.rows] == ["MCP-Mod", "HDoC"]
    assert first.rows[0][-1] == "120"
    right = 100 * designs.values("rising", "HDoC", "med_right", "probability")[0]
    assert first.rows[1][2].startswith(f"{right:.1f}%")
    assert second.rows[0][1].startswith(f"{100 * found.trials['inert'].signal.mean():.1f}%")
    assert [row[0] for row in mcp_mod_summary(found).rows] == ["rising", "inert"]


def test_a_full_report_has_it_where_doses_are_given(found: McpMod) -> None:
    study = small()
    report = build_report(simulate(study), full=True)
    (section,) = (part for part in report.appendix if part.key == "MCP-Mod")
    first, others, table = section.blocks
    assert isinstance(others, Bullets)
    assert isinstance(table, Table)
    said = list(mcp_mod_sentences(found))
    assert first == Paragraph(said[0])
    assert others.items[:-1] == tuple(said[1:])
    assert table.rows == tuple(map(tuple, mcp_mod_summary(found).rows))
    assert not can_be_asked(small(arms=[{"label": arm["label"]} for arm in ARMS]))


# --- command line ---------------------------------------------------------------------------------


def test_the_command_writes_the_table_and_shows_the_designs(
    gai: Run,
) -> None:
    options = "--runs", "40", "--shape", "emax=5", "--shape", "linear"
    code, out, _ = gai("mcp-mod", "tofacitinib", *options, "--csv", "-")
    assert code == 0
    written = pd.read_csv(io.StringIO(out), keep_default_na=False)
    expected = mcp_mod_table(
        mcp_mod(changed(load_study("tofacitinib"), runs=40), ["emax=5", "linear"])
    )
    assert written.value.tolist() == pytest.approx(expected.value.tolist())
    assert set(written.design) == {"MCP-Mod"}
    code, _, problems = gai("mcp-mod", "threshold-1")
    assert code == 2
    assert "MCP-Mod needs a study with a control arm" in problems
    code, _, problems = gai("mcp-mod", "tofacitinib", "--shape", "emax=x")
    assert code == 2
    assert "--shape: emax takes one above 0" in problems


# --- the app --------------------------------------------------------------------------------------


def test_the_compare_page_shows_what_the_core_finds(found: McpMod) -> None:
    page = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
    page.query_params["study"] = encoded(small())
    go(page.run(), "compare")
    before = len(page.table)
    button(page, "Set MCP-Mod beside the designs").click().run()
    finish(page, "mcp-mod")
    assert not page.exception
    first, *others = mcp_mod_sentences(found)
    texts = [plain(text.value) for text in page.markdown]
    assert f"**{first}**" in texts
    assert all(any(sentence in text for text in texts) for sentence in others)
    tables = mcp_mod_tables(found, small(), analyse(simulate(small())).values)
    assert [cells(one) for one in page.table[before:]] == [words.rows for words in tables]
    unfold(page, "code-mcp-mod")
    recipe = recipes.of_mcp_mod(small())
    assert [block.value for block in page.code] == [recipe.python, recipe.command]


def test_the_code_of_the_page_prints_its_sentences(
    found: McpMod, gai: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    recipe = recipes.of_mcp_mod(small())
    sentences = list(mcp_mod_sentences(found))
    assert typed(recipe, small()).splitlines()[: len(sentences)] == sentences
    (said,) = ordered(recipe, gai)
    assert all(one_line(sentence) in said for sentence in sentences)


def test_the_compare_page_says_why_it_is_not_for_a_study() -> None:
    page = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
    page.query_params["study"] = encoded(small(arms=arms(1, control=False)))
    go(page.run(), "compare")
    assert not page.exception
    said = [plain(text.value) for text in page.caption]
    assert any("MCP-Mod needs a study with a control arm" in text for text in said)

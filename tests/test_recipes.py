"""The code that the pages show does what it says when it is typed."""

import shlex
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from app_page import go, open_tab, unfold
from conducted import conducted_study
from conftest import make_study
from gai_app import recipes
from gai_app.recipes import Recipe
from streamlit.testing.v1 import AppTest
from test_conduct_cli import Run, gai, one_line

from gai_core import Study, analyse, dump_study, load_study, simulate
from gai_core.questions import (
    Wish,
    equal_power,
    equal_power_sentences,
    plan,
    plan_sentences,
    sweep_table,
)
from gai_core.results import decision_table, differences_table, replay, truth_tables
from gai_core.study import changed, narrowed, parse_variation
from gai_core.theory import worst_cases

__all__ = ["gai"]
HOSTILE = make_study(
    title='It\'s "one" study; rm -rf $HOME',
    designs=[{"name": 'A\'s "first" $x', "rule": "hdoc"}, {"name": "B", "rule": "equal"}],
    truths=[{"name": "it's so", "means": [0.2, 0.6, 0.8]}],
    simulation={"runs": 20, "n_max": 200, "seed": 3},
)
STUDIES = {"hostile": HOSTILE, "conducted": conducted_study(), "shipped": load_study("tofacitinib")}


@pytest.fixture(params=STUDIES)
def study(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    return STUDIES[request.param]


def typed(recipe: Recipe, study: Study) -> str:
    """What Python prints, in a folder that has the study file."""
    if recipe.file:
        Path(recipe.file).write_text(dump_study(study), encoding="utf-8")
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(recipe.python, "recipe", "exec"), {})
    return printed.getvalue()


def ordered(recipe: Recipe, gai: Run) -> list[str]:
    """What every command prints."""
    printed = []
    for line in recipe.command.splitlines():
        program, *words = shlex.split(line)
        assert program == "gai"
        code, out, problems = gai(*words)
        assert code == 0, (line, problems)
        printed.append(one_line(out))
    return printed


def test_a_shipped_study_has_its_name_and_another_its_file() -> None:
    shipped = load_study("tofacitinib")
    assert recipes.of_results(shipped, "published", 1).file == ""
    own = recipes.of_results(changed(shipped, runs=7), "published", 1)
    assert own.file.endswith(".toml")
    assert repr(own.file) in own.python


def test_the_code_of_the_results_prints_their_tables(study: Study, gai: Run) -> None:
    truth = study.truths[0]
    recipe = recipes.of_results(study, truth.name, 1)
    out = typed(recipe, study)
    found = analyse(simulate(study))
    for table in truth_tables(study, truth, found.values, found.bounds):
        assert table.title in out
        assert all(str(row) in out for row in table.rows)
    run, report = ordered(recipe, gai)
    assert all(design.name in run for design in study.designs)
    assert "report.html: written" in report


def test_the_code_of_a_comparison_prints_its_differences(study: Study, gai: Run) -> None:
    recipe = recipes.of_comparison(study, "tau_1", study.designs[0].name)
    out = typed(recipe, study)
    compared = analyse(simulate(study)).comparison("tau_1", study.designs[0].name)
    assert all(str(row) in out for row in differences_table(study, compared, "tau_1").rows)
    assert "report.html: written" in ordered(recipe, gai)[0]


def test_the_code_of_a_trial_replays_it(study: Study) -> None:
    truth, design = study.truths[0], study.designs[0]
    out = typed(recipes.of_trial(study, truth.name, design.name, 3), study)
    moments = replay(study, truth, design, 3).moments
    assert out.splitlines() == [
        f"{moment.patient} {study.arms[moment.arm].label} {moment.verdict}" for moment in moments
    ]


def test_the_code_of_the_rules_prints_their_table(study: Study, gai: Run) -> None:
    design = study.designs[0]
    recipe = recipes.of_rules(study, design.name)
    out = typed(recipe, study)
    assert decision_table(study, design).to_string() in out
    assert worst_cases(study).to_string() in out
    boundaries, verified = ordered(recipe, gai)
    assert design.name in boundaries
    assert "Exact errors when every dose has its worst mean" in verified


def test_the_code_of_a_plan_finds_the_same(study: Study, gai: Run) -> None:
    names = [study.truths[0].name], [study.designs[0].name]
    recipe = recipes.of_plan(study, ("any_declared", 0.5), "n_max", (*names, 25), (50, 120), False)
    out = typed(recipe, study)
    sized = changed(study, runs=25)
    (found,) = plan(
        sized, Wish("any_declared", 0.5), "n_max", among=(50, 120), truths=names[0],
        designs=names[1],
    )  # fmt: skip
    sentences = plan_sentences(found, 25)
    assert out.splitlines() == sentences
    (said,) = ordered(recipe, gai)
    assert all(one_line(sentence) in said for sentence in sentences)


def test_the_code_of_a_comparison_at_equal_power_gives_its_sentences(
    study: Study, gai: Run
) -> None:
    recipe = recipes.of_equal_power(study, ("any_declared", 0.5), study.truths[0].name)
    found = equal_power(study, Wish("any_declared", 0.5), under=study.truths[0].name)
    sentences = list(equal_power_sentences(found))
    assert typed(recipe, study).splitlines()[: len(sentences)] == sentences
    (said,) = ordered(recipe, gai)
    assert all(one_line(sentence) in said for sentence in sentences)


def test_the_code_of_a_sweep_gives_its_table(study: Study, gai: Run) -> None:
    truths, designs = [study.truths[0].name], [study.designs[0].name]
    grid = [("delta", (0.2, 0.1)), ("n_max", (90, 120))]
    recipe = recipes.of_sweep(study, grid, (truths, designs, 9))
    small = changed(narrowed(study, truths, designs), runs=9)
    variations = [parse_variation(small, text) for text in ("delta=0.2,0.1", "n_max=90,120")]
    assert typed(recipe, study).strip() == sweep_table(small, variations).to_string().strip()
    (said,) = ordered(recipe, gai)
    assert designs[0] in said


def test_the_pages_show_the_code(app: AppTest) -> None:
    default = load_study("tofacitinib")
    shown = {
        "results": recipes.of_results(default, "published", 1),
        "compare": recipes.of_comparison(default, "first_declaration", "Fixed"),
        "decision_rules": recipes.of_rules(default, default.designs[0].name),
    }
    for page, recipe in shown.items():
        go(app, page)
        if page == "results":
            open_tab(app, "Chance")
        unfold(app, "code")
        texts = [block.value for block in app.code]
        assert texts == [text for text in (recipe.python, recipe.command) if text]

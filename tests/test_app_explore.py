"""The explore page without a browser: what is asked, refused, answered and kept."""

import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import app_page
import pandas as pd
import pytest
from app_page import (
    MAIN,
    button,
    cells,
    go,
    has_no_job,
    names,
    plain,
    study,
    type_in,
    unfold,
)
from conftest import make_study
from gai_app import budget, recipes, session, widgets
from gai_app.explore import best_design_job, fields, jobs, vary
from gai_app.line import Job
from gai_app.links import encoded
from gai_app.places import sentences
from patience import PATIENCE
from streamlit.testing.v1 import AppTest

from gai_core import (
    Cancelled,
    InputError,
    Runs,
    Study,
    characteristics,
    load_study,
    scenario_names,
    simulate,
)
from gai_core.basics import Argument, Problem
from gai_core.cli.screen import option_name
from gai_core.engine.simulation import CancelFlag
from gai_core.paper.reproduction import figure_sweep
from gai_core.questions import (
    EFFORTS,
    USUAL_POWER,
    Effort,
    equal_power,
    equal_power_sentences,
    equal_power_tables,
    optimise,
    optimum_sentences,
    optimum_tables,
)
from gai_core.questions.plan_wording import best_plan, how_sure, plan_headline, plan_words
from gai_core.questions.planning import plan
from gai_core.questions.sweep_data import heat_maps, measure, sweep_words, table_cells
from gai_core.questions.sweeping import check_grid, sweep, sweep_table
from gai_core.study.changing import changed
from gai_core.study.variations import Number, Variation, parse_variation, varied

VARY = "What if the study were different?"
SMALL = make_study(
    designs=[{"name": "HDoC", "rule": "hdoc"}, {"name": "Equal", "rule": "equal"}],
    truths=[
        {"name": "steep", "means": [0.2, 0.6, 0.8]},
        {"name": "at the target", "means": [0.2, 0.5, 0.8]},
        {"name": "null", "means": [0.2, 0.3, 0.4]},
    ],
    simulation={"runs": 40, "n_max": 400, "seed": 3},
)
ABOVE = ("steep", "at the target")


@pytest.fixture
def explore() -> Iterator[AppTest]:
    """A session on the explore page of a small study."""
    page = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
    page.query_params["study"] = encoded(SMALL)
    go(page.run(), "explore")
    yield page
    assert not page.exception


def finish(page: AppTest, kind: str) -> AppTest:
    """Wait until the job has ended, and draw the page again."""
    until = time.monotonic() + PATIENCE
    while not (has_no_job(page, kind) or page.session_state[f"job-{kind}"].ended):
        assert time.monotonic() < until, "the job does not end"
        time.sleep(0.02)
    return page.run()


def find(page: AppTest) -> AppTest:
    button(page, "Find it").click().run()
    return finish(page, "plan")


def sweep_it(page: AppTest) -> AppTest:
    button(page, "Vary it").click().run()
    return finish(page, "sweep")


def vary_page(page: AppTest) -> AppTest:
    return page.button_group(key="explore-question").select(VARY).run()


def box(page: AppTest, label: str, position: int = 0) -> Any:
    """The widget of that label, whatever its kind."""
    kinds = page.selectbox, page.text_input, page.number_input, page.multiselect, page.toggle
    return [widget for kind in kinds for widget in kind if widget.label == label][position]


def errors(page: AppTest) -> list[str]:
    return [plain(error.value) for error in page.error]


def subheaders(page: AppTest) -> list[str]:
    return [plain(heading.value) for heading in page.header]


def rows(page: AppTest) -> list[list[str]]:
    return cells(page.table[0])


def test_the_answer_is_that_of_the_core_and_comes_first(explore: AppTest) -> None:
    find(explore)
    expected = plan(SMALL, USUAL_POWER, "n_max", truths=ABOVE)
    best = best_plan(SMALL, expected)
    assert best is not None
    assert subheaders(explore) == [plan_headline(best)]
    assert how_sure(best, 40) in [plain(text.value) for text in explore.markdown]
    words = plan_words(expected, ABOVE)
    assert names(explore.table[0]) == words.columns
    assert rows(explore) == words.rows


def test_designs_are_compared_at_equal_power_by_the_core(explore: AppTest) -> None:
    go(explore, "compare")
    before = len(explore.table)
    button(explore, "Compare at equal power").click().run()
    finish(explore, "equal-power")
    found = equal_power(SMALL, USUAL_POWER, under="steep")
    first, *others = equal_power_sentences(found)
    texts = [plain(text.value) for text in explore.markdown]
    assert f"**{first}**" in texts
    assert all(any(sentence in text for text in texts) for sentence in others)
    tables = equal_power_tables(found)
    shown = explore.table[before:]
    assert [names(one) for one in shown] == [words.columns for words in tables]
    assert [cells(one) for one in shown] == [words.rows for words in tables]
    unfold(explore, "code-equal-power")
    recipe = recipes.of_equal_power(SMALL, (USUAL_POWER.quantity, USUAL_POWER.chance), "steep")
    assert [block.value for block in explore.code] == [recipe.python, recipe.command]


def test_a_power_that_is_no_chance_is_refused_on_the_compare_page(explore: AppTest) -> None:
    go(explore, "compare")
    explore.text_input(key="equal-power-chance").set_value("9").run()
    assert any("must be a number between 0 and 1" in error.value for error in explore.error)
    assert button(explore, "Compare at equal power").disabled


def test_what_cannot_be_reached_is_said_plainly_with_its_reason(explore: AppTest) -> None:
    box(explore, "I want that").select("correct_list").run()
    find(explore)
    assert subheaders(explore) == ["Not reached"]
    texts = [plain(warning.value) for warning in explore.warning]
    reason = "under “at the target” a dose lies exactly at the target"
    assert len(texts) == len(SMALL.designs)
    for design, text in zip(SMALL.designs, texts, strict=True):
        assert text.startswith(f"{design.name}: cannot be reached, because the lower bound is inf")
        assert reason in text
    box(explore, "Assumed dose-responses").unselect("at the target").run()
    find(explore)
    assert not explore.warning
    assert len(rows(explore)) == 2


def test_an_answer_can_be_put_into_the_study(explore: AppTest) -> None:
    find(explore)
    _, plans = explore.session_state["answered-plan"]
    best = best_plan(SMALL, plans)
    assert best is not None
    assert best.value is not None
    (sure,) = [b for b in explore.button if b.label.endswith("which reaches it at 95% confidence")]
    assert sure.label.startswith(f"sample size {best.sure:,}")
    button(explore, f"sample size {best.value:,}, which reaches it in the simulation").click().run()
    assert study(explore) == varied(SMALL, {"n_max": best.value})
    assert explore.title[0].value == "Plan a dose-finding trial"
    assert app_page.fields(explore)["simulation.n_max"] == str(best.value)


def test_a_burn_in_is_put_into_its_design_alone(explore: AppTest) -> None:
    box(explore, "Find").select("burn_in").run()
    box(explore, "The largest value that still reaches it").set_value(True).run()
    box(explore, "Search range (optional)").set_value("1:40").run()
    box(explore, "Designs").unselect("HDoC").run()
    find(explore)
    _, (found,) = explore.session_state["answered-plan"]
    assert found.value == 40
    button(explore, "burn-in 40, which reaches it in the simulation").click().run()
    assert [design.burn_in for design in study(explore).designs] == [5, 40]


@pytest.mark.parametrize(
    ("label", "value", "message"),
    [
        ("Chance, at least", "1.5", "Chance good_declared: must be a number between 0 and 1"),
        ("Chance, at least", "1,234", "Chance, at least: “1,234” can be read in two ways"),
        ("Chance, at least", "", "Chance good_declared: must be a number between 0 and 1"),
        ("Simulated trials", "0", "Simulated trials: must be a whole number of at least 1"),
        ("Simulated trials", "many", "Simulated trials: must be a whole number of at least 1"),
        ("Search range (optional)", "500:100", "Search range 500:100: the first value must be"),
        ("Search range (optional)", "many", "Search range must be LOW:HIGH, but is 'many'"),
        ("Search range (optional)", "3:100", "Search range n_max=3: simulation.n_max must be at"),
        ("Simulated trials", "9000000", "Find n_max: one try could need"),
        ("Designs", [], "Designs: choose at least one"),
        ("Assumed dose-responses", [], "Assumed dose-responses: choose at least one"),
    ],
)
def test_a_bad_question_is_refused_before_any_work(
    explore: AppTest, label: str, value: Any, message: str
) -> None:
    box(explore, label).set_value(value).run()
    (text,) = errors(explore)
    assert text.startswith(message)
    assert button(explore, "Find it").disabled


def test_a_sweep_of_one_field_shows_the_cells_of_the_core(explore: AppTest) -> None:
    vary_page(explore)
    box(explore, "Values").set_value("100, 200").run()
    sweep_it(explore)
    assert subheaders(explore) == ["Any dose declared, assuming “steep”"]
    grid = [Variation("n_max", (100, 200))]
    table = sweep_table(SMALL, grid)
    runs: dict[tuple[Number, ...], int] = {(100,): 40, (200,): 40}
    kept = explore.session_state["answered-sweep"][1]
    stored = pd.read_parquet(io.BytesIO(kept.parquet))
    pd.testing.assert_frame_equal(stored, table, check_exact=True)
    for quantity, arm, truth in (("any_declared", "", "steep"), ("good", "high", "null")):
        explore.selectbox(key="choose-swept").select(quantity).run()
        if arm:
            explore.selectbox(key="choose-swept-arm").select(arm).run()
        explore.selectbox(key="choose-truth").select(truth).run()
        unfold(explore, "table-of-sweep-curves")
        shown = measure(SMALL, quantity, arm)
        words = sweep_words(["n_max"], table_cells(table, ["n_max"], shown, runs), shown, truth)
        assert rows(explore) == words.rows
        assert names(explore.table[0])[1:] == words.columns[1:]


def test_a_sweep_of_two_fields_draws_a_map_per_design(explore: AppTest) -> None:
    vary_page(explore)
    box(explore, "Values").set_value("100:300:100").run()
    box(explore, "And vary").select("delta").run()
    box(explore, "Values", 1).set_value("0.2, 0.1").run()
    sweep_it(explore)
    grid = [Variation("n_max", (100, 200, 300)), Variation("delta", (0.2, 0.1))]
    table, shown = sweep_table(SMALL, grid), measure(SMALL, "any_declared")
    runs: dict[tuple[Number, ...], int] = {(n, d): 40 for n in (100, 200, 300) for d in (0.2, 0.1)}
    found = table_cells(table, ["n_max", "delta"], shown, runs)
    expected = heat_maps([cell for cell in found if cell.truth == "steep"], shown)
    drawn = json.loads(explore.get("plotly_chart")[0].proto.spec)["data"]
    assert [trace["type"] for trace in drawn] == ["heatmap"] * 2
    for trace, panel in zip(drawn, expected, strict=True):
        assert trace["z"] == panel.value
        assert trace["text"][0][2] == f"{100 * panel.value[0][2]:.0f}"
        assert panel.words[0][2] in trace["hovertext"][0][2]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("5:1:1", "Vary n_max: the range 5:1:1 is empty"),
        ("100, many", "Vary n_max: every value must be a number, but one is ' many'"),
        ("100, 100", "Vary n_max: every value must be given once"),
        ("3, 100", "Vary n_max=3: simulation.n_max must be at least"),
        ("100:600:1", "Vary: the grid has 501 points, and at most 400 are allowed"),
        ("100000:400000:1000", "Vary: the 301 points of the grid could need more than 5e+09"),
    ],
)
def test_bad_values_are_refused_at_once(explore: AppTest, values: str, message: str) -> None:
    vary_page(explore)
    box(explore, "Values").set_value(values).run()
    (text,) = errors(explore)
    assert text.startswith(message)
    assert button(explore, "Vary it").disabled


def test_any_numeric_field_can_be_named(explore: AppTest) -> None:
    vary_page(explore)
    box(explore, "Vary").select(vary.OTHER).run()
    assert button(explore, "Vary it").disabled
    assert not explore.error
    box(explore, "Name of the field").set_value("simulation.n_mx").run()
    box(explore, "Values").set_value("50, 60").run()
    assert "did you mean 'simulation.n_max'?" in errors(explore)[0]
    box(explore, "Name of the field").set_value("truths[steep].means[2]").run()
    box(explore, "Values").set_value("0.6, 0.7").run()
    sweep_it(explore)
    unfold(explore, "table-of-sweep-curves")
    assert [row[0] for row in rows(explore)] == ["0.6", "0.7"]
    box(explore, "And vary").select("truth.shift").run()
    box(explore, "Name of the field").set_value("truth.shift").run()
    assert "every field must be given once" in errors(explore)[0]


def test_answers_are_kept_from_page_to_page_and_say_when_the_plan_changed(
    explore: AppTest,
) -> None:
    box(explore, "Chance, at least").set_value("70 %").run()
    find(explore)
    before = rows(explore)
    go(explore, "help")
    go(explore, "explore")
    assert rows(explore) == before
    assert box(explore, "Chance, at least").value == "70 %"
    assert not explore.warning
    go(explore, "plan")
    type_in(explore, "delta", 0.2)
    go(explore, "explore")
    assert rows(explore) == before
    assert any("The plan was changed since" in str(text.value) for text in explore.warning)
    assert not [b for b in explore.button if b.label.startswith("n_max = ")]


def test_a_question_that_was_answered_is_not_worked_on_again(
    explore: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    find(explore)
    before = rows(explore)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(jobs, "plan", never)
    find(explore)
    assert rows(explore) == before


def test_an_answer_that_comes_while_the_page_is_drawn_is_shown(
    explore: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    vary_page(explore)
    box(explore, "Values").set_value("50, 60").run()
    question, may_end = vary._question, threading.Event()

    def ends_meanwhile(study: Study) -> jobs.SweepAsked | None:
        """The page has looked for an answer, and not yet for how far the job is."""
        job = session.job(vary.KIND)
        if job is not None:
            may_end.set()
            assert job.wait(PATIENCE)
        return question(study)

    def late(*arguments: Any, **options: Any) -> Any:
        assert may_end.wait(PATIENCE)
        return sweep(*arguments, **options)

    monkeypatch.setattr(session, "A_MOMENT", 0.0)
    monkeypatch.setattr(vary, "_question", ends_meanwhile)
    monkeypatch.setattr(jobs, "sweep", late)
    button(explore, "Vary it").click().run()
    assert any(text.value.startswith("Shaded: 95%") for text in explore.caption)


@pytest.mark.parametrize("kind", ["plan", "sweep"])
def test_long_work_can_be_cancelled(
    explore: AppTest, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def endless(_study: Study, *, cancel: CancelFlag, **_: object) -> Runs:
        while not cancel.is_set():
            time.sleep(0.01)
        raise Cancelled

    monkeypatch.setattr("gai_core.engine.work.simulate_cached", endless)
    if kind == "sweep":
        vary_page(explore)
    box(explore, "Simulated trials").set_value("41").run()  # a question that nobody asked before
    button(explore, "Find it" if kind == "plan" else "Vary it").click().run()
    assert not [b for b in explore.button if b.label in ("Find it", "Vary it")]
    explore.button(key=f"cancel-{kind}").click().run()
    explore.run()
    assert any("Cancelled" in str(info.value) for info in explore.info)
    assert button(explore, "Find it" if kind == "plan" else "Vary it")


def test_the_papers_figure_is_an_example_that_leaves_the_study_alone(
    explore: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    small: Callable[[], tuple[Study, Variation]] = partial(figure_sweep, 5)
    monkeypatch.setattr(vary, "figure_sweep", small)
    vary_page(explore)
    button(explore, "Show the paper's figure as an example").click().run()
    finish(explore, "sweep")
    assert any("The paper's figure" in str(info.value) for info in explore.info)
    label = (
        "Patients until the first declaration, or the last verdict (the largest sample size where "
        "it is not reached)"
    )
    assert subheaders(explore) == [f"{label}, assuming “published”"]
    unfold(explore, "table-of-sweep-curves")
    assert len(rows(explore)) == 10
    assert study(explore) == SMALL


@pytest.mark.parametrize("name", scenario_names())
def test_the_suggested_values_of_every_field_are_valid(name: str) -> None:
    loaded = load_study(name)
    menu = fields.menu(loaded)
    rates = {"delta"} if loaded.errors is None else {"errors.declare", "errors.drop"}
    assert {"n_max", "truth.shift", "burn_in"} | rates <= set(menu)
    assert any(field.startswith("conduct.") for field in menu) == (loaded.conduct is not None)
    known = loaded.outcome.kind == "gaussian" and loaded.outcome.knows_variance
    assert ("outcome.variance" in menu) == known
    assert ("threshold" in menu) == (loaded.margin is None and loaded.target is None)
    of_control = {"target.margin", f"truths.means[{loaded.control}]"}
    assert of_control & set(menu) == (of_control if loaded.target else set())
    for field in menu:
        variation = parse_variation(loaded, f"{field}={fields.suggested(loaded, field)}")
        assert len(variation.values) >= 2, field
        check_grid(loaded, [variation])


def test_a_grid_with_too_many_rows_is_refused_with_what_to_change() -> None:
    loaded = load_study("medical-1")
    each = len(characteristics(simulate(changed(loaded, runs=2, n_max=50))))
    most = 1_000_000 // each
    text = budget.sweep_refusal(loaded, 400) or ""
    assert f"{400 * each:,} rows" in text
    assert f"at most {most} points" in text
    assert budget.sweep_refusal(loaded, most) is None
    assert budget.sweep_refusal(loaded, most + 1) is not None


def test_arguments_have_the_names_of_the_page() -> None:
    """The same problem is told with the command line's options and with the page's labels."""
    remedy = "choose fewer runs, or a smaller ", (Argument("among"),), " LOW:HIGH"
    problem = Problem((), "one try is too large", remedy=remedy)
    error = InputError(problem, source=((Argument("solve"),), " n_max"))
    assert sentences(error) == [
        "Find n_max: one try is too large; choose fewer runs, or a smaller Search range LOW:HIGH"
    ]
    assert error.sentences(option_name) == [
        "--solve n_max: one try is too large; choose fewer runs, or a smaller --among LOW:HIGH"
    ]


def test_the_best_design_is_found_by_the_core_and_opens_beside_the_study(
    explore: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = Effort(few=60, more=100, many=200, children=4, generations=1, last=2, go_on=2)
    monkeypatch.setitem(EFFORTS, "usual", tiny)
    monkeypatch.setattr(best_design_job, "JUDGED_RUNS", 200)
    explore.button_group(key="explore-question").select("Find the best design").run()
    button(explore, "Find the best design").click().run()
    finish(explore, "best-design")
    wish = USUAL_POWER
    found = optimise(SMALL, wish, under="steep", within={"n_max": [400]}, effort=tiny, runs=200)
    first, *others = optimum_sentences(found)
    texts = [plain(text.value) for text in explore.markdown]
    assert f"**{first}**" in texts
    assert all(any(sentence in text for text in texts) for sentence in others)
    assert rows(explore) == optimum_tables(found)[0].rows
    assert found.best is not None
    name = found.names[-1]
    box(explore, "Design").select(name).run()
    button(explore, "Open it as a study").click().run()
    assert explore.title[0].value == "Plan a dose-finding trial"
    assert study(explore) == found.study(name)
    assert len(explore.session_state["studies"]) == 1  # the one it came from waits beside it


def test_what_is_known_of_a_search_is_shown_while_it_runs() -> None:
    job = Job("key", "Searching", lambda _report, _cancel: None)
    job.started, job.done, job.total = job.asked, 1, 2
    job.news = "12 designs tried"
    assert "12 designs tried" in widgets._pace(job)

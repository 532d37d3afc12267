"""The pages' logic, without a browser: what is typed, what is run, what is shown."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conducted import of_every_sort
from gai_app import address, session
from gai_app.answer import LATER
from gai_app.editor.parsing import written
from gai_app.escaping import markdown
from gai_app.explore.jobs import AdviceAsked
from gai_app.pages import PAGES
from gai_app.studies import with_wanted_on_top
from streamlit.testing.v1 import AppTest

from gai_core import (
    CRITERIA,
    RULES,
    Study,
    characteristics,
    load_study,
    scenario_names,
    simulate,
)
from gai_core.basics import MATTERS, OF_EVIDENCE
from gai_core.results import comparable, exact_errors_table
from gai_core.results.summary import Values, headline
from gai_core.study import ABOUT, Estimand, scenario_titles
from gai_core.study.changing import changed
from gai_core.study.validating import study_or_problems, validated
from gai_core.theory import worst_cases

MAIN = Path(__file__).parent.parent / "app" / "gai_app" / "main.py"
TIMEOUT = 300.0
"""Seconds after which something hangs; only a test that fails waits for so long."""
DEFAULT = load_study("tofacitinib")


@pytest.fixture
def app() -> Iterator[AppTest]:
    """A session with the results of the default study."""
    page = AppTest.from_file(str(MAIN), default_timeout=TIMEOUT)
    page.run()
    finish(page)
    yield page
    assert not page.exception


def finish(page: AppTest) -> AppTest:
    """Wait until the run under way has ended, and draw the page again."""
    until = time.monotonic() + TIMEOUT
    while not (has_no_job(page) or page.session_state["job-run"].ended):
        assert time.monotonic() < until, "the run does not end"
        time.sleep(0.05)
    return page.run()


def has_no_job(page: AppTest, kind: str = "run") -> bool:
    """Whether the session waits for nothing of this kind."""
    name = f"job-{kind}"
    return name not in page.session_state or page.session_state[name] is None


def go(page: AppTest, name: str) -> AppTest:
    return page.switch_page(f"views/{name}.py").run()


def key(page: AppTest, name: str) -> str:
    """A widget's key: it begins anew with every study."""
    return f"{name}-{page.session_state['generation']}"


def study(page: AppTest) -> Study:
    """The study under edit, which must be valid."""
    found = study_or_problems(page.session_state["draft"])
    assert isinstance(found, Study), found
    return found


def errors(page: AppTest) -> list[str]:
    return [str(error.value).replace("\\", "") for error in page.error]


def plain(text: object) -> str:
    """Text as it is seen, without what keeps it from being formatted."""
    return str(text).replace("\\", "").replace("\u2060", "").replace("\u200b", "")


def names(frame: Any) -> list[str]:
    """The columns of a table as they are shown."""
    return [plain(name) for name in frame.value.columns]


def cells(frame: Any) -> list[list[str]]:
    """The rows of a table as they are shown."""
    return [[plain(cell) for cell in row] for row in frame.value.to_numpy().tolist()]


def column(frame: Any, name: str) -> list[str]:
    """A column of a table as it is shown."""
    place = names(frame).index(name)
    return [row[place] for row in cells(frame)]


def unfold(page: AppTest, name: str) -> AppTest:
    """Open a folded part of the page."""
    page.session_state[name] = True
    return page.run()


def open_tab(page: AppTest, name: str, tabs: str = "results-tab") -> AppTest:
    """Open a tab, of the results unless others are named."""
    page.session_state[tabs] = name
    return page.run()


def button(page: AppTest, label: str) -> Any:
    (found,) = [button for button in page.button if button.label == label]
    return found


def send(page: AppTest, *edits: dict[str, object]) -> AppTest:
    """Edits as the browser sends them, numbered, and the page after them."""
    before = 0
    if "last-edit" in page.session_state:
        before = page.session_state["last-edit"]
    numbered = [{"n": before + 1 + i} | edit for i, edit in enumerate(edits)]
    page.session_state["keeper"] = {
        "edits": {"of": page.session_state["session-name"], "list": numbered}
    }
    return page.run()


def type_in(page: AppTest, path: str, value: object) -> AppTest:
    """Type a value into the field of a path of the study."""
    reads = drawn_fields(page)[path]["reads"]
    return send(page, {"sheet": path, "path": path, "reads": reads, "text": written(value)})


def fields(page: AppTest) -> dict[str, str]:
    """What the single fields of the page show, by their paths."""
    return {path: data["value"] for path, data in drawn_fields(page).items()}


def drawn_fields(page: AppTest) -> dict[str, dict[str, Any]]:
    """All that the single fields of the page are drawn from, by their paths."""
    drawn = [json.loads(element.proto.json) for element in page.get("bidi_component")]
    return {data["path"]: data for data in drawn if "path" in data}


def edit_arms(
    page: AppTest,
    edited_rows: dict[int, dict[str, Any]] | None = None,
    added_rows: list[dict[str, Any]] | None = None,
    deleted_rows: list[int] | None = None,
) -> AppTest:
    """Type into cells of the table of doses, by the names of its columns; then remove rows."""
    last = len(page.session_state["draft"]["arms"])
    rows = (edited_rows or {}) | dict(enumerate(added_rows or [], start=last))
    cells = [(row, *cell) for row, line in rows.items() for cell in line.items()]
    typed: list[dict[str, object]] = [
        {
            "sheet": "arms",
            "path": f"truths.{column[6:]}.means.{row}"
            if column.startswith("truth ")
            else f"arms.{row}.{column}",
            "text": written(value),
        }
        for row, column, value in cells
    ]
    gone: list[dict[str, object]] = [
        {"sheet": "arms", "remove": row} for row in sorted(deleted_rows or [], reverse=True)
    ]
    return send(page, *typed, *gone)


def test_a_still_figure_is_drawn_anew_only_when_what_it_shows_has_changed(app: AppTest) -> None:
    before = dict(app.session_state["still-figures"])
    app.run()
    after = app.session_state["still-figures"]
    assert {name: id(kept) for name, kept in after.items()} == {
        name: id(kept) for name, kept in before.items()
    }
    app.selectbox(key="choose-truth").select(DEFAULT.truths[1].name).run()
    changed_names = {name for name in before if after[name][1] != before[name][1]}
    assert changed_names == {"dose-response"}


def test_the_default_study_is_run_without_a_click_and_gives_the_numbers_of_the_core(
    app: AppTest,
) -> None:
    values = Values(characteristics(simulate(DEFAULT)))
    expected = headline(DEFAULT, DEFAULT.truths[0], values)
    assert names(app.table[0]) == expected.columns
    assert cells(app.table[0]) == expected.rows


@pytest.mark.parametrize("name", PAGES)
def test_every_page_opens(app: AppTest, name: str) -> None:
    go(app, name)
    assert [title.value for title in app.title] == [PAGES[name].heading]
    assert not app.error


@pytest.mark.parametrize("name", of_every_sort())
def test_shipped_studies_can_be_opened_as_they_are(app: AppTest, name: str) -> None:
    open_example(app, name)
    assert study(app) == with_wanted_on_top(load_study(name))
    assert not app.error


def open_example(page: AppTest, name: str) -> AppTest:
    """Open a shipped study from the menu above the pages."""
    open_menu(page).selectbox(key=key(page, "start")).select(name).run()
    return finish(page)


def open_menu(page: AppTest) -> AppTest:
    """The menu of studies, as after a click."""
    page.session_state[key(page, "open")] = True
    return page.run()


def offers_run(page: AppTest) -> bool:
    return any(button.label == "Run" for button in page.button)


def test_a_new_study_can_be_begun_and_is_run_by_itself(app: AppTest) -> None:
    finish(app.button(key="first-study").click().run())
    assert "Results at a glance" in [heading.value for heading in app.header]


def test_the_studies_shown_by_their_titles_are_those_of_the_core(app: AppTest) -> None:
    titles = open_menu(app).selectbox(key=key(app, "start")).options
    assert titles == [*scenario_titles().values()]
    assert sorted(titles) == sorted(load_study(name).title for name in scenario_names())


def test_a_small_changed_study_is_run_by_itself_and_its_results_replace_the_old_ones(
    app: AppTest,
) -> None:
    finish(type_in(app, "simulation.n_max", 120))
    assert any("of at most 120 patients" in str(caption.value) for caption in app.caption)
    assert sizes(app) == [120, 400]


def test_of_the_runs_while_somebody_types_only_the_last_is_kept(app: AppTest) -> None:
    for size in (60, 600, 240):
        finish(type_in(app, "simulation.n_max", size))
    assert sizes(app) == [240, 400]
    assert app.session_state["runs-so-far"] == 2
    finish(type_in(app, "delta", 0.1))
    assert sizes(app) == [240, 240, 400]


def sizes(page: AppTest) -> list[int]:
    """The largest sample size of every run, newest first."""
    kept = page.session_state["results"]
    return [kept[key].study.simulation.n_max for key in page.session_state["run-order"]]


def test_a_large_study_waits_for_a_click_and_old_results_are_marked(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(app, "simulation.runs", 20_000)
    assert offers_run(app)
    assert any("the study has changed since" in str(caption.value) for caption in app.caption)
    assert sizes(app) == [400]
    monkeypatch.setattr(session, "A_MOMENT", TIMEOUT)
    monkeypatch.setattr(session, "LONGEST_MOMENT", TIMEOUT)
    drawn: list[int] = []
    monkeypatch.setattr(address, "write", lambda: drawn.append(len(drawn)))
    button(app, "Run").click().run()
    assert drawn == [0]  # the run begins before the page is drawn, which is drawn once
    assert app.session_state["runs-so-far"] == 2
    assert not any("has changed since" in str(caption.value) for caption in app.caption)


def test_a_study_that_was_run_is_not_run_again(app: AppTest) -> None:
    finish(type_in(app, "simulation.n_max", 120))
    type_in(app, "simulation.n_max", 400)
    assert has_no_job(app)
    assert not offers_run(app)
    assert any("of at most 400 patients" in str(caption.value) for caption in app.caption)


def test_cells_rows_and_order_of_the_doses_can_be_changed(app: AppTest) -> None:
    edit_arms(app, edited_rows={3: {"truth 0": 0.9, "label": "five"}}, deleted_rows=[1])
    assert study(app).truth("published").means == (0.22, 0.392, 0.9, 0.705, 0.719)
    assert [arm.label for arm in study(app).arms] == ["placebo", "3 mg", "five", "10 mg", "15 mg"]
    new = {"label": "20 mg", "dose": 0.5, "unit": "mg", "truth 0": 0.8, "truth 1": 0.7}
    edit_arms(app, added_rows=[new | {"truth 2": 0.49, "truth 3": 0.22}])
    assert study(app).arms[-1].label == "20 mg"
    assert study(app).truth("flatter").means[-1] == 0.7


def test_an_unfinished_row_is_named_with_what_it_lacks(app: AppTest) -> None:
    edit_arms(app, added_rows=[{"dose": 20.0}])
    assert any(text.startswith("Dose arm 7, label: must be a text") for text in errors(app))
    assert any(text.startswith("dose arm 7, published: must be a number") for text in errors(app))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("threshold", 1.0, "Target response: must lie between 0 and 1, both excluded, but is 1"),
        ("delta", 0.0, "Error rate (delta): must be greater than 0.0, but is 0.0"),
        (
            "simulation.n_max",
            10,
            "Largest sample size: must be at least 30 (HDoC, the paper's has a burn-in of 5",
        ),
        ("simulation.runs", 0, "Simulated trials: must be at least 1, but is 0"),
    ],
)
def test_a_bad_number_is_named_in_words_and_cannot_be_run(
    app: AppTest, path: str, value: float, message: str
) -> None:
    type_in(app, path, value)
    assert any(text.startswith(message) for text in errors(app)), errors(app)
    assert not offers_run(app)
    assert button(app, "Download study").disabled


def test_a_bad_cell_names_the_dose_and_the_assumption(app: AppTest) -> None:
    edit_arms(app, edited_rows={3: {"truth 1": 1.5}})
    assert errors(app)[0].startswith("5 mg, flatter: must lie between 0 and 1 (a response rate)")
    edit_arms(app, edited_rows={3: {"truth 1": 0.5}})
    assert not app.error


def test_a_seed_must_be_a_whole_number(app: AppTest) -> None:
    type_in(app, "simulation.seed", "9223372036854775807")
    assert study(app).simulation.seed == 2**63 - 1
    type_in(app, "simulation.seed", "many")
    assert errors(app)[0].startswith("Seed: must be a whole number, but is 'many'")


def test_a_score_has_a_standard_deviation_and_shows_its_variance(app: AppTest) -> None:
    app.radio(key=key(app, "kind")).set_value("gaussian").run()
    assert fields(app)["outcome.variance"] == "1.2"
    type_in(app, "outcome.variance", "2,0")
    assert study(app).outcome.s2 == 4.0
    assert "Variance (sigma²) 4" in [caption.value for caption in app.caption]
    type_in(app, "outcome.variance", 0.0)
    assert "must be a standard deviation from 1e-06 to 1e+06" in errors(app)[0]
    type_in(app, "outcome.variance", "√1.5")
    assert study(app).outcome.s2 == 1.5


@pytest.mark.parametrize(
    ("preset", "value"), [("ACR20: 0.60", 0.6), ("placebo + 0.20: 0.42", 0.42)]
)
def test_usual_targets_set_the_target(app: AppTest, preset: str, value: float) -> None:
    app.button_group(key=key(app, "preset-bernoulli")).select(preset).run()
    assert study(app).threshold == pytest.approx(value)


def test_assumptions_can_be_added_renamed_and_removed(app: AppTest) -> None:
    button(app, "Every dose at the target").click().run()
    assert study(app).truths[-1].means == (0.5,) * 6
    app.button(key=key(app, "remove-truth-3")).click().run()
    button(app, "Every dose like the control").click().run()
    assert study(app).truths[-1].name == "inert"
    assert study(app).truths[-1].means == (0.22,) * 6
    type_in(app, "truths.0.name", "as published")
    assert study(app).truths[0].name == "as published"
    app.button(key=key(app, "remove-truth-1")).click().run()
    names = [truth.name for truth in study(app).truths]
    assert names == ["as published", "just below the target", "every dose at the target", "inert"]


def open_design(page: AppTest, position: int) -> None:
    page.session_state[key(page, f"box-{position}")] = True
    page.run()


def open_ready_made(page: AppTest) -> None:
    page.session_state[key(page, "add-design")] = True
    page.run()


def test_ready_made_designs_can_be_added_and_removed(app: AppTest) -> None:
    open_ready_made(app)
    shown = [str(caption.value).replace("\\", "") for caption in app.caption]
    assert ABOUT["HDoC, mixture"] in shown
    button(app, "HDoC, mixture").click().run()
    assert [design.name for design in study(app).designs][-1] == "HDoC, mixture"
    open_design(app, 0)
    app.button(key=key(app, "remove-0")).click().run()
    assert study(app).designs[0].name == "Fixed"


def test_designs_can_be_added_as_soon_as_the_errors_are_mended(app: AppTest) -> None:
    def offered() -> bool:
        return not [b for b in app.button if b.label == "Add a design" and b.disabled]

    assert offered()
    type_in(app, "delta", "much")
    assert not offered()
    type_in(app, "delta", "0.1")
    assert offered()
    app.radio(key=key(app, "kind")).set_value("gaussian").run()
    type_in(app, "truths.0.name", "")
    assert not offered()
    app.button(key="undo").click().run()
    assert offered()
    open_ready_made(app)
    button(app, "HDoC, mixture").click().run()
    assert study(app).designs[-1].name == "HDoC, mixture"


def test_looking_at_a_study_changes_nothing(app: AppTest) -> None:
    futility = {"futility": "below", "futility_parameters": {"after": 10}}
    data = DEFAULT.model_dump(mode="json")
    data["designs"][2] |= futility
    data |= {"delta": None, "errors": {"declare": 0.05, "drop": 0.1}, "wanted": 1}
    before = validated(data, "test")
    app.session_state["base"] = app.session_state["draft"] = before.model_dump(mode="json")
    app.run()
    open_design(app, 2)
    assert study(app) == before
    type_in(app, "errors.drop", "20%")
    assert study(app).error_rates.drop == 0.2
    assert study(app).designs == before.designs


def test_raw_choices_have_words(app: AppTest) -> None:
    open_design(app, 2)
    shape = app.selectbox(key=key(app, "designs.2.criterion_parameters.shape"))
    assert shape.label == "How strict early looks are"
    assert shape.options[0] == "as strict as late ones (Pocock)"
    shape.select("obrien-fleming").run()
    assert study(app).designs[2].criterion_parameters == {"shape": "obrien-fleming"}


@pytest.mark.parametrize("part", ["rule", "criterion"])
def test_every_entry_of_a_registry_can_be_chosen_with_its_own_parameters(
    app: AppTest, part: str
) -> None:
    registry = RULES if part == "rule" else CRITERIA
    open_design(app, 0)
    menu = app.selectbox(key=key(app, f"{part}-0"))
    fitting = [name for name, entry in registry.items() if "bernoulli" in entry.outcomes]
    assert menu.options == [registry[name].label for name in fitting]
    for name in fitting:
        app.selectbox(key=key(app, f"{part}-0")).select(name).run()
        assert getattr(study(app).designs[0], part) == name
        for parameter, about in (
            registry[name].parameters.model_json_schema().get("properties", {}).items()
        ):
            place = f"designs.0.{part}_parameters.{parameter}"
            drawn = place in fields(app) or key(app, place) in app.session_state
            assert drawn == (MATTERS not in about and OF_EVIDENCE not in about)


def test_a_parameter_is_asked_for_once_it_matters(app: AppTest) -> None:
    open_design(app, 2)
    place = "designs.2.criterion_parameters"
    assert f"{place}.prior_patients" not in fields(app)
    app.selectbox(key=key(app, f"{place}.shape")).select("posterior").run()
    type_in(app, f"{place}.prior_patients", "12")
    assert study(app).designs[2].criterion_parameters["prior_patients"] == 12


@pytest.mark.parametrize(
    ("criterion", "silent", "other"), [("posterior", "c_good", 0.9), ("exact", "declare_from", 0.5)]
)
def test_what_only_declares_is_not_asked_where_it_drops_and_changes_nothing_there(
    app: AppTest, criterion: str, silent: str, other: float
) -> None:
    open_design(app, 2)
    app.selectbox(key=key(app, "futility-2")).select(criterion).run()
    asked = {path for path in fields(app) if path.startswith("designs.2.futility_parameters.")}
    assert asked
    assert f"designs.2.futility_parameters.{silent}" not in asked
    with_it = study(app).model_dump(mode="json")
    with_it["designs"][2]["futility_parameters"] = {silent: other}
    given = validated(with_it, "test")
    limits, same = (one.stages(one.designs[2]) for one in (study(app), given))
    np.testing.assert_array_equal(limits.reject, same.reject)
    np.testing.assert_array_equal(limits.accept, same.accept)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("end", "end"),
        ("20", 20),
        ("10, 40, 60", [10, 40, 60]),
        ("[10, 40]", [10, 40]),
        ("{ equal = 4 }", {"equal": 4}),
    ],
)
def test_parameters_are_typed_as_words_numbers_lists_or_tables(
    app: AppTest, typed: str, read: object
) -> None:
    open_design(app, 2)
    type_in(app, "designs.2.criterion_parameters.looks", typed)
    assert study(app).designs[2].criterion_parameters == {"looks": read}


def test_a_wrong_parameter_is_named_with_its_design(app: AppTest) -> None:
    open_design(app, 2)
    type_in(app, "designs.2.criterion_parameters.looks", "often")
    assert errors(app)[0].startswith("Nearest finish, exact, looks: must be a whole number from 1")


def test_a_folded_design_keeps_what_was_typed(app: AppTest) -> None:
    open_design(app, 0)
    type_in(app, "designs.0.burn_in", 7)
    app.session_state[key(app, "box-0")] = False
    app.run()
    assert study(app).designs[0].burn_in == 7
    open_design(app, 0)
    assert fields(app)["designs.0.burn_in"] == "7"


def test_the_plan_survives_a_visit_to_another_page(app: AppTest) -> None:
    type_in(app, "delta", 0.1)
    edit_arms(app, edited_rows={3: {"truth 0": 0.9}})
    before = study(app)
    go(app, "help")
    go(app, "plan")
    assert study(app) == before
    assert fields(app)["delta"] == "0.1"


def test_results_of_another_plan_are_said_to_be_so(app: AppTest) -> None:
    type_in(app, "simulation.runs", 20_000)
    go(app, "results")
    assert any("plan is not the one shown" in str(warning.value) for warning in app.warning)


def test_a_run_over_the_limit_is_refused_with_what_to_change(app: AppTest) -> None:
    type_in(app, "simulation.runs", 10_000_000)
    (text,) = errors(app)
    assert "may need 48,000,000,000 simulated patients" in text
    assert "Choose at most 138,888 simulated trials" in text


def test_help_names_every_rule_and_criterion(app: AppTest) -> None:
    go(app, "help")
    open_tab(app, "Rules", "help-tab")
    text = " ".join(str(table.value.to_numpy()) for table in app.table).replace("\\", "")
    for entry in (*RULES.values(), *CRITERIA.values()):
        assert f"({entry.key})" in text
    shown = " ".join(" ".join(element.value for element in app.markdown).split())
    assert "Dunnett's limits are the exception: their guarantee is about equal allocation" in shown
    assert "look at the verdicts on other doses as well" in shown


def test_a_replayed_trial_can_be_chosen_by_number(app: AppTest) -> None:
    go(app, "one_trial")
    app.button_group(key="way").select("by number").run()
    app.number_input(key="trial-number").set_value(17).run()
    assert app.slider[0].max == 400
    app.slider[0].set_value(6).run()
    assert column(app.table[0], "patients") == ["5", "1", "0", "0", "0", "0"]


def test_the_exact_errors_of_the_plan_are_within_what_is_promised(app: AppTest) -> None:
    go(app, "decision_rules")
    until = time.monotonic() + TIMEOUT
    while not has_no_job(app, "exact"):
        assert time.monotonic() < until
        time.sleep(0.1)
        app.run()
    expected = exact_errors_table(DEFAULT, worst_cases(DEFAULT))
    assert names(app.table[-1]) == expected.columns
    assert cells(app.table[-1]) == expected.rows
    errors_of_lists = column(app.table[-1], "error of the whole list, at most")
    assert DEFAULT.delta is not None
    assert all(float(error) <= DEFAULT.delta for error in errors_of_lists)


def test_decision_rules_open_on_the_design_to_use(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = DEFAULT.designs[2].name
    monkeypatch.setattr("gai_app.answer.advice_on_run", lambda _: SimpleNamespace(recommended=told))
    go(app, "decision_rules")
    menu = app.selectbox(key="choose-rules-design")
    assert menu.value == told
    menu.select(DEFAULT.designs[0].name).run()
    go(app, "help")
    go(app, "decision_rules")
    assert app.selectbox(key="choose-rules-design").value == DEFAULT.designs[0].name


def figures_of_tabs(page: AppTest) -> Iterator[tuple[str, list[str]]]:
    """The pages, tab by tab, and what their figures are called."""
    for name in PAGES:
        go(page, name)
        for tab in [tab.label for tab in page.tabs] or [""]:
            if tab:
                open_tab(page, tab, f"{name}-tab")
            yield name, [chart.proto.alt for chart in page.get("plotly_chart")]


def test_only_the_open_tab_of_the_results_is_drawn(app: AppTest) -> None:
    drawn = [figures for page, figures in figures_of_tabs(app) if page == "results"]
    every = set().union(*drawn)
    assert sum(map(len, drawn)) == len(every) >= 4
    assert all(name.startswith("Figure: ") for name in every)


def test_the_same_label_has_the_same_number_on_plan_and_compare(app: AppTest) -> None:
    glance = app.table[0]
    shared = 0
    go(app, "compare")
    for key, quantity in comparable(DEFAULT).items():
        if quantity.label not in names(glance):
            continue
        app.selectbox(key="choose-quantity").select(key).run()
        on_plan = [cell.split("; ")[0] for cell in column(glance, quantity.label)]
        assert column(app.table[0], DEFAULT.truths[0].name) == on_plan
        shared += 1
    assert shared == len(names(glance)) - 1


def test_every_attribute_of_an_estimand_has_a_field_that_says_what_it_is(app: AppTest) -> None:
    unfold(app, key(app, "estimand"))
    drawn = drawn_fields(app)
    for name, field in Estimand.model_fields.items():
        assert drawn[f"estimand.{name}"]["help"] == field.description, name
    type_in(app, "estimand.summary_measure", "difference of two means")
    stated = study(app).estimand
    assert stated == Estimand(summary_measure="difference of two means")


def test_every_figure_has_its_data_as_a_table(app: AppTest) -> None:
    seen = set()
    for page, figures in figures_of_tabs(app):
        folded = [box.label for box in app.expander]
        for name in figures:
            assert f"As a table: {markdown(name.removeprefix('Figure: '))}" in folded, page
            seen.add(page)
    assert seen >= {"results", "compare", "one_trial", "decision_rules"}


def test_a_study_without_good_doses_and_with_one_trial_is_shown_without_nan(app: AppTest) -> None:
    edit_arms(app, edited_rows={i: {f"truth {k}": 0.1 for k in range(3)} for i in range(6)})
    type_in(app, "simulation.runs", 1)
    finish(type_in(app, "simulation.n_max", 30))
    assert study(app) == changed(study(app), runs=1, n_max=30)
    for name in PAGES:
        go(app, name)
        tables = " ".join(str(cells(frame)) for frame in app.table[:3])
        assert "nan" not in tables.lower().replace("nanosecond", ""), name


def test_what_a_pass_that_was_given_up_left_behind_is_drawn_nowhere(app: AppTest) -> None:
    """The place for a search is one of its pass; on another page something else is there."""
    app.session_state[LATER] = AdviceAsked(study(app)), None, None  # no place at all
    go(app, "help")
    assert not app.exception
    assert app.session_state[LATER] is None

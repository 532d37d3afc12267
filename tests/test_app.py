"""The pages' logic, without a browser: what is typed, what is run, what is shown."""

import runpy
import time
from types import SimpleNamespace

import pytest
import streamlit as st
from app_page import (
    DEFAULT,
    MAIN,
    button,
    cells,
    column,
    edit_arms,
    errors,
    fields,
    figures_of_tabs,
    finish,
    go,
    has_no_job,
    key,
    names,
    offers_run,
    open_design,
    open_example,
    open_menu,
    open_tab,
    study,
    type_in,
)
from conducted import of_every_sort
from gai_app import address, session
from gai_app.answer import LATER
from gai_app.escaping import markdown
from gai_app.explore.jobs import AdviceAsked
from gai_app.pages import PAGES
from gai_app.studies import with_wanted_on_top
from patience import PATIENCE
from streamlit.testing.v1 import AppTest

from gai_core import (
    CRITERIA,
    RULES,
    characteristics,
    load_study,
    scenario_names,
    simulate,
)
from gai_core.results import comparable, exact_errors_table
from gai_core.results.summary import Values, headline
from gai_core.study import scenario_titles
from gai_core.study.changing import changed
from gai_core.study.validating import validated
from gai_core.theory import worst_cases


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
    monkeypatch.setattr(session, "A_MOMENT", PATIENCE)
    monkeypatch.setattr(session, "LONGEST_MOMENT", PATIENCE)
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
    until = time.monotonic() + PATIENCE
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


def test_only_the_open_tab_of_the_results_is_drawn(app: AppTest) -> None:
    drawn = [figures for page, figures in figures_of_tabs(app) if page == "results"]
    every = set().union(*drawn)
    assert sum(map(len, drawn)) == len(every) >= 4
    assert all(name.startswith("Figure: ") for name in every)


def test_the_same_label_has_the_same_number_on_plan_and_compare(app: AppTest) -> None:
    glance = app.table[0]
    shared = 0
    go(app, "compare")
    for name, quantity in comparable(DEFAULT).items():
        if quantity.label not in names(glance):
            continue
        app.selectbox(key="choose-quantity").select(name).run()
        on_plan = [cell.split("; ")[0] for cell in column(glance, quantity.label)]
        assert column(app.table[0], DEFAULT.truths[0].name) == on_plan
        shared += 1
    assert shared == len(names(glance)) - 1


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


def test_a_process_that_a_cluster_starts_draws_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python runs the script of the process that started it again, called so."""
    monkeypatch.setattr(st, "set_page_config", pytest.fail)
    assert "draw" in runpy.run_path(str(MAIN), run_name="__mp_main__")

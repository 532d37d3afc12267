"""Errors allowed, doses wanted and what drops a dose: fields like all others."""

import re
from pathlib import Path

import pytest
from app_page import (
    button,
    drawn_fields,
    errors,
    fields,
    finish,
    key,
    open_design,
    said,
    send,
    study,
    type_in,
)
from streamlit.testing.v1 import AppTest

from gai_core import CRITERIA
from gai_core.basics import DECLARES, MATTERS, OF_EVIDENCE
from gai_core.criteria import futilities
from gai_core.study import NOT_BINDING

TWO = "two rates, for either error"
ONE = "one rate for any wrong verdict"


def rates(page: AppTest, way: str) -> AppTest:
    return page.radio(key=key(page, "rates")).set_value(way).run()


def test_one_rate_becomes_two_of_the_same_and_back(app: AppTest) -> None:
    before = study(app)
    rates(app, TWO)
    assert study(app).errors is not None
    assert study(app).error_rates == before.error_rates
    type_in(app, "errors.drop", "20%")
    type_in(app, "errors.declare", ",025")
    assert (study(app).error_rates.declare, study(app).error_rates.drop) == (0.025, 0.2)
    rates(app, ONE)
    assert study(app).delta == 0.025  # what was promised still is
    assert study(app).errors is None
    button(app, "Undo").click().run()
    assert study(app).error_rates.drop == 0.2
    assert app.radio(key=key(app, "rates")).value == TWO
    for _ in range(3):
        button(app, "Undo").click().run()
    assert study(app) == before
    assert app.radio(key=key(app, "rates")).value == ONE


@pytest.mark.parametrize(
    ("path", "typed", "message"),
    [
        ("errors.declare", "2", "False declaration (alpha): must be less than 1"),
        ("errors.drop", "ten", "Good dose dropped (beta): must be a number, but is 'ten'"),
        ("errors.drop", "1,000", "Good dose dropped (beta): “1,000” can be read in two ways"),
    ],
)
def test_a_bad_rate_is_refused_at_its_field(
    app: AppTest, path: str, typed: str, message: str
) -> None:
    rates(app, TWO)
    type_in(app, path, typed)
    assert message in errors(app)[0]
    assert message in drawn_fields(app)[path]["error"]
    assert fields(app)[path] == typed


def test_rates_that_leave_nothing_are_refused_at_both(app: AppTest) -> None:
    rates(app, TWO)
    type_in(app, "errors.drop", "0.97")
    assert errors(app)[0].startswith("Errors allowed: ")


@pytest.mark.parametrize(("typed", "wanted"), [("2", 2), ("", None), ("All", None), (" 1 ", 1)])
def test_doses_wanted_are_a_number_or_all(app: AppTest, typed: str, wanted: int | None) -> None:
    type_in(app, "wanted", "3")
    type_in(app, "wanted", typed)
    assert study(app).wanted == wanted
    assert fields(app)["wanted"] == typed


def test_the_end_is_said_and_a_bad_number_refused(app: AppTest) -> None:
    assert "ends when every dose is declared or dropped" in said(app)
    type_in(app, "wanted", 1)
    assert "ends when one dose is declared, or every dose is dropped" in said(app)
    type_in(app, "wanted", 9)
    assert errors(app) == [
        "Doses wanted: must be at most the 6 doses that can be declared, but is 9; "
        "lower it, or leave it out to settle every dose"
    ]
    assert "must be at most the 6 doses" in drawn_fields(app)["wanted"]["error"]


def futility(page: AppTest, way: str, design: int = 2) -> AppTest:
    return page.selectbox(key=key(page, f"futility-{design}")).set_value(way).run()


def test_every_way_to_drop_doses_can_be_chosen_with_its_parameters(app: AppTest) -> None:
    open_design(app, 2)
    menu = app.selectbox(key=key(app, "futility-2"))
    assert menu.value == ""
    ways = [k for k in futilities() if k not in CRITERIA or "bernoulli" in CRITERIA[k].outcomes]
    assert len(menu.options) == len(ways) + 1
    for way in ways:
        futility(app, way)
        assert study(app).designs[2].futility == way
        described = futilities()[way].parameters.model_json_schema().get("properties", {})
        for parameter, about in described.items():
            place = f"designs.2.futility_parameters.{parameter}"
            drawn = place in fields(app) or key(app, place) in app.session_state
            assert drawn == (not {MATTERS, OF_EVIDENCE, DECLARES} & set(about))
    assert NOT_BINDING in said(app)
    futility(app, "")
    assert study(app).designs[2].futility is None


def test_dropping_below_the_target_is_typed_refused_and_undone(app: AppTest) -> None:
    before = study(app)
    open_design(app, 2)
    futility(app, "below")
    type_in(app, "designs.2.futility_parameters.amount", "5%")
    assert "is a percentage" in errors(app)[0]
    type_in(app, "designs.2.futility_parameters.amount", ",05")
    type_in(app, "designs.2.futility_parameters.after", 20)
    design = study(app).designs[2]
    assert design.futility_parameters == {"amount": 0.05, "after": 20}
    finish(app)
    assert "In this study, assuming “published”, a good dose is dropped in" in said(app)
    type_in(app, "designs.2.futility_parameters.after", 5000)
    assert errors(app)[0].startswith("Nearest finish, exact, after: must not go beyond n_max")
    while not button(app, "Undo").disabled:
        button(app, "Undo").click().run()
    assert study(app) == before


def test_a_design_with_one_look_at_the_end_drops_nothing_before(app: AppTest) -> None:
    open_design(app, 1)
    menu = app.selectbox(key=key(app, "futility-1"))
    assert menu.options == ["The decision rule's own lower limit", "No dose is dropped"]


def test_the_promise_names_the_rates_that_the_study_has(app: AppTest) -> None:
    open_design(app, 2)
    assert "any wrong verdict is at most delta" in said(app)
    rates(app, TWO)
    type_in(app, "errors.drop", "0.2")
    assert "any false declaration is at most alpha" in said(app)
    assert "any wrong verdict is at most delta" not in said(app)


def test_a_click_comes_after_what_was_typed_before_it(app: AppTest) -> None:
    """Both may arrive in one message, and Streamlit calls what belongs to the click first."""

    def typed(path: str, text: str, reads: str) -> None:
        numbered = {"n": app.session_state["last-edit"] + 1}
        edit = {"sheet": path, "path": path, "reads": reads, "text": text}
        sent = {"of": app.session_state["session-name"], "list": [numbered | edit]}
        app.session_state["keeper"] = {"edits": sent}

    send(app, {"sheet": "title", "path": "title", "reads": "text", "text": "First"})
    typed("delta", "0.2", "share")
    rates(app, TWO)
    assert study(app).error_rates.declare == 0.2
    typed("title", "Second", "text")
    button(app, "Undo").click().run()
    assert study(app).title == "First"
    app.session_state[key(app, "open")] = True
    app.run()
    typed("title", "Third", "text")
    app.button(key="new-study").click().run()
    assert study(app).title == "My dose-finding study"
    (left,) = app.session_state["studies"].values()
    assert left.data["title"] == "Third"


def test_no_click_of_the_app_passes_what_was_typed() -> None:
    source = Path(__file__).parent.parent / "app/gai_app"
    found = [
        f"{file.name}: {call}"
        for file in source.rglob("*.py")
        for call in re.findall(r"on_(?:click|change)=([^,\n]+)", file.read_text(encoding="utf-8"))
        if not call.startswith(('"rerun"', '"ignore"', "after_typing("))
    ]
    assert found == []

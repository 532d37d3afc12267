"""What is typed is taken as typed or refused in words, can be undone, and is never overwritten."""

import math
from decimal import Decimal
from typing import Any

import pytest
import streamlit
from app_page import (
    button,
    edit_arms,
    errors,
    fields,
    key,
    open_example,
    open_menu,
    send,
    study,
    type_in,
)
from gai_app import session
from gai_app.editor.kinds import fitted
from gai_app.editor.parsing import deviation, number, numbers, share, whole, written, written_as
from gai_app.editor.plausible import implausible_means
from gai_app.history import MOST_STEPS, History
from gai_app.jobs import question
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from gai_core import CRITERIA, load_study
from gai_core.evidence import named_outcomes
from gai_core.study.validating import study_or_problems, validated


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("0.45", 0.45), (".45", 0.45), ("0,45", 0.45), (",45", 0.45), ("45%", 0.45), ("45 %", 0.45),
        ("4,5e-1", 0.45), (" 0.45 ", 0.45), ("\u00a00.45", 0.45), ("1.", 1.0), ("28.7%", 0.287),
        ("+.5", 0.5), ("0,450", 0.45), ("1.234", 1.234), ("\u22121.2", -1.2),
        ("", None), ("  ", None),
    ],
)  # fmt: skip
def test_a_share_is_read_in_every_style(typed: str, value: float | None) -> None:
    assert share(typed) == (value, "")


@pytest.mark.parametrize("typed", ["1,234", "1.234,5", "1,234.5", "1 000", "12,345,678", "1'000"])
def test_what_may_be_thousands_is_refused_and_not_guessed(typed: str) -> None:
    for read in (number, share, whole):
        found = read(typed)
        assert found.value == typed
        assert "can be read in two ways" in found.why
    assert "can be read in two ways" in whole("1.000").why


@pytest.mark.parametrize("typed", ["abc", "0.4.5", "--1", "1e", "nan", "inf", "0x10", "4 5", "½"])
def test_what_is_no_number_stays_a_text_for_validation(typed: str) -> None:
    assert number(typed).value == typed


def test_a_percentage_is_no_score_and_a_number_beyond_all_is_refused() -> None:
    assert "is a percentage" in number("45%").why
    assert "too large" in number("1e999").why


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15))
def test_a_written_number_is_read_as_itself(value: float) -> None:
    for text in (written(value), written(value).replace(".", ",")):
        found = number(text)
        assert found.value == value or "two ways" in found.why
    assert number(written(value)).value == value


@pytest.mark.parametrize(
    ("typed", "variance", "shown"),
    [
        ("1.2", 1.44, "1.2"), ("1,2", 1.44, "1.2"), (" .9 ", 0.81, "0.9"), ("1e1", 100.0, "10"),
        ("0.763", 0.582169, "0.763"), ("√1.44", 1.44, "1.2"), ("sqrt(2)", 2.0, "√2"),
        ("√ 2,5", 2.5, "√2.5"),
    ],
)  # fmt: skip
def test_a_standard_deviation_is_kept_as_its_variance(
    typed: str, variance: float, shown: str
) -> None:
    assert deviation(typed) == (variance, "")
    assert written_as("deviation", variance) == shown


@pytest.mark.parametrize("typed", ["0", "-1.2", "abc", "120%", "√-2", "1e7", "1,234", "√"])
def test_what_is_no_standard_deviation_is_refused_in_words(typed: str) -> None:
    found = deviation(typed)
    assert found.value == typed
    assert found.why


@given(st.decimals(min_value="0.001", max_value=1000, places=3))
def test_a_standard_deviation_is_shown_as_it_was_typed(value: Decimal) -> None:
    found = deviation(str(value)).value
    assert found == float(value * value)
    assert Decimal(written_as("deviation", found)) == value


@given(st.integers(min_value=0, max_value=10**18))
def test_a_whole_number_keeps_every_digit(value: int) -> None:
    assert whole(str(value)) == (value, "")


@given(st.text())
def test_any_text_is_a_finite_number_or_is_kept_as_it_is(text: str) -> None:
    for read in (number, share, whole):
        value = read(text).value
        if isinstance(value, float | int):
            assert math.isfinite(value)
        else:
            assert value is None or isinstance(value, str)


def test_one_comma_may_be_a_decimal_mark_or_part_a_list() -> None:
    for typed in ("1,5", ",5"):
        assert numbers(typed).value == typed
        assert "can be read in two ways" in numbers(typed).why
    assert numbers("1, 5").value == numbers("[1,5]").value == [1, 5]
    assert numbers("10,40,60").value == [10, 40, 60]


@given(st.lists(st.integers(1, 10_000), min_size=1))
def test_a_list_is_read_as_it_is_written(values: list[int]) -> None:
    assert numbers(written(values)).value == values


def test_letters_at_one_place_are_one_step_and_steps_are_bounded() -> None:
    history, now = History(), {"x": ""}
    for text in ("0", "0.", "0.4"):
        history.step(now, ("delta", 1))
        now = {"x": text}
    history.step(now, ("delta", 2))  # the same field, entered again
    now = {"x": "0.5"}
    now = history.undo(now)
    assert now == {"x": "0.4"}
    now = history.undo(now)
    assert now == {"x": ""}
    assert history.undo(now) == {"x": ""}
    assert history.redo(now) == {"x": "0.4"}
    for i in range(3 * MOST_STEPS):
        history.step({"x": i})
    assert len(history.past) == MOST_STEPS
    assert not history.future


def test_the_text_stays_as_typed_beside_its_value(app: AppTest) -> None:
    type_in(app, "delta", "10 %")
    assert study(app).delta == 0.1
    assert fields(app)["delta"] == "10 %"
    type_in(app, "delta", "ten")
    assert fields(app)["delta"] == "ten"
    assert errors(app) == ["Error rate (delta): must be a number, but is 'ten'"]
    type_in(app, "simulation.n_max", "1.000")
    assert "“1.000” can be read in two ways" in " ".join(errors(app))


def test_an_edit_counts_on_every_page_and_is_taken_once(app: AppTest) -> None:
    edit = {"n": 1, "sheet": "delta", "path": "delta", "reads": "share", "text": "0.2"}
    own = app.session_state["session-name"]
    app.session_state["keeper"] = {"edits": {"of": own, "list": [edit]}}
    app.switch_page("views/help.py").run()
    assert study(app).delta == 0.2
    assert len(app.session_state["history"].past) == 1
    both = [edit, edit | {"n": 2, "text": "0.3"}]
    app.session_state["keeper"] = {"edits": {"of": own, "list": both}}
    app.run()
    assert study(app).delta == 0.3


def test_what_was_sent_to_another_session_is_not_taken(app: AppTest) -> None:
    before = study(app)
    removal = {"n": 1, "sheet": "arms", "remove": 1}
    app.session_state["keeper"] = {"edits": {"of": "one that is gone", "list": [removal]}}
    app.run()
    assert study(app) == before


def test_undo_and_redo_go_over_fields_tables_and_choices(app: AppTest) -> None:
    before = study(app)
    assert app.button(key="undo").disabled
    type_in(app, "delta", "0.2")
    app.radio(key=key(app, "kind")).set_value("gaussian").run()
    send(app, {"sheet": "arms", "remove": 5})
    assert len(study(app).arms) == 5
    after = study(app)
    for _ in range(3):
        app.button(key="undo").click().run()
    assert study(app) == before
    assert app.button(key="undo").disabled
    for _ in range(3):
        app.button(key="redo").click().run()
    assert study(app) == after
    send(app, {"sheet": "undo", "step": "undo"})
    assert len(study(app).arms) == 6


def test_another_study_opens_beside_changed_work_and_replaces_nothing(app: AppTest) -> None:
    type_in(app, "delta", "0.2")
    mine = study(app)
    open_example(app, "medical-2")
    assert study(app) == load_study("medical-2")
    app.selectbox(key=key(app, "which-study")).select_index(0).run()
    assert study(app) == mine
    app.button(key="undo").click().run()
    assert study(app) == load_study("tofacitinib")


def test_an_example_that_nobody_changed_makes_room_and_an_open_study_opens_once(
    app: AppTest,
) -> None:
    open_example(app, "medical-2")
    assert list(app.session_state["studies"]) == []
    type_in(app, "delta", "0.2")
    open_example(app, "tofacitinib")
    open_example(app, "medical-2")
    assert len(app.session_state["studies"]) == 2
    open_example(app, "tofacitinib")
    assert study(app) == load_study("tofacitinib")
    assert len(app.session_state["studies"]) == 2


def test_a_closed_study_can_be_had_back(app: AppTest) -> None:
    type_in(app, "delta", "0.2")
    mine = study(app)
    open_example(app, "medical-2")
    app.selectbox(key=key(app, "which-study")).select_index(0).run()
    open_menu(app).button(key="close-study").click().run()
    assert study(app) == load_study("medical-2")
    open_menu(app).button(key="reopen-study").click().run()
    assert study(app) == mine
    app.button(key="undo").click().run()
    assert study(app) == load_study("tofacitinib")


def test_another_kind_of_outcome_offers_fitting_values_and_undo_brings_the_old_ones(
    app: AppTest,
) -> None:
    before = study(app)
    app.radio(key=key(app, "kind")).set_value("gaussian").run()
    assert study(app).threshold == 0.5
    button(app, "Take fitting values").click().run()
    fitting = study(app)
    assert fitting.threshold == 0.6
    assert fitting.outcome.s2 == 1.44
    # 5 mg: (0.592 - 0.5) / 0.5 standard deviations above the target, of 1.2 each.
    assert fitting.truths[0].means[3] == pytest.approx(0.6 + (0.592 - 0.5) / 0.5 * 1.2, abs=0.001)
    assert not [b for b in app.button if b.label == "Take fitting values"]
    app.button(key="undo").click().run()
    app.button(key="undo").click().run()
    assert study(app) == before


@pytest.mark.parametrize("kind", named_outcomes())
@pytest.mark.parametrize("name", ["tofacitinib", "sirukumab-das28", "sirukumab-das28-unknown"])
def test_fitting_values_make_a_valid_study_of_any_kind(name: str, kind: str) -> None:
    data: dict[str, Any] = load_study(name).model_dump(mode="json")
    fitting = fitted(data, named_outcomes()[kind])
    assert fitting is not None
    for truth in fitting["truths"]:
        truth["trend"] = None
    criterion = next(key for key, entry in CRITERIA.items() if entry.suits(named_outcomes()[kind]))
    designs = [{"name": "Fixed", "rule": "equal", "criterion": criterion}]
    found = study_or_problems(data | fitting | {"designs": designs, "conduct": None})
    assert not isinstance(found, list), found


def test_an_unknown_spread_is_asked_for_with_every_assumption_and_comes_back(app: AppTest) -> None:
    open_example(app, "sirukumab-das28")
    opened = study(app)
    app.radio(key=key(app, "kind")).set_value("gaussian:unknown").run()
    unknown = study(app)
    assert not unknown.outcome.knows_variance
    stated = [truth.variance or opened.outcome.s2 for truth in opened.truths]
    assert [truth.variance for truth in unknown.truths] == stated
    assert unknown.truths[0].means == opened.truths[0].means
    app.radio(key=key(app, "kind")).set_value("gaussian").run()
    assert study(app) == opened
    app.button(key="undo").click().run()
    assert study(app) == unknown


def test_a_mean_far_from_everything_is_asked_about() -> None:
    data = load_study("medical-2").model_dump(mode="json")
    assert implausible_means(validated(data, "test")) == []
    data["truths"][0]["means"][1] = 9.0
    (sentence,) = implausible_means(validated(data, "test"))
    assert "9 lies" in sentence
    assert "standard deviations from the target" in sentence


def test_what_follows_from_an_edit_at_once_is_drawn_before_its_run_is_waited_for(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pictures() -> dict[str, Any]:
        return dict(streamlit.session_state["still-figures"])

    waited: list[dict[str, Any]] = []
    monkeypatch.setattr(session, "_wait", lambda *_: waited.append(pictures()))
    before = dict(app.session_state["still-figures"])
    edit_arms(app, edited_rows={2: {"truth 0": 0.123}})
    after = app.session_state["still-figures"]
    assert after["dose-response"] != before["dose-response"]
    assert [at_the_wait["dose-response"] for at_the_wait in waited] == [after["dose-response"]]
    assert not app.exception


def test_a_text_and_a_menu_changed_at_once_are_both_in_the_picture(app: AppTest) -> None:
    rates = app.radio(key=key(app, "rates"))
    rates.set_value(next(one for one in rates.options if one != rates.value))
    edit_arms(app, edited_rows={2: {"truth 0": 0.123}})
    found = study(app)
    assert found.truths[0].means[2] == 0.123
    assert found.errors is not None
    (_, title), _ = app.session_state["still-figures"]["dose-response"]
    assert found.truths[0].name in title
    assert app.session_state["still-figures"]["dose-response"][0][0] == question(
        "dose-response", found
    )

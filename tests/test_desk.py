"""What a reload brings back: the study, its steps and errors, the others beside it, the runs."""

import base64
import json
import tracemalloc
import zlib
from typing import Any

import pytest
import streamlit as st
from app_page import (
    DEFAULT,
    MAIN,
    edit_arms,
    errors,
    fields,
    finish,
    key,
    open_example,
    study,
    type_in,
)
from gai_app.desk import restore
from gai_app.draft import steps
from gai_app.links import encoded
from gai_app.settings import DESK_BYTES, DESK_PARTS, LINK_CHARACTERS, STUDIES_PER_SESSION
from patience import PATIENCE
from streamlit.testing.v1 import AppTest

from gai_core import Study, dump_study, load_study
from gai_core.study.changing import changed
from gai_core.study.validating import validated


def written(page: AppTest) -> dict[str, Any]:
    """What the page lets the browser keep."""
    drawn = [json.loads(element.proto.json) for element in page.get("bidi_component")]
    (found,) = [data for data in drawn if "desk" in data]
    return dict(found)


def reloaded(
    page: AppTest, *, query: dict[str, str] | None = None, desk: str | None = None
) -> AppTest:
    """A new session in the same tab: it has the address, and the desk comes from the browser."""
    before = written(page)
    again = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
    again.session_state["pictures"] = True
    for name, value in (before["query"] if query is None else query).items():
        again.query_params[name] = value
    again.run()
    had = before["desk"] if desk is None else desk
    found = {"session": written_session(again), "desk": had, "long": before["long"]}
    again.session_state["address"] = {"found": found}
    again.run()
    return finish(again)


def written_session(page: AppTest) -> str:
    return str(page.session_state["session-name"])


def test_the_address_has_the_study_and_says_that_it_was_run(app: AppTest) -> None:
    assert written(app)["query"] == {"study": encoded(DEFAULT), "run": "1"}
    type_in(app, "simulation.runs", 20_000)
    assert written(app)["query"] == {"study": encoded(changed(DEFAULT, runs=20_000))}


def test_a_reload_brings_back_the_study_its_steps_and_its_runs(app: AppTest) -> None:
    finish(type_in(app, "simulation.n_max", 120))
    finish(type_in(app, "delta", 0.1))
    again = reloaded(app)
    assert study(again) == study(app)
    assert again.session_state["run-order"] == app.session_state["run-order"]
    assert again.session_state["run-names"] == app.session_state["run-names"]
    assert again.session_state["shown"] == app.session_state["shown"]
    assert set(again.session_state["results"]) == set(app.session_state["results"])
    again.button(key="undo").click().run()
    assert study(again) == changed(DEFAULT, n_max=120)


def test_a_reload_brings_back_what_is_not_valid_with_its_words(app: AppTest) -> None:
    edit_arms(app, edited_rows={3: {"truth 1": "1,234"}})
    type_in(app, "delta", "5 %")
    again = reloaded(app)
    assert errors(again) == errors(app)
    assert errors(again)
    assert fields(again)["delta"] == "5 %"
    edit_arms(again, edited_rows={3: {"truth 1": 0.5}})
    assert study(again) == DEFAULT


def test_a_reload_brings_back_the_studies_beside_it(app: AppTest) -> None:
    type_in(app, "delta", "0.2")
    mine = study(app)
    open_example(app, "medical-2")
    again = reloaded(app)
    assert study(again) == load_study("medical-2")
    again.selectbox(key=key(again, "which-study")).select_index(0).run()
    assert study(again) == mine


def test_a_link_in_a_tab_with_work_shows_its_study_and_keeps_the_work_beside_it(
    app: AppTest,
) -> None:
    type_in(app, "delta", "0.2")
    mine, theirs = study(app), load_study("medical-2")
    again = reloaded(app, query={"study": encoded(theirs)})
    assert study(again) == theirs
    assert [kept.data for kept in again.session_state["studies"].values()] == [
        mine.model_dump(mode="json")
    ]


def test_a_link_to_a_variant_stays_open_beside_work_of_the_same_title(app: AppTest) -> None:
    type_in(app, "delta", "0.2")
    mine, theirs = study(app), changed(DEFAULT, n_max=310)
    again = reloaded(app, query={"study": encoded(theirs)})
    assert study(again.run()) == theirs
    menu = again.selectbox(key=key(again, "which-study"))
    assert menu.options == [DEFAULT.title, f"{DEFAULT.title} (2)"]
    assert study(menu.select_index(1).run()) == mine
    assert study(reloaded(again)) == mine


def test_an_example_that_nobody_has_touched_does_not_stand_beside_a_link(app: AppTest) -> None:
    theirs = changed(DEFAULT, n_max=310)
    again = reloaded(app, query={"study": encoded(theirs)})
    assert study(again.run()) == theirs
    assert not again.session_state["studies"]
    assert study(reloaded(again)) == theirs


def test_a_link_in_a_tab_with_work_shows_the_results_of_its_study(app: AppTest) -> None:
    theirs = load_study("tofacitinib-placebo")
    again = reloaded(app, query={"study": encoded(theirs)})
    shown = again.session_state["results"][again.session_state["shown"]]
    assert shown.study == study(again) == theirs  # and not what was looked at before
    assert set(app.session_state["run-order"]) < set(again.session_state["run-order"])


@pytest.mark.parametrize("desk", ["", "no desk", "eJyrVspOrVSyUlAqS8wpTVWqBQAxzgW2"])
def test_a_desk_that_is_none_is_not_used(app: AppTest, desk: str) -> None:
    again = reloaded(app, desk=desk)
    assert study(again) == DEFAULT
    assert not again.exception


def desk_of(page: AppTest) -> dict[str, Any]:
    """What the browser keeps, unpacked."""
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(written(page)["desk"])))
    return found


def as_text(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode()


def test_what_a_browser_keeps_is_used_as_it_is(app: AppTest) -> None:
    """Else the changed ones below would be refused whatever is changed in them."""
    type_in(app, "delta", "0.2")
    desk = as_text(json.dumps(desk_of(app)).encode())
    assert study(reloaded(app, query={}, desk=desk)) == study(app) != DEFAULT


@pytest.mark.parametrize(
    "changes",
    [
        {"current": 7},
        {"current": "one"},
        {"current": [1]},
        {"version": "0.0.1"},
        {"studies": []},
        {"studies": {"1": None}},
        {"studies": {"one": {}}},
        {"short": 3},
        {"runs": [{"study": 5}]},
        {"runs": [["a", "b"]]},
        {"count": "many"},
        {"example": 5},
    ],
    ids=str,
)
def test_a_desk_with_a_wrong_part_is_not_used(app: AppTest, changes: dict[str, Any]) -> None:
    type_in(app, "delta", "0.2")
    desk = as_text(json.dumps(desk_of(app) | changes).encode())
    again = reloaded(app, query={}, desk=desk)
    assert study(again) == DEFAULT
    assert not again.exception


@pytest.mark.parametrize(
    "changes",
    [
        {"data": {}},
        {"data": 5},
        {"data": {"title": 5}},
        {"past": [[]]},
        {"past": {"a": 1}},
        {"typed": {"delta": {"text": 5}}},
        {"valid": "not a study"},
        {"saved": None},
    ],
    ids=str,
)
def test_a_desk_with_a_wrong_study_is_not_used(app: AppTest, changes: dict[str, Any]) -> None:
    type_in(app, "delta", "0.2")
    desk = desk_of(app)
    desk["studies"][str(desk["current"])] |= changes
    again = reloaded(app, query={}, desk=as_text(json.dumps(desk).encode()))
    assert study(again) == DEFAULT
    assert not again.exception


def test_a_desk_that_would_fill_the_memory_or_nests_without_end_is_not_used(app: AppTest) -> None:
    bomb = as_text(b" " * 20 * DESK_BYTES + json.dumps(desk_of(app)).encode())
    assert len(bomb) < 2_000_000
    deep = as_text(b'{"version":' + b"[" * 200_000 + b"]" * 200_000 + b"}")
    for desk in (bomb, deep):
        tracemalloc.start()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(st, "session_state", {})
            restore(desk, None, edited=False)
            assert not st.session_state
        assert tracemalloc.get_traced_memory()[1] < 4 * DESK_BYTES
        tracemalloc.stop()
    again = reloaded(app, query={}, desk=deep)
    assert study(again) == DEFAULT
    assert not again.exception


@pytest.mark.parametrize("part", [b"{},", b'{"":0},', b"[],"])
def test_a_desk_of_many_small_parts_is_not_read(app: AppTest, part: bytes) -> None:
    """They would take a hundred times as much memory as bytes."""
    desk = desk_of(app)
    desk["studies"][str(desk["current"])]["data"]["notes"] = "here"
    text = json.dumps(desk).encode().replace(b'"here"', b"[" + part * DESK_PARTS + b"0]")
    tracemalloc.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "session_state", {})
        restore(as_text(text), None, edited=False)
        assert not st.session_state
    assert tracemalloc.get_traced_memory()[1] < 2 * DESK_BYTES
    tracemalloc.stop()


def test_a_position_has_few_digits() -> None:
    assert steps("arms.3.label") == ["arms", 3, "label"]
    assert steps("1" * 5000) == ["1" * 5000]


@pytest.mark.parametrize("found", [5, "text", [], {"session": 5}, {"desk": 5}, {"long": [1]}])
def test_what_is_no_message_of_a_tab_is_not_used(found: Any) -> None:
    page = AppTest.from_file(str(MAIN), default_timeout=PATIENCE).run()
    if isinstance(found, dict):
        found = {"session": written_session(page)} | found
    page.session_state["address"] = {"found": found}
    page.run()
    assert study(finish(page)) == DEFAULT
    assert not page.exception


def test_a_desk_has_no_more_studies_and_runs_than_a_session_may_have(app: AppTest) -> None:
    type_in(app, "delta", "0.2")
    desk = desk_of(app)
    (one,) = desk["studies"].values()
    desk["studies"] |= {
        str(number): one | {"data": one["data"] | {"title": f"study {number}"}}
        for number in range(2, 30)
    }
    desk["runs"] = 30 * desk["runs"]
    again = reloaded(app, query={}, desk=as_text(json.dumps(desk).encode()))
    assert study(again) == study(app)
    assert len(again.session_state["studies"]) == STUDIES_PER_SESSION - 1
    assert not again.exception


def test_a_desk_that_is_too_large_leaves_its_steps_behind(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in(app, "delta", "0.2")
    type_in(app, "simulation.n_max", "310")
    whole = desk_of(app)
    assert [len(plain["past"]) for plain in whole["studies"].values()] == [2]
    monkeypatch.setattr("gai_app.desk.DESK_BYTES", 9 * len(json.dumps(whole)) // 10)
    app.run()
    less = desk_of(app)
    assert [len(plain["past"]) for plain in less["studies"].values()] == [0]
    assert study(reloaded(app, query={})) == study(app)


def long_study() -> Study:
    """One that is too long for an address."""
    notes = " ".join(f"{i * 7919 % 99991}" for i in range(9000))
    return validated(DEFAULT.model_dump(mode="json") | {"notes": notes[:40_000]}, "study")


def test_a_study_too_long_for_an_address_is_kept_by_the_browser(app: AppTest) -> None:
    assert len(encoded(long_study())) > LINK_CHARACTERS
    for name in ("base", "draft"):
        app.session_state[name] = long_study().model_dump(mode="json")
    kept = written(finish(app.run()))
    assert list(kept["query"]) == ["kept", "run"]
    assert kept["long"] == encoded(study(app))
    again = reloaded(app, desk="")
    assert study(again) == long_study()


def test_a_link_to_a_study_that_is_not_valid_says_what_is_wrong_as_the_page_calls_it() -> None:
    page = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
    wrong = dump_study(DEFAULT).replace("delta = 0.05", "delta = 5")
    wrong = wrong.replace("seed = 1", "seed = -1")
    packed = base64.urlsafe_b64encode(zlib.compress(wrong.encode())).decode().rstrip("=")
    page.query_params["study"] = packed
    page.run()
    (said,) = [text for text in errors(page) if "link" in text]
    assert said.startswith("The study of this link cannot be opened:\n- ")
    assert "- Error rate (delta): must be less than 1" in said
    assert "- Seed: must be at least 0" in said
    assert "simulation" not in said
    assert study(page) == DEFAULT


def test_an_address_whose_study_another_browser_has_says_so() -> None:
    page = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
    page.query_params["kept"] = "0123456789abcdef"
    page.run()
    assert [info.value for info in page.info] == ["Opening the study …"]
    found = {"session": written_session(page), "desk": "", "long": ""}
    page.session_state["address"] = {"found": found}
    page.run()
    assert any("this browser does not have it" in text for text in errors(page))
    assert study(page) == DEFAULT

"""A click counts, also where the page is drawn anew before it comes to the button."""

import re
from pathlib import Path

import gai_app
from streamlit.testing.v1 import AppTest

APP = Path(gai_app.__file__).parent


def page() -> None:
    import streamlit as st
    from gai_app.clicks import clicked, forget_clicks

    given_up = st.checkbox("Give the page up before it comes to the button")
    if st.checkbox("Another page"):
        forget_clicks()
    if given_up:
        st.stop()
    if clicked("Go", key="go"):
        st.markdown("Gone.")


def says(app: AppTest) -> list[str]:
    return [text.value for text in app.markdown]


def test_a_click_is_there_once() -> None:
    app = AppTest.from_function(page).run()
    assert says(app) == []
    assert says(app.button(key="go").click().run()) == ["Gone."]
    assert says(app.run()) == []


def test_a_click_outlives_a_pass_that_was_given_up() -> None:
    app = AppTest.from_function(page).run()
    app.button(key="go").click()
    assert says(app.checkbox[0].check().run()) == []
    assert says(app.checkbox[0].uncheck().run()) == ["Gone."]


def test_another_page_forgets_it() -> None:
    app = AppTest.from_function(page).run()
    app.button(key="go").click()
    app.checkbox[0].check().run()
    app.checkbox[1].check().run()
    app.checkbox[1].uncheck().run()
    assert says(app.checkbox[0].uncheck().run()) == []


def test_no_page_acts_on_what_streamlit_may_forget() -> None:
    acting = re.compile(r"(if|=|\band\b|\bor\b) [\w.]*\.button\(")
    for path in APP.rglob("*.py"):
        assert not acting.search(path.read_text(encoding="utf-8")), path

"""What a session remembers for one use is emptied; no name is removed beneath another pass."""

import re
from pathlib import Path

import gai_app
from streamlit.testing.v1 import AppTest

APP = Path(gai_app.__file__).parent


def page() -> None:
    import streamlit as st
    from gai_app.taking import take

    if st.button("Remember"):
        st.session_state["noted"] = ("a", "b")
    st.markdown(" ".join(take("noted", ("nothing", "here"))))


def test_what_was_taken_is_there_no_more_but_its_name_is() -> None:
    app = AppTest.from_function(page).run()
    assert app.markdown[0].value == "nothing here"
    app.button[0].click().run()
    assert app.markdown[0].value == "a b"
    assert app.session_state["noted"] is None
    assert app.run().markdown[0].value == "nothing here"


def test_no_page_removes_what_another_pass_may_be_reading() -> None:
    removing = re.compile(r"del [\w.]*session_state|session_state\.(pop|popitem|clear)\b")
    assert removing.search("del st.session_state['x']")
    assert removing.search("st.session_state.pop('x', None)")
    for path in APP.rglob("*.py"):
        assert not removing.search(path.read_text(encoding="utf-8")), path

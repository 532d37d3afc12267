"""The planner in the browser: navigation, and what every page has above it."""

from typing import TYPE_CHECKING

import streamlit as st

from gai_app import address, draft, session, start_up
from gai_app.answer import begin_search, forget_search
from gai_app.clicks import forget_clicks
from gai_app.editor.sheet import take_edits
from gai_app.escaping import markdown
from gai_app.given_up import void_if_given_up
from gai_app.header import STYLE, header, messages, run_asked, run_now
from gai_app.links import PAGE
from gai_app.page_look import dress
from gai_app.pages import navigation
from gai_app.places import sentences
from gai_app.plots.appearance import meet
from gai_app.turns import drawing
from gai_app.warm import begin_warm_up
from gai_core import InputError, Study

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

NAME = "Dose-finding planner"


def draw() -> None:
    """One pass over the page that is open."""
    st.set_page_config(page_icon="💊", layout="wide")
    st.html(STYLE)
    dress()
    begin_warm_up()
    newcomer = not st.session_state.get("has-seen-results")
    with drawing.turn(newcomer=newcomer):
        if not start_up.open_study():
            st.info("Opening the study …", icon=":material/hourglass_top:")
            address.ask()
            st.stop()
        take_edits()
        session.collect()
        forget_search()
        _draw_page(_page())
    begin_search(newcomer=newcomer)


def _page() -> "StreamlitPage":
    """The page of the address, or the one that somebody chose."""
    pages = navigation()
    page = st.navigation(list(pages.values()), position="top")
    st.set_page_config(page_title=f"{page.title} · {NAME}")
    wanted = start_up.wanted_page(st.query_params.get(PAGE))
    if wanted in pages:
        st.switch_page(pages[wanted])
    if st.session_state.get("page") != page.title:
        st.session_state.page = page.title
        draft.restart()
        session.forget_failed_jobs()
        forget_clicks()
    return page


def _draw_page(page: "StreamlitPage") -> None:
    """The page below its header, which knows what the page has changed."""
    asked = run_asked()
    run_now(asked=asked)
    bar, said = st.container(key="header"), st.container()
    with st.container():  # there or not, the page below keeps its place
        start_up.show_bad_link()
    try:
        page.run()
    except InputError as error:
        st.error(markdown(" ".join(sentences(error))), icon=":material/error:")
    st.session_state["has-seen-results"] = session.shown() is not None
    found = draft.checked()
    if isinstance(found, Study):
        meet(found)
    address.write()
    with bar:
        header()
    with said:
        messages(asked=asked)


# Processes that a cluster starts run the server's script again, under another name.
if __name__ == "__main__":
    with void_if_given_up():
        draw()

"""What happens when a session starts."""

import time

import streamlit as st

from gai_app import draft
from gai_app.escaping import markdown
from gai_app.links import decoded
from gai_app.settings import DEFAULT_STUDY
from gai_core import InputError, load_study

PICTURES_AFTER = 1.6


@st.fragment(run_every=PICTURES_AFTER + 0.1)
def pictures_later() -> None:
    """On the first view of a session: inputs first, then everything again with the pictures."""
    begun = st.session_state.setdefault("begun", time.monotonic())
    if time.monotonic() - begun > PICTURES_AFTER:
        st.session_state.pictures = True
        st.rerun()


def wanted_page(name: str | None) -> str | None:
    """The page that the link asks for, once per session."""
    if name is None or st.session_state.get("page-asked") == name:
        return None
    st.session_state["page-asked"] = name
    return name


def show_bad_link() -> None:
    """Why the study of the link could not be opened, until another one is."""
    problem = st.session_state.get("bad-link")
    if problem:
        text = f"The study of this link cannot be opened. {markdown(problem)}"
        st.error(text, icon=":material/link_off:")


def open_study(link: str | None) -> None:
    """Once per session: the study of the link, or the default one; run it if that takes no time."""
    opened: set[str] = st.session_state.setdefault("opened", set())
    if link is not None and link not in opened:
        opened.add(link)  # going back to the link's address must not undo what was typed since
        try:
            draft.begin_study(decoded(link))
        except InputError as error:
            draft.begin_study(load_study(DEFAULT_STUDY))
            st.session_state["bad-link"] = str(error)
        st.session_state["run-unasked"] = True
    elif not draft.begun():
        draft.begin_study(load_study(DEFAULT_STUDY))
        st.session_state["run-unasked"] = True

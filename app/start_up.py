"""What happens when a session starts."""

import time

import streamlit as st

from app import draft
from app.links import decoded
from app.plain import markdown
from app.settings import DEFAULT_STUDY
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


def show_bad_link(link: str | None) -> None:
    """Why the study of the link in the address bar cannot be opened, if so."""
    bad, problem = st.session_state.get("bad-link", (None, ""))
    if bad is not None and bad == link:
        st.error(
            f"The study of this link cannot be opened. {markdown(problem)}",
            icon=":material/link_off:",
        )


def open_study(link: str | None) -> None:
    """Once per session: the study of the link, or the default one; run it if that takes no time."""
    if draft.begun() and st.session_state.get("opened") == link:
        return
    st.session_state.opened = link
    if link is not None:
        try:
            draft.begin_study(decoded(link))
            st.session_state["run-unasked"] = True
            return
        except InputError as error:
            st.session_state["bad-link"] = link, str(error)
    if not draft.begun():
        draft.begin_study(load_study(DEFAULT_STUDY))
        st.session_state["run-unasked"] = True

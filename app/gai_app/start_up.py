"""What happens when a session starts: which study it opens with."""

from collections.abc import Callable

import streamlit as st

from gai_app import address, draft, recall, studies
from gai_app.address import KEPT, RUN
from gai_app.escaping import markdown
from gai_app.links import PARAMETER, decoded, own
from gai_app.places import of_a_study
from gai_app.settings import DEFAULT_STUDY
from gai_core import InputError, Study, load_study


def wanted_page(name: str | None) -> str | None:
    """The page that the link asks for, once per session."""
    if name is None or st.session_state.get("page-asked") == name:
        return None
    st.session_state["page-asked"] = name
    return name


def show_bad_link() -> None:
    """Why the study of the link could not be opened, until another one is."""
    problems = st.session_state.get("bad-link")
    if problems:
        lines = "\n".join(f"- {markdown(sentence)}" for sentence in problems)
        st.error(f"The study of this link cannot be opened:\n{lines}", icon=":material/link_off:")


def open_study() -> bool:
    """The study of the address, or the example; then whatever else the browser has kept.

    False while the browser is asked for a study that is too long for an address.
    """
    link, kept = st.query_params.get(PARAMETER), st.query_params.get(KEPT)
    if link is not None and _is_new(link):
        _open(link, decoded)
    elif not draft.begun():
        had = address.found()
        if kept is not None and not had:
            return False
        if kept is not None:
            _open(had.get("long", ""), own)
        else:
            studies.open_study(load_study(DEFAULT_STUDY), untouched=True)
    address.restore(st.session_state.get("opened-link"))
    recall.go_on()
    return True


def _is_new(link: str) -> bool:
    """Whether the address has a study that was not opened yet.

    Going back to an earlier address must not undo what was typed since.
    """
    return link != st.session_state.get("opened-link") and not address.is_own(link)


def _open(text: str, read: Callable[[str], Study]) -> None:
    st.session_state["opened-link"] = text
    try:
        studies.open_study(read(text) if text else _nowhere())
    except InputError as error:
        if not draft.begun():
            studies.open_study(load_study(DEFAULT_STUDY), untouched=True)
        st.session_state["bad-link"] = of_a_study(error)
    if RUN in st.query_params:
        st.session_state["run-asked"] = True


def _nowhere() -> Study:
    raise InputError(
        "the study was too long for an address, and this browser does not have it; ask for the "
        "study file"
    )

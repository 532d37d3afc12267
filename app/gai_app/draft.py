"""The study under edit: the data of a study file, which may be invalid while somebody types.

Widgets start from `base()`, which stays the same until the draft is begun anew:
Streamlit forgets what was typed into a widget whose start value changes. Every
new beginning has its own keys, so no widget shows what belonged to another.
"""

from typing import Any

import streamlit as st

from gai_core import Study
from gai_core.basics import Problem
from gai_core.study import study_or_problems

Data = dict[str, Any]


def begin(data: Data) -> None:
    """Edit this study from now on; all widgets start again."""
    st.session_state.base = st.session_state.draft = data
    st.session_state.generation = st.session_state.get("generation", 0) + 1


def begin_study(study: Study) -> None:
    """Edit a valid study from now on."""
    begin(study.model_dump(mode="json"))
    st.session_state.pop("bad-link", None)


def begun() -> bool:
    """Whether there is a study under edit."""
    return "draft" in st.session_state


def base() -> Data:
    """What the widgets started from."""
    data: Data = st.session_state.base
    return data


def current() -> Data:
    """The study as it stands."""
    data: Data = st.session_state.draft
    return data


def keep(data: Data) -> None:
    """Remember what the widgets say now."""
    st.session_state.draft = data


def restart() -> None:
    """Let the widgets start from the study as it stands, for example on entering the page."""
    begin(current())


def key(name: str) -> str:
    """A widget's key in this generation."""
    return f"{name}-{st.session_state.generation}"


def checked() -> Study | list[Problem]:
    """The study under edit, or what is wrong with it."""
    return study_or_problems(current())

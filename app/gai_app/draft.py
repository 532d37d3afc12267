"""The study under edit: the data of a study file, which may be invalid while somebody types.

Streamlit's own widgets start from `base()`, which stays the same until the draft is begun anew:
Streamlit forgets what was chosen in a widget whose start value changes. Every new beginning has
its own keys, so no widget shows what belonged to another. What is typed goes into the draft by
`write`, letter by letter and before any page is drawn; the text stays beside its value.
"""

import copy
from collections.abc import Hashable
from typing import Any, NamedTuple

import streamlit as st

from gai_app.history import History
from gai_app.taking import take
from gai_core import Study
from gai_core.basics import Problem
from gai_core.study import study_or_problems

Data = dict[str, Any]


class Typed(NamedTuple):
    """A text as it was typed, the value it was read as, and why it is none, if so."""

    text: str
    value: Any
    why: str = ""


class Kept(NamedTuple):
    """A study as it was left: its data, what of it is in a file, its steps, and what was typed."""

    data: Data
    saved: Data
    history: History
    typed: dict[str, Typed]
    valid: Study | None = None
    """The study when it last had no errors."""


def begin(data: Data) -> None:
    """Edit this study from now on."""
    take_out(Kept(data, data, History(), {}))
    take("bad-link")


def put_away() -> Kept:
    """The study under edit, to be taken out again."""
    return Kept(current(), st.session_state.saved, history(), typed(), last_valid())


def take_out(kept: Kept) -> None:
    """Edit a study from where it was left."""
    st.session_state.saved = kept.saved
    st.session_state.history = kept.history
    st.session_state.typed = kept.typed
    st.session_state.valid = kept.valid
    _start(kept.data)


def take_over(study: Study) -> None:
    """The study under edit with something changed elsewhere; a step that can be undone."""
    change(study.model_dump(mode="json"))
    restart()


def begun() -> bool:
    """Whether there is a study under edit."""
    return "draft" in st.session_state


def base() -> Data:
    """What Streamlit's widgets started from."""
    data: Data = st.session_state.base
    return data


def current() -> Data:
    """The study as it stands."""
    data: Data = st.session_state.draft
    return data


def keep(data: Data) -> None:
    """Remember what the widgets say now; where that is nothing new, the same data stays.

    Who has looked at it before, as `checked` has, need not look again.
    """
    follows, st.session_state.follows = st.session_state.follows, False
    if data == current():
        return
    if not follows:
        history().step(current())
    st.session_state.draft = data


def is_news() -> bool:
    """Whether the study has changed since widgets were last read: it was typed, undone, opened."""
    return bool(st.session_state.follows)


def write(path: str, value: Any, place: Hashable = None) -> None:
    """Put a value at a path, for example truths.0.means.3; where there is no such place, nothing.

    `place` is where and when it was typed; letters typed at the same place are one step of undo.
    """
    data = copy.deepcopy(current())
    *way, last = steps(path)
    try:
        inner: Any = data
        for step in way:
            inner = inner[step]
        inner[last] = value
    except (LookupError, TypeError):
        return
    change(data, place)


def change(data: Data, place: Hashable = None) -> None:
    """The study is another now, and what widgets make of it is no step of its own."""
    if data != current():
        history().step(current(), place)
        st.session_state.draft = data
        st.session_state.follows = True


DIGITS = 10
"""A position has fewer; Python refuses to read a number of thousands."""


def steps(path: str) -> list[str | int]:
    """The keys and positions of a path."""
    return [
        int(step) if step.isdecimal() and len(step) < DIGITS else step for step in path.split(".")
    ]


def restart() -> None:
    """Let the widgets start from the study as it stands, for example on entering the page."""
    _start(current())


def _start(data: Data) -> None:
    st.session_state.base = st.session_state.draft = data
    st.session_state.generation = st.session_state.get("generation", 0) + 1
    st.session_state.follows = True  # the first pass of the widgets is not a change


def key(name: str) -> str:
    """A widget's key in this generation."""
    return f"{name}-{st.session_state.generation}"


def checked() -> Study | list[Problem]:
    """The study under edit, or what is wrong with it."""
    of: Data | None
    found: Study | list[Problem]
    of, found = st.session_state.get("checked", (None, []))
    if of is not current():  # data is never changed in place
        found = study_or_problems(current())
        st.session_state.checked = current(), found
    if isinstance(found, Study):
        st.session_state.valid = found
    return found


def last_valid() -> Study | None:
    """The study under edit as it was when it last had no errors, if it ever had none."""
    checked()
    found: Study | None = st.session_state.valid
    return found


def history() -> History:
    """What can be undone and redone in this session."""
    found: History = st.session_state.setdefault("history", History())
    return found


def undo() -> None:
    """The study before the last step."""
    _start(history().undo(current()))


def redo() -> None:
    """The study after the step that was undone."""
    _start(history().redo(current()))


def unsaved() -> bool:
    """Whether there are changes that no file and no link has."""
    saved = st.session_state.saved
    if current() is saved or current() == saved:
        return False
    of, found = st.session_state.get("saved-study", (None, []))
    if of is not saved:
        found = study_or_problems(saved)
        st.session_state["saved-study"] = saved, found
    return bool(checked() != found)


def mark_saved() -> None:
    """The study as it stands is in a file or a link."""
    st.session_state.saved = current()


def typed() -> dict[str, Typed]:
    """What was typed, by its path."""
    found: dict[str, Typed] = st.session_state.setdefault("typed", {})
    return found


def refusal(path: str, value: Any) -> str:
    """Why the text at a path is no value, if it is still the one that was typed."""
    found = typed().get(path)
    return found.why if found is not None and found.value == value else ""

"""Buttons that lose no click.

Streamlit tells a click to the next pass of the page alone: if that one is given up before it comes
to the button, because the page was asked for again, the click is gone. What belongs to a click is
called before the pass; so the click is noted there, and taken where the page comes to the button.
"""

from functools import partial
from typing import Any

import streamlit as st

from gai_app.editor.sheet import after_typing

NOTED = "clicks"


def clicked(label: str, *, key: str, place: Any = st, **looks: Any) -> bool:
    """A button, and whether somebody has clicked on it; `looks` as of Streamlit's own."""
    place.button(label, key=key, on_click=after_typing(partial(_note, key)), **looks)
    noted = _noted()
    if key not in noted:
        return False
    noted.discard(key)
    return True


def forget_clicks() -> None:
    """On another page: nobody waits for them any more."""
    _noted().clear()


def _note(key: str) -> None:
    _noted().add(key)


def _noted() -> set[str]:
    found: set[str] = st.session_state.setdefault(NOTED, set())
    return found

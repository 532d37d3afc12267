"""Fields of the conduct: each has the label that errors name it by (`places.WORDS`)."""

from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.editor.editing import Editing
from gai_app.places import WORDS


def number(page: Editing, path: str, value: Any, help_text: str, **look: Any) -> Any:
    """A number of the conduct; its label is the one that errors name it by."""
    where = f"conduct.{path}"
    return page.field(
        where, WORDS[where], value, look.pop("reads", "number"), help=help_text, **look
    )


def chance(page: Editing, path: str, value: Any, help_text: str, **look: Any) -> Any:
    """A chance or a share of the conduct."""
    return number(page, path, value, help_text, reads="share", **look)


def count(page: Editing, path: str, value: Any, help_text: str, **look: Any) -> Any:
    """A whole number of the conduct."""
    return number(page, path, value, help_text, reads="whole", **look)


def given_or(path: str, value: Any, usual: Any) -> Any:
    """The value, or the usual one where there is none; a field that was emptied stays empty."""
    if value is not None:
        return value
    emptied = draft.typed().get(path)
    return "" if emptied is not None and not emptied.text.strip() else usual


def pick(label: str, options: dict[str, str], value: str, name: str, help_text: str) -> str:
    """One of a few ways, in words."""
    keys = list(options)
    return st.selectbox(
        label,
        keys,
        index=keys.index(value) if value in keys else 0,
        format_func=options.__getitem__,
        key=draft.key(f"conduct-{name}"),
        help=help_text,
    )

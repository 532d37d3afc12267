"""Fields of the conduct: each has the label that errors name it by (`places.WORDS`)."""

from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.places import WORDS


def number(path: str, value: float | None, help_text: str, **more: Any) -> float | None:
    """A number of the conduct; its label is the one that errors name it by."""
    return st.number_input(
        WORDS[f"conduct.{path}"],
        value=None if value is None else float(value),
        format="%g",
        key=draft.key(f"conduct-{path}"),
        help=help_text,
        **more,
    )


def count(path: str, value: int | None, help_text: str, **more: Any) -> int | None:
    """A whole number of the conduct."""
    found: int | None = st.number_input(
        WORDS[f"conduct.{path}"],
        value=value,
        step=1,
        key=draft.key(f"conduct-{path}"),
        help=help_text,
        **more,
    )
    return found


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

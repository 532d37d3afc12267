"""The errors that are allowed: one rate for any wrong verdict, or two as trialists know them."""

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.editor.parsing import is_number
from gai_app.editor.sheet import after_typing
from gai_app.places import WORDS

WAYS = ("one rate for any wrong verdict", "two rates, for either error")
TEXTS = {
    "delta": "The chance allowed for any wrong verdict in the whole list: a declared dose that "
    "misses the target, or a dropped one that meets it.",
    "errors.declare": "The chance allowed for declaring any dose that misses the target (type I).",
    "errors.drop": "The chance allowed for dropping any dose that meets the target. A good dose "
    "that stays undecided is not counted here: that is what power is about.",
}


def edit(page: Editing) -> Data:
    """Which rates there are, and a field for each."""
    key = draft.key("rates")
    st.radio(
        "Errors allowed",
        WAYS,
        index=int(page.base.get("errors") is not None),
        horizontal=True,
        key=key,
        on_change=after_typing(_switch),
        args=(key,),
        help="With two rates a dose can be dropped sooner than it could be declared. With both the "
        "same, all numbers are those of one rate.",
    )
    now = page.current
    first, second, _ = st.columns(3)
    if now.get("errors") is None:
        with first:
            found: Data = {"delta": _rate(page, "delta", now["delta"]), "errors": None}
    else:
        rates = dict(now["errors"])
        with first:
            rates["declare"] = _rate(page, "errors.declare", rates["declare"])
        with second:
            rates["drop"] = _rate(page, "errors.drop", rates["drop"])
        found = {"delta": None, "errors": rates}
    page.errors_here("delta", "errors")
    return found


def _rate(page: Editing, path: str, value: object) -> object:
    return page.field(path, WORDS[path], value, "share", help=TEXTS[path])


def _switch(key: str) -> None:
    """The rates that promise the same; what was typed before a switch comes back with Undo.

    After a reload Streamlit may call a choice that stayed the same a change.
    """
    now = draft.current()
    rates, two = now.get("errors"), st.session_state[key] == WAYS[1]
    if two and rates is None:
        equal = {"declare": now["delta"], "drop": now["delta"]}
        draft.change(now | {"delta": None, "errors": equal})
    elif not two and rates is not None:
        given = [rate for rate in rates.values() if is_number(rate)]
        draft.change(now | {"delta": min(given, default=None), "errors": None})

"""The estimand in words, for the report: nothing is computed from it."""

from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.editor.editing import Editing
from gai_app.places import WORDS
from gai_core.study import Estimand


def edit(page: Editing) -> dict[str, Any] | None:
    """Fields in a box of their own; None where the study states no estimand.

    While the box is open there is a place for what is typed; without a word it is no estimand.
    """
    now: dict[str, Any] | None = page.current.get("estimand")
    box = st.expander("Estimand, for the report", on_change="rerun", key=draft.key("estimand"))
    if box.open:
        with box:
            for name, field in Estimand.model_fields.items():
                path, text = f"estimand.{name}", (now or {}).get(name, "")
                page.field(path, WORDS[path], text, "text", lines=2, help=field.description or "")
    page.errors_here("estimand")
    return (now or {}) if box.open else now

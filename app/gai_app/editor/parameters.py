"""Fields for the parameters of an allocation or decision rule, made from what it says of itself."""

from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.escaping import markdown
from gai_core.basics import CHOICES, DECLARES, MATTERS, OF_EVIDENCE, Entry


def sources(entry: Entry) -> str:
    """The name and the formula in files and in the literature."""
    return f"`{entry.key}` in study files: {markdown(entry.formula)}. {markdown(entry.citation)}."


def parameters(
    page: Editing, place: str, entry: Entry, given: Data, *, only_drops: bool = False
) -> Data:
    """Fields made from the entry's own description; what is left at its default is not written.

    What would change nothing is not asked, unless the study gives it.
    """
    defaults = entry.parameters().model_dump(mode="json")
    described = entry.parameters.model_json_schema().get("properties", {})
    data = dict(given)
    evidence = (page.current.get("target") or {}).get("evidence")
    for name, about in described.items():
        others = {other: data.get(other, defaults[other]) for other in about.get(MATTERS, {})}
        if name not in given and others != about.get(MATTERS, {}):
            continue
        if name not in given and about.get(OF_EVIDENCE, evidence) != evidence:
            continue
        if name not in given and only_drops and about.get(DECLARES):
            continue
        value = given.get(name, defaults[name])
        chosen = _parameter(page, f"{place}.{name}", name, about, value)
        if chosen == value and f"{place}.{name}" not in draft.typed():
            continue  # as it was: looking at a design does not change it
        if chosen == defaults[name]:
            data.pop(name, None)
        else:
            data[name] = chosen
    return data


def _parameter(page: Editing, place: str, name: str, about: Data, value: Any) -> Any:
    label, text = about["title"], f"{about.get('description', '')} `{name}` in study files."
    if "enum" in about:
        words = about.get(CHOICES, {})
        return st.selectbox(
            label,
            about["enum"],
            index=about["enum"].index(value),
            format_func=lambda choice: words.get(choice, choice),
            key=draft.key(place),
            help=text,
        )
    reads = {"number": "number", "integer": "whole"}.get(about.get("type", ""), "numbers")
    return page.field(place, label, value, reads, help=text, placeholder="not set")

"""Designs: an allocation rule and a decision rule, with the parameters that their entries name."""

from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.editor.parsing import read, written
from gai_app.escaping import markdown
from gai_core import CRITERIA, RULES, Study
from gai_core.basics import Entry, Registry
from gai_core.study import sensible


def edit(page: Editing, kind: str) -> list[Data]:
    """One folding box per design, and a menu of ready-made ones."""
    designs = []
    # A folded box costs nothing: its widgets are made when it is opened.
    before = draft.current()["designs"]
    for i, design in enumerate(before):
        name = st.session_state.get(draft.key(f"design-{i}"), design["name"])
        label = markdown(name) or f"design {i + 1}"
        box = st.expander(label, on_change="rerun", key=draft.key(f"box-{i}"))
        # What was typed just before the box was folded is still to be read.
        if not box.open and draft.key(f"design-{i}") not in st.session_state:
            designs.append(design)
            continue
        with box:
            edited = _design(i, design, kind)
            gone = st.button(
                "Remove this design", key=draft.key(f"remove-{i}"), icon=":material/delete:",
                disabled=len(before) == 1,
            )  # fmt: skip
        page.restart |= gone
        if not gone:
            designs.append(edited)
    page.errors_here("designs")
    return designs + _added(page, designs)


def _design(i: int, base: Data, kind: str) -> Data:
    name, burn_in = st.columns([3, 1])
    data: Data = {
        "name": name.text_input("Name", base["name"], key=draft.key(f"design-{i}")),
        "burn_in": burn_in.number_input(
            "Burn-in", value=int(base["burn_in"]), step=1, key=draft.key(f"burn-in-{i}"),
            help="Patients on every dose before the allocation rule begins.",
        ),
    }  # fmt: skip
    for part, label, registry in (
        ("rule", "Allocation rule", RULES),
        ("criterion", "Decision rule", CRITERIA),
    ):
        data[part], data[f"{part}_parameters"] = _entry(i, part, label, registry, base, kind)
    return data


def _entry(
    i: int, part: str, label: str, registry: Registry[Any], base: Data, kind: str
) -> tuple[str, Data]:
    """A menu of the entries for this kind of outcome, and the parameters of the chosen one."""
    keys = [key for key in registry if kind in registry[key].outcomes or key == base[part]]
    key = st.selectbox(
        label,
        keys,
        index=keys.index(base[part]),
        format_func=lambda name: f"{registry[name].label} ({name})",
        key=draft.key(f"{part}-{i}"),
    )
    entry: Entry = registry[key]
    note = getattr(entry, "guarantee_text", "") or getattr(entry, "caution", "")
    if note:
        st.caption(markdown(note))
    given = base[f"{part}_parameters"] if key == base[part] else {}
    return key, _parameters(f"{part}-{i}-{key}", entry, given)


def _parameters(place: str, entry: Entry, given: Data) -> Data:
    """Widgets made from the entry's own description; what is left at its default is not written."""
    defaults = entry.parameters().model_dump(mode="json")
    described = entry.parameters.model_json_schema().get("properties", {})
    data = dict(given)
    for name, about in described.items():
        value = given.get(name, defaults[name])
        chosen = _parameter(f"{place}-{name}", name, about, value)
        if chosen == value:
            continue  # as it was: looking at a design does not change it
        if chosen == defaults[name]:
            data.pop(name, None)
        else:
            data[name] = chosen
    return data


def _parameter(place: str, name: str, about: Data, value: Any) -> Any:
    label, text = name.replace("_", " ").capitalize(), about.get("description")
    key = draft.key(place)
    if "enum" in about:
        options = about["enum"]
        return st.selectbox(label, options, index=options.index(value), key=key, help=text)
    if about.get("type") == "number":
        return st.number_input(label, value=float(value), format="%g", key=key, help=text)
    if about.get("type") == "integer":
        return st.number_input(label, value=int(value), step=1, key=key, help=text)
    typed = st.text_input(label, written(value), key=key, help=text, placeholder="not set")
    return read(typed)


def _added(page: Editing, designs: list[Data]) -> list[Data]:
    """Ready-made designs that fit the study as it stands."""
    study = draft.checked()
    if not isinstance(study, Study):
        st.caption("Ready-made designs can be added when the errors are mended.")
        return []
    taken = {design["name"] for design in designs}
    ready = {design.name: design for design in sensible(study) if design.name not in taken}
    with st.popover("Add a design", icon=":material/add:"):
        st.caption("Ready-made designs; every part of them can be changed afterwards.")
        chosen = [
            design.model_dump(mode="json")
            for name, design in ready.items()
            if st.button(name, key=draft.key(f"ready-{name}"), width="stretch")
        ]
        if not ready:
            st.write("All of them are in the study.")
    page.restart |= bool(chosen)
    return chosen

"""Designs: an allocation rule and a decision rule, with the parameters that their entries name."""

from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.escaping import markdown
from gai_core import CRITERIA, RULES, Study
from gai_core.basics import CHOICES, Entry, Registry
from gai_core.study import ABOUT, Design, sensible


def edit(page: Editing, kind: str) -> list[Data]:
    """One folding box per design, and a menu of ready-made ones."""
    designs = []
    # A folded box costs nothing: its widgets are made when it is opened.
    before = draft.current()["designs"]
    for i, design in enumerate(before):
        label = markdown(design["name"]) or f"design {i + 1}"
        box = st.expander(label, on_change="rerun", key=draft.key(f"box-{i}"))
        # What was chosen just before the box was folded is still to be read.
        if not box.open and draft.key(f"rule-{i}") not in st.session_state:
            designs.append(design)
            continue
        with box:
            edited = _design(page, i, design, kind)
            gone = st.button(
                f"Remove {label}", key=draft.key(f"remove-{i}"), icon=":material/delete:",
                disabled=len(before) == 1,
            )  # fmt: skip
        page.restart |= gone
        if not gone:
            designs.append(edited)
    page.errors_here("designs")
    page.say_later(_offer, _offer_nothing)
    return designs


def _design(page: Editing, i: int, base: Data, kind: str) -> Data:
    name, burn_in = st.columns([3, 1])
    data = dict(base)  # what has no field here stays
    with name:
        data["name"] = page.field(f"designs.{i}.name", "Name", base["name"], "text")
    with burn_in:
        data["burn_in"] = page.field(
            f"designs.{i}.burn_in", "Burn-in", base["burn_in"], "whole",
            help="Outcomes of every dose before the allocation rule begins.",
        )  # fmt: skip
    for part, label, registry in (
        ("rule", "Allocation rule", RULES),
        ("criterion", "Decision rule", CRITERIA),
    ):
        data[part], data[f"{part}_parameters"] = _entry(page, i, part, label, registry, base, kind)
    return data


def _entry(
    page: Editing, i: int, part: str, label: str, registry: Registry[Any], base: Data, kind: str
) -> tuple[str, Data]:
    """A menu of the entries for this kind of outcome, and the parameters of the chosen one."""
    keys = [key for key in registry if kind in registry[key].outcomes or key == base[part]]
    menu = draft.key(f"{part}-{i}")
    key = st.selectbox(
        label,
        keys,
        index=keys.index(base[part]),
        format_func=lambda name: registry[name].label,
        key=menu,
        help=_sources(registry[st.session_state.get(menu, base[part])]),
    )
    entry: Entry = registry[key]
    note = getattr(entry, "guarantee_text", "") or getattr(entry, "caution", "")
    if note:
        st.caption(markdown(note))
    given = base[f"{part}_parameters"] if key == base[part] else {}
    return key, _parameters(page, f"designs.{i}.{part}_parameters", entry, given)


def _sources(entry: Entry) -> str:
    """The name and the formula in files and in the literature."""
    return f"`{entry.key}` in study files: {markdown(entry.formula)}. {markdown(entry.citation)}."


def _parameters(page: Editing, place: str, entry: Entry, given: Data) -> Data:
    """Fields made from the entry's own description; what is left at its default is not written."""
    defaults = entry.parameters().model_dump(mode="json")
    described = entry.parameters.model_json_schema().get("properties", {})
    data = dict(given)
    for name, about in described.items():
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


ADD = "Add a design"


def _offer(study: Study) -> None:
    """A menu of the ready-made designs that fit the study and are not in it."""
    menu = st.popover(ADD, icon=":material/add:", on_change="rerun", key=draft.key("add-design"))
    if not menu.open:
        return
    taken = {design.name for design in study.designs}
    ready = [design for design in sensible(study) if design.name not in taken]
    with menu:
        st.caption("Ready-made designs; every part of them can be changed afterwards.")
        for design in ready:
            key = draft.key(f"ready-{design.name}")
            st.button(design.name, key=key, on_click=_add, args=(design,), width="stretch")
            st.caption(markdown(ABOUT[design.name]))
        if not ready:
            st.write("All of them are in the study.")


def _offer_nothing() -> None:
    st.button(
        ADD, icon=":material/add:", disabled=True, key="no-design",
        help="Which ready-made designs fit is known when the errors are mended.",
    )  # fmt: skip


def _add(design: Design) -> None:
    now = draft.current()
    draft.change(now | {"designs": [*now["designs"], design.model_dump(mode="json")]})
    draft.restart()

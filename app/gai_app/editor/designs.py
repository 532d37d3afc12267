"""Designs: what allocates, what declares and what drops, each with the parameters it names."""

from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.clicks import clicked
from gai_app.draft import Data
from gai_app.editor import futility
from gai_app.editor.editing import Editing
from gai_app.editor.parameters import parameters, sources
from gai_app.editor.sheet import after_typing
from gai_app.escaping import markdown
from gai_core import CRITERIA, RULES, Study
from gai_core.basics import Registry
from gai_core.evidence import Outcome
from gai_core.study import ABOUT, IN_ORDER, Design, every_ready_made, promise_of


def edit(page: Editing, kind: type[Outcome]) -> list[Data]:
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
            gone = clicked(
                f"Remove {label}",
                key=draft.key(f"remove-{i}"),
                icon=":material/delete:",
                disabled=len(before) == 1,
            )
        page.restart |= gone
        if not gone:
            designs.append(edited)
    page.errors_here("designs")
    page.say_later(_offer, _offer_nothing)
    return designs


def _design(page: Editing, i: int, base: Data, kind: type[Outcome]) -> Data:
    name, burn_in = st.columns([3, 1])
    data = dict(base)  # what has no field here stays
    with name:
        data["name"] = page.field(f"designs.{i}.name", "Name", base["name"], "text")
    with burn_in:
        data["burn_in"] = page.field(
            f"designs.{i}.burn_in",
            "Burn-in",
            base["burn_in"],
            "whole",
            help="Outcomes of every dose before the allocation rule begins.",
        )
    for part, label, registry in (
        ("rule", "Allocation rule", RULES),
        ("criterion", "Decision rule", CRITERIA),
    ):
        data[part], data[f"{part}_parameters"] = _entry(page, i, part, label, registry, base, kind)
    data["futility"], data["futility_parameters"] = futility.edit(page, i, data, kind)
    data["order"] = _order(page, i, base)
    return data


def _order(page: Editing, i: int, base: Data) -> str | None:
    """Whether doses are judged in order."""
    chosen = st.checkbox(
        "Judge doses in order, from the highest down",
        value=base.get("order") is not None,
        key=draft.key(f"order-{i}"),
        help=IN_ORDER,
    )
    page.errors_here(f"designs.{i}.order")
    return "increasing" if chosen else None


def _entry(
    page: Editing,
    i: int,
    part: str,
    label: str,
    registry: Registry[Any],
    base: Data,
    kind: type[Outcome],
) -> tuple[str, Data]:
    """A menu of the entries for this kind of outcome, and the parameters of the chosen one."""
    keys = [key for key in registry if registry[key].suits(kind) or key == base[part]]
    menu = draft.key(f"{part}-{i}")
    key = st.selectbox(
        label,
        keys,
        index=keys.index(base[part]),
        format_func=lambda name: registry[name].label,
        key=menu,
        help=sources(registry[st.session_state.get(menu, base[part])]),
    )
    entry = registry[key]
    if part == "criterion":
        page.say_later(lambda study: _say_promise(study, i))
    elif entry.caution:
        st.caption(markdown(entry.caution))
    given = base[f"{part}_parameters"] if key == base[part] else {}
    return key, parameters(page, f"designs.{i}.{part}_parameters", entry, given)


def _say_promise(study: Study, i: int) -> None:
    """What the decision rule promises, with the study's own error rates."""
    if i < len(study.designs):
        st.caption(markdown(promise_of(study, study.designs[i])))


ADD = "Add a design"


def _offer(study: Study) -> None:
    """A menu of the ready-made designs that fit the study and are not in it."""
    menu = st.popover(ADD, icon=":material/add:", on_change="rerun", key=draft.key("add-design"))
    if not menu.open:
        return
    taken = {design.name for design in study.designs}
    ready = [design for design in every_ready_made(study) if design.name not in taken]
    with menu:
        st.caption("Ready-made designs; every part of them can be changed afterwards.")
        for design in ready:
            key = draft.key(f"ready-{design.name}")
            st.button(
                design.name, key=key, on_click=after_typing(_add), args=(design,), width="stretch"
            )
            st.caption(markdown(ABOUT[design.name]))
        if not ready:
            st.write("All of them are in the study.")


def _offer_nothing() -> None:
    st.button(
        ADD,
        icon=":material/add:",
        disabled=True,
        key="no-design",
        help="Which ready-made designs fit is known when the errors are mended.",
    )


def _add(design: Design) -> None:
    now = draft.current()
    draft.change(now | {"designs": [*now["designs"], design.model_dump(mode="json")]})
    draft.restart()

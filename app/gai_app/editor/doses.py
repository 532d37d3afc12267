"""Dose arms and what they are assumed to do: one table, a column per assumption."""

from typing import Any, Literal

import pandas as pd
import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor import misspecification
from gai_app.editor.editing import Editing
from gai_app.escaping import markdown
from gai_core.evidence import OUTCOMES

COLUMNS = {
    "label": st.column_config.TextColumn("Dose arm", help="As it appears in tables and figures."),
    "dose": st.column_config.NumberColumn("Dose", format="%g", width="small"),
    "unit": st.column_config.TextColumn("Unit", width="small"),
    "control": st.column_config.CheckboxColumn(
        "Control", width="small", help="The control arm, for example placebo."
    ),
}
Visibility = Literal["visible", "collapsed"]
JUST_BELOW = 0.01
"""How far below the target the doses of a global null lie."""


def edit(page: Editing, target: float | None, kind: str, *, in_time: bool) -> dict[str, Any]:
    """The table of arms with a column per truth, then the truths: names, sources, doubts."""
    base = page.base
    names = [truth["name"] for truth in base["truths"]]
    frame = st.data_editor(
        _frame(base),
        num_rows="dynamic",
        hide_index=True,
        width="stretch",
        column_config=COLUMNS | {
            _column(i): st.column_config.NumberColumn(
                name, format="%g", width="small", help=f"Assumed mean under {markdown(name)}."
            )
            for i, name in enumerate(names)
        },
        key=draft.key("arms"),
    )  # fmt: skip
    data = _read(frame, base)
    st.caption(
        "Add a dose in the last row; tick a row at its left edge and press Delete to remove it."
    )
    page.errors_here("arms")
    _reorder(page, data)
    _truths(page, data)
    _add_truth(page, data, target, kind)
    misspecification.edit(page, data["truths"], kind, in_time=in_time)
    return data


def _column(truth: int) -> str:
    return f"truth {truth}"


def _frame(base: Data) -> pd.DataFrame:
    rows = [
        {name: arm.get(name) for name in COLUMNS}
        | {_column(i): truth["means"][row] for i, truth in enumerate(base["truths"])}
        for row, arm in enumerate(base["arms"])
    ]
    frame = pd.DataFrame(rows, columns=[*COLUMNS, *map(_column, range(len(base["truths"])))])
    numbers = ["dose", *frame.columns[len(COLUMNS) :]]
    return frame.astype(dict.fromkeys(numbers, "float64") | {"control": "boolean"})


def _read(frame: pd.DataFrame, base: Data) -> dict[str, Any]:
    """Arms and truths as the table says; an empty cell is None, an empty row is no arm."""
    given = frame[frame.drop(columns="control").notna().any(axis=1)]
    records = given.astype(object).where(given.notna(), None).to_dict("records")
    arms = [
        {
            "label": record["label"],
            "dose": record["dose"],
            "unit": record["unit"] or "",
            "control": bool(record["control"]),
        }
        for record in records
    ]
    truths = [
        truth | {"means": [record[_column(i)] for record in records]}
        for i, truth in enumerate(base["truths"])
    ]
    return {"arms": arms, "truths": truths}


def _reorder(page: Editing, data: dict[str, Any]) -> None:
    """Move a dose, or sort all by dose: the order of the tables and figures."""
    menu = st.popover(
        "Reorder doses", icon=":material/swap_vert:", on_change="rerun", key=draft.key("order")
    )
    if not menu.open:
        return
    with menu:
        rows = range(len(data["arms"]))
        row = st.selectbox(
            "Dose arm",
            rows,
            format_func=lambda i: data["arms"][i]["label"] or f"dose arm {i + 1}",
            key=draft.key("reorder"),
        )
        up, down, by_dose = st.columns(3)
        order = list(rows)
        if up.button("Up", key=draft.key("up"), disabled=not row, width="stretch"):
            order[row - 1], order[row] = order[row], order[row - 1]
        last = row is None or row == len(order) - 1
        if down.button("Down", key=draft.key("down"), disabled=last, width="stretch"):
            order[row], order[row + 1] = order[row + 1], order[row]
        if by_dose.button("By dose", key=draft.key("by-dose"), width="stretch"):
            order.sort(
                key=lambda i: (data["arms"][i]["dose"] is None, data["arms"][i]["dose"] or 0)
            )
        if order != list(rows):
            data["arms"] = [data["arms"][i] for i in order]
            for truth in data["truths"]:
                truth["means"] = [truth["means"][i] for i in order]
            page.restart = True


def _truths(page: Editing, data: dict[str, Any]) -> None:
    st.markdown("**Assumed dose-responses**")
    kept = []
    for i, truth in enumerate(data["truths"]):
        name_box, note_box, remove = st.columns([3, 5, 2], vertical_alignment="bottom")
        shown: Visibility = "visible" if i == 0 else "collapsed"
        name = name_box.text_input(
            f"Name of assumption {i + 1}" if i else "Name", truth["name"],
            key=draft.key(f"truth-{i}"), label_visibility=shown,
        )  # fmt: skip
        truth["note"] = note_box.text_input(
            f"Source of assumption {i + 1}" if i else "Where the figures come from",
            truth.get("note", ""), key=draft.key(f"note-{i}"), label_visibility=shown,
        )  # fmt: skip
        gone = remove.button(
            "Remove", key=draft.key(f"remove-truth-{i}"), icon=":material/delete:",
            disabled=len(data["truths"]) == 1, width="stretch",
        )  # fmt: skip
        page.restart |= gone or name != truth["name"]
        truth["name"] = name
        if not gone:
            kept.append(truth)
    data["truths"] = kept
    page.errors_here("truths")


def _add_truth(page: Editing, data: dict[str, Any], target: float | None, outcome: str) -> None:
    kinds = {"Copy of the first": data["truths"][0]["means"]}
    if target is not None:
        below = _just_below(target, outcome)
        kinds["Every dose just below the target"] = [below] * len(data["arms"])
        kinds["Every dose at the target"] = [target] * len(data["arms"])
    with st.popover("Add an assumption", icon=":material/add:"):
        st.caption("What else might be true? The designs are run on every one.")
        for kind, means in kinds.items():
            if st.button(kind, key=draft.key(f"add-{kind}"), width="stretch"):
                taken = {truth["name"] for truth in data["truths"]}
                name = _free({"Copy of the first": "another guess"}.get(kind, kind.lower()), taken)
                data["truths"] = [*data["truths"], {"name": name, "means": list(means), "note": ""}]
                page.restart = True


def _just_below(target: float, kind: str) -> float:
    """A little less than the target; a rate stays above 0."""
    step = min(JUST_BELOW, (target - OUTCOMES[kind].mean_range[0]) / 2)
    return round(target - step, 9)


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken."""
    numbered = (name if i == 1 else f"{name} {i}" for i in range(1, len(taken) + 2))
    return next(candidate for candidate in numbered if candidate not in taken)

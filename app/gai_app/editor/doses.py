"""Dose arms and what they are assumed to do: one table, a column per assumption."""

from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.clicks import clicked
from gai_app.editor import edits, misspecification
from gai_app.editor.editing import Editing
from gai_app.editor.nulls import just_below
from gai_app.editor.parsing import is_number
from gai_app.editor.plausible import implausible_means
from gai_app.editor.sheet import Column, Table, draw_table
from gai_app.escaping import distinct, markdown
from gai_core import Study
from gai_core.evidence import Outcome

COLUMNS = [
    Column("arms.{row}.label", "Dose arm", "As it appears in tables and figures."),
    Column("arms.{row}.dose", "Dose", kind="number"),
    Column("arms.{row}.unit", "Unit"),
    Column("arms.{row}.control", "Control", "The control arm, for example placebo.", "flag"),
]
LIKE_CONTROL = "Every dose like the control"
NAMES = {"Copy of the first": "another guess", LIKE_CONTROL: "inert"}
"""What an added assumption is called, where it is not what it says."""


def edit(
    page: Editing, target: float | None, kind: type[Outcome], *, in_time: bool
) -> dict[str, Any]:
    """The table of arms with a column per truth, then the truths: names, sources, doubts."""
    arms = [dict(arm) for arm in page.current["arms"]]
    truths = [truth | {"means": list(truth["means"])} for truth in page.current["truths"]]
    data = {"arms": arms, "truths": truths}
    table = _table(data)
    page.later(lambda errors: draw_table(edits.TABLE, table, errors))
    st.caption(
        "Add a dose in the empty row; remove one by its × (or Ctrl+Delete). A block copied from a "
        "spreadsheet can be pasted into any cell."
    )
    page.errors_here("arms")
    page.say_later(_say_implausible)
    _reorder(page, data)
    _truths(page, data, kind)
    _add_truth(page, data, target, kind)
    misspecification.edit(page, data["truths"], kind, in_time=in_time)
    return data


def hoped_for(page: Editing, kind: type[Outcome]) -> None:
    """The table of a first study: a dose and what is hoped for of it."""
    word = "rate" if kind.mean_range == (0.0, 1.0) else "mean"
    hoped = Column("truths.0.means.{row}", f"Hoped-for {word}", "What the dose might do.", "number")
    arms, means = page.current["arms"], page.current["truths"][0]["means"]
    rows = [[arm["label"], arm["control"], mean] for arm, mean in zip(arms, means, strict=True)]
    table = Table([COLUMNS[0], COLUMNS[3], hoped], rows)
    page.later(lambda errors: draw_table(edits.TABLE, table, errors))
    st.caption(
        "One row a dose, for example 10 mg; the next row comes by itself. A block copied from a "
        "spreadsheet can be pasted into any cell."
    )
    page.say_later(_say_implausible)


def _table(data: dict[str, Any]) -> Table:
    truths = data["truths"]
    means = [
        Column(
            f"truths.{i}.means.{{row}}",
            truth["name"] or f"assumption {i + 1}",
            f"Assumed mean under {truth['name']}.",
            "number",
        )
        for i, truth in enumerate(truths)
    ]
    rows = [
        [arm["label"], arm["dose"], arm["unit"], arm["control"]]
        + [truth["means"][row] for truth in truths]
        for row, arm in enumerate(data["arms"])
    ]
    return Table([*COLUMNS, *means], rows)


def _say_implausible(study: Study) -> None:
    for sentence in implausible_means(study):
        st.warning(markdown(sentence), icon=":material/warning:")


def _reorder(page: Editing, data: dict[str, Any]) -> None:
    """Move a dose, or sort all by dose: the order of the tables and figures."""
    menu = st.popover(
        "Reorder doses", icon=":material/swap_vert:", on_change="rerun", key=draft.key("order")
    )
    if not menu.open:
        return
    with menu:
        rows = range(len(data["arms"]))
        names = [arm["label"] or f"dose arm {i + 1}" for i, arm in enumerate(data["arms"])]
        row = st.selectbox(
            "Dose arm",
            rows,
            format_func=distinct(names).__getitem__,
            key=draft.key("reorder"),
        )
        up, down, by_dose = st.columns(3)
        order = list(rows)
        if clicked("Up", place=up, key=draft.key("up"), disabled=not row, width="stretch"):
            order[row - 1], order[row] = order[row], order[row - 1]
        last = row is None or row == len(order) - 1
        if clicked("Down", place=down, key=draft.key("down"), disabled=last, width="stretch"):
            order[row], order[row + 1] = order[row + 1], order[row]
        if clicked("By dose", place=by_dose, key=draft.key("by-dose"), width="stretch"):
            doses = [arm["dose"] if is_number(arm["dose"]) else None for arm in data["arms"]]
            order.sort(key=lambda i: (doses[i] is None, doses[i] or 0))
        if order != list(rows):
            data["arms"] = [data["arms"][i] for i in order]
            for truth in data["truths"]:
                truth["means"] = [truth["means"][i] for i in order]
            page.restart = True


def _truths(page: Editing, data: dict[str, Any], kind: type[Outcome]) -> None:
    st.markdown("**Assumed dose-responses**")
    kept = []
    widths = [3, 6, 1] if kind.knows_variance else [3, 5, 2, 1]
    for i, truth in enumerate(data["truths"]):
        name_box, note_box, *spread_box, remove = st.columns(widths, vertical_alignment="bottom")
        with name_box:
            label = f"Name of assumption {i + 1}" if i else "Name"
            page.field(f"truths.{i}.name", label, truth["name"], "text", hidden=i > 0)
        with note_box:
            label = f"Source of assumption {i + 1}" if i else "Where the figures come from"
            note = truth.setdefault("note", "")
            page.field(f"truths.{i}.note", label, note, "text", hidden=i > 0)
        if spread_box:
            with spread_box[0]:
                label = f"Standard deviation of assumption {i + 1}" if i else "Standard deviation"
                help_text = "Of one outcome under this assumption; the designs do not know it."
                page.field(
                    f"truths.{i}.variance",
                    label,
                    truth.get("variance"),
                    "deviation",
                    help=help_text,
                    hidden=i > 0,
                )
        gone = clicked(
            f"Remove {markdown(truth['name'] or f'assumption {i + 1}')}",
            place=remove,
            key=draft.key(f"remove-truth-{i}"),
            icon=":material/delete:",
            disabled=len(data["truths"]) == 1,
        )
        page.restart |= gone
        if not gone:
            kept.append(truth)
    data["truths"] = kept
    page.errors_here("truths")


def _add_truth(
    page: Editing, data: dict[str, Any], target: float | None, outcome: type[Outcome]
) -> None:
    first = data["truths"][0]["means"]
    kinds = {"Copy of the first": first}
    control = next((i for i, arm in enumerate(data["arms"]) if arm["control"]), None)
    if control is not None:
        kinds[LIKE_CONTROL] = [first[control]] * len(data["arms"])
    if target is not None:
        below = just_below(target, outcome)
        kinds["Every dose just below the target"] = [below] * len(data["arms"])
        kinds["Every dose at the target"] = [target] * len(data["arms"])
    with st.popover("Add an assumption", icon=":material/add:"):
        st.caption("What else might be true? The designs are run on every one.")
        for kind, means in kinds.items():
            if clicked(kind, key=draft.key(f"add-{kind}"), width="stretch"):
                taken = {truth["name"] for truth in data["truths"]}
                name = _free(NAMES.get(kind, kind.lower()), taken)
                truth = {"name": name, "means": list(means), "note": ""}
                if not outcome.knows_variance:
                    truth["variance"] = data["truths"][0].get("variance")
                data["truths"] = [*data["truths"], truth]
                page.restart = True


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken."""
    numbered = (name if i == 1 else f"{name} {i}" for i in range(1, len(taken) + 2))
    return next(candidate for candidate in numbered if candidate not in taken)

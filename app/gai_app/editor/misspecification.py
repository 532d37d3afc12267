"""What if the assumptions are wrong: other spread of scores, trends over time."""

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.escaping import markdown
from gai_core import Study
from gai_core.evidence import Outcome
from gai_core.study import assumption_cautions

FIELDS = {
    "variance": (
        "True SD",
        "as assumed",
        "Standard deviation of one outcome under this assumption; the designs go on with theirs.",
    ),
    "trend": (
        "Change a month",
        "none",
        "Every mean moves by so much a month; the means in the table are those at the start.",
    ),
}
"""What an assumption may have: label, what empty means, help."""
_READS = {"variance": "deviation", "trend": "number"}


def edit(page: Editing, truths: list[Data], kind: type[Outcome], *, in_time: bool) -> None:
    """A folded box with the doubts about every truth; where none is possible, none is kept."""
    possible = {"variance": kind.has_variance, "trend": in_time}
    for truth in truths:
        truth |= {name: None for name in FIELDS if not possible[name]}
    possible["variance"] &= kind.knows_variance  # else it is asked for beside the name
    fields = [name for name in FIELDS if possible[name]]
    if not fields:
        return
    box = st.expander(
        "What if the assumptions are wrong?", on_change="rerun", key=draft.key("doubts")
    )
    if box.open:  # a folded box costs nothing
        with box:
            _head(fields)
            for i, truth in enumerate(truths):
                _doubts(page, i, truth, fields)
    page.say_later(_cautions)


def _head(fields: list[str]) -> None:
    _, *columns = st.columns(1 + len(fields))
    for field, column in zip(fields, columns, strict=True):
        label, _, text = FIELDS[field]
        column.caption(label, help=text)


def _doubts(page: Editing, i: int, truth: Data, fields: list[str]) -> None:
    name, *columns = st.columns(1 + len(fields), vertical_alignment="center")
    name.markdown(markdown(truth["name"] or f"assumption {i + 1}"))
    for field, column in zip(fields, columns, strict=True):
        label, empty, _ = FIELDS[field]
        with column:
            page.field(
                f"truths.{i}.{field}",
                f"{label}, assumption {i + 1}",
                truth.get(field),
                _READS[field],
                placeholder=empty,
                hidden=True,
            )


def _cautions(study: Study) -> None:
    for truth in study.truths:
        for caution in assumption_cautions(study, truth):
            st.warning(markdown(caution), icon=":material/warning:")

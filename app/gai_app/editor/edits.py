"""What was typed goes into the draft: before any page is drawn, in the order of the keys.

The browser numbers every edit and sends all that it does not know to have arrived. So none is
lost when a redraw is interrupted, and none is taken twice. After a reload it sends to the new
session what the study of the address does not have yet (`journal.js`).
"""

import copy
import secrets
from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.draft import Data, Typed
from gai_app.editor import first_study
from gai_app.editor.parsing import READERS, Read
from gai_core.evidence import OUTCOMES

TABLE = "arms"
"""The sheet whose rows are the arms, and the means of all truths beside them."""
ARM = {"label": "label", "dose": "number", "unit": "text", "control": "flag"}
"""The columns of an arm and how they are read."""
_NEW_ARM: Data = {"label": None, "dose": None, "unit": "", "control": False}
MOST_ROWS = 100
STEPS = {"undo": draft.undo, "redo": draft.redo, "saved": draft.mark_saved}
"""What else a browser asks for; all in the order of the keys."""


def take(edits: list[Data]) -> None:
    """Apply the edits that are new."""
    for edit in sorted(edits, key=lambda one: int(one["n"])):
        if edit["n"] <= last():
            continue
        st.session_state["last-edit"] = edit["n"]
        if edit.get("step") in STEPS:
            STEPS[edit["step"]]()
        elif "remove" in edit:
            _remove(int(edit["remove"]))
        else:
            _type(str(edit["path"]), str(edit["text"]), edit.get("reads"), edit.get("visit"))
        seen()[edit["sheet"]] = edit["n"]
        if first_study.short_form():
            draft.change(first_study.filled(draft.current()), draft.history().place)


def session() -> str:
    """This session's name: the browser sees by it that the server knows nothing yet, and what was
    sent to another one is not taken for its own."""
    found: str = st.session_state.setdefault("session-name", secrets.token_hex(8))
    return found


def last() -> int:
    """The number of the last edit that has arrived."""
    return int(st.session_state.get("last-edit", 0))


def seen() -> dict[str, int]:
    """The number of the last edit of every field and table."""
    found: dict[str, int] = st.session_state.setdefault("seen-edits", {})
    return found


def _type(path: str, text: str, reads: Any, visit: Any) -> None:
    row = _row(path)
    if row is not None and row >= MOST_ROWS:
        return
    found = _read(path, text, reads)
    if found is None:
        return
    draft.typed()[path] = Typed(text, found.value, found.why)
    if row is None:
        draft.write(path, found.value, (path, visit))
    else:
        draft.change(_with_cell(draft.current(), path, row, found.value), (path, visit))


def _read(path: str, text: str, reads: Any) -> Read | None:
    """What the text means at its place: a cell's column says how, a field itself (`reads`)."""
    if _row(path) is not None:
        reads = ARM.get(path.split(".")[-1], "response")
    if reads == "response":
        bounded = OUTCOMES[draft.current()["outcome"]["kind"]].mean_range == (0.0, 1.0)
        reads = "share" if bounded else "number"
    return READERS[reads](text) if reads in READERS else None


def _row(path: str) -> int | None:
    """The row of the table that a path lies in."""
    match draft.steps(path):
        case ["arms", int(row), _]:
            return row
        case ["truths", int(_), "means", int(row)]:
            return row
    return None


def _with_cell(data: Data, path: str, row: int, value: Any) -> Data:
    """The study with this cell; rows are added up to it, and empty ones at the end taken off."""
    data = copy.deepcopy(data)
    while len(data["arms"]) <= row:
        data["arms"].append(dict(_NEW_ARM))
    for truth in data["truths"]:
        truth["means"] += [None] * (len(data["arms"]) - len(truth["means"]))
    match draft.steps(path):
        case ["arms", int(_), str(column)]:
            data["arms"][row][column] = value
        case ["truths", int(truth), "means", int(_)] if truth < len(data["truths"]):
            data["truths"][truth]["means"][row] = value
    while data["arms"] and _is_empty(data, len(data["arms"]) - 1):
        _drop(data, len(data["arms"]) - 1)
    return data


def _is_empty(data: Data, row: int) -> bool:
    means = [truth["means"][row] for truth in data["truths"]]
    return data["arms"][row] == _NEW_ARM and all(mean is None for mean in means)


def _remove(row: int) -> None:
    data = copy.deepcopy(draft.current())
    if row < len(data["arms"]):
        _drop(data, row)
        draft.change(data)
        for path in [path for path in draft.typed() if _row(path) is not None]:
            del draft.typed()[path]  # the rows below have other numbers now


def _drop(data: Data, row: int) -> None:
    del data["arms"][row]
    for truth in data["truths"]:
        del truth["means"][row : row + 1]

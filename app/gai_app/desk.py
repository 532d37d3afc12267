"""All that a session has on its desk, as a text that the browser keeps for its tab.

Studies with their steps, also one with errors; which runs there were, and what they are called.
Results are not in it: the same study has the same results, so they are simulated again, or found
where the server keeps them. A browser can send anything: what is no desk is not used, and none
takes more memory than a desk may.
"""

import base64
import binascii
import json
import zlib
from itertools import islice
from typing import Annotated, Any

import streamlit as st
from pydantic import AfterValidator, BaseModel

from gai_app import draft, recall, studies
from gai_app.draft import Kept, Typed
from gai_app.editor import first_study
from gai_app.history import History
from gai_app.links import encoded, own, unfolded
from gai_app.settings import DESK_BYTES, DESK_PARTS, RUNS_PER_SESSION, STUDIES_PER_SESSION
from gai_core import InputError, __version__

STEPS = 20
"""Steps of every study that can still be undone after a reload."""


class _Parts(BaseModel):
    """What an editor needs of a study's data, valid or not."""

    title: str
    outcome: dict[str, Any]
    simulation: dict[str, Any]
    arms: list[dict[str, Any]]
    truths: list[dict[str, Any]]
    designs: list[dict[str, Any]]


def _with_parts(data: dict[str, Any]) -> dict[str, Any]:
    _Parts.model_validate(data)
    return data


_Data = Annotated[dict[str, Any], AfterValidator(_with_parts)]


class _Plain(BaseModel):
    """A study as it was left."""

    data: _Data
    saved: _Data
    past: list[_Data]
    future: list[_Data]
    typed: dict[str, Typed]
    valid: str | None


class _Desk(BaseModel):
    """What `packed` writes."""

    version: str
    current: int
    studies: dict[int, _Plain]
    example: _Data | None
    short: list[int]
    runs: list[recall.Remembered]
    count: int


def packed() -> str:
    """The desk as it is now; without the steps of its studies if it is too large."""
    content = _content(STEPS)
    if len(content) > DESK_BYTES or _parts(content) > DESK_PARTS:
        content = _content(0)
    return base64.b64encode(zlib.compress(content, 6)).decode()


def _parts(content: bytes) -> int:
    """How many values, lists and tables a text of data has at most, without reading it."""
    return sum(map(content.count, (b"{", b"[", b",")))


def _content(steps: int) -> bytes:
    others = {number: _plain(kept, steps) for number, kept in studies.waiting().items()}
    desk = {
        "version": __version__,
        "current": studies.current(),
        "studies": others | {studies.current(): _plain(draft.put_away(), steps)},
        "example": st.session_state.get("example"),
        "short": sorted(first_study.short_forms()),
        "runs": [run._asdict() for run in recall.remembered()],
        "count": st.session_state.get("runs-so-far", 0),
    }
    return json.dumps(desk, separators=(",", ":")).encode()


def restore(text: str, opened: str | None, *, edited: bool) -> None:
    """Put everything back; a text that is none of this version's is not used.

    `opened` is the study of the address: if the desk's last one is another, it stays beside it.
    What was typed since (`edited`) stays too.
    """
    try:
        content = unfolded(base64.b64decode(text), DESK_BYTES)
        if _parts(content) > DESK_PARTS:
            return
        desk = _Desk.model_validate_json(content)
        last = _kept(desk.studies.pop(desk.current))
        others = islice(desk.studies.items(), STUDIES_PER_SESSION - 1)
        kept = {number: _kept(plain) for number, plain in others}
    except (binascii.Error, zlib.error, ValueError, KeyError, InputError):
        return
    if desk.version != __version__:
        return
    same = opened is None or (last.valid is not None and encoded(last.valid) == opened)
    if same and not edited:
        st.session_state["study-number"] = desk.current
        st.session_state["example"] = desk.example
        first_study.short_forms().update(desk.short)
        draft.take_out(last)
        studies.waiting().update(kept)
    else:
        untouched = last.data == desk.example  # nobody's work
        for other in (*kept.values(), *(() if same or untouched else (last,))):
            studies.add(other)
    st.session_state["runs-so-far"] = desk.count
    runs = desk.runs[: 2 * RUNS_PER_SESSION]  # the kept and the pinned ones
    # Who opens a link sees the results of its study, not those that were chosen before.
    recall.recall(runs if same else [run._replace(shown=False) for run in runs])


def _plain(kept: Kept, steps: int) -> dict[str, Any]:
    return {
        "data": kept.data,
        "saved": kept.saved,
        "past": kept.history.past[-steps:] if steps else [],
        "future": kept.history.future[-steps:] if steps else [],
        "typed": {path: typed._asdict() for path, typed in kept.typed.items()},
        "valid": None if kept.valid is None else encoded(kept.valid),
    }


def _kept(plain: _Plain) -> Kept:
    return Kept(
        plain.data,
        plain.saved,
        History(plain.past[-STEPS:], plain.future[-STEPS:]),
        plain.typed,
        None if plain.valid is None else own(plain.valid),
    )

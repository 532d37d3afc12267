"""All that a session has on its desk, as a text that the browser keeps for its tab.

Studies with their steps, also one with errors; which runs there were, and what they are called.
Results are not in it: the same study has the same results, so they are simulated again, or found
where the server keeps them. Nobody but the tab itself can have written such a text.
"""

import base64
import binascii
import json
import zlib
from typing import Any

import streamlit as st

from gai_app import draft, recall, studies
from gai_app.draft import Kept, Typed
from gai_app.editor import first_study
from gai_app.history import History
from gai_app.links import encoded, own
from gai_core import InputError, __version__

STEPS = 20
"""Steps of every study that can still be undone after a reload."""


def packed() -> str:
    """The desk as it is now."""
    others = {number: _plain(kept) for number, kept in studies.waiting().items()}
    desk = {
        "version": __version__,
        "current": studies.current(),
        "studies": others | {studies.current(): _plain(draft.put_away())},
        "example": st.session_state.get("example"),
        "short": sorted(first_study.short_forms()),
        "runs": [run._asdict() for run in recall.remembered()],
        "count": st.session_state.get("runs-so-far", 0),
    }
    content = json.dumps(desk, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(content, 6)).decode()


def restore(text: str, opened: str | None, *, edited: bool) -> None:
    """Put everything back; a text that is none of this version's is not used.

    `opened` is the study of the address: if the desk's last one is another, it stays beside it.
    What was typed since (`edited`) stays too.
    """
    try:
        desk = json.loads(zlib.decompress(base64.b64decode(text)))
        if desk["version"] != __version__:
            return
        kept = {int(number): _kept(plain) for number, plain in desk["studies"].items()}
    except (binascii.Error, zlib.error, ValueError, LookupError, TypeError, InputError):
        return
    last = kept.pop(desk["current"])
    same = opened is None or (last.valid is not None and encoded(last.valid) == opened)
    if same and not edited:
        st.session_state["study-number"] = desk["current"]
        st.session_state["example"] = desk["example"]
        first_study.short_forms().update(desk["short"])
        draft.take_out(last)
        studies.waiting().update(kept)
    else:
        untouched = last.data == desk["example"]  # nobody's work
        for other in (*kept.values(), *(() if same or untouched else (last,))):
            studies.add(other)
    st.session_state["runs-so-far"] = desk["count"]
    runs = [recall.Remembered(**run) for run in desk["runs"]]
    # Who opens a link sees the results of its study, not those that were chosen before.
    recall.recall(runs if same else [run._replace(shown=False) for run in runs])


def _plain(kept: Kept) -> dict[str, Any]:
    return {
        "data": kept.data,
        "saved": kept.saved,
        "past": kept.history.past[-STEPS:],
        "future": kept.history.future[-STEPS:],
        "typed": {path: typed._asdict() for path, typed in kept.typed.items()},
        "valid": None if kept.valid is None else encoded(kept.valid),
    }


def _kept(plain: dict[str, Any]) -> Kept:
    return Kept(
        plain["data"],
        plain["saved"],
        History(plain["past"], plain["future"]),
        {path: Typed(**typed) for path, typed in plain["typed"].items()},
        None if plain["valid"] is None else own(plain["valid"]),
    )

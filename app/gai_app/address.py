"""What the address says: the study, and whether it was run. The browser's part is `address.js`."""

import hashlib
from pathlib import Path
from typing import Any

import streamlit as st

from gai_app import desk, draft, session, studies
from gai_app.editor import edits
from gai_app.links import PAGE, PARAMETER, encoded
from gai_app.settings import LINK_CHARACTERS

RUN = "run"
KEPT = "kept"
KEY = "address"
_address = st.components.v2.component(
    "gai_address",
    js=(Path(__file__).parent / "address.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def found() -> dict[str, str]:
    """What the browser had kept for this tab, once; nothing where there was nothing."""
    state = st.session_state.get(KEY) or {}
    sent = state.get("found")
    parts = sent.items() if isinstance(sent, dict) else ()  # a browser can send anything
    had = {name: text for name, text in parts if isinstance(text, str)}
    if had.get("session") != edits.session() or st.session_state.get("restored"):
        return {}
    return had


def restore(opened: str | None) -> None:
    """Put back what the browser had kept, when it arrives."""
    had = found()
    if had:
        st.session_state["restored"] = True
        if had.get("desk"):
            desk.restore(had["desk"], opened, edited=edits.last() > 0)


def ask() -> None:
    """Let the browser send what it has kept, before anything else."""
    _address(key=KEY, data={"session": edits.session(), "restored": False}, on_found_change=_pass)


def _pass() -> None:
    """What the browser sends is read in the next pass."""


def write() -> None:
    """At the end of a pass: let the browser keep the study in its address, and the desk."""
    study = draft.last_valid()
    text = "" if study is None else encoded(study)
    query, long, key = {PARAMETER: text} if text else {}, "", ""
    if len(text) > LINK_CHARACTERS:
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        query, long = {KEPT: key}, text
    if study is not None and session.is_run(study):
        query[RUN] = "1"
    own = st.session_state.setdefault("own-addresses", set())
    own.add(hash(query.get(PARAMETER) or query.get(KEPT)))
    data: dict[str, Any] = {
        "session": edits.session(),
        "restored": bool(st.session_state.get("restored")),
        "opened": studies.current(),  # another study is read from its top
        "page": st.session_state.get("page"),  # on every page the address is written anew
        "query": query,
        "names": [PARAMETER, KEPT, RUN, PAGE],
        "desk": desk.packed(),
        "seen": edits.last(),  # what was typed up to here is on the desk
        "long": long,
        "key": key,
    }
    _address(key=KEY, data=data, on_found_change=_pass)


def is_own(text: str) -> bool:
    """Whether this session wrote that study into the address itself."""
    return hash(text) in st.session_state.get("own-addresses", set())

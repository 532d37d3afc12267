"""Fields and a table of our own: what is typed counts from the keystroke.

They are drawn by `sheet.js` and have no state of their own in Streamlit. All edits go through
one component, the keeper, which stands above the pages: what it holds is sent with every
message to the server, that of a click on another page too.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.editor import edits
from gai_app.editor.parsing import written_as

_HERE = Path(__file__).parent
_PARTS = "sheet.js", "journal.js", "download.js"
_keeper = st.components.v2.component(
    "gai_keeper",
    js="\n".join((_HERE / name).read_text(encoding="utf-8") for name in _PARTS),
    css=(_HERE / "sheet.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)
_sheet = st.components.v2.component(
    "gai_sheet",
    js="""export default sheet => {
        const gai = globalThis.gaiSheets ??= { waiting: [] };
        if (gai.mount) gai.mount(sheet); else gai.waiting.push(sheet); // the keeper comes later
    };""",
    isolate_styles=False,
)
KEEPER = "keeper"


@dataclass(frozen=True)
class Field:
    """A single field: where its value stands in a study, and how it is shown."""

    path: str
    label: str
    value: Any
    reads: str
    """How its text is read: a name of `parsing.READERS`, or response."""
    help: str = ""
    placeholder: str = ""
    numeric: bool = True
    hidden: bool = False
    """Whether the label is for screen readers only."""
    lines: int = 1


@dataclass(frozen=True)
class Column:
    """A column of the table: the path of its cells with {row} in it."""

    path: str
    label: str
    help: str = ""
    kind: str = "text"
    """text, number or flag"""


@dataclass(frozen=True)
class Table:
    """The values of all cells, row by row."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]] = field(default_factory=list)


def _take_sent() -> None:
    state = st.session_state.get(KEEPER) or {}
    sent = state.get("edits") or {}
    if sent.get("of") == edits.session():
        edits.take(sent["list"])


def after_typing(change: Callable[..., object]) -> Callable[..., None]:
    """What a click does to the studies, done after all that was typed before the click.

    Streamlit calls what belongs to a click before anything of the page, also before edits that
    came with the same message.
    """

    def changed(*arguments: object) -> None:
        _take_sent()
        change(*arguments)

    return changed


def take_edits() -> None:
    """Once in every pass, before any page is drawn: what was typed goes into the draft."""
    _take_sent()
    restored = bool(st.session_state.get("restored"))
    data = {"of": edits.session(), "seen": edits.last(), "restored": restored}
    _keeper(key=KEEPER, data=data, on_edits_change=lambda: None)


def draw_field(asked: Field, error: str = "") -> None:
    """A field with what was typed into it."""
    data = asdict(asked) | {
        "value": _shown(draft.typed(), asked.path, asked.value, asked.reads),
        "sheet": asked.path,
        "seen": edits.seen().get(asked.path, 0),
        "error": error,
    }
    _sheet(key=_key(asked.path), data=data)


def draw_table(name: str, table: Table, errors: dict[str, str]) -> None:
    """A table with an empty row at its end; `errors` are those of its cells, by their paths."""
    typed = draft.typed()
    rows = [
        [_shown(typed, column.path.format(row=i), value) for column, value in _pairs(table, row)]
        for i, row in enumerate(table.rows)
    ]
    data = {
        "columns": [asdict(column) for column in table.columns],
        "rows": rows,
        "sheet": name,
        "seen": edits.seen().get(name, 0),
        "errors": errors,
        "most": edits.MOST_ROWS,
    }
    _sheet(key=_key(name), data=data)


def draw_download(label: str, name: str, content: str, text: str) -> None:
    """A button that gives a file with this content; then the study under edit counts as saved."""
    file = {"name": name, "content": content, "seen": edits.last()}
    data = file | {"sheet": "saved", "label": label, "help": text}
    _sheet(key=_key("download"), data=data)


def _key(name: str) -> str:
    """The key of a field or a table.

    For every menu that is drawn, Streamlit lists the state of all that has a key, and makes a class
    for each component: with forty fields that was a third of a pass. What ends in -None it takes
    for something without a key; these have no state that anybody reads.
    """
    return f"sheet-{name}-None"


def _pairs(table: Table, row: Sequence[Any]) -> list[tuple[Column, Any]]:
    return list(zip(table.columns, row, strict=True))


def _shown(typed: dict[str, draft.Typed], path: str, value: Any, reads: str = "") -> str:
    """The text that was typed, as long as it means the value; else the value as one would type."""
    found = typed.get(path)
    if found is not None and found.value == value and type(found.value) is type(value):
        return found.text
    return written_as(reads, value)

"""A report as PDF, set by typst. The text goes in as data, so no letter of it is markup."""

import datetime
import json
import re
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gai_core.report import formulas
from gai_core.report.content import (
    PAPERS,
    Bullets,
    Command,
    Formula,
    Heading,
    Listing,
    Numbered,
    Paragraph,
    Part,
    Picture,
    Report,
    Shown,
    Table,
    legal,
)
from gai_core.report.widths import column_letters

LONG_WORD = re.compile(r"(\S{14})(?=\S)")
TEMPLATE = Path(__file__).parent / "report.typ"


def pdf(report: Report) -> bytes:
    """The report, laid out on pages."""
    import typst

    numbered, paper = Numbered(report), PAPERS[report.layout.paper]
    with tempfile.TemporaryDirectory(prefix="gai-report-") as name:
        folder = Path(name)
        data = {
            "title": legal(report.title),
            "subtitle": report.subtitle,
            "facts": report.facts,
            "date": _date(report),
            "paper": {"width": paper.width, "height": paper.height},
            "first": _part(numbered, numbered.first, folder),
            "sections": [_part(numbered, part, folder) for part in numbered.parts],
        }
        (folder / "report.json").write_text(json.dumps(data), encoding="utf-8")
        source = folder / "report.typ"
        source.write_text(TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")
        content = typst.compile(source, root=folder, font_paths=_font_folders())
    return bytes(content)


def _date(report: Report) -> list[int]:
    """Year, month and day of the report, if its date is one."""
    try:
        date = datetime.date.fromisoformat(dict(report.facts).get("Date", ""))
    except ValueError:
        return []
    return [date.year, date.month, date.day]


def _font_folders() -> list[Path]:
    """Fonts for letters that typst's own ones lack."""
    spec = find_spec("matplotlib_fontja")
    import matplotlib as mpl

    folders = [Path(mpl.get_data_path()) / "fonts" / "ttf"]
    if spec is not None and spec.origin is not None:
        folders.append(Path(spec.origin).parent / "fonts")
    return folders


def _breakable(text: str) -> str:
    """The text with places where a long word may be broken."""
    return LONG_WORD.sub("\\1\u200b", text)


def _part(numbered: Numbered, part: Part, folder: Path) -> dict[str, Any]:
    return {
        "number": part.number,
        "title": part.title,
        "anchor": part.anchor,
        "blocks": [_block(numbered, shown, folder) for shown in part.blocks],
    }


def _pieces(numbered: Numbered, text: str, *, narrow: bool = False) -> list[dict[str, str]]:
    """Words, and links to what they refer to."""
    return [
        {"kind": "words", "text": _breakable(piece) if narrow else piece}
        if isinstance(piece, str)
        else {"kind": "command", "text": piece.text}
        if isinstance(piece, Command)
        else {"kind": "link", "text": piece.text, "anchor": piece.anchor}
        for piece in numbered.pieces(text)
    ]


def _block(numbered: Numbered, shown: Shown, folder: Path) -> dict[str, Any]:
    known = {"label": shown.label, "anchor": shown.anchor}
    match shown.block:
        case Paragraph(text):
            said = _pieces(numbered, text)
            return {"kind": "paragraph", "text": said, "leads": shown.block.leads}
        case Heading(text):
            return {"kind": "heading", "text": legal(text)}
        case Formula(name, text):
            return {
                "kind": "formula",
                "name": legal(name),
                "pieces": [
                    {"kind": "prose", "text": legal(piece)}
                    if isinstance(piece, str)
                    else _math(piece)
                    for piece in formulas.pieces(text)
                ],
            }
        case Bullets(items):
            return {"kind": "bullets", "items": [_pieces(numbered, item) for item in items]}
        case Listing(caption, text):
            return {"kind": "listing", "caption": caption, "text": legal(text)}
        case Table() as table:
            return known | _table(numbered, table)
        case Picture() as drawn:
            path = folder / f"{shown.anchor}.svg"
            path.write_bytes(drawn.drawn("svg"))
            return known | {
                "kind": "picture",
                "caption": legal(drawn.caption),
                "alt": drawn.alt,
                "path": path.name,
                "width": drawn.width,
            }


def _math(part: formulas.Part | None) -> dict[str, Any] | None:
    """A part of a formula for typst's `math`; nothing in it is read as code."""
    match part:
        case None:
            return None
        case formulas.Text(text, role):
            return {"kind": role, "text": legal(text)}
        case formulas.Row(parts, brackets):
            return {"kind": "row", "parts": list(map(_math, parts)), "brackets": list(brackets)}
        case formulas.Root(inside):
            return {"kind": "root", "inside": _math(inside)}
        case formulas.Fraction(above, below):
            return {"kind": "fraction", "above": _math(above), "below": _math(below)}
        case formulas.Marked(base, below, above):
            marks = {"below": _math(below), "above": _math(above)}
            return {"kind": "marked", "base": _math(base)} | marks


def _table(numbered: Numbered, table: Table) -> dict[str, Any]:
    """A table with the widths of its columns: words get more room than numbers."""
    return {
        "kind": "table",
        "caption": legal(table.caption),
        "columns": [_breakable(legal(column)) for column in table.columns],
        "rows": [[_pieces(numbered, cell, narrow=True) for cell in row] for row in table.rows],
        "widths": column_letters(table, numbered),
        "words": table.words,
        "wide": table.wide,
        "short": table.short,
    }

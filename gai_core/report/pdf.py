"""A report as PDF, set by typst. The text goes in as data, so no letter of it is markup."""

import json
import re
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gai_core.figures import picture
from gai_core.report.content import (
    Block,
    Bullets,
    Listing,
    Paragraph,
    Picture,
    Report,
    Table,
    legal,
)

LONG_WORD = re.compile(r"(\S{14})(?=\S)")
NARROW = 26
"""Letters of a first column that keeps its own width."""
TEMPLATE = Path(__file__).parent / "report.typ"


def pdf(report: Report) -> bytes:
    """The report, laid out on A4 pages."""
    import typst

    with tempfile.TemporaryDirectory(prefix="gai-report-") as name:
        folder = Path(name)
        data = {
            "title": legal(report.title),
            "subtitle": report.subtitle,
            "facts": report.facts,
            "summary": [legal(text) for text in report.summary],
            "sections": [
                {
                    "title": f"{number} {section.title}",
                    "blocks": [
                        _block(block, folder / f"figure-{number}-{i}.svg")
                        for i, block in enumerate(section.blocks)
                    ],
                }
                for number, section in report.numbered
            ],
        }
        (folder / "report.json").write_text(json.dumps(data), encoding="utf-8")
        source = folder / "report.typ"
        source.write_text(TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")
        content = typst.compile(source, root=folder, font_paths=_font_folders())
    return bytes(content)


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
    return LONG_WORD.sub("\\1\u200b", legal(text))


def _block(block: Block, path: Path) -> dict[str, Any]:
    match block:
        case Paragraph(text):
            return {"kind": "paragraph", "text": legal(text)}
        case Bullets(items):
            return {"kind": "bullets", "items": [legal(item) for item in items]}
        case Table(caption, columns, rows):
            return {
                "kind": "table",
                "caption": legal(caption),
                "columns": [_breakable(column) for column in columns],
                "rows": [[_breakable(cell) for cell in row] for row in rows],
                "narrow": max(len(row[0]) for row in (columns, *rows)) <= NARROW,
            }
        case Listing(caption, text):
            return {"kind": "listing", "caption": caption, "text": legal(text)}
        case Picture(caption, alt, draw):
            path.write_bytes(picture(draw, "svg"))
            return {"kind": "picture", "caption": legal(caption), "alt": alt, "path": path.name}

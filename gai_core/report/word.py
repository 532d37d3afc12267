"""A report as DOCX: real headings, real tables, captions with numbers, to paste into a protocol."""

import io
from collections import Counter
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from docx.document import Document

FIGURE_WIDTH = 6.3
"""Inches."""


def docx(report: Report) -> bytes:
    """The report as a Word document."""
    from docx import Document
    from docx.shared import Pt

    document = Document()
    document.core_properties.title = legal(report.title)
    document.core_properties.author = "gai-planner"
    document.styles["Normal"].font.size = Pt(10)
    document.add_heading(legal(report.title), 0)
    document.add_paragraph(report.subtitle, "Subtitle")
    for name, value in report.facts:
        document.add_paragraph(f"{name}: {value}")
    document.add_heading("Summary", 1)
    for text in report.summary:
        document.add_paragraph(legal(text))
    counts = Counter[str]()
    for number, section in report.numbered:
        document.add_heading(f"{number} {section.title}", 1)
        for block in section.blocks:
            _add(document, block, counts)
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


def _add(document: "Document", block: Block, counts: Counter[str]) -> None:
    match block:
        case Paragraph(text):
            document.add_paragraph(legal(text))
        case Bullets(items):
            for item in items:
                document.add_paragraph(legal(item), "List Bullet")
        case Table():
            _add_caption(document, "Table", block.caption, counts)
            _add_table(document, block)
        case Picture(caption, _alt, draw):
            from docx.shared import Inches

            image = io.BytesIO(picture(draw, "png"))
            document.add_picture(image, width=Inches(FIGURE_WIDTH))
            document.paragraphs[-1].paragraph_format.keep_with_next = True
            _describe(document, block.alt)
            _add_caption(document, "Figure", caption, counts)
        case Listing(caption, text):
            document.add_paragraph(legal(caption), "Caption")
            _add_listing(document, text)


def _describe(document: "Document", alt: str) -> None:
    """Words for those who cannot see the last picture."""
    document.inline_shapes[-1]._inline.docPr.set("descr", alt)


def _add_table(document: "Document", block: Table) -> None:
    from docx.shared import Pt

    table = document.add_table(rows=1, cols=len(block.columns), style="Light List Accent 1")
    size = Pt(6.5 if len(block.columns) > 7 else 8)
    for cells, texts in (
        (table.rows[0].cells, block.columns),
        *((table.add_row().cells, row) for row in block.rows),
    ):
        for cell, text in zip(cells, texts, strict=True):
            cell.text = legal(text)
            for run in cell.paragraphs[0].runs:
                run.font.size = size
    _repeat_header(table.rows[0])
    document.add_paragraph()


def _repeat_header(row: Any) -> None:
    """The first row again on every page."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def _add_caption(document: "Document", kind: str, text: str, counts: Counter[str]) -> None:
    """A caption with a field that Word counts by itself; until then it has our number."""
    counts[kind] += 1
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    paragraph = document.add_paragraph(f"{kind} ", "Caption")
    paragraph.paragraph_format.keep_with_next = kind == "Table"
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), f"SEQ {kind} \\* ARABIC")
    shown = OxmlElement("w:r")
    letters = OxmlElement("w:t")
    letters.text = str(counts[kind])
    shown.append(letters)
    field.append(shown)
    paragraph._p.append(field)
    paragraph.add_run(f". {legal(text)}")


def _add_listing(document: "Document", text: str) -> None:
    from docx.shared import Pt

    run = document.add_paragraph().add_run(legal(text))
    run.font.name = "Courier New"
    run.font.size = Pt(7.5)

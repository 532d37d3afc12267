"""Tables of a Word document: widths that fit the page, the first row on every page."""

from typing import TYPE_CHECKING, Any

from gai_core.report.content import Numbered, Table
from gai_core.report.widths import column_letters
from gai_core.report.word_fields import add_pieces

if TYPE_CHECKING:
    from docx.document import Document

PADDING = 2.0
"""Letters that the margins of a cell take."""
SMALL_FROM = 7
"""Columns from which on letters are smaller."""


def add_table(document: "Document", block: Table, numbered: Numbered, text_width: float) -> None:
    """A table as wide as the text."""
    from docx.shared import Mm, Pt

    style = "Table Grid" if "Light List Accent 1" not in _names(document) else "Light List Accent 1"
    table = document.add_table(rows=0, cols=len(block.columns))
    if style in _names(document):
        table.style = document.styles[style]
    table.autofit = False
    letters = [count + PADDING for count in column_letters(block, numbered)]
    widths = [text_width * count / sum(letters) for count in letters]
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Mm(width)
    for i, texts in enumerate((block.columns, *block.rows)):
        cells = table.add_row().cells
        for column, (cell, text) in enumerate(zip(cells, texts, strict=True)):
            cell.width = Mm(widths[column])
            _fill(document, cell, numbered, text, column >= block.words)
            if len(block.columns) >= SMALL_FROM:
                for run in cell.paragraphs[0].runs:
                    run.font.size = Pt(7)
        keep = i < len(block.rows) and len(block.rows) <= 18
        for cell in cells:
            cell.paragraphs[0].paragraph_format.keep_with_next = keep
    _whole_rows(table)
    document.add_paragraph(style="After table")


def _names(document: "Document") -> set[str]:
    return {style.name or "" for style in document.styles}


def _fill(document: "Document", cell: Any, numbered: Numbered, text: str, right: bool) -> None:
    from docx.enum.text import WD_ALIGN_PARAGRAPH

    paragraph = cell.paragraphs[0]
    paragraph.style = document.styles["Table text"]
    add_pieces(paragraph, numbered.pieces(text))
    if right:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT


def _whole_rows(table: Any) -> None:
    """The first row again on every page; no row over two pages."""
    from docx.oxml import OxmlElement

    table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    for row in table.rows:
        row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))

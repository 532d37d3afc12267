"""Tables of a Word document: widths that fit the page, the first row on every page."""

from typing import Any

from gai_core.report.content import Numbered, Table
from gai_core.report.widths import column_letters
from gai_core.report.word_fields import add_pieces
from gai_core.report.word_styles import Styled

MARGIN = 0.8
"""Millimetres to the left and right of what a cell holds."""
LOOKS = "Light List Accent 1", "Table Grid"
"""Styles of tables, the first that the document has."""
SMALL_FROM = 7
"""Columns from which on letters are smaller."""


def add_table(styled: Styled, block: Table, numbered: Numbered, text_width: float) -> None:
    """A table as wide as the text."""
    from docx.enum.table import WD_TABLE_ALIGNMENT
    from docx.shared import Mm, Pt

    table = styled.document.add_table(rows=0, cols=len(block.columns))
    style = next((name for name in LOOKS if name in styled.names), None)
    if style is not None:
        table.style = styled.document.styles[style]
    table.autofit = False
    table.alignment = WD_TABLE_ALIGNMENT.CENTER  # else its margins would stick out of the text
    _margins(table)
    letters = column_letters(block, numbered)
    widths = [text_width * count / sum(letters) for count in letters]
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Mm(width)
    for i, texts in enumerate((block.columns, *block.rows)):
        cells = table.add_row().cells
        for column, (cell, text) in enumerate(zip(cells, texts, strict=True)):
            cell.width = Mm(widths[column])
            _fill(styled, cell, numbered, text, column >= block.words)
            if len(block.columns) >= SMALL_FROM:
                for run in cell.paragraphs[0].runs:
                    run.font.size = Pt(7)
        keep = i < len(block.rows) and block.short
        for cell in cells:
            cell.paragraphs[0].paragraph_format.keep_with_next = keep
    _whole_rows(table)
    styled.add("", "After table")


def _fill(styled: Styled, cell: Any, numbered: Numbered, text: str, right: bool) -> None:
    from docx.enum.text import WD_ALIGN_PARAGRAPH

    paragraph = cell.paragraphs[0]
    styled.set(paragraph, "Table text")
    add_pieces(paragraph, numbered.pieces(text))
    if right:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT


def _margins(table: Any) -> None:
    """Narrow ones, so that numbers of nine columns stay in their line."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn
    from docx.shared import Mm

    found = OxmlElement("w:tblCellMar")
    for side in ("left", "right"):
        margin = OxmlElement(f"w:{side}")
        margin.set(qn("w:w"), str(Mm(MARGIN).twips))
        margin.set(qn("w:type"), "dxa")
        found.append(margin)
    table._tbl.tblPr.find(qn("w:tblLook")).addprevious(found)  # the order that Word asks for


def _whole_rows(table: Any) -> None:
    """The first row again on every page; no row over two pages."""
    from docx.oxml import OxmlElement

    table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    for row in table.rows:
        row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))

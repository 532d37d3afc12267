"""A report as DOCX, to paste into a protocol: numbered headings, captions and contents as fields.

Everything is set by named styles, so that a company's template (`Layout.template`) changes all of
it. Fields hold what Word would compute, so the file reads the same before they are updated.
"""

import datetime
import io
from typing import TYPE_CHECKING

from gai_core.report.content import (
    PAPERS,
    Bullets,
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
from gai_core.report.formulas import pieces
from gai_core.report.word_fields import add_field, add_pieces, bookmarked, contents
from gai_core.report.word_math import office_math
from gai_core.report.word_pages import Pages, footer_and_header, start
from gai_core.report.word_styles import Styled
from gai_core.report.word_tables import add_table

if TYPE_CHECKING:
    from docx.document import Document

AUTHOR = "gai-planner"
SLACK = 0.1
"""Millimetres that a figure stays within the text, so that rounding makes none wider."""


def docx(report: Report) -> bytes:
    """The report as a Word document."""
    numbered = Numbered(report)
    document = start(report.layout)
    styled = Styled(document)
    pages = Pages(document, PAPERS[report.layout.paper])
    _properties(document, report)
    styled.add(legal(report.title), "Title")
    styled.add(report.subtitle, "Subtitle")
    facts = " · ".join(f"{name}: {value}" for name, value in report.facts)
    styled.add(facts, "First page")
    writer = _Writer(styled, pages, numbered)
    writer.blocks(numbered.first)
    heading = styled.add("Contents", "TOC Heading")
    heading.paragraph_format.page_break_before = True  # a break of its own may leave a blank page
    contents(styled, [(part.number, part.title, part.anchor) for part in numbered.parts])
    for part in numbered.parts:
        writer.part(part)
    footer_and_header(document, report)
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


def _properties(document: "Document", report: Report) -> None:
    """Title, author, and true dates: the report's own, or today."""
    found = document.core_properties
    found.title, found.author = legal(report.title)[:255], AUTHOR
    found.last_modified_by, found.comments = AUTHOR, ""
    found.subject = report.subtitle
    try:
        date = datetime.datetime.fromisoformat(dict(report.facts).get("Date", ""))
    except ValueError:
        date = datetime.datetime.now(datetime.UTC)
    found.created = found.modified = date.replace(tzinfo=None)
    found.revision = 1


class _Writer:
    """Adds the parts of a report to a document."""

    def __init__(self, styled: Styled, pages: Pages, numbered: Numbered) -> None:
        self.styled, self.pages, self.numbered = styled, pages, numbered
        self.style, self.bullet = "First page", "First page bullet"

    def part(self, part: Part) -> None:
        """A section with its heading."""
        self.pages.turn(wide=False)
        self.style, self.bullet = "Normal", "List Bullet"
        counted = part.number.isdigit()
        heading = self.styled.add("", "Heading 1" if counted else "Appendix heading")
        name, letters = ("section", "ARABIC") if counted else ("appendix", "ALPHABETIC")
        add_field(heading, f"SEQ {name} \\* {letters}", part.number)
        bookmarked(heading, f"{part.anchor}-number")
        heading.add_run(f" {legal(part.title)}")
        bookmarked(heading, part.anchor)
        self.blocks(part)

    def blocks(self, part: Part) -> None:
        """The blocks of a section."""
        for shown in part.blocks:
            wide = isinstance(shown.block, Table) and shown.block.wide
            self.pages.turn(wide=wide)
            self._add(shown)

    def _add(self, shown: Shown) -> None:
        match shown.block:
            case Paragraph(text) as said:
                paragraph = self.styled.add("", self.style)
                add_pieces(paragraph, self.numbered.pieces(text))
                if said.leads:
                    paragraph.paragraph_format.keep_with_next = True
            case Heading(text):
                self.styled.add(legal(text), "Heading 2")
            case Formula() as formula:
                self._formula(formula)
            case Bullets(items):
                for item in items:
                    add_pieces(self.styled.add("", self.bullet), self.numbered.pieces(item))
            case Table() as table:
                self._caption(shown, table.caption, before=True)
                add_table(self.styled, table, self.numbered, self.pages.text_width)
            case Picture() as drawn:
                self._picture(drawn)
                self._caption(shown, drawn.caption, before=False)
            case Listing(caption, text):
                self.styled.add(legal(caption), "Heading 2")
                self.styled.add(legal(text), "Listing")

    def _formula(self, formula: Formula) -> None:
        paragraph = self.styled.add(f"{legal(formula.name)}: ", "Formula")
        for piece in pieces(formula.text):
            if isinstance(piece, str):
                paragraph.add_run(legal(piece))
            else:
                paragraph._p.append(office_math(piece))

    def _picture(self, drawn: Picture) -> None:
        from docx.shared import Mm

        image = io.BytesIO(drawn.drawn("png"))
        paragraph = self.styled.document.add_paragraph()
        width = Mm(drawn.width * self.pages.text_width - SLACK)
        shape = paragraph.add_run().add_picture(image, width=width)
        paragraph.paragraph_format.keep_with_next = True
        shape._inline.docPr.set("descr", drawn.alt)

    def _caption(self, shown: Shown, text: str, *, before: bool) -> None:
        """A caption whose number Word counts by itself; until then it has ours."""
        kind, number = shown.label.split(" ")
        paragraph = self.styled.add("", "Caption")
        paragraph.paragraph_format.keep_with_next = before
        paragraph.add_run(f"{kind} ")
        add_field(paragraph, f"SEQ {kind} \\* ARABIC", number)
        bookmarked(paragraph, shown.anchor)
        paragraph.add_run(f". {legal(text)}")

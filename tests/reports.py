"""What tests read in reports."""

import io
import re
from collections.abc import Iterator
from html.parser import HTMLParser

from docx import Document
from pypdf import PdfReader

from gai_core.report import Report
from gai_core.report.content import (
    Block,
    Bullets,
    Command,
    Formula,
    Heading,
    Listing,
    Numbered,
    Paragraph,
    Picture,
    Table,
)
from gai_core.report.formulas import in_a_line


def blocks(report: Report, title: str | None = None) -> list[Block]:
    """The blocks of a section, or of the whole report."""
    if title is None:
        return list(report.blocks)
    sections = (*report.sections, *report.appendix)
    return [block for section in sections if section.title == title for block in section.blocks]


def in_words(report: Report) -> list[str]:
    """What was found under every truth, in sentences."""
    found = blocks(report, "Operating characteristics")
    return [block.text for block in found if isinstance(block, Paragraph)]


def texts(report: Report) -> Iterator[str]:
    """Everything a report says but for files in full, with its references in words."""
    numbered = Numbered(report)

    def words(text: str) -> str:
        """With what is typed between backquotes."""
        return "".join(
            piece if isinstance(piece, str)
            else f"`{piece.text}`" if isinstance(piece, Command)
            else piece.text
            for piece in numbered.pieces(text)
        )  # fmt: skip

    for block in report.blocks:
        match block:
            case Paragraph(text) | Heading(text):
                yield words(text)
            case Formula(name, text):
                yield f"{name}: {in_a_line(text)}"
            case Bullets(items):
                yield from map(words, items)
            case Table():
                yield from map(words, (block.caption, *block.columns))
                for row in block.rows:
                    yield from map(words, row)
            case Picture():
                yield from (block.caption, block.alt)
            case Listing():
                pass


class Page(HTMLParser):
    """The text of a page, its elements, and what they refer to."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.text, self.tags, self.references = "", [], []  # type: ignore[var-annotated]
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def text_of(ending: str, content: bytes) -> str:
    """All text of a written report."""
    if ending == ".html":
        return Page(content.decode()).text
    if ending == ".pdf":
        return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    assert ending == ".docx", f"how is the text of {ending} read?"
    document = Document(io.BytesIO(content))
    cells = (cell.text for table in document.tables for row in table.rows for cell in row.cells)
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def squeezed(text: str) -> str:
    """Without what a layout adds: spaces, line ends, hyphens and invisible letters."""
    return re.sub(r"[\s\u200b\u2060\u00ad‐-]", "", text)

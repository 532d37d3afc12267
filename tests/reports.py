"""What tests read in reports."""

from collections.abc import Iterator

from gai_core.report import Report
from gai_core.report.content import (
    Block,
    Bullets,
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
    words = Numbered(report).words
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

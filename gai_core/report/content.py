"""What a report is made of: sections of blocks, in plain text. Writers know how to draw them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from gai_core.results import WordTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def legal(text: str) -> str:
    """The text without characters that a document cannot hold; line breaks stay."""
    whole = text.replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in whole)


class Paragraph(NamedTuple):
    """Sentences."""

    text: str


class Bullets(NamedTuple):
    """A list of sentences."""

    items: tuple[str, ...]


class Table(NamedTuple):
    """A table with its caption; the first column names the row."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @staticmethod
    def of(words: WordTable) -> "Table":
        """A table of words as a block."""
        return Table(words.title, tuple(words.columns), tuple(map(tuple, words.rows)))


class Picture(NamedTuple):
    """A figure with its caption, drawn when it is written; `alt` says in words what it shows."""

    caption: str
    alt: str
    draw: "Callable[[], Figure]"


class Listing(NamedTuple):
    """A file in full."""

    caption: str
    text: str


Block = Paragraph | Bullets | Table | Picture | Listing


class Section(NamedTuple):
    """A numbered part of the report."""

    title: str
    blocks: tuple[Block, ...]


class Report(NamedTuple):
    """A whole report: the same value becomes HTML, PDF and DOCX."""

    title: str
    subtitle: str
    facts: tuple[tuple[str, str], ...]
    """Name and value: date, version, hashes."""
    summary: tuple[str, ...]
    sections: tuple[Section, ...]

    @property
    def numbered(self) -> list[tuple[str, Section]]:
        """The sections with their numbers."""
        return [(str(i), section) for i, section in enumerate(self.sections, start=1)]

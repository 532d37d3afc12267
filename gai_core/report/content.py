"""What a report is made of: sections of blocks, in plain text. Writers know how to draw them.

Tables and figures are counted once, here, so that they have the same numbers in every format. A
text refers to one of them, or to a section, by `refer(key)`; `Numbered.pieces` gives the words.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from gai_core.basics import Registry
from gai_core.figures import picture
from gai_core.results import WordTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OPEN, CLOSE = "\ue000", "\ue001"
"""Around the key of what a text refers to; `legal` lets nobody else use these characters."""
REFERENCE = re.compile(f"{OPEN}([a-z0-9 -]+){CLOSE}")
TYPE, TYPED = "\ue002", "\ue003"
"""Around what is typed into a terminal, for nobody else either."""
_MARKED = re.compile(f"({OPEN}[a-z0-9 -]+{CLOSE}|{TYPE}[^{TYPE}{TYPED}]*{TYPED})")
_DRAWN: "WeakKeyDictionary[Callable[[], Figure], dict[str, bytes]]" = WeakKeyDictionary()
"""What was drawn, by what draws it."""
NOTHING = {"–", ""}
WIDE_COLUMNS = 10
"""From so many columns on a table is set on a page of its own, turned."""
SHORT_LINES, LINE_LETTERS = 18, 32
"""Up to so many lines a table is not divided between pages; letters that a cell has in a line."""


@dataclass(frozen=True)
class Paper:
    """What a report is printed on."""

    key: str
    label: str
    width: float
    """In millimetres, as the height."""
    height: float


PAPERS = Registry(
    "paper", [Paper("a4", "A4", 210.0, 297.0), Paper("letter", "US Letter", 215.9, 279.4)]
)


def legal(text: str) -> str:
    """The text without characters that a document cannot hold; line breaks stay."""
    whole = text.replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in whole)


def refer(key: str) -> str:
    """A place in a text that becomes `Table 2`, `Figure 1` or `section 5`."""
    return f"{OPEN}{key}{CLOSE}"


def typed(command: str) -> str:
    """A command in a text, which every format sets apart."""
    return f"{TYPE}{command}{TYPED}"


class Paragraph(NamedTuple):
    """Sentences."""

    text: str

    @property
    def leads(self) -> bool:
        """Whether it announces what follows, and so must stand on the same page."""
        return self.text.endswith(":")


class Bullets(NamedTuple):
    """A list of sentences."""

    items: tuple[str, ...]


class Heading(NamedTuple):
    """A heading inside a section, without a number."""

    text: str


class Table(NamedTuple):
    """A table with its caption; the first column names the row."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    key: str = ""
    """What texts refer to it by."""
    words: int = 1
    """Columns at the left that hold words; the others hold numbers, to the right."""

    @staticmethod
    def of(words: WordTable, key: str = "") -> "Table":
        """A table of words as a block."""
        return Table(words.title, tuple(words.columns), tuple(map(tuple, words.rows)), key)

    @property
    def wide(self) -> bool:
        """Whether it needs a page that is turned."""
        return len(self.columns) >= WIDE_COLUMNS

    @property
    def short(self) -> bool:
        """Whether it is not divided between pages: its rows have few lines."""
        lines = (max(len(cell) for cell in row) // LINE_LETTERS + 1 for row in self.rows)
        return sum(lines) <= SHORT_LINES

    def without_nothing(self) -> "Table":
        """The table without rows and columns that hold dashes only."""
        kept = [
            i
            for i in range(len(self.columns))
            if i < self.words or not self.rows or any(row[i] not in NOTHING for row in self.rows)
        ]
        rows = tuple(
            tuple(row[i] for i in kept)
            for row in self.rows
            if len(row) == self.words or any(cell not in NOTHING for cell in row[self.words :])
        )
        return self._replace(columns=tuple(self.columns[i] for i in kept), rows=rows)


class Picture(NamedTuple):
    """A figure with its caption, drawn when it is written; `alt` says in words what it shows."""

    caption: str
    alt: str
    draw: "Callable[[], Figure]"
    key: str = ""
    width: float = 1.0
    """Share of the text's width."""

    def drawn(self, kind: str) -> bytes:
        """As SVG or PNG; drawn once for all formats of a report, and forgotten with it."""
        kinds = _DRAWN.setdefault(self.draw, {})
        if kind not in kinds:
            kinds[kind] = picture(self.draw, kind)
        return kinds[kind]


class Listing(NamedTuple):
    """A file in full."""

    caption: str
    text: str


class Formula(NamedTuple):
    """A formula as the registries write it, after the name of what it belongs to."""

    name: str
    text: str


Block = Paragraph | Bullets | Heading | Table | Picture | Listing | Formula


class Section(NamedTuple):
    """A numbered part of the report."""

    title: str
    blocks: tuple[Block, ...]
    key: str = ""


@dataclass(frozen=True)
class Layout:
    """What a reader chooses: the paper, and a Word file whose styles are used."""

    paper: str = next(iter(PAPERS))
    """Its key."""
    template: Path | None = None


class Link(NamedTuple):
    """Words that lead to a table, a figure or a section."""

    text: str
    anchor: str


class Command(NamedTuple):
    """Words that are typed into a terminal."""

    text: str


class Shown(NamedTuple):
    """A block with its number, if it has one: `Table 2`, and where links to it lead."""

    block: Block
    label: str = ""
    anchor: str = ""


Piece = str | Link | Command


class Part(NamedTuple):
    """A section with its number and its blocks with theirs."""

    number: str
    """Empty for the first page; letters for the appendix."""
    title: str
    anchor: str
    blocks: tuple[Shown, ...]


class Report(NamedTuple):
    """A whole report: the same value becomes HTML, PDF and DOCX."""

    title: str
    subtitle: str
    facts: tuple[tuple[str, str], ...]
    """Name and value: date, version, hashes."""
    first: tuple[Block, ...]
    """The first page."""
    sections: tuple[Section, ...]
    appendix: tuple[Section, ...] = ()
    layout: Layout = Layout()

    @property
    def blocks(self) -> Iterator[Block]:
        """All blocks in their order."""
        yield from self.first
        for section in (*self.sections, *self.appendix):
            yield from section.blocks

    @property
    def numbered(self) -> list[tuple[str, Section]]:
        """The sections with their numbers."""
        letters = (chr(ord("A") + i) for i in range(len(self.appendix)))
        body = [(str(i), section) for i, section in enumerate(self.sections, start=1)]
        return [*body, *zip(letters, self.appendix, strict=True)]


class Numbered:
    """A report as it is written: everything counted, every reference known."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._counts = {Table: 0, Picture: 0}
        self._targets: dict[str, Link] = {}
        self.first = Part("", "", "first", tuple(map(self._shown, report.first)))
        self.parts = tuple(self._part(number, section) for number, section in report.numbered)

    def _part(self, number: str, section: Section) -> Part:
        anchor = f"section-{number.lower()}"
        word = "section" if number.isdigit() else "appendix"
        if section.key:
            self._targets[section.key] = Link(f"{word} {number}", anchor)
        return Part(number, section.title, anchor, tuple(map(self._shown, section.blocks)))

    def _shown(self, block: Block) -> Shown:
        if not isinstance(block, Table | Picture):
            return Shown(block)
        word = "Table" if isinstance(block, Table) else "Figure"
        self._counts[type(block)] += 1
        count = self._counts[type(block)]
        found = Shown(block, f"{word} {count}", f"{word.lower()}-{count}")
        if block.key:
            self._targets[block.key] = Link(found.label, found.anchor)
        return found

    @cached_property
    def body(self) -> tuple[Part, ...]:
        """The sections before the appendix."""
        return tuple(part for part in self.parts if part.number.isdigit())

    def pieces(self, text: str) -> list[Piece]:
        """A text in legal characters, its references as links."""
        found: list[Piece] = []
        for i, piece in enumerate(_MARKED.split(text)):
            inside = piece[1:-1]
            if i % 2 == 0:
                found.append(legal(piece))
            elif piece.startswith(TYPE):
                found.append(Command(legal(inside)))
            else:
                found.append(self._targets.get(inside, "what this report does not have"))
        return [piece for piece in found if piece]

    def words(self, text: str) -> str:
        """The same as plain words."""
        return "".join(p if isinstance(p, str) else p.text for p in self.pieces(text))

"""Fields of a Word document: numbers, page numbers, references and contents that Word updates."""

import re
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gai_core.report.content import Command, Piece
from gai_core.report.word_styles import Styled

if TYPE_CHECKING:
    from docx.document import Document
    from docx.text.paragraph import Paragraph


COMMAND = "Command"
"""The style of letters that are typed."""


def _element(tag: str, /, **attributes: str) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    found = OxmlElement(f"w:{tag}")
    for key, value in attributes.items():
        found.set(qn(f"w:{key}"), value)
    return found


def _begin(paragraph: "Paragraph", code: str) -> None:
    """The beginning of a field, up to what it shows."""
    paragraph.add_run()._r.append(_element("fldChar", fldCharType="begin"))
    text = _element("instrText")
    text.text = f" {code} "
    text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    paragraph.add_run()._r.append(text)
    paragraph.add_run()._r.append(_element("fldChar", fldCharType="separate"))


def add_field(paragraph: "Paragraph", code: str, shown: str) -> None:
    """A field with what it shows until Word computes it."""
    _begin(paragraph, code)
    paragraph.add_run(shown)
    paragraph.add_run()._r.append(_element("fldChar", fldCharType="end"))


def bookmark_name(anchor: str) -> str:
    """A name that Word takes for a bookmark."""
    return re.sub(r"\W", "_", f"gai_{anchor}")


def bookmarked(paragraph: "Paragraph", anchor: str) -> None:
    """A bookmark around what the paragraph holds so far, which references show."""
    number = str(_number_of(anchor))
    start = _element("bookmarkStart", id=number, name=bookmark_name(anchor))
    first = next(child for child in paragraph._p if not child.tag.endswith("}pPr"))
    first.addprevious(start)
    paragraph._p.append(_element("bookmarkEnd", id=number))


def _number_of(anchor: str) -> int:
    """A number for an anchor, the same in every process."""
    return zlib.crc32(anchor.encode()) >> 1


def add_pieces(paragraph: "Paragraph", pieces: Sequence[Piece]) -> None:
    """Words, commands in their style, and references as fields that lead to what they name."""
    for piece in pieces:
        if isinstance(piece, str):
            paragraph.add_run(piece)
        elif isinstance(piece, Command):
            paragraph.add_run(piece.text, style=COMMAND)
        elif piece.anchor.startswith("section"):
            word, _, number = piece.text.rpartition(" ")
            paragraph.add_run(f"{word} ")
            add_field(paragraph, f"REF {bookmark_name(piece.anchor + '-number')} \\h", number)
        else:
            add_field(paragraph, f"REF {bookmark_name(piece.anchor)} \\h", piece.text)


def contents(styled: Styled, parts: Sequence[tuple[str, str, str]]) -> None:
    """A table of contents: Word computes it anew; until then it has the sections and no pages."""
    paragraph = styled.add("", "TOC 1")
    code = 'TOC \\o "1-1" \\h \\z \\t "Appendix heading,1"'
    for i, (number, title, anchor) in enumerate(parts):
        if i == 0:
            _begin(paragraph, code)
        else:
            paragraph = styled.add("", "TOC 1")
        paragraph.add_run(f"{number}  {title}\t")
        add_field(paragraph, f"PAGEREF {bookmark_name(anchor)} \\h", "")
    paragraph.add_run()._r.append(_element("fldChar", fldCharType="end"))


def update_when_opened(document: "Document") -> None:
    """Ask Word to compute all fields when the file is opened: page numbers of the contents."""
    document.settings.element.append(_element("updateFields", val="true"))

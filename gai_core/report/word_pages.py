"""Pages of a Word document: paper, margins, turned pages for wide tables, header and footer."""

import io
import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gai_core.basics import InputError, Problem, printable, read_within, reason
from gai_core.report.content import Layout, Paper, Report, legal
from gai_core.report.word_fields import COMMAND, add_field, update_when_opened

if TYPE_CHECKING:
    from docx.document import Document

MARGIN = 20.0
"""Millimetres on every side."""
FONT = "Arial"
LARGEST_TEMPLATE, LARGEST_UNPACKED = 20_000_000, 100_000_000
"""Bytes of a template, and of all its parts."""
STYLES = {
    "Caption": "Normal",
    "Formula": "Normal",
    "Listing": "Normal",
    "List Bullet": "Normal",
    "TOC 1": "Normal",
    "TOC Heading": "Normal",
    "Appendix heading": "Heading 1",
    "Table text": "Normal",
    "After table": "Normal",
    "First page": "Normal",
    "First page bullet": "List Bullet",
    "Header": "Normal",
    "Footer": "Normal",
    "Title": "Normal",
    "Subtitle": "Normal",
    "Heading 1": "Normal",
    "Heading 2": "Normal",
}
"""Paragraph styles that a report uses, and what one that a template lacks is based on."""


def start(layout: Layout) -> "Document":
    """An empty document: that of python-docx with the report's styles, or the template's."""
    from docx import Document

    if layout.template is None:
        document = Document()
        _complete(document)
        _our_styles(document)
    else:
        document = _template(layout.template)
        _complete(document)
    update_when_opened(document)
    return document


def check_template(layout: Layout) -> None:
    """Before long work: refuse a template that cannot be read."""
    if layout.template is not None:
        _template(layout.template)


def _template(template: Path) -> "Document":
    """The template's styles, headers and footers, without its text."""
    from docx import Document

    place = printable(str(template))
    try:
        content = read_within(template, LARGEST_TEMPLATE)
    except OSError as error:
        raise InputError(f"cannot be read ({reason(error)})", source=place) from None
    try:
        document = Document(_unpacked(content, place))
    except InputError:
        raise
    except Exception:
        raise InputError("must be a Word document (.docx)", source=place) from None
    body = document.element.body
    for child in list(body):
        if not child.tag.endswith("}sectPr"):
            body.remove(child)
    return document


def _unpacked(content: bytes, place: str) -> io.BytesIO:
    """The ZIP with every part as long as its head says: a part may say less than it unpacks to."""
    plain = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as packed, zipfile.ZipFile(plain, "w") as copy:
        parts = {part.filename: part for part in packed.infolist()}
        size = sum(part.file_size for part in parts.values())
        if size > LARGEST_UNPACKED:
            rule = f"must have at most {LARGEST_UNPACKED:,} bytes unpacked"
            raise InputError(Problem((), rule, f"has {size:,}"), source=place)
        for name, part in parts.items():
            with packed.open(part) as source, copy.open(name, "w") as target:
                shutil.copyfileobj(source, target)
    return plain


def _complete(document: "Document") -> None:
    """Add the styles that are missing, so that a template needs none of them."""
    from docx.enum.style import WD_STYLE_TYPE

    known = {style.name for style in document.styles}
    for name, base in STYLES.items():
        if name not in known:
            style: Any = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
            style.base_style = document.styles[base if base in known else "Normal"]
    if COMMAND not in known:
        letters: Any = document.styles.add_style(COMMAND, WD_STYLE_TYPE.CHARACTER)
        letters.font.name = "Courier New"


def _our_styles(document: "Document") -> None:
    from docx.shared import Mm, Pt, RGBColor

    def looks(style_name: str, size: float, **others: Any) -> Any:
        style: Any = document.styles[style_name]
        style.font.size = Pt(size)
        for key, value in others.items():
            setattr(style.font, key, value)
        return style

    blue, ink = RGBColor(0x00, 0x66, 0xA1), RGBColor(0x1B, 0x27, 0x33)
    _font(document)
    looks("Normal", 9.5).paragraph_format.space_after = Pt(5)
    for name, after_it in (("First page", 3), ("First page bullet", 1)):  # it must fit a page
        paragraph = looks(name, 8.5).paragraph_format
        paragraph.space_after, paragraph.line_spacing = Pt(after_it), 1.0
    after = looks("After table", 4).paragraph_format
    after.space_after = Pt(0)
    looks("Title", 16, bold=True).paragraph_format.space_after = Pt(3)
    looks("Subtitle", 10, italic=False).paragraph_format.space_after = Pt(2)
    looks("Heading 1", 13).paragraph_format.space_before = Pt(14)
    looks("Heading 2", 10.5).paragraph_format.space_before = Pt(8)
    for name in ("Heading 1", "Heading 2", "Appendix heading", "TOC Heading"):
        style: Any = document.styles[name]
        style.font.color.rgb = ink if name == "Heading 2" else blue
        style.paragraph_format.keep_with_next = True
    looks("TOC Heading", 13, bold=True)
    looks("Caption", 8.5, bold=False).font.color.rgb = ink
    looks("Table text", 8).paragraph_format.space_after = Pt(0)
    looks("Formula", 9.5).paragraph_format.left_indent = Mm(6)
    looks("Listing", 7, name="Courier New")
    looks("Header", 8)
    looks("Footer", 8)


def _font(document: "Document") -> None:
    """One font for everything, also where the theme names another."""
    from docx.oxml.ns import qn

    for name in ("Normal", "Title", "Subtitle", "Heading 1", "Heading 2"):
        style: Any = document.styles[name]
        style.font.name = FONT
        fonts = style.element.rPr.rFonts
        for key in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
            fonts.attrib.pop(qn(f"w:{key}"), None)


class Pages:
    """The sections of a Word document: upright, and turned where a wide table stands."""

    def __init__(self, document: "Document", paper: Paper) -> None:
        self.document, self.paper, self.turned = document, paper, False
        self._set(document.sections[0])

    @property
    def text_width(self) -> float:
        """Millimetres of a line."""
        return (self.paper.height if self.turned else self.paper.width) - 2 * MARGIN

    def turn(self, *, wide: bool) -> None:
        """A new section where the page must be turned, or turned back."""
        if wide == self.turned:
            return
        from docx.enum.section import WD_SECTION

        self.turned = wide
        self._set(self.document.add_section(WD_SECTION.NEW_PAGE))

    def _set(self, section: Any) -> None:
        from docx.enum.section import WD_ORIENT
        from docx.shared import Mm

        width, height = self.paper.width, self.paper.height
        section.orientation = WD_ORIENT.LANDSCAPE if self.turned else WD_ORIENT.PORTRAIT
        section.page_width = Mm(height if self.turned else width)
        section.page_height = Mm(width if self.turned else height)
        for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
            setattr(section, side, Mm(MARGIN))


def footer_and_header(document: "Document", report: Report) -> None:
    """Study and version above, date and page below; a template's own stay as they are."""
    if report.layout.template is not None:
        return
    facts = dict(report.facts)
    section = document.sections[0]
    section.header.paragraphs[0].text = f"{legal(report.title)} · {facts['Software']}"
    below = section.footer.paragraphs[0]
    below.text = f"{report.subtitle}, {facts['Date']} · page "
    add_field(below, "PAGE", "1")
    below.add_run(" of ")
    add_field(below, "NUMPAGES", "1")

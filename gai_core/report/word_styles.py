"""Named styles of a Word document, looked up once: python-docx searches all for every paragraph."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docx.document import Document
    from docx.text.paragraph import Paragraph


class Styled:
    """A document to which paragraphs of named styles are added."""

    def __init__(self, document: "Document") -> None:
        self.document = document
        self.names = {style.name or "" for style in document.styles}
        self._ids: dict[str, str | None] = {}

    def add(self, text: str, style: str) -> "Paragraph":
        """A paragraph at the end of the document."""
        paragraph = self.document.add_paragraph(text)
        self.set(paragraph, style)
        return paragraph

    def set(self, paragraph: "Paragraph", style: str) -> None:
        """Give a paragraph its style; the default one is written by leaving it out."""
        from docx.enum.style import WD_STYLE_TYPE

        if style not in self._ids:
            found = self.document.part.get_style_id(style, WD_STYLE_TYPE.PARAGRAPH)
            self._ids[style] = found
        paragraph._p.style = self._ids[style]

"""A report as one HTML file: no network, prints well."""

import base64
from pathlib import Path

from gai_core.report.content import (
    PAPERS,
    Bullets,
    Command,
    Formula,
    Heading,
    Listing,
    Numbered,
    Paragraph,
    Picture,
    Report,
    Table,
    legal,
)
from gai_core.report.mathml import mathml

TEMPLATE = Path(__file__).parent / "report.html.jinja"
KINDS = {
    Paragraph: "paragraph",
    Bullets: "bullets",
    Heading: "heading",
    Table: "table",
    Picture: "picture",
    Listing: "listing",
    Formula: "formula",
}


def html(report: Report) -> bytes:
    """The report, with its figures inside."""
    import jinja2
    from markupsafe import Markup, escape

    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    numbered = Numbered(report)

    def linked(text: str) -> Markup:
        """Words with their references as links."""
        return Markup("").join(
            escape(piece)
            if isinstance(piece, str)
            else Markup("<code>{}</code>").format(piece.text)
            if isinstance(piece, Command)
            else Markup('<a href="#{}">{}</a>').format(piece.anchor, piece.text)
            for piece in numbered.pieces(text)
        )

    def formula(text: str) -> Markup:
        return Markup(mathml(text))

    environment.filters |= {"legal": legal, "linked": linked, "formula": formula}
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    paper = PAPERS[report.layout.paper]
    page = f"{paper.width:g}mm {paper.height:g}mm"
    return template.render(
        report=report, numbered=numbered, kind=_kind, svg=_svg, page=page
    ).encode()


def _kind(block: object) -> str:
    return KINDS[type(block)]


def _svg(block: Picture) -> str:
    """The figure as the address of an image: nothing in it can reach the page around it."""
    content = base64.b64encode(block.drawn("svg")).decode()
    return f"data:image/svg+xml;base64,{content}"

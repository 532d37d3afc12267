"""A report as one HTML file: no network, prints well."""

import base64
from pathlib import Path

from gai_core.figures import picture
from gai_core.report.content import Bullets, Listing, Paragraph, Picture, Report, Table, legal

TEMPLATE = Path(__file__).parent / "report.html.jinja"
KINDS = {
    Paragraph: "paragraph",
    Bullets: "bullets",
    Table: "table",
    Picture: "picture",
    Listing: "listing",
}


def html(report: Report) -> bytes:
    """The report, with its figures inside."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["legal"] = legal
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(report=report, kind=_kind, svg=_svg).encode()


def _kind(block: object) -> str:
    return KINDS[type(block)]


def _svg(block: Picture) -> str:
    """The figure as the address of an image: nothing in it can reach the page around it."""
    content = base64.b64encode(picture(block.draw, "svg")).decode()
    return f"data:image/svg+xml;base64,{content}"

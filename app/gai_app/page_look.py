"""What the whole page has in the browser: its look, how it is printed, figures as SVG."""

from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent
_page = st.components.v2.component(
    "gai_page",
    js=(_HERE / "page.js").read_text(encoding="utf-8"),
    css=(_HERE / "page.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def theme() -> str:
    """The theme that the browser shows: light or dark."""
    return st.context.theme.type or "light"


def dress() -> None:
    """Once in every pass."""
    _page(key="page-look", data={"theme": theme()})

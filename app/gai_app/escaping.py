"""Labels are data: text of a study is shown as it is, wherever it is shown."""

import html
import re
from collections.abc import Sequence
from itertools import chain, count

_JOINER = "\u2060"
"""Invisible, and no place for a line break: keeps letters apart that together mean something."""
_LIVE = re.compile(r"(https?|www|:(?=\w+:)|-(?=[->])|[<>~=](?==)|<(?=-)|(?=@))", re.IGNORECASE)
"""Streamlit makes links, icons and arrows of these after backslashes are gone."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&^=\"'@/])")


def markdown(text: str) -> str:
    """The text for places that read Markdown: no formatting, link, formula or icon in it."""
    kept_apart = _LIVE.sub(rf"\1{_JOINER}", " ".join(text.split()))
    return _MARKDOWN.sub(r"\\\1", kept_apart)


def figure(text: str, longest: int = 120) -> str:
    """The text for Plotly, which reads a little HTML; cut where there is no room for it."""
    cut = text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
    return html.escape(cut, quote=False)


def file_name(text: str, ending: str) -> str:
    """A file name made of the text's letters and digits."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return f"{'-'.join(words)[:60].strip('-') or 'study'}{ending}"


def distinct(names: Sequence[str]) -> list[str]:
    """The same names, with a number where one comes again: “trial”, “trial (2)”.

    Streamlit knows what is chosen from a menu by its words alone, and of two choices with the same
    words it takes the last.
    """
    found: list[str] = []
    for name in names:
        numbered = (f"{name} ({again})" for again in count(2))
        found.append(next(one for one in chain([name], numbered) if one not in found))
    return found

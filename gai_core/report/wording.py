"""Sentences of other rooms in a trialist's words: names of study files stay out of the prose."""

import re

from gai_core.report.content import (
    TYPE,
    TYPED,
    Block,
    Bullets,
    Heading,
    Paragraph,
    Picture,
    Table,
)

NAMES = {"n_max": "the largest sample size"}
"""Names of study files that sentences of other rooms use."""
_NAME = re.compile("|".join(rf"\b{name}\b" for name in NAMES))
_COMMAND = re.compile(f"({TYPE}[^{TYPED}]*{TYPED})")


def in_plain_words(text: str) -> str:
    """A text without names of study files; commands stay as they are typed."""
    return "".join(
        part if part.startswith(TYPE) else _NAME.sub(lambda found: NAMES[found[0]], part)
        for part in _COMMAND.split(text)
    )


def worded(block: Block) -> Block:
    """A block in plain words."""
    match block:
        case Paragraph(text):
            return Paragraph(in_plain_words(text))
        case Heading(text):
            return Heading(in_plain_words(text))
        case Bullets(items):
            return Bullets(tuple(map(in_plain_words, items)))
        case Table():
            return block._replace(
                caption=in_plain_words(block.caption),
                columns=tuple(map(in_plain_words, block.columns)),
                rows=tuple(tuple(map(in_plain_words, row)) for row in block.rows),
            )
        case Picture():
            return block._replace(caption=in_plain_words(block.caption))
        case _:
            return block

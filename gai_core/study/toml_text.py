"""TOML texts as data, in a time that grows with their length alone.

Python's parser takes time that is quadratic in the parts of a dotted key. One pass over the
text, whose every step consumes what it looks at, finds keys that no study has before the parser
does.
"""

import re
import tomllib
from typing import Any

from gai_core.basics import InputError

LONGEST_TEXT = 1_000_000
"""Characters of a study; the largest one needs about a third of it."""
DEEPEST_KEY = 8
"""Parts of a key, which are between dots."""
LONGEST_WORD = 10_000
"""Characters of a number, or of a key without quotes."""

MOST_SEPARATORS = 50_000
"""Commas, equal signs and ends of lines, those of notes too."""

_WORD = r"[A-Za-z0-9_-]++"
_QUOTED = r""""(?:[^"\\\n]|\\[^\n])*+"|'[^'\n]*+'"""
_PART = rf"(?:{_WORD}|{_QUOTED})"
_DEEP = rf"{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{DEEPEST_KEY}}}"
_LONG = rf"[A-Za-z0-9_-]{{{LONGEST_WORD + 1}}}"
_TOKEN = rf'''
    """ (?:[^"\\]|\\.|"(?!""))*+ (?:"{{3,5}}|\\?\Z)   # texts of several lines
    |\'\'\' (?:[^']|'(?!\'\'))*+ (?:'{{3,5}}|\Z)
    |(?!{_DEEP}|{_LONG}) {_WORD}
    |(?!{_DEEP}) (?: "(?:[^"\\\n]|\\[^\n])*+"? | '[^'\n]*+'? )
    |\#[^\n]*+
    |[^"'\#A-Za-z0-9_-]++
'''
_FINE = re.compile(rf"(?:{_TOKEN})*+", re.VERBOSE | re.DOTALL)
"""Everything up to a key that is too deep or a word that is too long.

Quotes that nothing closes take the rest of the line, or of the text: the parser will say so.
"""


def toml_data(text: str, source: str) -> dict[str, Any]:
    """What a TOML text says."""
    if len(text) > LONGEST_TEXT:
        raise InputError(f"must have at most {LONGEST_TEXT:,} characters", source=source)
    if sum(map(text.count, ",=\n")) > MOST_SEPARATORS:
        rule = f"must have at most {MOST_SEPARATORS:,} commas, equal signs and lines"
        raise InputError(rule, source=source)
    fine = _FINE.match(text)
    if fine is None or fine.end() < len(text):
        raise InputError(
            f"has a key of more than {DEEPEST_KEY} parts, or a word or number of more than "
            f"{LONGEST_WORD:,} characters",
            source=source,
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not valid TOML: {error}", source=source) from None
    except (ValueError, RecursionError):
        raise InputError("has a number or a nesting beyond all measure", source=source) from None

"""What a user wrote, shown back: short, on one line, harmless to a terminal."""

import reprlib
from collections.abc import Iterable
from typing import Any

LONGEST = 60
"""Characters of a value, or of a key, that are shown."""
CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029" + "".join(
    chr(plane + last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)
)
"""What no label may have, as a pattern between brackets: control characters, ends of lines, and
the last two of every plane of Unicode, which are no characters and which XML does not know."""
PLAIN = str, int, float, bool, list, dict, tuple, type(None)

_BRIEF = reprlib.Repr()
_BRIEF.maxstring = _BRIEF.maxother = LONGEST
_BRIEF.maxlevel = 3


def printable(text: str) -> str:
    """The text without characters that could move a terminal's cursor or break a line."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def shortened(text: str, longest: int = LONGEST) -> str:
    """The text, printable, and with dots for what is beyond its first characters."""
    return printable(text if len(text) <= longest else f"{text[:longest]}…")


def shown(value: Any) -> str:
    """A value as Python writes it, the middle of a long one left out."""
    if not isinstance(value, PLAIN):
        return f"a {type(value).__name__}"
    try:
        return printable(_BRIEF.repr(value))
    except ValueError:  # Python refuses to write out a number of thousands of digits
        return "a number beyond all measure"


def in_a_row(words: Iterable[str], last: str = "and") -> str:
    """Names in a sentence: a, b and c; where one has a comma of its own: a, b; c; and d."""
    *first, end = [*words] or [""]
    if not first:
        return end
    # "A and b, c" can only be two names, "a, b and c" could be three.
    if any("," in name for name in (first if len(first) == 1 else (*first, end))):
        return f"{'; '.join(first)}; {last} {end}"
    return f"{', '.join(first)} {last} {end}"


def set_off(name: str) -> str:
    """A name that could be read as words of the sentence in quotes; an amount with a unit plain."""
    words = name.split()
    amount = len(words) > 1 and words[0].replace(".", "", 1).isdigit()
    return name if amount and "," not in name and "and" not in words else f"“{name}”"

"""Numbers, words and lists as somebody types them: taken as typed, or refused in words.

A decimal mark is a point or a comma. What may be a separator of thousands is refused: 1,000 is
one in some countries and a thousand in others, and a planner must not guess.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple, TypeGuard

from gai_core import InputError
from gai_core.study import toml_data

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)\s?(?P<digits>\d+[.,]?\d*|[.,]\d+)(?P<power>[eE][+-]?\d{1,3})?\s*(?P<percent>%?)"
)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}([.,' ]\d{3})+([.,]\d*)?")
_ONE_COMMA = re.compile(r"\d*,\d+")
_SPACES = str.maketrans(dict.fromkeys("\u00a0\u2007\u2009\u202f", " ") | {"\u2212": "-"})
_ROOT = re.compile(r"(?:√|sqrt)\s*\(?(?P<square>[^()]*)\)?", re.IGNORECASE)
SMALLEST, LARGEST = 1e-6, 1e6
"""Standard deviations of scores, in their unit."""
MOST_DIGITS = 12
"""Of a standard deviation; a variance without such a root is shown as the root of it."""
LONGEST = 60
"""Characters of a number."""


class Read(NamedTuple):
    """What a text means: a value, or the text itself and why it is none."""

    value: Any
    why: str = ""


Reader = Callable[[str], Read]


def text(typed: str) -> Read:
    """Any text."""
    return Read(typed)


def label(typed: str) -> Read:
    """A text that must not be empty."""
    return Read(typed if typed.strip() else None)


def flag(typed: str) -> Read:
    """A tick, or what stands for one in a spreadsheet."""
    return Read(typed.strip().lower() in ("1", "x", "true", "yes", "ja", "wahr", "✓"))


def number(typed: str) -> Read:
    """A number; a percentage is none."""
    return _number(typed, percent=False)


def share(typed: str) -> Read:
    """A chance, a share or a rate: 0.45, 0,45, .45 or 45%."""
    return _number(typed, percent=True)


def deviation(typed: str) -> Read:
    """A standard deviation, read as the variance that it means: 1.2 is 1.44, and so is √1.44."""
    content = _tidy(typed)
    if not content:
        return Read(None)
    root = _ROOT.fullmatch(content)
    power = 2 if root else 1
    found = _number(root["square"] if root else content, percent=False)
    if not is_number(found.value) or not SMALLEST**power <= found.value <= LARGEST**power:
        why = f"must be a standard deviation from {SMALLEST:g} to {LARGEST:g}, for example 1.2"
        return Read(content, found.why or f"{why}, or the root of a variance, √1.44")
    if root:
        return found
    exact = Decimal(content.replace(",", ".").replace(" ", ""))
    return Read(float(exact * exact))


def whole(typed: str) -> Read:
    """A whole number, of as many digits as it has."""
    content = _tidy(typed)
    if re.fullmatch(r"\+?\d{1,30}", content):
        return Read(int(content))
    if _GROUPED.fullmatch(content):
        return _ambiguous(content)
    found = _number(typed, percent=False)
    if isinstance(found.value, float) and found.value.is_integer() and abs(found.value) < 2**53:
        return Read(int(found.value))
    return found  # validation says that it must be a whole number


def whole_or_all(typed: str) -> Read:
    """A whole number; nothing, or the word itself, means all."""
    return Read(None) if _tidy(typed).lower() in ("", "all") else whole(typed)


def numbers(typed: str) -> Read:
    """Nothing, a number, a list of numbers, a word, or a table: { equal = 4 }."""
    if not typed.strip():
        return Read(None)
    if _ONE_COMMA.fullmatch(typed.strip()):
        why = "type a space after the comma of a list, and a decimal mark as a point"
        return Read(typed.strip(), f"“{typed.strip()}” can be read in two ways: {why}")
    content = typed.strip().strip("[]")
    try:
        values = toml_data(f"x = [{content}]", "field")["x"]
    except InputError:
        return Read(typed.strip())
    single = len(values) == 1 and "," not in typed and "[" not in typed
    return Read(values[0] if single else values)


def listed(typed: str) -> Read:
    """A list of numbers, also of one."""
    found = numbers(typed)
    return found if isinstance(found.value, list) else Read([found.value])


def ratio(typed: str) -> Read:
    """Whole numbers as 2:1:1, or as a list; nothing where there is none."""
    return listed(typed.replace(":", ", ")) if typed.strip() else Read(None)


READERS: dict[str, Reader] = {
    "text": text,
    "label": label,
    "flag": flag,
    "number": number,
    "share": share,
    "deviation": deviation,
    "whole": whole,
    "whole or all": whole_or_all,
    "numbers": numbers,
    "list": listed,
    "ratio": ratio,
}
"""By the names under which fields ask for them."""


def written(value: Any) -> str:
    """A value as somebody would type it: a number, a word, numbers with commas, or a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {written(part)}' for key, part in value.items())} }}"
    if not isinstance(value, list):
        return str(value)
    items = ", ".join(map(str, value))
    return f"[{items}]" if len(value) == 1 else items


def written_as(reads: str, value: Any) -> str:
    """A value as somebody would type it into a field that reads in this way."""
    if reads == "ratio" and isinstance(value, list):
        return ":".join(map(str, value))
    if reads != "deviation" or not is_number(value) or value <= 0:
        return written(value)
    root = Decimal(repr(float(value))).sqrt()
    for digits in range(1, MOST_DIGITS + 1):
        short = Decimal(f"{root:.{digits}g}")
        if float(short * short) == value:
            return written(float(short))
    return f"√{written(value)}"


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value of a study under edit is a number, not empty and not a refused text."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _tidy(typed: str) -> str:
    return typed.translate(_SPACES).strip()


def _number(typed: str, *, percent: bool) -> Read:
    content = _tidy(typed)
    if not content:
        return Read(None)
    match = _NUMBER.fullmatch(content) if len(content) <= LONGEST else None
    digits = match["digits"] if match else ""
    if match is None or ("," in digits and _GROUPED.fullmatch(match["sign"] + digits)):
        bare = content.rstrip("% ")
        separated = _GROUPED.fullmatch(bare) is not None
        return _ambiguous(content) if separated else Read(content, "")
    if match["percent"] and not percent:
        return Read(content, f"must be a number, and “{content}” is a percentage")
    exact = Decimal(match["sign"] + digits.replace(",", ".") + (match["power"] or ""))
    value = float(exact / 100 if match["percent"] else exact)
    if abs(value) > 1e300:
        return Read(content, f"must be a number that can be, and “{content}” is too large")
    return Read(value)


def _ambiguous(content: str) -> Read:
    return Read(
        content,
        f"“{content}” can be read in two ways: type thousands without a mark between them, and "
        "a decimal mark as a point",
    )

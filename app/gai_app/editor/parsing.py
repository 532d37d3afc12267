"""Numbers, words and lists as somebody types them."""

import tomllib
from typing import Any


def written(value: Any) -> str:
    """A value as somebody would type it: a number, a word, or numbers with commas."""
    if value is None:
        return ""
    if not isinstance(value, list):
        return str(value)
    numbers = ", ".join(map(str, value))
    return f"[{numbers}]" if len(value) == 1 else numbers


def read(text: str) -> Any:
    """What was typed as a value: nothing, a number, a list of numbers, or a word."""
    if not text.strip():
        return None
    content = text.strip().strip("[]")
    try:
        values = tomllib.loads(f"x = [{content}]")["x"]
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return text.strip()
    return values[0] if len(values) == 1 and "," not in text and "[" not in text else values

"""Numbers, words and lists as somebody types them."""

from typing import Any

from gai_core import InputError
from gai_core.study import toml_data


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
        values = toml_data(f"x = [{content}]", "field")["x"]
    except InputError:
        return text.strip()
    return values[0] if len(values) == 1 and "," not in text and "[" not in text else values

"""What is asked of a search in words: `published=0.7`, `n_max=400`, `burn_in=1,3,5`."""

import json
from collections.abc import Iterable
from typing import Any

from gai_core.basics import Argument, InputError, Problem, printable, shown
from gai_core.study import Study

DIGITS = 9
"""Of a number of looks, at most."""


def read_optimise(
    study: Study, over: Iterable[str], within: Iterable[str], minimise: str = "enrolled"
) -> dict[str, Any]:
    """The arguments of `optimise` from texts; what they mean is checked there."""
    weights = dict(_weight(study, text) for text in over)
    restricted = dict(_values(text) for text in within)
    return {"over": weights or None, "within": restricted or None, "minimise": minimise}


def _weight(study: Study, text: str) -> tuple[str, float]:
    """`TRUTH=WEIGHT`; a truth's name may have an equals sign itself."""
    name, equals, weight = text.rpartition("=")
    if not equals:
        raise _unlike("over", "TRUTH=WEIGHT", text)
    try:
        return study.truth(name).name, float(weight)
    except ValueError:
        raise _unlike("over", "TRUTH=WEIGHT with a number", text) from None


def _values(text: str) -> tuple[str, list[Any]]:
    """`NAME=a,b,c`: numbers where they are ones, `end` and other words as they are."""
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not values.strip():
        raise _unlike("within", "NAME=VALUES, such as n_max=400 or rule=hdoc,equal", text)
    return name.strip(), [_value(part.strip()) for part in values.split(",")]


def _value(text: str) -> Any:
    """A number, `equal:4` as { equal = 4 }, nothing for `unset`, or the word."""
    if text == "unset":
        return None
    word, colon, count = text.partition(":")
    if colon and count.isdecimal() and len(count) <= DIGITS:
        return {word: int(count)}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, int | float) else text


def _unlike(argument: str, form: str, text: str) -> InputError:
    return InputError(
        Problem((Argument(argument),), f"must look like {form}", f"is {shown(printable(text))}")
    )

"""Validation errors in words: the place, the rule, the value, the way out."""

import reprlib
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from gai_core.basics import printable, suggestion

RULES_IN_WORDS = {
    "missing": "is missing",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "string_type": "must be a text in quotes",
    "bool_type": "must be true or false",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "tuple_type": "must be a list",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must have a visible character and no control characters",
    "literal_error": "must be {expected}",
}
VALUELESS = {"missing", "extra_forbidden", "union_tag_not_found"}
PLAIN = str, int, float, bool, list, dict, tuple, type(None)
BRIEF = reprlib.Repr()
BRIEF.maxstring = BRIEF.maxother = 60
BRIEF.maxlevel = 3

Models = Mapping[str, Iterable[type[BaseModel]]]
"""The models behind the first key of a place; '' stands for the top."""


def problems(error: ValidationError, place: str = "", models: Models | None = None) -> list[str]:
    """One sentence per broken rule. `models` are searched for the nearest valid key."""
    details = error.errors()
    # A list with a wrong entry counts as too short for pydantic: say only what is wrong in it.
    broken = {detail["loc"][:depth] for detail in details for depth in range(len(detail["loc"]))}
    return [
        sentence
        for detail in details
        if not (detail["type"] == "too_short" and detail["loc"] in broken)
        for sentence in _sentences(detail, place, models or {})
    ]


def _sentences(detail: Any, place: str, models: Models) -> list[str]:
    kind, loc = detail["type"], list(detail["loc"])
    if kind == "value_error" and not loc:
        return str(detail["ctx"]["error"]).split("\n")
    where = _path([place, *loc] if place else loc) or "a study"
    if kind == "extra_forbidden":
        return [f"{where} {_unknown_key(loc, models)}"]
    rule = RULES_IN_WORDS.get(kind, detail["msg"]).format(**detail.get("ctx", {}))
    return [f"{where} {rule}" if kind in VALUELESS else f"{where} {rule}, but is {_value(detail)}"]


def _unknown_key(loc: list[Any], models: Models) -> str:
    part, key = (str(loc[0]) if len(loc) > 1 else ""), str(loc[-1])
    known = sorted({name for model in models.get(part, ()) for name in model.model_fields})
    if key in known:
        return f"belongs to another kind of {part}"
    return f"is not a known key{suggestion(key, known) if known else '; none is known here'}"


def _path(loc: Iterable[Any]) -> str:
    path = ""
    for step in loc:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else str(step)
    return printable(path)


def _value(detail: Any) -> str:
    value = detail["input"]
    if detail["type"] in ("too_short", "too_long"):
        return f"{len(value)} long" if len(value) else "empty"
    if not isinstance(value, PLAIN):
        return f"a {type(value).__name__}"
    try:
        return printable(BRIEF.repr(value))
    except ValueError:  # Python refuses to write out a number of thousands of digits
        return "a number beyond all measure"

"""Validation errors in words: the place, the rule, the value, the way out."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from gai_core.registry import suggestion

RULES_IN_WORDS = {
    "missing": "is missing",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
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
    "union_tag_not_found": "must say its kind, bernoulli or gaussian",
    "union_tag_invalid": "must be of kind bernoulli or gaussian",
    "literal_error": "must be {expected}",
}
LONGEST_VALUE = 60
VALUELESS = {"missing", "extra_forbidden", "union_tag_not_found"}


def problems(
    error: ValidationError,
    place: str = "",
    models: Mapping[str, Iterable[type[BaseModel]]] | None = None,
) -> list[str]:
    """One sentence per broken rule. `models` are searched for the nearest valid key."""
    return [sentence for detail in error.errors() for sentence in _sentences(detail, place, models)]


def _sentences(
    detail: Any, place: str, models: Mapping[str, Iterable[type[BaseModel]]] | None
) -> list[str]:
    kind, loc = detail["type"], list(detail["loc"])
    if kind == "value_error" and not loc:
        return str(detail["ctx"]["error"]).split("\n")
    if loc[:1] == ["outcome"] and len(loc) > 2:
        del loc[1]  # the kind of outcome, which is no key of the file
    where = _path([place, *loc] if place else loc)
    if kind == "extra_forbidden":
        part = str(loc[0]) if len(loc) > 1 else ""
        known = {key for model in (models or {}).get(part, ()) for key in model.model_fields}
        return [
            f"{where} is not a known key{suggestion(str(loc[-1]), sorted(known)) if known else ''}"
        ]
    rule = RULES_IN_WORDS.get(kind, detail["msg"]).format(**detail.get("ctx", {}))
    return [f"{where} {rule}" if kind in VALUELESS else f"{where} {rule}, but is {_short(detail)}"]


def _path(loc: Iterable[Any]) -> str:
    path = ""
    for step in loc:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else str(step)
    return path


def _short(detail: Any) -> str:
    value = detail["input"]
    if detail["type"] in ("too_short", "too_long"):
        return f"{len(value)} long" if len(value) else "empty"
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"

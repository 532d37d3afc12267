"""What pydantic found as problems: the place, the rule, the value, the way out."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from gai_core.basics import InputError, Place, Problem, first_problems, in_a_row, shown, suggestion

RULES_IN_WORDS = {
    "missing": "is missing",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "string_type": "must be a text",
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
    "string_pattern_mismatch": "must have a visible character and no control characters "
    "or noncharacters (such as U+FFFE)",
    "literal_error": "must be {expected}",
}
REMEDIES = {"string_type": "put it in quotes"}
VALUELESS = {"missing", "extra_forbidden", "union_tag_not_found"}
MOST_ENTRIES = 30_000
"""Keys and values of a study: about twice as many as the largest one has."""

Models = Mapping[str, Iterable[type[BaseModel]]]
"""The models behind the first key of a place; '' stands for the top."""


def problems(
    error: ValidationError, place: Place = (), models: Models | None = None
) -> list[Problem]:
    """The first broken rules. `models` are searched for the nearest valid key."""
    details = error.errors(include_url=False)
    # A list with a wrong entry counts as too short for pydantic: say only what is wrong in it.
    broken = {detail["loc"][:depth] for detail in details for depth in range(len(detail["loc"]))}
    kept = [d for d in details if not (d["type"] == "too_short" and d["loc"] in broken)]
    if len(kept) == 1 and isinstance(known := kept[0].get("ctx", {}).get("error"), InputError):
        return list(known.problems)
    return first_problems((_problem(detail, place, models or {}) for detail in kept), len(kept))


def _problem(detail: Any, place: Place, models: Models) -> Problem:
    kind, loc = detail["type"], list(detail["loc"])
    where = (*place, *loc) or ("a study",)
    if kind == "extra_forbidden":
        return _unknown_key(where, loc, models)
    words = RULES_IN_WORDS.get(kind)
    rule = detail["msg"] if words is None else words.format(**detail.get("ctx", {}))
    value = "" if kind in VALUELESS else f"is {_value(detail)}"
    return Problem(
        where, rule, value, REMEDIES.get(kind, "") if detail["input"] is not None else ""
    )


def _unknown_key(where: Place, loc: list[Any], models: Models) -> Problem:
    part, key = (str(loc[0]) if len(loc) > 1 else ""), str(loc[-1])
    known = sorted({name for model in models.get(part, ()) for name in model.model_fields})
    if key in known:
        kinds = dict.fromkeys(
            str(getattr(model, "key", ""))
            for model in models.get(part, ())
            if key in model.model_fields
        )
        remedy = f"leave it out, or choose kind = {in_a_row(map(repr, kinds), 'or')}"
        return Problem(where, f"belongs to another kind of {part}", remedy=remedy)
    remedy = suggestion(key, known) if known else "none is known here"
    return Problem(where, "is not a known key", remedy=remedy)


def _value(detail: Any) -> str:
    value = detail["input"]
    if value is None:  # no file has that: a field that somebody emptied
        return "empty"
    if detail["type"] in ("too_short", "too_long"):
        return f"{len(value)} long" if len(value) else "empty"
    return shown(value)


def too_many_entries(data: Any) -> bool:
    """Whether there are more keys and values than a study can have; looks at no more of them."""
    waiting, seen = [data], 0
    while waiting and seen <= MOST_ENTRIES:
        part = waiting.pop()
        if isinstance(part, dict | list | tuple):
            seen += len(part)
            if seen <= MOST_ENTRIES:
                waiting.extend(part.values() if isinstance(part, dict) else part)
    return seen > MOST_ENTRIES

"""How a parameter is searched: by the values that it names, or by those that follow from its type.

A field of `Parameters` may name sensible values with `searched(...)` in its `json_schema_extra`.
Without that they follow from its annotation: all values of a choice, both of a switch, a ladder
around the default of a number, `None` as well where a value may be left out. What is neither is
left as it is. So a parameter that somebody adds takes part in the search for a design by itself.
"""

import math
import types
import typing
from collections.abc import Sequence
from typing import Any, Literal, get_args, get_origin

from pydantic.config import JsonDict
from pydantic.fields import FieldInfo

SEARCHED = "searched"
LADDER = (1 / 4, 1 / 2, 1.0, 2.0, 4.0)
"""Multiples of a positive default that are tried."""
RUNGS = 5
"""Values at equal distances that are tried where there is no positive default."""
NARROW = 100.0
"""Ranges up to this wide are cut into equal steps."""
DIGITS = 3
"""Significant digits of a value that was computed."""

Unit = Literal["", "sd", "variance"]
"""What a value is a multiple of: nothing, or the spread of an outcome at the target."""


def searched(*values: Any, unit: Unit = "") -> JsonDict:
    """The values of a field that a search for a design tries; none: it is left as it is.

    What rests on a further assumption should be left as it is: a search must not choose it.
    """
    return {SEARCHED: {"values": list(values), "unit": unit}}


def values_to_search(field: FieldInfo) -> tuple[tuple[Any, ...], Unit]:
    """The values of a field that are tried, and what they are multiples of."""
    extra = field.json_schema_extra
    hint = extra.get(SEARCHED) if isinstance(extra, dict) else None
    if isinstance(hint, dict):
        given = typing.cast("list[Any]", hint["values"])
        return tuple(given), typing.cast("Unit", hint["unit"])
    return tuple(_derived(field.annotation, field)), ""


def _derived(kind: Any, field: FieldInfo) -> Sequence[Any]:
    """Values by the type of a field: choices, switches, numbers, or one of these left out."""
    origin = get_origin(kind)
    if origin is Literal:
        return get_args(kind)
    if kind is bool:
        return False, True
    if origin in (typing.Union, types.UnionType):
        parts = [part for part in get_args(kind) if part is not type(None)]
        if len(parts) == 1 and len(get_args(kind)) > 1:
            return None, *_derived(_plain(parts[0]), field)
        return ()
    return _numbers(_plain(kind), field) if _plain(kind) in (int, float) else ()


def _plain(kind: Any) -> Any:
    """A type without what is annotated to it."""
    return get_args(kind)[0] if get_origin(kind) is typing.Annotated else kind


def _numbers(kind: Any, field: FieldInfo) -> list[Any]:
    """Multiples of a positive default, or equal steps through a narrow range."""
    low, high, strict = limits(field)
    default = field.default
    if isinstance(default, int | float) and default > 0:
        raw = [default * factor for factor in LADDER]
    elif math.isfinite(high - low) and high - low <= NARROW:
        raw = [low + (high - low) * i / (RUNGS - 1) for i in range(RUNGS)]
    else:
        return []
    values = dict.fromkeys(round(v) if kind is int else rounded(v) for v in raw)
    return [v for v in values if (low < v < high if strict else low <= v <= high)]


def limits(field: FieldInfo) -> tuple[float, float, bool]:
    """The range of a number, and whether its ends are outside."""
    low, high, strict = -math.inf, math.inf, False
    for rule in field.metadata:
        for name in ("ge", "gt"):
            low = getattr(rule, name, low) if getattr(rule, name, None) is not None else low
        for name in ("le", "lt"):
            high = getattr(rule, name, high) if getattr(rule, name, None) is not None else high
        strict |= any(getattr(rule, name, None) is not None for name in ("gt", "lt"))
    return float(low), float(high), strict


def rounded(value: Any) -> Any:
    """A number with few digits; whole numbers and all else stay as they are."""
    if not isinstance(value, float) or value == 0 or not math.isfinite(value):
        return value
    return round(value, DIGITS - 1 - math.floor(math.log10(abs(value))))

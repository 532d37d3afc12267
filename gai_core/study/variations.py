"""Variations of a study: which numeric field takes which values.

A field is named as in an error message: `delta`, `simulation.n_max`,
`designs[0].burn_in`, `truths[published].means[2]`. Left out, an index stands for
all entries (`designs.burn_in`), and so much of the beginning may be left out that
the rest is clear (`n_max`, `burn_in`, `looks`). Every numeric field that a study
has can be varied; nothing here knows their names.

Two more fields belong to every truth: `truth.shift` is added to its means and
`truth.scale` multiplies them (before the shift). They apply to every arm, the
control too: a patient population that responds more or less than was assumed.
Names of truths stay, so all variations see the same simulated patients.

`errors.declare` and `errors.drop` can be varied in a study with one delta too, which then stands
for the other; `delta` takes the place of both.
"""

import copy
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from gai_core.basics import (
    Argument,
    InputError,
    Problem,
    Words,
    printable,
    shortened,
    shown,
    suggestion,
)
from gai_core.study.study import Study
from gai_core.study.validating import validated

MOST_VALUES = 10_000
"""Values of one variation."""
RANGE = re.compile(r"([^:]*):([^:]*):([^:]*)")
SHIFT, SCALE = "shift", "scale"
FARTHEST_EXPONENT = 300
"""Of a value: what a double can hold, and more than any field takes."""

Number = int | float
Steps = tuple[str | int, ...]
"""Where a number is in a study's data: keys and positions."""


@dataclass(frozen=True)
class Variation:
    """A field of a study, as the user calls it, and the values it takes."""

    field: str
    values: tuple[Number, ...]


def parse_variation(study: Study, text: str, argument: str = "vary") -> Variation:
    """`field=a,b,c` or `field=start:stop:step`, as a variation of the study."""
    field, equals, values = text.rpartition("=")
    if not equals or not field.strip():
        rule = "must look like field=0.1,0.2 or field=100:600:50"
        raise InputError(Problem((Argument(argument),), rule, f"is {shown(printable(text))}"))
    field = field.strip()
    now = [number for _, number in numbers_at(study, field, argument) if number is not None]
    source = _source(argument, field)
    numbers = _listed(values, source)
    # A field without a number may take either kind: then all values are of one, as a column is.
    whole = all(isinstance(number, int) for number in now or map(_as_is, numbers))
    twice = next((number for number, times in Counter(numbers).items() if times > 1), None)
    if twice is not None:
        problem = Problem((), "every value must be given once", f"{twice} is there twice")
        raise InputError(problem, source=source)
    return Variation(field, tuple(_as_is(value) if whole else float(value) for value in numbers))


def _source(argument: str, what: str) -> Words:
    """An argument and what it is about."""
    return (Argument(argument),), f" {what}"


def _as_is(value: Decimal) -> Number:
    """A whole number where the value is one."""
    return int(value) if value == value.to_integral_value() else float(value)


def _listed(text: str, source: Words) -> list[Decimal]:
    """The values in exact decimals: 0.1:0.3:0.1 has three."""

    def refused(rule: str, value: str = "", remedy: str = "") -> InputError:
        return InputError(Problem((), rule, value, remedy), source=source)

    if ":" not in text:
        parts = text.split(",")
        if len(parts) > MOST_VALUES:
            raise refused(f"at most {MOST_VALUES:,} values", f"there are {len(parts):,}")
        return [_decimal(part, source) for part in parts]
    match = RANGE.fullmatch(text)
    if match is None:
        raise refused("a range must be start:stop:step", f"is {shown(printable(text))}")
    start, stop, step = (_decimal(part, source) for part in match.groups())
    if step == 0:
        raise refused("the step of a range must not be 0")
    size = int((stop - start) / step) + 1 if (stop - start) / step >= 0 else 0
    if size < 1:
        raise refused(
            f"the range {shortened(text)} is empty: a step of {step} never leads from {start} to "
            f"{stop}"
        )
    if size > MOST_VALUES:
        raise refused(
            f"at most {MOST_VALUES:,} values",
            f"the range {shortened(text)} has more",
            "choose a larger step",
        )
    return [start + i * step for i in range(size)]


def _decimal(text: str, source: Words) -> Decimal:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        value = Decimal("nan")
    if not value.is_finite() or abs(value.adjusted()) > FARTHEST_EXPONENT:
        problem = Problem((), "every value must be a number", f"one is {shown(printable(text))}")
        raise InputError(problem, source=source)
    return value


def varied(study: Study, point: Mapping[str, Number], argument: str = "vary") -> Study:
    """The study with other values in the named fields, validated like any study."""
    return Grid(study, list(point), argument).study(point)


class Grid:
    """Places of the varied fields, found once, to make many studies of one."""

    def __init__(self, study: Study, fields: Sequence[str], argument: str = "vary") -> None:
        self._data, self._argument = _data(study), argument
        self._one_rate = study.errors is None
        self._places = {
            field: [steps for steps, _ in numbers_at(study, field, argument)] for field in fields
        }
        self._roots = {steps[0] for places in self._places.values() for steps in places}
        taken: dict[Steps, str] = {}
        for field, places in self._places.items():
            for steps in places:
                if steps in taken:
                    raise _same_number(argument, taken[steps], field)
                taken[steps] = field
        for one, other in (("margin", "threshold"), ("delta", "errors")):
            if {one, other} <= self._roots:
                raise _same_number(argument, one, other)

    def study(self, point: Mapping[str, Number]) -> Study:
        """The study at a point: a value for every field."""
        data = copy.deepcopy(self._data)
        for field, value in point.items():
            for steps in self._places[field]:
                part: Any = data
                for step in steps[:-1]:
                    part = part[step]
                part[steps[-1]] = value
        self._settle(data)
        for truth in data["truths"]:
            truth["means"] = _moved(truth["means"], truth.pop(SHIFT, 0), truth.pop(SCALE, 1))
        values = ", ".join(f"{field}={value:g}" for field, value in point.items())
        return validated(data, _source(self._argument, values))

    def _settle(self, data: dict[str, Any]) -> None:
        """Of two fields that say the same, the varied one stays."""
        if "errors" in self._roots:
            data["delta"] = None
        elif self._one_rate or "delta" in self._roots:
            data["errors"] = None
        if "wanted" in self._roots and data.get("conduct"):
            data["conduct"]["wanted"] = None
        if data["margin"] is not None:
            # The target follows from a margin that varies. If the truths do, it stays as planned.
            if "margin" in self._roots:
                del data["threshold"]
            elif self._roots & {"threshold", "truths"}:
                del data["margin"]


def _same_number(argument: str, one: str, other: str) -> InputError:
    rule = f"{shortened(one)} and {shortened(other)} change the same number"
    return InputError(Problem((Argument(argument),), rule, remedy="give one", whole=True))


def _moved(means: list[float], shift: Number, scale: Number) -> list[float]:
    """scale mean + shift, in decimals: 0.1 + 0.2 is 0.3, also where that is the target."""
    if shift == 0 and scale == 1:
        return means
    factor, more = Decimal(repr(scale)), Decimal(repr(shift))
    return [float(Decimal(repr(mean)) * factor + more) for mean in means]


def numbers_at(study: Study, field: str, argument: str = "vary") -> list[tuple[Steps, Any]]:
    """Where the numbers of a field are, and what they are now (None where one is not given).

    A field of several entries means those that have a number; if none has, those that may.
    """
    found: list[tuple[Steps, Any]] = []
    plain: set[tuple[str, ...]] = set()
    known: dict[str, None] = {}
    for steps, value, names in _leaves(study):
        known[_plain_name(steps)] = None
        if _means(field, names):
            found.append((steps, value))
            plain.add(_names(steps))
    if not found:
        rule = f"{shortened(field)} is no numeric field of a study"
        remedy = suggestion(field, _short_names(known))
        raise InputError(Problem((Argument(argument),), rule, remedy=remedy, whole=True))
    whole = {steps for steps in plain if ".".join(steps) == field}
    if whole:  # the whole name of one field: others only end in it
        found = [place for place in found if _names(place[0]) in whole]
    elif len(plain) > 1:
        choices = ", ".join(sorted(".".join(map(str, steps)) for steps in plain))
        rule = f"{shortened(field)} could be one of several fields: {choices}"
        raise InputError(Problem((Argument(argument),), rule, whole=True))
    given = [(steps, value) for steps, value in found if value is not None]
    return given or found


def _means(field: str, names: Sequence[Sequence[str]]) -> bool:
    """Whether a field's name matches the end of a place, given the ways to write each step."""
    if not names:
        return False
    *before, last = names
    for name in last:
        if field == name or (field.endswith(name) and _means_rest(field[: -len(name)], before)):
            return True
    return False


def _means_rest(rest: str, names: Sequence[Sequence[str]]) -> bool:
    """Whether what stands before a step is a dot and the end of what leads there."""
    return rest.endswith(".") and _means(rest[:-1], names)


def _names(steps: Steps) -> tuple[str, ...]:
    """A place without positions."""
    return tuple(step for step in steps if isinstance(step, str))


def _plain_name(steps: Steps) -> str:
    return ".".join(_names(steps))


def _short_names(known: Mapping[str, None]) -> list[str]:
    """Full names, and last words, to find the one that was meant; no long lists of them."""
    return list(dict.fromkeys([*known, *(name.rpartition(".")[2] for name in known)]))


Leaf = tuple[Steps, Any, tuple[tuple[str, ...], ...]]
"""Place, value, and how each of its named steps can be written."""


def _leaves(study: Study) -> Iterator[Leaf]:
    """Every numeric field of a study, parameters that are left to their defaults too."""
    data = _data(study)
    for design, entry in zip(data["designs"], study.designs, strict=True):
        design["rule_parameters"] = _listed_parts(entry.sampling[1].model_dump())
        design["criterion_parameters"] = _listed_parts(entry.identification[1].model_dump())
        if entry.futility is not None:
            parameters = entry.decision.dropping_parameters.model_dump()
            design["futility_parameters"] = _listed_parts(parameters)
    for truth in data["truths"]:
        truth |= {SHIFT: 0.0, SCALE: 1.0}
    yield from _numbers(data, (), ())


def _numbers(value: Any, steps: Steps, names: tuple[tuple[str, ...], ...]) -> Iterator[Leaf]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _numbers(part, (*steps, key), (*names, (key,)))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            *before, (key, *_) = names
            own = part.get("name", part.get("label")) if isinstance(part, dict) else None
            ways = [key, f"{key}[{i}]", *([f"{key}[{own}]"] if own is not None else [])]
            if key.endswith("s"):  # truth.shift is as clear as truths.shift
                ways += [key[:-1]]
            yield from _numbers(part, (*steps, i), (*before, tuple(ways)))
    elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield steps, value, names


def _data(study: Study) -> dict[str, Any]:
    """The study as plain data in which every entry can be replaced; no conduct if it has none.

    It has both error rates, for either may be varied where there is one delta.
    """
    blank = {"conduct"} if study.conduct is None else set()
    data = study.model_dump(exclude=blank) | {"errors": study.error_rates.model_dump()}
    return dict(_listed_parts(data))


def _listed_parts(value: Any) -> Any:
    """The same with lists for tuples."""
    if isinstance(value, dict):
        return {key: _listed_parts(part) for key, part in value.items()}
    return [_listed_parts(part) for part in value] if isinstance(value, list | tuple) else value

"""All designs that a search may try: what the registries say about themselves, put together.

A candidate is a rule, a criterion with a proof, a futility, the parameters of all three and a
burn-in; the cohort too where values of it were named. Which values a parameter is tried at is said
by its own description (`basics/searching.py`), so a new rule, criterion, parameter or choice takes
part without being named here. A candidate that does not fit the study is refused by the study's
own validation, like any design.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gai_core.basics import (
    Argument,
    InputError,
    Problem,
    rounded,
    shown,
    suggestion,
    values_to_search,
)
from gai_core.criteria import CRITERIA, PROVEN, futilities
from gai_core.evidence import DesignPart
from gai_core.questions.design_candidate import (
    COHORT,
    Candidate,
    is_valid,
    matters,
    plain,
    that_matter,
)
from gai_core.rules import RULES
from gai_core.study import Design, Study, every_ready_made

PARTS = ("rule", "criterion", "futility")


def single_values(design: type[Design]) -> tuple[str, ...]:
    """The single values of a design, as its burn-in; a text is a name, or changes no trial."""
    texts = str, str | None
    return tuple(
        name
        for name, field in design.model_fields.items()
        if field.annotation not in texts and not name.endswith("_parameters")
    )


OF_DESIGN = single_values(Design)
SEARCHED = tuple(name for name in OF_DESIGN if values_to_search(Design.model_fields[name])[0])
ORDER = "order"
ASKED_FOR = (COHORT, *(name for name in OF_DESIGN if name not in SEARCHED))
"""What is searched only where values of it were named: the order of doses is an assumption."""
OF_NEW_PART = 0.5
"""Chance with which a parameter of a part that was sampled is not at its default."""
OWN = "own"
"""In `within`: the futility that is the criterion's own."""
NO_ORDER = "none"
"""In `within`: doses that are not judged in order."""

Axis = tuple[str, ...]
"""Where a value of a candidate is: ("burn_in",) or ("criterion_parameters", "shape")."""
Within = Mapping[str, Sequence[Any]]
"""By the last name of an axis, the only values that are tried."""


class Space:
    """The candidates for a study, and the ways from one to another."""

    def __init__(self, study: Study, within: Within | None = None) -> None:
        self._study = study
        outcome = study.stream.outcome
        spread = math.sqrt(outcome.variance_at(study.stream.target))
        self._units = {"": 1.0, "sd": spread, "variance": spread**2}
        self._entries: dict[str, dict[str, DesignPart]] = {
            "rule": {key: rule for key, rule in RULES.items() if rule.works_for(outcome)},
            "criterion": {
                key: criterion
                for key, criterion in CRITERIA.items()
                if criterion.guarantee in PROVEN and criterion.works_for(outcome)
            },
            "futility": {key: way for key, way in futilities().items() if way.works_for(outcome)},
        }
        self._within: dict[str, tuple[Any, ...]] = {}
        for name, values in (within or {}).items():
            self._within[name] = self._checked(name, values)

    def _checked(self, name: str, values: Sequence[Any]) -> tuple[Any, ...]:
        """The values that are to be tried of an axis, as the axis has them."""
        known = self.names
        if name not in known:
            rule, remedy = f"{shown(name)} is nothing that is searched", suggestion(name, known)
            raise InputError(Problem((Argument("within"),), rule, remedy=remedy, whole=True))
        left_out = {"futility": OWN, ORDER: NO_ORDER}.get(name)
        found = tuple(None if left_out is not None and v == left_out else v for v in values)
        if name in PARTS:
            for value in found:
                if value is not None and value not in self._entries[name]:
                    rule = f"{shown(value)} is no {name} with a guarantee that fits the study"
                    remedy = suggestion(str(value), self._entries[name])
                    raise InputError(
                        Problem((Argument("within"),), rule, remedy=remedy, whole=True)
                    )
        return found

    @property
    def names(self) -> list[str]:
        """The names of all axes, each once."""
        names = [*PARTS, *OF_DESIGN, *([COHORT] if self._study.conduct else [])]
        for part in PARTS:
            for entry in self._entries[part].values():
                names += entry.parameters.model_fields
        return list(dict.fromkeys(names))

    def made(self, data: Mapping[str, Any]) -> Candidate | None:
        """The candidate in its one form; None if its parameters do not go together."""
        tidy = {part: data[part] for part in ("rule", "criterion")}
        tidy |= {name: data.get(name, Design.model_fields[name].default) for name in SEARCHED}
        if data.get("futility") is not None:
            tidy["futility"] = data["futility"]
        if data.get(ORDER) is not None and ORDER not in self._within:
            return None
        for axis in ASKED_FOR:
            if data.get(axis) is not None:
                tidy[axis] = data[axis]
        for part in PARTS:
            key = tidy.get(part)
            if key is None:
                continue
            entry = self._entries[part].get(key)
            if entry is None:
                return None
            given = that_matter(entry, data.get(f"{part}_parameters") or {})
            if given:
                tidy[f"{part}_parameters"] = given
        candidate = Candidate(json.dumps(tidy, sort_keys=True))
        return candidate if self._allows(tidy) and is_valid(candidate) else None

    def _allows(self, data: Mapping[str, Any]) -> bool:
        """Whether all values that were restricted are among those that are to be tried."""
        for axis in self._axes_of(data):
            allowed = self._within.get(axis[-1])
            if allowed is not None and self._at(data, axis) not in allowed:
                return False
        return True

    def axes(self, candidate: Candidate) -> list[Axis]:
        """What of a candidate can be changed."""
        return list(self._axes_of(candidate.data))

    def _axes_of(self, data: Mapping[str, Any]) -> Iterator[Axis]:
        yield from ((part,) for part in PARTS)
        yield from ((name,) for name in SEARCHED)
        yield from ((axis,) for axis in ASKED_FOR if axis in self._within)
        for part in PARTS:
            entry = self._entries[part].get(data.get(part) or "")
            if entry is not None:
                given = data.get(f"{part}_parameters") or {}
                for name in entry.parameters.model_fields:
                    if matters(entry, name, given):
                        yield (f"{part}_parameters", name)

    def values(self, candidate: Candidate, axis: Axis) -> list[Any]:
        """What an axis of a candidate is tried at."""
        name = axis[-1]
        if name in self._within:
            return list(self._within[name])
        if name in PARTS:
            return [*([None] if name == "futility" else []), *self._entries[name]]
        if len(axis) == 1:
            return list(values_to_search(Design.model_fields[name])[0])
        part = axis[0].removesuffix("_parameters")
        field = self._entries[part][candidate.data[part]].parameters.model_fields[name]
        values, unit = values_to_search(field)
        return [rounded(v * self._units[unit]) if unit else v for v in values]

    def at(self, candidate: Candidate, axis: Axis) -> Any:
        """The value of a candidate on an axis."""
        return self._at(candidate.data, axis)

    def _at(self, data: Mapping[str, Any], axis: Axis) -> Any:
        if len(axis) == 1:
            return data.get(axis[0])
        part = axis[0].removesuffix("_parameters")
        given = data.get(axis[0]) or {}
        if axis[1] in given:
            return given[axis[1]]
        field = self._entries[part][data[part]].parameters.model_fields[axis[1]]
        return plain(field.default)

    def moved(self, candidate: Candidate, axis: Axis, value: Any) -> Candidate | None:
        """The candidate with another value; a new part has its own default parameters."""
        data = candidate.data
        if len(axis) == 2:
            data[axis[0]] = (data.get(axis[0]) or {}) | {axis[1]: value}
        else:
            data[axis[0]] = value
            data.pop(f"{axis[0]}_parameters", None)
        found = self.made(data)
        return None if found == candidate else found

    def steps(self, candidate: Candidate) -> list[tuple[Axis, Candidate]]:
        """All candidates that differ in one value, with where they differ.

        One with another rule, criterion or futility has its default parameters, which need not
        suit the rest: those with one of these parameters changed are steps, too.
        """
        found = []
        for axis in self.axes(candidate):
            for value in self._nearby(candidate, axis):
                moved = self.moved(candidate, axis, value)
                if moved is not None:
                    found.append((axis, moved))
                    found += self._adapted(moved, axis)
        return found

    def _adapted(self, moved: Candidate, axis: Axis) -> Iterator[tuple[Axis, Candidate]]:
        """A candidate with a new part, and one parameter of that part changed."""
        if axis[0] not in PARTS:
            return
        for own in self._parameters_of(moved, axis[0]):
            for value in self.values(moved, own):
                adapted = self.moved(moved, own, value)
                if adapted is not None:
                    yield own, adapted

    def _parameters_of(self, candidate: Candidate, part: str) -> list[Axis]:
        return [axis for axis in self.axes(candidate) if axis[0] == f"{part}_parameters"]

    def _nearby(self, candidate: Candidate, axis: Axis) -> list[Any]:
        """The listed values, and for numbers those half way to the next smaller and larger."""
        values, now = self.values(candidate, axis), self.at(candidate, axis)
        if axis[-1] in self._within or not _is_number(now):
            return values
        numbers = sorted(value for value in values if _is_number(value))
        below = [value for value in numbers if value < now]
        above = [value for value in numbers if value > now]
        between = [_half_way(now, end) for end in (*below[-1:], *above[:1])]
        return [*values, *between]

    def starts(self) -> list[Candidate]:
        """Ready-made designs, each as it is and without what is not searched, so far as allowed."""
        found: list[Candidate | None] = []
        for design in every_ready_made(self._study):
            data = design.model_dump(exclude={"name"})
            if not design.decision.needs_one_rate:  # no search chooses a further assumption
                found.append(self.made(data))
            found.append(self._nearest(data))
        return _each_once(found)

    def _nearest(self, data: dict[str, Any]) -> Candidate | None:
        """The candidate that has the first allowed value wherever its own is not allowed."""
        data = {key: value for key, value in data.items() if value is not None}
        for part in PARTS:
            key = data.get(part)
            allowed = self._within.get(part)
            if allowed is not None and key not in allowed:
                data[part], key = allowed[0], allowed[0]
                data.pop(f"{part}_parameters", None)
            entry = self._entries[part].get(key or "")
            if key is not None and entry is None:
                return None
            given = dict(data.get(f"{part}_parameters") or {})
            for name, field in entry.parameters.model_fields.items() if entry else ():
                if not values_to_search(field)[0]:
                    given.pop(name, None)
            data[f"{part}_parameters"] = given
        for axis in self._axes_of(data):
            allowed = self._within.get(axis[-1])
            if allowed is not None and self._at(data, axis) not in allowed:
                if len(axis) == 1:
                    data[axis[0]] = allowed[0]
                else:
                    data[axis[0]] = (data.get(axis[0]) or {}) | {axis[1]: allowed[0]}
        return self.made(data)

    def sampled(self, start: Candidate, chance: float, draw: np.random.Generator) -> Candidate:
        """A candidate that differs from another on every axis with this chance, at least on one."""
        found = start
        axes = self.axes(start)
        chosen = [axis for axis in axes if draw.random() < chance]
        for axis in chosen or [axes[int(draw.integers(len(axes)))]]:
            found = self._drawn(found, axis, draw)
            if axis[0] in PARTS:  # a new part: its parameters are drawn, too
                for own in self._parameters_of(found, axis[0]):
                    found = self._drawn(found, own, draw) if draw.random() < OF_NEW_PART else found
        return found

    def _drawn(self, found: Candidate, axis: Axis, draw: np.random.Generator) -> Candidate:
        """The candidate with any value on an axis, if it still has that axis."""
        values = self.values(found, axis) if axis in self.axes(found) else []
        if not values:
            return found
        return self.moved(found, axis, values[int(draw.integers(len(values)))]) or found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _half_way(one: float, other: float) -> float:
    """The number between two: by ratio where both are positive."""
    middle = math.sqrt(one * other) if min(one, other) > 0 else (one + other) / 2
    whole = isinstance(one, int) and isinstance(other, int)
    return round(middle) if whole else float(rounded(middle))


def _each_once(found: Iterable[Candidate | None]) -> list[Candidate]:
    return list(dict.fromkeys(candidate for candidate in found if candidate is not None))

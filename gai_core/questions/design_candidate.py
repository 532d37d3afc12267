"""A candidate of a search: a design without its n_max, in one form by which it is known."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gai_core.basics import MATTERS
from gai_core.evidence import DesignPart
from gai_core.study import Design

COHORT = "cohort"
NAME = "candidate"


@dataclass(frozen=True)
class Candidate:
    """A design without its n_max, as plain data in one form: what is left at its default is out."""

    text: str
    """As JSON with sorted keys, by which it is known."""

    @property
    def data(self) -> dict[str, Any]:
        """A copy that may be changed."""
        found: dict[str, Any] = json.loads(self.text)
        return found

    @property
    def cohort(self) -> int | None:
        """Patients of a cohort, if that is searched, too."""
        found: int | None = self.data.get(COHORT)
        return found

    def design(self, name: str = NAME) -> Design:
        """The design, by a name."""
        data = self.data
        data.pop(COHORT, None)
        return Design(name=name, **data)


def that_matter(entry: DesignPart, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that differ from their defaults and change something."""
    fields = entry.parameters.model_fields
    return {
        name: value
        for name, value in given.items()
        if name not in fields
        or (plain(value) != plain(fields[name].default) and matters(entry, name, given))
    }


def matters(entry: DesignPart, name: str, given: Mapping[str, Any]) -> bool:
    """Whether a parameter changes anything beside the others that are given."""
    fields = entry.parameters.model_fields
    extra = fields[name].json_schema_extra
    others = extra.get(MATTERS, {}) if isinstance(extra, dict) else {}
    assert isinstance(others, dict)
    return all(given.get(other, fields[other].default) == value for other, value in others.items())


def is_valid(candidate: Candidate) -> bool:
    """Whether the parameters of all parts are what these take."""
    try:
        design = candidate.design()
        return bool(design.sampling) and design.decision is not None
    except ValueError:
        return False


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return value.model_dump() if hasattr(value, "model_dump") else value

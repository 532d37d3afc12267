"""From data to a study: valid, or all that is wrong with it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from gai_core.basics import InputError, Problem, Words
from gai_core.evidence import Outcome, every_outcome
from gai_core.study.problems import MOST_ENTRIES, problems, too_many_entries
from gai_core.study.study import Study


class _EveryOutcome:
    """The models of outcomes, also of kinds that are added later."""

    def __iter__(self) -> Iterator[type[Outcome]]:
        return iter(every_outcome())


def _models(kind: Any) -> Iterator[type[BaseModel]]:
    """The models in the type of a field, and those inside them."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
        for field in kind.model_fields.values():
            yield from _models(field.annotation)
    for part in get_args(kind):
        yield from _models(part)


PARTS: Mapping[str, Iterable[type[BaseModel]]] = {
    name: tuple(_models(field.annotation)) for name, field in Study.model_fields.items()
} | {"": (Study,), "outcome": _EveryOutcome()}
"""The models behind the keys of a study file; the key '' is the study itself."""


def validated(data: Any, source: Words) -> Study:
    """The study that `data` describes, or an InputError with all that is wrong with it."""
    found = study_or_problems(data)
    if isinstance(found, Study):
        return found
    raise InputError(*found, source=source)


def study_or_problems(data: Any) -> Study | list[Problem]:
    """The study that `data` describes, or the first of its broken rules."""
    if too_many_entries(data):
        return [Problem(("a study",), f"must have at most {MOST_ENTRIES:,} keys and values")]
    try:
        return Study.model_validate(data)
    except ValidationError as error:
        return problems(error, models=PARTS)

"""Entries that say about themselves, once, what every reader wants to know; found by their key.

The command line, the app, the report and the parametrised tests take names, formulas, citations
and parameters from these entries.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic.config import JsonDict

from gai_core.basics.echo import LONGEST
from gai_core.basics.model import FrozenModel

CHOICES = "choices in words"
MATTERS = "matters only if"
OF_EVIDENCE = "matters only for the evidence"
DECLARES = "matters only where doses are declared"
PAPER = "Kano et al., Good Arm Identification via Bandit Feedback (ICML 2018)"

MOST_NAMED = 60
"""Names that are listed to choose from."""


class Parameters(FrozenModel):
    """Base of a rule's or criterion's parameters: names, defaults, ranges, descriptions.

    A field's title is its label in a trialist's words; that of a choice has `choices_in_words` too.
    """


def choices_in_words(choices: dict[str, str]) -> JsonDict:
    """What the values of a choice mean, for a field of `Parameters`."""
    return {CHOICES: dict(choices)}


def matters_if(**others: str) -> JsonDict:
    """That a field of `Parameters` changes nothing unless other fields have these values."""
    return {MATTERS: dict(others)}


def of_evidence(counted_by: str) -> JsonDict:
    """That a field of `Parameters` is only for studies with this `target.evidence`."""
    return {OF_EVIDENCE: counted_by}


def declaring() -> JsonDict:
    """That a field of `Parameters` changes nothing where the rule only drops doses."""
    return {DECLARES: True}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What rules and criteria have in common."""

    key: str
    label: str
    """In a trialist's words."""
    formula: str
    citation: str
    parameters: type[Parameters] = Parameters


class Keyed(Protocol):
    """What a registry needs of an entry."""

    @property
    def key(self) -> str:
        """Its name in files and tables."""


EntryType = TypeVar("EntryType", bound=Keyed)


class Registry(Mapping[str, EntryType], Generic[EntryType]):
    """Entries by their key, in the order in which they are shown."""

    def __init__(self, kind: str, entries: Iterable[EntryType]) -> None:
        self.kind = kind
        self._entries: dict[str, EntryType] = {}
        self._entries = self._with(entries)

    def __getitem__(self, key: str) -> EntryType:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @contextmanager
    def extended(self, *entries: EntryType) -> Iterator[None]:
        """Further entries for a while, after the others: how an extension is tried out."""
        before = self._entries
        self._entries = self._with(entries)
        try:
            yield
        finally:
            self._entries = before

    def _with(self, entries: Iterable[EntryType]) -> dict[str, EntryType]:
        found = dict(self._entries)
        for entry in entries:
            if entry.key in found:
                raise ValueError(f"there is a {self.kind} {entry.key!r} already; name it otherwise")
            found[entry.key] = entry
        return found


def suggestion(word: str, known: Iterable[str]) -> str:
    """'did you mean …?' or 'choose one of …' for a misspelt word."""
    names = list(known)
    near = difflib.get_close_matches(word[:LONGEST], names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    few = ", ".join(names[:MOST_NAMED])
    return f"choose one of {few}{', …' if len(names) > MOST_NAMED else ''}"

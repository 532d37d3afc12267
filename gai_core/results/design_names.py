"""What a design is called: by the keys of a study file, or in a trialist's words.

A file is quick to find again by its keys; they stay out of a report's prose.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gai_core.basics import CHOICES, Entry, given_in_words
from gai_core.criteria import NO_DROPPING
from gai_core.study import Design

Given = Mapping[str, Any]
"""Parameters that a design sets."""
NEVER = NO_DROPPING.key
"""The futility that drops no dose."""
AS_SAID = {"equal": "at equal distances"}
"""Keys of a parameter that is a table."""
AT_END = {"end": "once, at the end"}
"""Values of a parameter whose type is not a choice."""


@dataclass(frozen=True, kw_only=True)
class Names:
    """How one reader names designs."""

    columns: Mapping[str, str]
    """Heads of the table of designs, and which part of a design stands below each."""
    entry: Callable[[Entry, Given], str]
    """A rule, and the parameters that a design sets."""
    in_order: str
    """That doses are declared in order; after what declares them."""
    dropping: Callable[[Entry, Given], str]
    """What drops doses; after what declares them."""
    guarantees: Mapping[str, str]
    """How far a guarantee goes, where it is not called by its key."""
    declared_alone: str
    """That nothing is promised about dropping; after the guarantee."""

    def decision(self, design: Design) -> str:
        """What declares doses, and what drops them if that is something else."""
        declaring = self.entry(design.identification[0], design.criterion_parameters)
        if design.order is not None:
            declaring = f"{declaring}{self.in_order}"
        dropping = design.decision.dropping
        if dropping is None:
            return declaring
        return f"{declaring}{self.dropping(dropping, design.futility_parameters)}"

    def guarantee(self, key: str) -> str:
        """How far a promise on errors goes."""
        return self.guarantees.get(key, key)

    def promise(self, design: Design) -> str:
        """The same of a design; where nothing is promised at all, nothing is added."""
        key = design.guarantee
        limited = key != "nothing" and not design.decision.bounds_dropping
        return f"{self.guarantee(key)}{self.declared_alone if limited else ''}"


def _by_key(entry: Entry, given: Given) -> str:
    said = ", ".join(f"{name} = {_as_in_a_file(value)}" for name, value in given.items())
    return f"{entry.key} ({said})" if said else entry.key


def _as_in_a_file(value: object) -> str:
    """A parameter as in a study file, but for quotes."""
    if not isinstance(value, dict):
        return str(value)
    return f"{{ {', '.join(f'{name} = {part}' for name, part in value.items())} }}"


def _in_words(entry: Entry, given: Given) -> str:
    """By its label, and its parameters by theirs."""
    fields = entry.parameters.model_fields
    said = []
    for name, value in given.items():
        field = fields[name]
        extra = field.json_schema_extra
        choices: Any = extra.get(CHOICES, {}) if isinstance(extra, dict) else {}
        shown = (AT_END | choices).get(value, value) if isinstance(value, str) else value
        said.append(f"{(field.title or name).lower()}: {given_in_words(shown, ', ', _said)}")
    return f"{entry.label} ({'; '.join(said)})" if said else entry.label


def _said(name: str, value: str) -> str:
    return f"{value} {AS_SAID.get(name, name)}"


def _dropping_in_words(entry: Entry, given: Given) -> str:
    return f". {entry.label}" if entry.key == NEVER else f". Dropping: {_in_words(entry, given)}"


BY_KEY = Names(
    columns={
        "design": "name",
        "allocation rule": "allocation",
        "decision rule": "decision",
        "burn-in": "burn-in",
        "guarantee": "guarantee",
    },
    entry=_by_key,
    in_order=", doses in order",
    dropping=lambda entry, given: f"; futility: {_by_key(entry, given)}",
    guarantees={},
    declared_alone="; on dropping nothing",
)
IN_WORDS = Names(
    columns={
        "design": "name",
        "allocation": "allocation",
        "decision": "decision",
        "guarantee": "guarantee",
        "outcomes of a dose first": "burn-in",
    },
    entry=_in_words,
    in_order=", doses in order from the highest down",
    dropping=_dropping_in_words,
    guarantees={
        "always": "at every sample size",
        "up to n_max": "up to the largest sample size",
        "simulated": "in simulated trials of this study, without proof",
        "nothing": "none",
    },
    declared_alone=", for declarations alone",
)

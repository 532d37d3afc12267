"""Designs and keys in a trialist's words: what stands in a study file stays out of the prose."""

import re
from typing import Any

from gai_core.basics import CHOICES, Entry
from gai_core.criteria import NO_DROPPING
from gai_core.report.content import (
    TYPE,
    TYPED,
    Block,
    Bullets,
    Heading,
    Paragraph,
    Picture,
    Table,
)
from gai_core.study import Design, Study

GUARANTEES = {
    "always": "at every sample size",
    "up to n_max": "up to the largest sample size",
    "simulated": "in simulated trials of this study, without proof",
    "nothing": "none",
}
NAMES = {"n_max": "the largest sample size"}
"""Names of study files that sentences of other rooms use."""
AS_SAID = {"equal": "at equal distances"}
"""Keys of a parameter that is a table."""
NEVER = NO_DROPPING.key
"""The futility that drops no dose."""
_NAME = re.compile("|".join(rf"\b{name}\b" for name in NAMES))
_COMMAND = re.compile(f"({TYPE}[^{TYPED}]*{TYPED})")


def designs_in_words(study: Study) -> Table:
    """Every design: allocation, decision, guarantee, outcomes before the rule begins."""
    rows = tuple(
        (
            design.name,
            entry_in_words(design.sampling[0], design.rule_parameters),
            decision_in_words(design),
            guarantee_in_words(design),
            str(design.burn_in),
        )
        for design in study.designs
    )
    columns = ("design", "allocation", "decision", "guarantee", "outcomes of a dose first")
    return Table("Designs considered", columns, rows, words=4)


def decision_in_words(design: Design) -> str:
    """What declares doses, and what drops them if that is something else."""
    declaring = entry_in_words(design.identification[0], design.criterion_parameters)
    dropping = design.decision.dropping
    if design.order is not None:
        declaring = f"{declaring}, doses in order from the highest down"
    if dropping is None:
        return declaring
    if dropping.key == NEVER:
        return f"{declaring}. {dropping.label}"
    return f"{declaring}. Dropping: {entry_in_words(dropping, design.futility_parameters)}"


def guarantee_in_words(design: Design) -> str:
    """How far the promise on errors goes."""
    found = GUARANTEES.get(design.guarantee, design.guarantee)
    if design.decision.bounds_dropping or found == "none":
        return found
    return f"{found}, for declarations alone"


def entry_in_words(entry: Entry, given: dict[str, Any]) -> str:
    """A rule by its label, and the parameters that a design sets, by theirs."""
    fields = entry.parameters.model_fields
    said = []
    for name, value in given.items():
        field = fields[name]
        extra = field.json_schema_extra
        choices: Any = extra.get(CHOICES, {}) if isinstance(extra, dict) else {}
        shown = choices.get(value, value) if isinstance(value, str) else value
        said.append(f"{(field.title or name).lower()}: {_value(shown)}")
    return f"{entry.label} ({'; '.join(said)})" if said else entry.label


def _value(value: Any) -> str:
    if value == "end":
        return "once, at the end"
    if isinstance(value, dict):
        return ", ".join(f"{part} {AS_SAID.get(name, name)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def in_plain_words(text: str) -> str:
    """A text without names of study files; commands stay as they are typed."""
    return "".join(
        part if part.startswith(TYPE) else _NAME.sub(lambda found: NAMES[found[0]], part)
        for part in _COMMAND.split(text)
    )


def worded(block: Block) -> Block:
    """A block in plain words."""
    match block:
        case Paragraph(text):
            return Paragraph(in_plain_words(text))
        case Heading(text):
            return Heading(in_plain_words(text))
        case Bullets(items):
            return Bullets(tuple(map(in_plain_words, items)))
        case Table():
            return block._replace(
                caption=in_plain_words(block.caption),
                columns=tuple(map(in_plain_words, block.columns)),
                rows=tuple(tuple(map(in_plain_words, row)) for row in block.rows),
            )
        case Picture():
            return block._replace(caption=in_plain_words(block.caption))
        case _:
            return block

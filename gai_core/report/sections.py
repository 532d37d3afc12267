"""The sections of a report, in their order: a section is a function and a line here."""

from collections.abc import Callable
from dataclasses import dataclass

from gai_core.basics import Registry
from gai_core.report import closing, findings, methods
from gai_core.report.content import Section
from gai_core.results import Analysis
from gai_core.study import Study


def always(_study: Study) -> bool:
    """A section of every report."""
    return True


@dataclass(frozen=True)
class ReportSection:
    """A section: its key, how it is made, and in which reports it stands."""

    key: str
    make: Callable[[Analysis], Section]
    applies: Callable[[Study], bool] = always


SECTIONS = Registry(
    "report section",
    [
        ReportSection("aims", methods.aims),
        ReportSection("designs", methods.designs),
        ReportSection("conduct", methods.conduct, lambda study: study.conduct is not None),
        ReportSection("decisions", methods.decisions),
        ReportSection("truths", methods.truths),
        ReportSection("generation", methods.generation),
        ReportSection("characteristics", findings.characteristics_section),
        ReportSection("figures", findings.figures_section),
        ReportSection("comparison", findings.comparison_section),
        ReportSection("examples", findings.examples_section),
        ReportSection("exact", findings.exact_section),
        ReportSection("limitations", closing.limitations),
        ReportSection("recreation", closing.recreation),
    ],
)
"""The checklist comes after them: it says where they stand."""


def made(analysis: Analysis) -> dict[str, Section]:
    """The sections of a report by their key."""
    return {
        entry.key: entry.make(analysis)
        for entry in SECTIONS.values()
        if entry.applies(analysis.study)
    }

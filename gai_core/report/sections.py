"""The sections of a report, in their order: a section is a function and a line here."""

from collections.abc import Callable
from dataclasses import dataclass

from gai_core.basics import Registry
from gai_core.report import (
    appendix,
    assumptions,
    closing,
    dose_finding,
    estimation,
    findings,
    methods,
    objectives,
)
from gai_core.report.content import Section, Table
from gai_core.report.subject import Subject
from gai_core.study import Study


def always(_study: Study) -> bool:
    """A section of every report."""
    return True


@dataclass(frozen=True)
class ReportSection:
    """A section: its key, how it is made, and in which reports it stands."""

    key: str
    make: Callable[[Subject], Section]
    applies: Callable[[Study], bool] = always
    appendix: bool = False
    """Whether only a full report has it, after all others."""


SECTIONS = Registry(
    "report section",
    [
        ReportSection("objectives", objectives.objectives),
        ReportSection("estimand", objectives.estimand),
        ReportSection("designs", methods.designs),
        ReportSection("randomisation", methods.randomisation),
        ReportSection("decisions", methods.decisions),
        ReportSection("multiplicity", methods.multiplicity),
        ReportSection("truths", assumptions.truths),
        ReportSection("generation", assumptions.generation),
        ReportSection("characteristics", findings.characteristics_section),
        ReportSection("errors", findings.errors_section),
        ReportSection("power", findings.power_section),
        ReportSection("sensitivity", findings.sensitivity_section),
        ReportSection("estimation", estimation.reliability),
        ReportSection("examples", findings.examples_section),
        ReportSection("monitoring", closing.monitoring),
        ReportSection("limitations", closing.limitations),
        ReportSection("recreation", closing.recreation),
        ReportSection("references", closing.references),
        ReportSection("all decisions", appendix.all_decisions, appendix=True),
        ReportSection("all characteristics", appendix.all_characteristics, appendix=True),
        ReportSection("all estimates", estimation.all_estimates, appendix=True),
        ReportSection("figures", appendix.figures, appendix=True),
        ReportSection("comparison", appendix.comparison, appendix=True),
        ReportSection("MCP-Mod", dose_finding.benchmark, dose_finding.can_be_asked, appendix=True),
        ReportSection("files", appendix.files, appendix=True),
    ],
)
"""In the order of ICH M11, E20 and ADEMP. The checklist comes before the appendix: it says where
they stand."""


def made(subject: Subject, *, appendix: bool) -> dict[str, Section]:
    """The sections of the body, or of the appendix, by their key."""
    return {
        entry.key: _tidy(entry.make(subject), entry.key)
        for entry in SECTIONS.values()
        if entry.applies(subject.study) and entry.appendix is appendix
    }


def _tidy(section: Section, key: str) -> Section:
    """The section under its key, without tables, rows and columns of dashes."""
    blocks = (
        block.without_nothing() if isinstance(block, Table) else block for block in section.blocks
    )
    kept = tuple(block for block in blocks if not isinstance(block, Table) or block.rows)
    return section._replace(blocks=kept, key=key)

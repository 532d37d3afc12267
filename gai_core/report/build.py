"""Runs -> one Report."""

import datetime

from gai_core.engine import Runs
from gai_core.report import closing, findings, methods
from gai_core.report.content import Report
from gai_core.report.material import Material
from gai_core.report.summary import summary
from gai_core.version import __version__


def build_report(runs: Runs, *, date: str | None = None) -> Report:
    """The report of a simulated study; `date` is today unless it is given."""
    material = Material(runs)
    study = runs.study
    sections = [
        methods.aims(material),
        methods.designs(material),
        *([methods.conduct(material)] if study.conduct else []),
        methods.decisions(material),
        methods.truths(material),
        methods.generation(material),
        findings.characteristics_section(material),
        findings.figures_section(material),
        findings.comparison_section(material),
        findings.examples_section(material),
        findings.exact_section(material),
        closing.limitations(material),
        closing.recreation(material),
    ]
    sections.append(closing.checklist(study, [section.title for section in sections]))
    return Report(
        title=study.title,
        subtitle="Simulation report of a dose-finding trial",
        facts=(
            ("Date", date or datetime.datetime.now(datetime.UTC).date().isoformat()),
            ("Software", f"gai-planner {__version__}"),
            ("Study", f"SHA-256 {material.study_hash[:16]}…"),
            ("Results", f"SHA-256 {material.results_hash[:16]}…"),
        ),
        summary=tuple(summary(material)),
        sections=tuple(sections),
    )

"""Runs -> one Report."""

import datetime

from gai_core.engine import Runs
from gai_core.report import closing
from gai_core.report.content import Report, legal
from gai_core.report.material import Material
from gai_core.report.sections import made
from gai_core.report.summary import summary
from gai_core.version import __version__


def build_report(runs: Runs, *, date: str | None = None) -> Report:
    """The report of a simulated study; `date` is today unless it is given."""
    material = Material(runs)
    study = runs.study
    sections = made(material)
    return Report(
        title=study.title,
        subtitle="Simulation report of a dose-finding trial",
        facts=(
            ("Date", legal(date or datetime.datetime.now(datetime.UTC).date().isoformat())),
            ("Software", f"gai-planner {__version__}"),
            ("Study", f"SHA-256 {material.study_hash[:16]}…"),
            ("Results", f"SHA-256 {material.results_hash[:16]}…"),
        ),
        summary=tuple(summary(material)),
        sections=(*sections.values(), closing.checklist(study, sections)),
    )

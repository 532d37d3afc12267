"""Runs -> one Report."""

import datetime

from gai_core.engine import Runs
from gai_core.report import closing
from gai_core.report.content import Report, legal
from gai_core.report.sections import made
from gai_core.report.summary import summary
from gai_core.results import Analysis, analyse
from gai_core.version import __version__


def build_report(of: Runs | Analysis, *, date: str | None = None) -> Report:
    """The report of a simulated study; `date` is today unless it is given."""
    analysis = analyse(of) if isinstance(of, Runs) else of
    study = analysis.study
    sections = made(analysis)
    return Report(
        title=study.title,
        subtitle="Simulation report of a dose-finding trial",
        facts=(
            ("Date", legal(date or datetime.datetime.now(datetime.UTC).date().isoformat())),
            ("Software", f"gai-planner {__version__}"),
            ("Study", f"SHA-256 {analysis.study_hash[:16]}…"),
            ("Results", f"SHA-256 {analysis.results_hash[:16]}…"),
        ),
        summary=tuple(summary(analysis)),
        sections=(*sections.values(), closing.checklist(study, sections)),
    )

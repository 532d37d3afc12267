"""Runs -> one Report."""

import datetime

from gai_core.engine import HERE, Runs, Work
from gai_core.questions import Advice
from gai_core.report.checklist import checklist
from gai_core.report.content import Layout, Report, legal
from gai_core.report.first_page import first_page
from gai_core.report.sections import made
from gai_core.report.subject import Subject
from gai_core.results import Analysis
from gai_core.version import __version__


def build_report(
    of: Runs | Analysis,
    *,
    date: str | None = None,
    full: bool = False,
    advice: Advice | None = None,
    layout: Layout | None = None,
    work: Work = HERE,
) -> Report:
    """The report of a simulated study; `date` is today unless it is given.

    `advice` is the recommendation at equal error and power, if designs were compared so; without
    it the first page recommends none. `full` adds the appendix. Small runs for power and
    sensitivity are simulated by `work`.
    """
    subject = _subject(of, advice, work, full=full)
    study, sections = subject.study, made(subject, appendix=False)
    return Report(
        title=study.title,
        subtitle="Simulation report of a dose-finding trial",
        facts=(
            ("Date", legal(date or datetime.datetime.now(datetime.UTC).date().isoformat())),
            ("Software", f"gai-planner {__version__}"),
            ("Study", f"SHA-256 {subject.study_hash[:16]}…"),
            ("Results", f"SHA-256 {subject.results_hash[:16]}…"),
        ),
        first=tuple(first_page(subject)),
        sections=(*sections.values(), checklist(subject, sections)),
        appendix=tuple(made(subject, appendix=True).values()) if full else (),
        layout=layout or Layout(),
    )


def _subject(of: Runs | Analysis, advice: Advice | None, work: Work, *, full: bool) -> Subject:
    """The analysis with what the report needs beside it; what it has computed is kept."""
    if isinstance(of, Runs):
        return Subject(of, advice=advice, full=full, work=work)
    found = Subject(of.runs, advice=advice, full=full, work=work)
    vars(found).update({key: value for key, value in vars(of).items() if key != "runs"})
    return found

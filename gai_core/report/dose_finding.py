"""MCP-Mod beside the designs: what a fixed trial of the same patients would find."""

from dataclasses import replace

from gai_core.mcp_mod import mcp_mod, mcp_mod_sentences, mcp_mod_summary, why_not
from gai_core.report.content import Bullets, Paragraph, Section, Table
from gai_core.report.subject import Subject
from gai_core.study import Study, changed

MOST_TRIALS = 2_000
"""Trials under every truth that are analysed: the first ones of the study."""


def can_be_asked(study: Study) -> bool:
    """Whether the doses of a study allow it."""
    return why_not(study) is None


def benchmark(subject: Subject) -> Section:
    """What was done, and what was found under every truth."""
    runs = min(subject.study.simulation.runs, MOST_TRIALS)
    found = mcp_mod(changed(subject.study, runs=runs), work=replace(subject.work, progress=None))
    first, *others = mcp_mod_sentences(found)
    cited = "Bretz, Pinheiro and Branson 2005; Pinheiro, Bornkamp, Glimm and Bretz 2014."
    return Section(
        "MCP-Mod on the same patients",
        (Paragraph(first), Bullets((*others, cited)), Table.of(mcp_mod_summary(found))),
    )

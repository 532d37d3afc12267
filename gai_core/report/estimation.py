"""How reliable estimates are: what ICH E20 asks of every adaptive design."""

from gai_core.report.content import Block, Paragraph, Section, Table
from gai_core.report.subject import HOPED_FOR, Subject
from gai_core.results import estimation_note, estimation_tables, overestimation_in_words
from gai_core.study import Truth


def overestimation(subject: Subject, truth: Truth) -> str:
    """How far off declared doses are, in the trials of the study's own size.

    These are of the recommended design only where that is one of the study.
    """
    design, most = subject.shown_design, f"{subject.study.simulation.n_max:,} patients"
    said = overestimation_in_words(subject.only([design]), truth)
    other = subject.recommended not in (None, design)
    whose = f"{design}, which is not the recommended design, and " if other else ""
    return f"With {whose}at most {most}, {said[0].lower()}{said[1:]}"


def reliability(subject: Subject) -> Section:
    """Bias and coverage of the design to use, under the hoped-for truth."""
    truth = subject.role(HOPED_FOR) or subject.study.truths[0]
    alone = subject.only([subject.shown_design])
    blocks: list[Block] = [Paragraph(overestimation(subject, truth))]
    for words in estimation_tables(alone, truth):
        table = Table.of(words)
        blocks.append(
            table._replace(
                caption=f"{subject.shown_design}, {table.caption}",
                columns=table.columns[1:],
                rows=tuple(row[1:] for row in table.rows),
            )
        )
    blocks.append(Paragraph(estimation_note(subject.study)))
    return Section("Reliability of estimation", tuple(blocks))


def all_estimates(subject: Subject) -> Section:
    """The same of all designs under every truth."""
    tables = (
        Table.of(words)._replace(words=2)
        for truth in subject.study.truths
        for words in estimation_tables(subject, truth)
    )
    return Section("Estimates of all designs", tuple(tables))

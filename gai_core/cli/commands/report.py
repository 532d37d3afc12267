"""`gai report`."""

from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import in_a_row
from gai_core.cli.options import Asked, Force, Simulating, metavar, one_of
from gai_core.cli.screen import say, show_cautions
from gai_core.report import (
    FORMATS,
    PAPERS,
    Layout,
    build_report,
    check_report,
    write_report,
)


def command(
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help=f"report{in_a_row(FORMATS, 'or')}"),
    ],
    asked: Asked,
    simulating: Simulating,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="With an appendix: all tables, figures and comparisons, the study file."
        ),
    ] = False,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="QUANTITY=CHANCE",
            help="Power at which the first page compares designs, each at its own smallest "
            "sample size, as good_declared=0.8 (the default, where the search is quick).",
        ),
    ] = None,
    search: Annotated[
        bool, typer.Option("--search/--no-search", help="Whether designs are compared so at all.")
    ] = True,
    paper: Annotated[
        str,
        typer.Option(
            "--paper",
            parser=one_of(PAPERS),
            metavar=metavar(PAPERS),
            help=f"Paper of PDF, Word and print: {', '.join(PAPERS)}.",
        ),
    ] = next(iter(PAPERS)),
    template: Annotated[
        Path | None,
        typer.Option(
            "--template", metavar="FILE.docx", help="A Word file whose styles the report takes."
        ),
    ] = None,
    date: Annotated[
        str | None, typer.Option("--date", help="Date to print in the report; today by default.")
    ] = None,
    force: Force = False,
) -> None:
    """Simulate a study and write its report, in the format of the file's ending.

    The first page has the recommended design beside the usual one, at equal error and power; the
    body follows ICH M11 and E20. Power over the effect and sensitivity come from small runs.
    """
    from gai_core.questions import advise, parse_wish, unasked_advice
    from gai_core.results import analyse
    from gai_core.theory import cautions

    study, layout = asked.load(), Layout(paper, template)
    wish = None if at is None else parse_wish(at, "at")
    check_report(output, force=force, layout=layout)
    show_cautions(cautions(study))
    with simulating.at_work("Simulating") as work:
        analysis = analyse(work.simulate(study))
        advice = None
        if search:
            advice = advise(study, wish, work=work) if wish else unasked_advice(study, work=work)
        report = build_report(
            analysis, date=date, full=full, advice=advice, layout=layout, work=work
        )
    write_report(report, output, force=force)
    say(f"{output}: written")

"""`gai table`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import check_new, write_text
from gai_core.cli.options import Asked, Force, Simulating


class TableFormat(StrEnum):
    """How a table for a paper is written."""

    md = "md"
    latex = "latex"
    csv = "csv"


def command(
    *,
    style: Annotated[TableFormat, typer.Option("--format", help="md, latex or csv")] = (
        TableFormat.md
    ),
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Instead of the screen.")
    ] = None,
    asked: Asked,
    simulating: Simulating,
    force: Force = False,
) -> None:
    """Simulate a study and write its operating characteristics as tables for a paper."""
    from gai_core.report.tables import tables
    from gai_core.results import characteristics
    from gai_core.theory import bounds

    study = asked.load()
    if output is not None:
        check_new(output, force=force)
    with simulating.at_work("Simulating") as work:
        values = characteristics(work.simulate(study))
    text = tables(study, values, bounds(study), style.value)
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)

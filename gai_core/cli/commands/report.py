"""`gai report`."""

from pathlib import Path
from typing import Annotated

import typer

from gai_core.cli.options import Asked, Force, Simulating
from gai_core.cli.screen import say, show_cautions
from gai_core.report import FORMATS, build_report, check_report, write_report


def command(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help=f"report{' or '.join(FORMATS)}")
    ],
    asked: Asked,
    simulating: Simulating,
    date: Annotated[
        str | None, typer.Option("--date", help="Date to print in the report; today by default.")
    ] = None,
    force: Force = False,
) -> None:
    """Simulate a study and write its report, in the format of the file's ending."""
    from gai_core.theory import cautions

    study = asked.load()
    check_report(output, force=force)
    show_cautions(cautions(study))
    with simulating.at_work("Simulating") as work:
        runs = work.simulate(study)
    write_report(build_report(runs, date=date), output, force=force)
    say(f"{output}: written")

"""`gai table`."""

from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import check_new, write_text
from gai_core.cli.options import Asked, Force, Simulating, metavar, one_of
from gai_core.report import TABLE_FORMATS


def command(
    *,
    style: Annotated[
        str,
        typer.Option(
            "--format",
            parser=one_of(TABLE_FORMATS),
            metavar=metavar(TABLE_FORMATS),
            help=", ".join(TABLE_FORMATS),
        ),
    ] = next(iter(TABLE_FORMATS)),
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Instead of the screen.")
    ] = None,
    asked: Asked,
    simulating: Simulating,
    force: Force = False,
) -> None:
    """Simulate a study and write its operating characteristics as tables for a paper."""
    from gai_core.results import characteristics
    from gai_core.theory import bounds

    study = asked.load()
    if output is not None:
        check_new(output, force=force)
    with simulating.at_work("Simulating") as work:
        values = characteristics(work.simulate(study))
    text = TABLE_FORMATS[style].write(study, values, bounds(study))
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)

"""`gai advise`."""

from typing import Annotated

import typer

from gai_core.cli.options import Asked, CsvFile, Simulating
from gai_core.cli.screen import show_cautions


def command(
    *,
    at: Annotated[
        str,
        typer.Option(
            "--at",
            metavar="CHANCE=P",
            help="The power that all designs are given: good_declared=0.8, for example.",
        ),
    ] = "good_declared=0.9",
    under: Annotated[
        str | None,
        typer.Option(
            "--under",
            metavar="TRUTH",
            help="Under this truth; by default the first with a dose above the target.",
        ),
    ] = None,
    asked: Asked,
    simulating: Simulating,
    csv: CsvFile,
) -> None:
    """Compare ready-made designs at equal error and power, and recommend one."""
    from gai_core.cli.explore_views import show_advice
    from gai_core.questions import advise, parse_wish
    from gai_core.theory import cautions

    study = asked.load()
    wish = parse_wish(at, "at")
    show_cautions(cautions(study))
    with simulating.at_work("Comparing designs") as work:
        advice = advise(study, wish, under=under, work=work)
    if csv.write(advice.table):
        show_advice(advice)

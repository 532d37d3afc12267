"""`gai advise`."""

from typing import Annotated

import typer

from gai_core.cli.options import Asked, CsvFile, Power, Simulating, Under
from gai_core.cli.screen import show_cautions


def command(
    *,
    at: Power = "good_declared=0.8",
    under: Under = None,
    ready_made: Annotated[
        bool,
        typer.Option("--ready-made", help="Among the planner's ready-made designs, too."),
    ] = False,
    asked: Asked,
    simulating: Simulating,
    csv: CsvFile,
) -> None:
    """Compare the study's designs and the benchmarks at equal error and power; recommend one.

    The app and the first page of a report recommend the same one.
    """
    from gai_core.cli.explore_views import show_advice
    from gai_core.questions import advise, parse_wish
    from gai_core.theory import cautions

    study = asked.load()
    wish = parse_wish(at, "at")
    show_cautions(cautions(study))
    with simulating.at_work("Comparing designs") as work:
        advice = advise(study, wish, under=under, ready_made=ready_made, work=work)
    if csv.write(advice.table):
        show_advice(advice)

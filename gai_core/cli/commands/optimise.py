"""`gai optimise`."""

from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import check_new, check_writable, write_text
from gai_core.cli.options import Asked, CsvFile, Force, Simulating, Under
from gai_core.cli.screen import say


def command(
    *,
    want: Annotated[
        str,
        typer.Option(
            "--want", metavar="CHANCE=P", help="What the design must reach: any_declared=0.9."
        ),
    ] = "any_declared=0.9",
    under: Under = None,
    minimise: Annotated[
        str,
        typer.Option(
            "--minimise",
            metavar="enrolled|largest|months",
            help="Patients on average, the largest sample size, or months on average.",
        ),
    ] = "enrolled",
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="TRUTH=WEIGHT",
            help="Average over this truth; repeat it. By default half the truth of the wish and "
            "half the one in which doses do least.",
        ),
    ] = None,
    within: Annotated[
        list[str] | None,
        typer.Option(
            "--within",
            metavar="NAME=VALUES",
            help="Try these values only: n_max=400 (the largest), rule=hdoc,equal, "
            "futility=below,none, burn_in=1,3,5, cohort=4,8,16; repeat it.",
        ),
    ] = None,
    effort: Annotated[
        str, typer.Option("--effort", metavar="quick|usual|thorough", help="How long to search.")
    ] = "usual",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the best design as a study."),
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(
            "--figure",
            metavar="FILE",
            help="Draw expected against largest enrolment: .svg, .png, .pdf.",
        ),
    ] = None,
    force: Force = False,
    asked: Asked,
    simulating: Simulating,
    csv: CsvFile,
) -> None:
    """Find the design that reaches a wish with the fewest patients; --runs judge it (20,000)."""
    from gai_core.cli.explore_views import show_best_so_far, show_optimum
    from gai_core.figures import check_format, draw_frontier, write_figure
    from gai_core.questions import (
        JUDGED_RUNS,
        check_optimise,
        frontier_points,
        optimise,
        optimum_table,
        parse_wish,
        read_optimise,
    )
    from gai_core.study import dump_study

    study = asked.load()
    wish = parse_wish(want)
    asks = read_optimise(study, over or (), within or (), minimise)
    asks |= {"under": under, "effort": effort, "runs": asked.runs or JUDGED_RUNS}
    check_optimise(study, wish, **asks)
    if output is not None:
        check_new(output, force=force)
    if figure is not None:
        check_writable(figure)
        check_format(figure)
    with simulating.at_work("Searching") as work:
        found = optimise(study, wish, **asks, work=work, tell=show_best_so_far())
    if figure is not None and found.best is not None:
        write_figure(lambda: draw_frontier(frontier_points(found)), figure)
    if output is not None and found.best is not None:
        write_text(output, dump_study(found.study(found.best)))
    if csv.write(optimum_table(found)):
        show_optimum(found)
        if output is not None and found.best is not None:
            say(f"{output} has it as a study: gai run {output}")

"""`gai plan`."""

from functools import partial
from typing import Annotated

import typer

from gai_core.cli.options import Asked, CsvFile, Simulating


def command(
    *,
    want: Annotated[
        str,
        typer.Option(
            "--want", metavar="CHANCE=P", help="any_declared=0.8 or correct_list=0.8, for example."
        ),
    ],
    solve: Annotated[
        str,
        typer.Option(
            "--solve",
            metavar="FIELD",
            help="n_max, delta, errors.declare, errors.drop, burn_in or looks.",
        ),
    ],
    among: Annotated[
        str | None, typer.Option("--among", metavar="LOW:HIGH", help="Search in this range only.")
    ] = None,
    truth: Annotated[
        list[str] | None,
        typer.Option(
            "--truth",
            help="Reach it under this truth; repeat it. By default under every truth with a dose "
            "above the target.",
        ),
    ] = None,
    design: Annotated[
        list[str] | None, typer.Option("--design", help="Plan this design; repeat it.")
    ] = None,
    largest: Annotated[
        bool,
        typer.Option(
            "--largest", help="The largest burn_in, or the fewest looks, that still reaches it."
        ),
    ] = False,
    asked: Asked,
    simulating: Simulating,
    csv: CsvFile,
) -> None:
    """Find the smallest n_max, error rate, burn_in or looks that reaches a wished chance."""
    from gai_core.cli.explore_views import show_plans
    from gai_core.questions import parse_among, parse_wish, plan, plan_table, searches, solvable

    study = asked.load()
    wish = parse_wish(want)
    solvable(solve)
    ask = partial(
        plan,
        study,
        wish,
        solve,
        among=None if among is None else parse_among(study, solve, among),
        truths=truth or (),
        designs=design or (),
        largest=largest,
    )
    searches(*ask.args, **ask.keywords)  # a bad request is refused before a cluster is asked for
    with simulating.at_work("Planning") as work:
        plans = ask(work=work)
    if csv.write(plan_table(plans)):
        show_plans(study, plans)

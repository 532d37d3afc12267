"""`gai compare`."""

from typing import Annotated

import typer

from gai_core.cli.options import Asked, CsvFile, Power, Simulating, Under


def command(
    *,
    at: Power = "any_declared=0.9",
    under: Under = None,
    among: Annotated[
        str | None, typer.Option("--among", metavar="LOW:HIGH", help="Search n_max in this range.")
    ] = None,
    design: Annotated[
        list[str] | None,
        typer.Option("--design", help="Only this design and the benchmarks; repeat it."),
    ] = None,
    fresh_runs: Annotated[
        int | None,
        typer.Option(
            "--fresh-runs",
            min=2,
            max=10_000_000,
            help="Trials for the numbers that are shown; --runs are those of the search.",
        ),
    ] = None,
    asked: Asked,
    simulating: Simulating,
    csv: CsvFile,
) -> None:
    """Set designs side by side at equal error and power, each at its own smallest n_max."""
    from gai_core.cli.explore_views import show_equal_power
    from gai_core.questions import (
        check_equal_power,
        equal_power,
        equal_power_table,
        parse_among,
        parse_wish,
    )

    study = asked.load()
    wish = parse_wish(at, "at")
    searched = None if among is None else parse_among(study, "n_max", among)
    # A bad request is refused before a cluster is asked for.
    check_equal_power(study, wish, under=under, among=searched, designs=design or ())
    with simulating.at_work("Comparing at equal power") as work:
        found = equal_power(
            study,
            wish,
            under=under,
            among=searched,
            designs=design or (),
            fresh_runs=fresh_runs,
            work=work,
        )
    if csv.write(equal_power_table(found)):
        show_equal_power(found)

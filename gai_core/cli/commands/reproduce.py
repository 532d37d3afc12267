"""`gai reproduce`."""

from enum import StrEnum
from typing import Annotated

import typer

from gai_core.cli.options import CsvFile, Simulating


class PaperPart(StrEnum):
    """What of the paper to reproduce."""

    table1 = "table1"
    table2 = "table2"
    figure1 = "figure1"
    all = "all"


def command(
    *,
    part: Annotated[PaperPart, typer.Argument(help="What to reproduce.")] = PaperPart.all,
    runs: Annotated[int, typer.Option("--runs", help="Number of simulated trials.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Start of all random streams.")] = 1,
    simulating: Simulating,
    csv: CsvFile,
) -> None:
    """Recompute the paper's Tables 1 and 2 and its figure beside the published numbers."""
    import pandas as pd

    from gai_core.cli.views import show_figure, show_tables
    from gai_core.paper import TABLES, reproduce_figure, reproduce_tables

    tables = [name for name in TABLES if part in (name, PaperPart.all)]
    figure = part in (PaperPart.figure1, PaperPart.all)
    parts: list[pd.DataFrame] = []
    with simulating.at_work("Reproducing the paper") as work:
        if tables:
            parts.append(reproduce_tables(tables, runs=runs, seed=seed, work=work))
        if figure:
            parts.append(reproduce_figure(runs=runs, seed=seed, work=work))
    if csv.write(pd.concat(parts, ignore_index=True)):
        if tables:
            show_tables(parts[0])
        if figure:
            show_figure(parts[-1])

"""Commands that write reports and tables, and that recreate and extend saved runs."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gai_core.cli.options import (
    Cluster,
    Delta,
    Force,
    NMax,
    NoCache,
    RunCount,
    Seed,
    StudyName,
    Threads,
    app,
    fail,
    simulating,
    study_with,
)
from gai_core.cli.screen import show_cautions
from gai_core.theory import bounds, cautions

Date = Annotated[
    str | None, typer.Option("--date", help="Date to print in the report; today by default.")
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of `gai run --save`.")]


class TableFormat(StrEnum):
    """How a table for a paper is written."""

    md = "md"
    latex = "latex"
    csv = "csv"


@app.command()
def report(
    study: StudyName,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="report.html, .pdf or .docx")
    ],
    runs: RunCount = None,
    seed: Seed = None,
    n_max: NMax = None,
    delta: Delta = None,
    threads: Threads = None,
    cluster: Cluster = None,
    no_cache: NoCache = False,
    date: Date = None,
    force: Force = False,
) -> None:
    """Simulate a study and write its report, in the format of the file's ending."""
    from gai_core.report import build_report, check_report, write_report

    loaded = study_with(study, runs=runs, seed=seed, n_max=n_max, delta=delta)
    check_report(output, force=force)
    show_cautions(cautions(loaded))
    with simulating("Simulating", cluster, cache=not no_cache) as (simulate, progress):
        simulated = simulate(loaded, threads=threads, progress=progress)
    write_report(build_report(simulated, date=date), output, force=force)
    typer.echo(f"{output}: written")


@app.command()
def table(
    study: StudyName,
    style: Annotated[TableFormat, typer.Option("--format", help="md, latex or csv")] = (
        TableFormat.md
    ),
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Instead of the screen.")
    ] = None,
    runs: RunCount = None,
    seed: Seed = None,
    n_max: NMax = None,
    delta: Delta = None,
    threads: Threads = None,
    cluster: Cluster = None,
    no_cache: NoCache = False,
    force: Force = False,
) -> None:
    """Simulate a study and write its operating characteristics as tables for a paper."""
    from gai_core.basics.whole_files import check_new, write_text
    from gai_core.report.tables import tables
    from gai_core.results.tidy import characteristics

    loaded = study_with(study, runs=runs, seed=seed, n_max=n_max, delta=delta)
    if output is not None:
        check_new(output, force=force)
    with simulating("Simulating", cluster, cache=not no_cache) as (simulate, progress):
        values = characteristics(simulate(loaded, threads=threads, progress=progress))
    text = tables(loaded, values, bounds(loaded), style.value)
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)


@app.command()
def rerun(folder: Folder, threads: Threads = None, cluster: Cluster = None) -> None:
    """Simulate saved runs again and say whether every number is the same."""
    from gai_core.results.saved import differences, load_saved

    saved = load_saved(folder)
    with simulating("Simulating again", cluster, cache=False) as (simulate, progress):
        found = differences(saved, threads=threads, progress=progress, simulator=simulate)
    if found:
        fail(1, *found)
    size = saved.study.simulation.runs * len(saved.runs.trials)
    typer.echo(f"{folder}: every number of {size:,} trials is the same")


@app.command()
def extend(
    folder: Folder,
    runs: Annotated[int, typer.Option("--runs", help="Trials in all, old and new.")],
    threads: Threads = None,
    cluster: Cluster = None,
) -> None:
    """Add trials to saved runs without simulating the old ones again."""
    from gai_core.results.saved import extended, load_saved

    saved = load_saved(folder)
    with simulating("Simulating", cluster, cache=False) as (simulate, progress):
        extended(saved, runs, threads=threads, progress=progress, simulator=simulate)
    typer.echo(f"{folder}: now {runs:,} trials")

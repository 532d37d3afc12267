"""Commands that simulate."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import InputError, cache_folder
from gai_core.cli.options import (
    Cluster,
    Csv,
    Delta,
    NMax,
    NoCache,
    Precision,
    PrecisionOf,
    RunCount,
    Save,
    Seed,
    StudyName,
    Threads,
    app,
    check_csv,
    fail,
    simulating,
    study_with,
    write_csv,
)
from gai_core.cli.screen import progress_bar, show_cautions
from gai_core.theory import bounds, cautions


class PaperPart(StrEnum):
    """What of the paper to reproduce."""

    table1 = "table1"
    table2 = "table2"
    figure1 = "figure1"
    all = "all"


@app.command()
def run(
    study: StudyName,
    runs: RunCount = None,
    seed: Seed = None,
    n_max: NMax = None,
    delta: Delta = None,
    threads: Threads = None,
    cluster: Cluster = None,
    no_cache: NoCache = False,
    csv: Csv = None,
    save: Save = None,
    precision: Precision = None,
    precision_of: PrecisionOf = None,
) -> None:
    """Simulate every design of a study and show its operating characteristics."""
    from gai_core.cli.views import show_characteristics
    from gai_core.questions.precision import check_precision, simulate_to
    from gai_core.results.storage import check_folder, save_runs
    from gai_core.results.tidy import characteristics

    loaded = study_with(study, runs=runs, seed=seed, n_max=n_max, delta=delta)
    check_csv(csv)
    if save is not None:
        check_folder(save)
        if csv is not None and Path(csv) == save:
            raise InputError(f"{csv}: --csv and --save need different names")
    if precision is not None:
        check_precision(loaded, precision, precision_of or ())
    elif precision_of:
        raise InputError("--precision-of: say how precise with --precision")
    show_cautions(cautions(loaded))
    with simulating("Simulating", cluster, cache=not no_cache) as (simulate, progress):
        if precision is None:
            simulated = simulate(loaded, threads=threads, progress=progress)
        else:
            simulated = simulate_to(
                loaded,
                precision,
                quantities=precision_of or (),
                threads=threads,
                progress=progress,
                simulator=simulate,
            )
            loaded = simulated.study
        values = characteristics(simulated)
        if save is not None:
            save_runs(simulated, values, save)
    size = loaded.simulation.runs
    if precision is not None:
        typer.echo(f"{size:,} trials for a standard error of {precision:g}", err=True)
    elif simulated.kept:
        total = size * len(simulated.trials)
        typer.echo(f"{simulated.kept:,} of {total:,} trials came out of the cache", err=True)
    if write_csv(values, csv):
        show_characteristics(loaded, values, bounds(loaded))


@app.command()
def verify(
    study: StudyName,
    runs: RunCount = None,
    seed: Seed = None,
    n_max: NMax = None,
    delta: Delta = None,
    threads: Threads = None,
    cluster: Cluster = None,
    no_cache: NoCache = False,
    csv: Csv = None,
) -> None:
    """Show what every design promises, its exact worst error, and the simulated rate beside it."""
    from gai_core.cli.views import show_errors, show_worst_cases
    from gai_core.questions.verification import errors_by_truth, is_broken, worst_cases

    loaded = study_with(study, runs=runs, seed=seed, n_max=n_max, delta=delta)
    check_csv(csv)
    with simulating("Verifying", cluster, cache=not no_cache) as (simulate, progress):
        worst = worst_cases(loaded)
        errors = errors_by_truth(loaded, threads=threads, progress=progress, simulator=simulate)
    if write_csv(errors.merge(worst, on="design", suffixes=("", "_worst")), csv):
        show_worst_cases(worst)
        show_errors(errors, loaded.simulation.runs)
    broken = worst[worst.share_of_delta.map(is_broken) & (worst.guarantee != "nothing")]
    if not broken.empty:
        names = ", ".join(broken.design)
        fail(1, f"a guaranteed design errs more than it may ({names}): please report this")


@app.command()
def advise(
    study: StudyName,
    runs: RunCount = None,
    seed: Seed = None,
    n_max: NMax = None,
    delta: Delta = None,
    threads: Threads = None,
    cluster: Cluster = None,
    no_cache: NoCache = False,
    csv: Csv = None,
) -> None:
    """Simulate a short list of sensible designs on all truths and recommend one."""
    from gai_core.cli.views import show_advice
    from gai_core.questions.advice import advise as advised

    loaded = study_with(study, runs=runs, seed=seed, n_max=n_max, delta=delta)
    check_csv(csv)
    show_cautions(cautions(loaded))
    with simulating("Comparing designs", cluster, cache=not no_cache) as (simulate, progress):
        advice = advised(loaded, threads=threads, progress=progress, simulator=simulate)
    if write_csv(advice.table, csv):
        show_advice(advice.sentences, advice.table, loaded.simulation.runs)


@app.command()
def reproduce(
    part: Annotated[PaperPart, typer.Argument(help="What to reproduce.")] = PaperPart.all,
    runs: Annotated[int, typer.Option("--runs", help="Number of simulated trials.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Start of all random streams.")] = 1,
    threads: Threads = None,
    cluster: Cluster = None,
    no_cache: NoCache = False,
    csv: Csv = None,
) -> None:
    """Recompute the paper's Tables 1 and 2 and its figure beside the published numbers."""
    import pandas as pd

    from gai_core.cli.views import show_figure, show_tables
    from gai_core.paper.reproduction import TABLES, reproduce_figure, reproduce_tables

    check_csv(csv)
    tables = (
        TABLES if part is PaperPart.all else tuple(name for name in TABLES if name == part.value)
    )
    parts: list[pd.DataFrame] = []
    with simulating("Reproducing the paper", cluster, cache=not no_cache) as (simulate, progress):
        if tables:
            parts.append(
                reproduce_tables(
                    tables,
                    runs=runs,
                    seed=seed,
                    threads=threads,
                    progress=progress,
                    simulator=simulate,
                )
            )
        if part in (PaperPart.figure1, PaperPart.all):
            parts.append(
                reproduce_figure(
                    runs=runs, seed=seed, threads=threads, progress=progress, simulator=simulate
                )
            )
    if write_csv(pd.concat(parts, ignore_index=True), csv):
        if tables:
            show_tables(parts[0])
        if part in (PaperPart.figure1, PaperPart.all):
            show_figure(parts[-1])


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Empty it.")] = False,
) -> None:
    """Show the cache of finished runs: where it is, how much it holds, and how much it may."""
    from gai_core.engine import run_cache

    limit = run_cache.size_limit() / 1e6
    if clear:
        typer.echo(f"{run_cache.clear():,} entries removed")
    found = run_cache.entries()
    size = sum(entry.size for entry in found) / 1e6
    typer.echo(f"{cache_folder('runs')}: {len(found):,} entries, {size:,.1f} MB of {limit:,.0f} MB")
    typer.echo(f"{run_cache.LIMIT} sets the limit in MB; 0 switches the cache off")


@app.command()
def bench(csv: Csv = None) -> None:
    """Measure nanoseconds per simulated patient, against a plain Python loop in the same run."""
    import pandas as pd

    from gai_core.cli.views import show_benchmark, show_conduct_benchmark
    from gai_core.tools.bench import benchmark, conduct_benchmark

    check_csv(csv)
    with progress_bar("Measuring") as progress:
        values = benchmark(progress)
        conducted = conduct_benchmark(progress)
    if write_csv(pd.concat([values, conducted], ignore_index=True), csv):
        show_benchmark(values)
        show_conduct_benchmark(conducted)

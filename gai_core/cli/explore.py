"""Commands that explore: a study over a grid, and the value that reaches a wish."""

import shutil
import sys
import tempfile
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import InputError, check_writable
from gai_core.cli.options import (
    Cluster,
    Csv,
    Delta,
    NMax,
    NoCache,
    RunCount,
    Seed,
    StudyName,
    Threads,
    app,
    check_csv,
    simulating,
    study_with,
    write_csv,
)
from gai_core.cli.screen import progress_bar
from gai_core.engine import connected, simulate, simulate_cached


@app.command()
def sweep(
    study: StudyName,
    vary: Annotated[
        list[str],
        typer.Option(
            "--vary",
            metavar="FIELD=VALUES",
            help="A numeric field and its values: delta=0.1,0.05 or n_max=100:600:50, also "
            "designs[0].burn_in, truth.shift, truth.scale. Repeat it for a grid.",
        ),
    ],
    csv: Csv = None,
    parquet: Annotated[
        Path | None,
        typer.Option("--parquet", metavar="FILE", help="Write the tidy table as Parquet."),
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(
            "--figure",
            metavar="FILE",
            help="Draw curves (one field) or heat maps (two): .svg, .png, .pdf.",
        ),
    ] = None,
    quantity: Annotated[
        str, typer.Option("--quantity", help="What to show on the screen and in the figure.")
    ] = "any_declared",
    arm: Annotated[str, typer.Option("--arm", help="The arm, for good, bad, assigned, …")] = "",
    runs: RunCount = None,
    seed: Seed = None,
    n_max: NMax = None,
    delta: Delta = None,
    threads: Threads = None,
    cluster: Cluster = None,
    no_cache: NoCache = False,
) -> None:
    """Simulate a study at every point of a grid of variations, on the same patients."""
    from gai_core.basics.table_files import csv_file, parquet_file
    from gai_core.cli.explore_views import show_sweep
    from gai_core.figures import check_format, draw_sweep, write_figure
    from gai_core.questions.sweep_data import cells, check_figure, measure
    from gai_core.questions.sweeping import check_grid
    from gai_core.questions.sweeping import sweep as swept
    from gai_core.study.variations import parse_variation

    loaded = study_with(study, runs=runs, seed=seed, n_max=n_max, delta=delta)
    variations = [parse_variation(loaded, text) for text in vary]
    fields = [variation.field for variation in variations]
    shown = measure(loaded, quantity, arm)
    _check_files(csv, parquet, figure)
    if figure is not None:
        check_format(figure)
        check_figure(loaded, fields)
    kept = []
    with ExitStack() as stack:
        target = Path(csv) if csv not in (None, "-") else None
        if csv == "-":  # the screen gets the whole table or nothing
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="gai-"))
            target = Path(folder) / "sweep.csv"
        check_grid(loaded, variations)
        with (
            ExitStack() as files,
            connected(cluster) as workers,
            progress_bar("Sweeping") as progress,
        ):
            simulator = simulate if no_cache else simulate_cached
            work = swept(
                loaded,
                variations,
                threads=threads,
                progress=progress,
                simulator=simulator,
                workers=workers,
            )
            points = files.enter_context(closing(work))
            writers = [files.enter_context(csv_file(target))] if target is not None else []
            writers += [files.enter_context(parquet_file(parquet))] if parquet is not None else []
            for point, values in points:
                kept += cells(point, values, shown)
                for write in writers:
                    write(values)
        if figure is not None:
            write_figure(lambda: draw_sweep(kept, shown, fields), figure)
        if csv == "-" and target is not None:
            with target.open(encoding="utf-8") as file:
                shutil.copyfileobj(file, sys.stdout)
        else:
            show_sweep(loaded, fields, kept, shown)


def _check_files(csv: str | None, parquet: Path | None, figure: Path | None) -> None:
    """Before long work: can the files be written, and are they different ones?"""
    check_csv(csv)
    named = [Path(path) for path in (csv, parquet, figure) if path not in (None, "-")]
    for path in named:
        check_writable(path)
        if named.count(path) > 1:
            raise InputError(f"{path}: --csv, --parquet and --figure need different names")


@app.command()
def plan(
    study: StudyName,
    want: Annotated[
        str,
        typer.Option(
            "--want", metavar="CHANCE=P", help="any_declared=0.8 or correct_list=0.8, for example."
        ),
    ],
    solve: Annotated[
        str, typer.Option("--solve", metavar="FIELD", help="n_max, delta, burn_in or looks.")
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
    runs: RunCount = None,
    seed: Seed = None,
    n_max: NMax = None,
    delta: Delta = None,
    threads: Threads = None,
    cluster: Cluster = None,
    no_cache: NoCache = False,
    csv: Csv = None,
) -> None:
    """Find the smallest n_max, delta, burn_in or looks that reaches a wished chance."""
    from gai_core.cli.explore_views import show_plans
    from gai_core.questions.plan_values import parse_among, solvable
    from gai_core.questions.planning import parse_wish, plan_table, searches
    from gai_core.questions.planning import plan as planned

    loaded = study_with(study, runs=runs, seed=seed, n_max=n_max, delta=delta)
    wish = parse_wish(want)
    solvable(solve)
    check_csv(csv)
    ask = partial(
        planned,
        loaded,
        wish,
        solve,
        among=None if among is None else parse_among(loaded, solve, among),
        truths=truth or (),
        designs=design or (),
        largest=largest,
    )
    searches(*ask.args, **ask.keywords)  # a bad request is refused before a cluster is asked for
    with simulating("Planning", cluster, cache=not no_cache) as (simulator, progress):
        plans = ask(
            threads=threads,
            progress=progress,
            simulator=simulator,
        )
    if write_csv(plan_table(plans), csv):
        show_plans(loaded, plans)

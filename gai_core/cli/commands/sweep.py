"""`gai sweep`."""

import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import InputError, check_writable, scratch
from gai_core.cli.options import Asked, CsvFile, Simulating


def command(
    *,
    vary: Annotated[
        list[str],
        typer.Option(
            "--vary",
            metavar="FIELD=VALUES",
            help="A numeric field and its values: delta=0.1,0.05 or n_max=100:600:50, also "
            "designs[0].burn_in, truth.shift, truth.scale. Repeat it for a grid.",
        ),
    ],
    csv: CsvFile,
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
    asked: Asked,
    simulating: Simulating,
) -> None:
    """Simulate a study at every point of a grid of variations, on the same patients."""
    from gai_core.basics import csv_file, parquet_file
    from gai_core.cli.explore_views import show_sweep
    from gai_core.figures import check_format, draw_sweep, write_figure
    from gai_core.questions import cells, check_figure, check_grid, measure, sweep
    from gai_core.study import parse_variation

    study = asked.load()
    variations = [parse_variation(study, text) for text in vary]
    fields = [variation.field for variation in variations]
    shown = measure(study, quantity, arm)
    _check_files(csv.path, parquet, figure)
    if figure is not None:
        check_format(figure)
        check_figure(study, fields)
    kept = []
    with ExitStack() as stack:
        target = csv.path
        if csv.on_screen:  # the screen gets the whole table or nothing
            folder = stack.enter_context(scratch(Path(tempfile.gettempdir())))
            target = folder / "sweep.csv"
        check_grid(study, variations)
        with ExitStack() as files, simulating.at_work("Sweeping") as work:
            points = files.enter_context(closing(sweep(study, variations, work=work)))
            writers = [files.enter_context(csv_file(target))] if target is not None else []
            writers += [files.enter_context(parquet_file(parquet))] if parquet is not None else []
            for point, values in points:
                kept += cells(point, values, shown)
                for write in writers:
                    write(values)
        if figure is not None:
            write_figure(lambda: draw_sweep(kept, shown, fields), figure)
        if csv.on_screen and target is not None:
            with target.open(encoding="utf-8") as file:
                for line in file:
                    typer.echo(line, nl=False)
        else:
            show_sweep(study, fields, kept, shown)


def _check_files(*files: Path | None) -> None:
    """Before long work: can the files be written, and are they different ones?"""
    named = [path for path in files if path is not None]
    for path in named:
        check_writable(path)
        if named.count(path) > 1:
            raise InputError(f"{path}: --csv, --parquet and --figure need different names")

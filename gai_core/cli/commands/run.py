"""`gai run`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import InputError
from gai_core.cli.options import Asked, CsvFile, Simulating
from gai_core.cli.screen import say, show_cautions
from gai_core.study import Study


def command(
    asked: Asked,
    simulating: Simulating,
    csv: CsvFile,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save", metavar="DIR", help="Save study, runs, table and manifest in a new folder."
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            "--precision",
            help="Add trials until the standard errors of the chances are below this.",
        ),
    ] = None,
    precision_of: Annotated[
        list[str] | None,
        typer.Option("--precision-of", help="Only the error of this chance counts; repeat it."),
    ] = None,
) -> None:
    """Simulate every design of a study and show its operating characteristics."""
    from gai_core.cli.views import show_characteristics
    from gai_core.questions import simulate_to
    from gai_core.results import characteristics, save_runs
    from gai_core.theory import bounds, cautions

    study = asked.load()
    _check_folder(save, csv)
    _check_precision(study, precision, precision_of or ())
    show_cautions(cautions(study))
    with simulating.at_work("Simulating") as work:
        if precision is None:
            runs = work.simulate(study)
        else:
            runs = simulate_to(study, precision, quantities=precision_of or (), work=work)
        values = characteristics(runs)
        if save is not None:
            save_runs(runs, values, save)
    size = runs.study.simulation.runs
    if precision is not None:
        say(f"{size:,} trials for a standard error of {precision:g}", stderr=True)
    elif runs.kept:
        total = size * len(runs.trials)
        say(f"{runs.kept:,} of {total:,} trials came out of the cache", stderr=True)
    if csv.write(values):
        show_characteristics(runs.study, values, bounds(study))


def _check_folder(save: Path | None, csv: CsvFile) -> None:
    """Before long work: can the folder be made?"""
    from gai_core.results import check_folder

    if save is not None:
        check_folder(save)
        if csv.path == save:
            raise InputError(f"{save}: --csv and --save need different names")


def _check_precision(study: Study, precision: float | None, quantities: Sequence[str]) -> None:
    """Before long work: can it be reached?"""
    from gai_core.questions import check_precision

    if precision is not None:
        check_precision(study, precision, quantities)
    elif quantities:
        raise InputError("--precision-of: say how precise with --precision")

"""`gai calibrate`."""

from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import check_new, printable, write_text
from gai_core.cli.options import CsvFile, Force, Simulating, StudyName


def command(
    *,
    study: StudyName,
    design: Annotated[str, typer.Option("--design", help="The design to calibrate.")],
    runs: Annotated[
        int, typer.Option("--runs", min=1000, max=10_000_000, help="Trials at every corner.")
    ] = 100_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Start of all random streams.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the study with the design."),
    ] = None,
    force: Force = False,
    csv: CsvFile,
    simulating: Simulating,
) -> None:
    """Find the rate for which simulated trials of a design err within alpha.

    It is no proof, and the design is marked as simulated: it holds for this study alone.
    """
    from gai_core.cli.screen import console
    from gai_core.questions import calibrate, calibrated_in_words
    from gai_core.study import dump_study, load_study

    loaded = load_study(study)
    if output is not None:
        check_new(output, force=force)
    with simulating.at_work("Calibrating") as work:
        found = calibrate(loaded, design, runs=runs, seed=seed, work=work)
    if output is not None:
        write_text(output, dump_study(found.study))
    if csv.write(found.corners):
        for sentence in calibrated_in_words(found):
            console().print(printable(sentence))

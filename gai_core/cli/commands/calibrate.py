"""`gai calibrate`."""

from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import check_writable, printable
from gai_core.cli.options import CsvFile, Simulating, StudyName


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
    csv: CsvFile,
    simulating: Simulating,
) -> None:
    """Find the rate for which simulated trials of a design err within alpha.

    It is no proof, and the design is marked as simulated: it holds for this study alone.
    """
    from gai_core.cli.screen import console
    from gai_core.questions.calibrating import calibrate, calibrated_in_words
    from gai_core.study import dump_study, load_study

    loaded = load_study(study)
    if output is not None:
        check_writable(output)
    with simulating.at_work("Calibrating") as work:
        found = calibrate(loaded, design, runs=runs, seed=seed, work=work)
    if output is not None:
        output.write_text(dump_study(found.study), encoding="utf-8")
    if csv.write(found.corners):
        for sentence in calibrated_in_words(found):
            console().print(printable(sentence))

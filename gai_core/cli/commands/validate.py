"""`gai validate`."""

from pathlib import Path
from typing import Annotated

import typer

from gai_core.cli.screen import fail, progress_bar, say


def command(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="A new folder for the files.")
    ],
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Smaller simulations: about a minute instead of several."),
    ] = False,
) -> None:
    """Check this installation and write requirement, risk, test and result (HTML, PDF, JSON)."""
    from gai_core.cli.views import show_words
    from gai_core.validation import (
        check_new_folder,
        outcome_in_words,
        results_table,
        validate,
        write_validation,
    )

    check_new_folder(output)
    with progress_bar("Validating") as progress:
        validation = validate(quick=quick, progress=progress)
    write_validation(validation, output)
    show_words(results_table(validation), left=3)
    say(f"{output}: written")
    if validation.failed:
        fail(1, outcome_in_words(validation))
    say(outcome_in_words(validation))

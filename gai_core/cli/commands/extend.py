"""`gai extend`."""

from typing import Annotated

import typer

from gai_core.cli.options import Crew, Folder
from gai_core.cli.screen import say


def command(
    folder: Folder,
    runs: Annotated[int, typer.Option("--runs", help="Trials in all, old and new.")],
    crew: Crew,
) -> None:
    """Add trials to saved runs without simulating the old ones again."""
    from gai_core.results import extended, load_saved

    saved = load_saved(folder)
    with crew.at_work("Simulating") as work:
        extended(saved, runs, work=work)
    say(f"{folder}: now {runs:,} trials")

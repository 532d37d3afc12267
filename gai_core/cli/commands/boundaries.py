"""`gai boundaries`."""

from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import check_writable
from gai_core.cli.options import CsvFile, StudyName


def command(
    *,
    study: StudyName,
    design: Annotated[str | None, typer.Option("--design", help="Only this design.")] = None,
    figure: Annotated[
        Path | None,
        typer.Option("--figure", metavar="FILE", help="Draw the limits (.svg, .png, .pdf)."),
    ] = None,
    csv: CsvFile,
) -> None:
    """Print the decision table of a protocol: declare if at least, drop if at most."""
    import pandas as pd

    from gai_core.cli.views import show_decisions
    from gai_core.figures import check_format, draw_boundaries, write_figure
    from gai_core.results import decision_table, limits
    from gai_core.study import load_study

    loaded = load_study(study)
    if figure is not None:
        check_format(figure)
        check_writable(figure)
    designs = [loaded.design(design)] if design is not None else list(loaded.designs)
    values = pd.concat([decision_table(loaded, entry) for entry in designs], ignore_index=True)
    if figure is not None:
        boundaries_of = [limits(loaded, entry) for entry in designs]
        write_figure(lambda: draw_boundaries(loaded, boundaries_of), figure)
    if csv.write(values):
        show_decisions(loaded, values)

"""Commands about a study before anything is simulated."""

import json
from pathlib import Path
from typing import Annotated

import typer

from gai_core.basics import check_writable, printable
from gai_core.cli.options import Csv, StudyName, app, check_csv, write_csv
from gai_core.cli.screen import console, show_cautions, table
from gai_core.study import Study, load_study, scenario_names
from gai_core.theory import bounds, cautions


@app.command("list")
def list_studies() -> None:
    """List the shipped studies."""
    shown = table("Shipped studies", ["name", "title"], left=2)
    for name in scenario_names():
        shown.add_row(name, load_study(name).title)
    console().print(shown)


@app.command()
def show(study: StudyName) -> None:
    """Show a study: arms, truths, designs, and what to be cautious about."""
    from gai_core.cli.views import show_study

    loaded = load_study(study)
    show_study(loaded)
    show_cautions(cautions(loaded))


@app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A study file (TOML).")],
) -> None:
    """Check a study file: every broken rule is named; nothing is run."""
    loaded = load_study(file)
    parts = len(loaded.arms), len(loaded.truths), len(loaded.designs)
    typer.echo("{}: valid (arms: {}, truths: {}, designs: {})".format(printable(file), *parts))
    show_cautions(cautions(loaded))


@app.command()
def schema() -> None:
    """Print the JSON Schema of a study file, for editors."""
    typer.echo(json.dumps(Study.model_json_schema(), indent=2))


@app.command("bounds")
def show_study_bounds(study: StudyName, csv: Csv = None) -> None:
    """Show what no design can beat, and the paper's upper bound for HDoC."""
    from gai_core.cli.views import show_bounds

    loaded = load_study(study)
    values = bounds(loaded)
    if write_csv(values, csv):
        show_bounds(loaded, values)


@app.command()
def boundaries(
    study: StudyName,
    design: Annotated[str | None, typer.Option("--design", help="Only this design.")] = None,
    csv: Csv = None,
    figure: Annotated[
        Path | None,
        typer.Option("--figure", metavar="FILE", help="Draw the limits (.svg, .png, .pdf)."),
    ] = None,
) -> None:
    """Print the decision table of a protocol: declare if at least, drop if at most."""
    import pandas as pd

    from gai_core.cli.views import show_decisions
    from gai_core.figures import check_format, draw_boundaries, write_figure
    from gai_core.results.decisions import decision_table, limits

    loaded = load_study(study)
    check_csv(csv)
    if figure is not None:
        check_format(figure)
        check_writable(figure)
    designs = [loaded.design(design)] if design is not None else list(loaded.designs)
    values = pd.concat([decision_table(loaded, entry) for entry in designs], ignore_index=True)
    if figure is not None:
        boundaries_of = [limits(loaded, entry) for entry in designs]
        write_figure(lambda: draw_boundaries(loaded, boundaries_of), figure)
    if write_csv(values, csv):
        show_decisions(loaded, values)

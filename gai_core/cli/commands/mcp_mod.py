"""`gai mcp-mod`."""

from typing import Annotated

import typer

from gai_core.cli.options import Asked, CsvFile, Simulating


def command(
    *,
    shape: Annotated[
        list[str] | None,
        typer.Option(
            "--shape",
            metavar="SHAPE[=GUESS]",
            help="A candidate shape, with a guess in the unit of the doses: emax=5, or "
            "logistic=6,1.5; repeat it. All shapes as usually guessed where none is given.",
        ),
    ] = None,
    asked: Asked,
    simulating: Simulating,
    csv: CsvFile,
) -> None:
    """Set MCP-Mod beside the designs: a fixed equal trial of the same simulated patients."""
    from gai_core.cli.explore_views import show_mcp_mod
    from gai_core.mcp_mod import mcp_mod, mcp_mod_table, method_for
    from gai_core.results import analyse

    study = asked.load()
    method_for(study, shape or ())  # a bad request is refused before a cluster is asked for
    with simulating.at_work("MCP-Mod") as work:
        found = mcp_mod(study, shape or (), work=work)
    if csv.write(mcp_mod_table(found)):
        with simulating.at_work("The designs beside it") as work:
            designs = analyse(work.simulate(study))
        show_mcp_mod(found, study, designs.values)

"""`gai list`."""

from gai_core.cli.screen import console, table
from gai_core.study import load_study, scenario_names


def command() -> None:
    """List the shipped studies."""
    shown = table("Shipped studies", ["name", "title"], left=2)
    for name in scenario_names():
        shown.add_row(name, load_study(name).title)
    console().print(shown)

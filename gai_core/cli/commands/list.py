"""`gai list`."""

from gai_core.cli.screen import console, table
from gai_core.study import scenario_titles


def command() -> None:
    """List the shipped studies."""
    shown = table("Shipped studies", ["name", "title"], left=2)
    for name, title in scenario_titles().items():
        shown.add_row(name, title)
    console().print(shown)

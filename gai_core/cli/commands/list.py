"""`gai list`."""

from gai_core.cli.screen import console, table
from gai_core.study import scenario_groups


def command() -> None:
    """List the shipped studies."""
    for group, titles in scenario_groups().items():
        shown = table(group, ["name", "title"], left=2)
        for name, title in titles.items():
            shown.add_row(name, title)
        console().print(shown)

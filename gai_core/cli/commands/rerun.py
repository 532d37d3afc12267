"""`gai rerun`."""

from gai_core.cli.options import Crew, Folder
from gai_core.cli.screen import fail, say


def command(folder: Folder, crew: Crew) -> None:
    """Simulate saved runs again and say whether every number is the same."""
    from gai_core.results import differences, load_saved

    saved = load_saved(folder)
    with crew.at_work("Simulating again") as work:
        found = differences(saved, work=work)
    if found:
        fail(1, *found)
    size = saved.study.simulation.runs * len(saved.runs.trials)
    say(f"{folder}: every number of {size:,} trials is the same")

"""The work behind the pages as jobs: how it is simulated here, and what a run gives."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gai_app.line import Task
from gai_app.settings import CLUSTER
from gai_app.warm import wait_for_warm_up
from gai_core import Runs, Study, __version__, bounds, characteristics
from gai_core.engine import CancelFlag, Progress, Work, at_work
from gai_core.results import Values

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Results:
    """A simulated study with everything the pages draw from."""

    key: str
    runs: Runs
    table: "pd.DataFrame"
    values: Values
    limits: "pd.DataFrame"

    @property
    def study(self) -> Study:
        """The study as it was run."""
        return self.runs.study

    def only(self, designs: list[str]) -> "Results":
        """The same results, as if the study had these designs only."""
        kept = tuple(design for design in self.study.designs if design.name in designs)
        study = self.study.model_copy(update={"designs": kept})
        return replace(self, runs=Runs(study, self.runs.trials))


@contextmanager
def server_work(report: Progress, cancel: CancelFlag) -> Iterator[Work]:
    """How everything is simulated here: after the warm-up, with the cache, on the cluster."""
    wait_for_warm_up(cancel)
    with at_work(CLUSTER, progress=report, cancel=cancel) as work:
        yield work


def question(name: str, study: Study) -> str:
    """A name for what is asked about a study: same study and version, same key."""
    text = f"{name}\n{__version__}\n{study.model_dump_json()}"
    return hashlib.sha256(text.encode()).hexdigest()


def simulation(study: Study) -> tuple[str, Task]:
    """The job that simulates a study and summarises it."""
    key = question("run", study)

    def task(report: Progress, cancel: CancelFlag) -> Results:
        with server_work(report, cancel) as work:
            runs = work.simulate(study)
        table = characteristics(runs)
        return Results(key, runs, table, Values(table), bounds(study))

    return key, task

"""How something is simulated: handed as one value through every question that simulates."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gai_core.basics import CancelFlag, Workers
from gai_core.engine.cluster import connected
from gai_core.engine.run_cache import simulate_cached
from gai_core.engine.simulation import Progress, Simulator, simulate
from gai_core.engine.trials import Runs
from gai_core.study import Study


@dataclass(frozen=True)
class Work:
    """Who simulates, on how many threads or which workers, who is told, and who may stop it."""

    threads: int | None = None
    """All cores where none are given."""
    progress: Progress | None = None
    cancel: CancelFlag | None = None
    simulator: Simulator = simulate
    """With a cache or without."""
    workers: Workers | None = None
    """Of a cluster; they take the place of threads."""

    def simulate(self, study: Study, *, earlier: Runs | None = None) -> Runs:
        """Simulate a study in this way."""
        return self.simulator(
            study,
            threads=self.threads,
            progress=self.progress,
            cancel=self.cancel,
            earlier=earlier,
            workers=self.workers,
        )


HERE = Work()
"""On all cores of this machine, without a cache; nobody watches."""


@contextmanager
def at_work(
    cluster: str | None = None,
    *,
    cached: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
    cancel: CancelFlag | None = None,
) -> Iterator[Work]:
    """Work with the cache of runs or without, on threads or on a cluster that ends with it."""
    with connected(cluster) as workers:
        simulator = simulate_cached if cached else simulate
        yield Work(threads, progress, cancel, simulator, workers)

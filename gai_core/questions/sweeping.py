"""A sweep: a study at every point of a grid of variations, all designs, the same patients.

Every point is a study like any other. All are validated before the first is
simulated; then a few threads, or the workers of a cluster, take a point each. Results
come in the order of the grid, one tidy table at a time, and are the same for any number
of threads or workers.
"""

import itertools
import math
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gai_core.basics import (
    Argument,
    Cancelled,
    InputError,
    Problem,
    Workers,
    checked_threads,
    fingerprint,
    own_threads,
    shown,
)
from gai_core.engine import (
    HERE,
    CancelFlag,
    Progress,
    Simulator,
    Work,
    check_worker,
    patients_at_most,
    runner,
    simulate,
)
from gai_core.results import COLUMNS, characteristics
from gai_core.study import Grid, Number, Study, Variation

if TYPE_CHECKING:
    import pandas as pd

MOST_POINTS = 20_000
MOST_PATIENTS = 10**12
"""Simulated patients of a sweep at most: some hours of two cores."""
REPORT_EVERY = 0.1
"""Seconds between two reports of progress."""


@dataclass(frozen=True)
class Point:
    """One point of a grid: the value of every varied field, and the study there."""

    values: Mapping[str, Number]
    study: Study


def points(study: Study, variations: Sequence[Variation]) -> Iterator[Point]:
    """The full grid, the last variation changing fastest."""
    fields = [variation.field for variation in variations]
    if len(set(fields)) < len(fields):
        raise _refused("every field must be given once", f"they are {shown(fields)}")
    for field in set(fields) & set(COLUMNS):
        raise _refused(f"give the whole place of {field}, which is a column of the table")
    grid = Grid(study, fields)
    for values in itertools.product(*(variation.values for variation in variations)):
        point = dict(zip(fields, values, strict=True))
        yield Point(point, grid.study(point))


def check_grid(
    study: Study,
    variations: Sequence[Variation],
    *,
    most_points: int = MOST_POINTS,
    most_patients: int = MOST_PATIENTS,
) -> int:
    """Validate every point of a grid and its size; the number of trials in all."""
    size = math.prod(len(variation.values) for variation in variations)
    if not variations or not size:
        raise _refused("give at least one field and its values")
    if size > most_points:
        raise _refused(
            f"the grid has {size:,} points, and at most {most_points:,} are allowed",
            remedy="give fewer values or larger steps",
        )
    trials = patients = 0
    for point in points(study, variations):
        cells = len(point.study.truths) * len(point.study.designs)
        trials += point.study.simulation.runs * cells
        patients += patients_at_most(point.study)
        if patients > most_patients:
            raise _refused(
                f"the {size:,} points of the grid could need more than {most_patients:.2g} "
                "simulated patients, the most that is allowed",
                remedy="choose fewer points, designs, truths or runs, or a smaller n_max",
            )
    return trials


def _refused(rule: str, value: str = "", remedy: str = "") -> InputError:
    return InputError(Problem((Argument("vary"),), rule, value, remedy, whole=True))


def sweep(
    study: Study,
    variations: Sequence[Variation],
    *,
    work: Work = HERE,
    most_points: int = MOST_POINTS,
    most_patients: int = MOST_PATIENTS,
) -> Generator[tuple[Point, "pd.DataFrame"], None, None]:
    """Every point of the grid with its tidy table, as soon as it and all before it are done.

    A bad request is refused here, before any work. A table has a column for every varied field
    and those of `characteristics`. The workers of a cluster take whole points; otherwise threads
    simulate them. Raises Cancelled when the work is cancelled.
    """
    threads = checked_threads(work.threads)
    trials = check_grid(study, variations, most_points=most_points, most_patients=most_patients)
    size = math.prod(len(variation.values) for variation in variations)
    count, grid = _Count(trials, work.progress), points(study, variations)
    if work.workers is not None:
        return _streamed(grid, _on_cluster(), count, nullcontext(work.workers), work.cancel)
    task = _on_threads(work.simulator, max(1, threads // size), count)
    return _streamed(grid, task, count, own_threads(min(threads, size)), work.cancel)


def sweep_table(
    study: Study, variations: Sequence[Variation], *, work: Work = HERE
) -> "pd.DataFrame":
    """The whole sweep as one tidy table: the varied fields, truth, design, quantity, …, mcse."""
    import pandas as pd

    swept = sweep(study, variations, work=work)
    return pd.concat([table for _, table in swept], ignore_index=True)


class _Count:
    """Trials done by all threads; told to the caller in the caller's thread."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total, self._progress = total, progress
        self._done, self._of_points, self._lock = 0, 0, threading.Lock()

    def part(self) -> Progress:
        """Progress of one simulation among several."""
        before = 0

        def report(done: int, _total: int) -> None:
            nonlocal before
            with self._lock:
                self._done += done - before
            before = done

        return report

    def point(self, point: Point) -> None:
        """A whole point is done, whoever simulated it."""
        cells = len(point.study.truths) * len(point.study.designs)
        self._of_points += point.study.simulation.runs * cells
        self._done = max(self._done, self._of_points)
        self.report()

    def report(self) -> None:
        """Tell the caller."""
        if self._progress is not None:
            self._progress(self._done, self._total)


class _Stop:
    """Set when the caller cancels, or when nobody reads the results any more."""

    def __init__(self, cancel: CancelFlag | None) -> None:
        self._cancel, self.given_up = cancel, False

    def is_set(self) -> bool:
        """Whether the work should stop."""
        return self.given_up or (self._cancel is not None and self._cancel.is_set())


Result = tuple[Point, "pd.DataFrame"]
Task = Callable[[Point, _Stop], Callable[[], "pd.DataFrame"]]
"""What is to be done at a point, as a call that a worker can take."""


def _streamed(
    grid: Iterator[Point],
    task: Task,
    count: _Count,
    crew: AbstractContextManager[Workers],
    cancel: CancelFlag | None,
) -> Generator[Result, None, None]:
    """Results in the order of the grid, with a few points under way at any time."""
    stop = _Stop(cancel)
    pending: deque[tuple[Point, Future[pd.DataFrame]]] = deque()
    count.report()
    with crew as workers:
        try:
            for point in grid:
                pending.append((point, workers.executor.submit(task(point, stop))))
                if len(pending) >= 2 * workers.count:
                    yield _awaited(*pending.popleft(), count, stop, workers)
            while pending:
                yield _awaited(*pending.popleft(), count, stop, workers)
        finally:
            stop.given_up = True
            for _, future in pending:
                future.cancel()


def _awaited(
    point: Point, future: "Future[pd.DataFrame]", count: _Count, stop: _Stop, workers: Workers
) -> Result:
    """The result when it is there, beginning with the varied fields; progress meanwhile."""
    while not future.done():
        wait([future], timeout=REPORT_EVERY)
        if stop.is_set():
            raise Cancelled
        workers.watch()
        count.report()
    table = future.result()
    for i, (field, value) in enumerate(point.values.items()):
        table.insert(i, field, value)
    count.point(point)
    return point, table


def _on_threads(simulator: Simulator, threads: int, count: _Count) -> Task:
    """Points simulated in this process, a thread or more each."""
    ready: set[str] = set()

    def task(point: Point, stop: _Stop) -> Callable[[], "pd.DataFrame"]:
        for design in point.study.designs:  # loops are compiled in one thread, not in many at once
            if design.rule not in ready:
                runner(point.study, design)
                ready.add(design.rule)
        return partial(_simulated, point.study, simulator, threads, count.part(), stop)

    return task


def _simulated(
    study: Study, simulator: Simulator, threads: int, progress: Progress, stop: _Stop
) -> "pd.DataFrame":
    if stop.is_set():
        raise Cancelled
    return characteristics(simulator(study, threads=threads, progress=progress, cancel=stop))


def _on_cluster() -> Task:
    """Points simulated by workers elsewhere, which send back the tidy table alone."""

    def task(point: Point, _stop: _Stop) -> Callable[[], "pd.DataFrame"]:
        return partial(remote_point, point.study.model_dump_json(), fingerprint())

    return task


def remote_point(blueprint: str, expected: dict[str, str]) -> "pd.DataFrame":
    """Simulate a whole study in a worker of a cluster, on its one thread."""
    check_worker(expected)
    return characteristics(simulate(Study.model_validate_json(blueprint), threads=1))

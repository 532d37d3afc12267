"""Working through many calls: on threads of this process, or on the workers of a cluster.

Both are executors of `concurrent.futures`, so one loop serves them: it keeps a few
calls ahead, looks at the cancel flag now and then, and gives every result back in
the caller's thread.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from gai_core.basics.errors import Cancelled, InputError
from gai_core.basics.problem import Argument, Problem

LOOK = 0.2
"""Seconds after which the cancel flag is looked at while no call ends."""

Result = TypeVar("Result")


class CancelFlag(Protocol):
    """Anything with `is_set`, for example a threading.Event."""

    def is_set(self) -> bool:
        """Whether the work should stop."""


@dataclass(frozen=True)
class Workers:
    """Who works: an executor, how many calls it works on at once, and whether elsewhere."""

    executor: Executor
    count: int
    remote: bool = False
    """In other processes: calls and results are copied, and a call costs milliseconds."""
    watch: Callable[[], None] = lambda: None
    """Called while nothing comes back; raises InputError where nothing will."""


@contextmanager
def own_threads(count: int | None) -> Iterator[Workers]:
    """Threads of this process, as many as there are cores if not said."""
    threads = checked_threads(count)
    with ThreadPoolExecutor(threads, thread_name_prefix="gai") as pool:
        yield Workers(pool, threads)


def checked_threads(threads: int | None) -> int:
    """A number of threads: all cores where none is given."""
    if threads is None:
        return cores()
    if not 1 <= threads <= 1024:
        rule = "must lie between 1 and 1024"
        raise InputError(Problem((Argument("threads"),), rule, f"is {threads}"))
    return threads


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def finished(
    calls: Iterable[Callable[[], Result]], workers: Workers, cancel: CancelFlag | None = None
) -> Generator[Result, None, None]:
    """The results of the calls, as they come; raises Cancelled when `cancel` is set.

    Calls are taken from the iterable only as they are needed. When the generator is
    closed, what has not begun is given up.
    """
    pending: set[Future[Result]] = set()
    try:
        for call in calls:
            _stop_if(cancel)
            pending.add(workers.executor.submit(call))
            if len(pending) >= 2 * workers.count:
                yield from _some(pending, workers, cancel)
        while pending:
            yield from _some(pending, workers, cancel)
    finally:
        for future in pending:
            future.cancel()


def _some(
    pending: set[Future[Result]], workers: Workers, cancel: CancelFlag | None
) -> Iterator[Result]:
    """Wait for at least one result, and take those that are there."""
    done: set[Future[Result]] = set()
    while not done:
        _stop_if(cancel)
        workers.watch()
        done = wait(pending, timeout=LOOK, return_when=FIRST_COMPLETED).done
    pending -= done
    for future in done:
        yield future.result()


def _stop_if(cancel: CancelFlag | None) -> None:
    if cancel is not None and cancel.is_set():
        raise Cancelled

"""Long work in the background: a thread that reports progress and can be cancelled.

The thread knows nothing of Streamlit. A page looks at its Job now and then.
Finished results are kept for the whole server under a hash of what they answer,
so what was answered once is not computed again, whoever asks it.
"""

import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gai_app.places import sentences
from gai_app.settings import CLUSTER, JOBS_AT_ONCE, RUNS_SHARED, SECONDS_UNSEEN
from gai_app.warm import wait_for_warm_up
from gai_core import (
    Cancelled,
    InputError,
    Study,
    __version__,
)
from gai_core.engine import CancelFlag, Progress, Work, at_work
from gai_core.results import Analysis

Task = Callable[[Progress, CancelFlag], Any]
"""What a job does: given a progress report and a cancel flag, it returns the result."""


@dataclass
class Job:
    """Work under way: how far it is, and in the end its result or what went wrong."""

    key: str
    label: str
    started: float = field(default_factory=time.monotonic)
    done: int = 0
    total: int = 0
    ended: bool = False
    cancelled: bool = False
    problem: str = ""
    cancel: threading.Event = field(default_factory=threading.Event)
    seen: float = field(default_factory=time.monotonic)

    def is_set(self) -> bool:
        """Whether the work should stop: it was cancelled, or nobody looks at it any more."""
        return self.cancel.is_set() or time.monotonic() - self.seen > SECONDS_UNSEEN

    def report(self, done: int, total: int) -> None:
        """Progress, called by the work."""
        self.done, self.total = done, total

    def stop(self) -> None:
        """Ask the work to stop; for its owner it has ended now."""
        self.cancel.set()
        self.cancelled = self.ended = True

    @property
    def succeeded(self) -> bool:
        """Whether there is a result."""
        return self.ended and not self.cancelled and not self.problem

    @property
    def share(self) -> float:
        """How much is done, between 0 and 1."""
        return self.done / self.total if self.total else 0.0

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the pace so far, None while there is none."""
        return self.seconds * (1 - self.share) / self.share if self.share > 0 else None


class Board:
    """The results of finished jobs, newest last, shared by all sessions of a server."""

    def __init__(self, size: int = RUNS_SHARED) -> None:
        self._results: OrderedDict[str, Any] = OrderedDict()
        self._lock = threading.Lock()
        self._turn = threading.Semaphore(JOBS_AT_ONCE)
        self._size = size

    def result(self, key: str) -> Any | None:
        """The finished result of a question, None if there is none."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)

    def start(self, key: str, label: str, task: Task) -> Job:
        """Begin the work on a thread of its own."""
        job = Job(key, label)
        thread = threading.Thread(target=self._run, args=(job, task), name="job", daemon=True)
        thread.start()
        return job

    def _run(self, job: Job, task: Task) -> None:
        try:
            while not self._turn.acquire(timeout=0.1):
                if job.is_set():
                    raise Cancelled
            try:
                result = task(job.report, job)
            finally:
                self._turn.release()
            with self._lock:
                self._results[job.key] = result
                while len(self._results) > self._size:
                    self._results.popitem(last=False)
        except Cancelled:
            job.cancelled = True
        except InputError as error:
            job.problem = " ".join(sentences(error))
        except MemoryError:
            job.problem = "not enough memory; choose fewer trials, designs or truths"
        except Exception:
            logging.getLogger(__name__).exception("a job failed")
            job.problem = "something went wrong that should not; the server's log has the details"
        job.ended = True


@dataclass(frozen=True)
class Results(Analysis):
    """An analysed run, and the key under which the server keeps it."""

    key: str = ""


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
        found = Results(runs, key)
        _ = found.values, found.bounds  # here, where a page does not wait for them
        return found

    return key, task

"""Long work in the background: a thread that reports progress and can be cancelled.

The thread knows nothing of Streamlit. A page looks at its Job now and then.
Finished results are kept for the whole server under a hash of what they answer,
so the same question is not computed twice, whoever asks it.
"""

import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.settings import RUNS_SHARED
from app.warm import wait_for_warm_up
from gai_core import (
    Cancelled,
    InputError,
    Runs,
    Study,
    __version__,
    bounds,
    characteristics,
    dump_study,
    simulate,
)
from gai_core.summary import Values

if TYPE_CHECKING:
    import pandas as pd

Work = Callable[[Callable[[int, int], None], threading.Event], Any]
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
        self._size = size

    def result(self, key: str) -> Any | None:
        """The finished result of a question, None if there is none."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)

    def start(self, key: str, label: str, work: Work) -> Job:
        """Begin the work on a thread of its own."""
        job = Job(key, label)
        thread = threading.Thread(target=self._run, args=(job, work), name="job", daemon=True)
        thread.start()
        return job

    def _run(self, job: Job, work: Work) -> None:
        try:
            result = work(job.report, job.cancel)
            with self._lock:
                self._results[job.key] = result
                while len(self._results) > self._size:
                    self._results.popitem(last=False)
        except Cancelled:
            job.cancelled = True
        except InputError as error:
            job.problem = str(error)
        except MemoryError:
            job.problem = "not enough memory; choose fewer trials, designs or truths"
        except Exception:
            logging.getLogger(__name__).exception("a job failed")
            job.problem = "something went wrong that should not; the server's log has the details"
        job.ended = True


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


def question(name: str, study: Study) -> str:
    """A name for what is asked about a study: same study and version, same key."""
    text = f"{name}\n{__version__}\n{dump_study(study)}"
    return hashlib.sha256(text.encode()).hexdigest()


def simulation(study: Study) -> tuple[str, Work]:
    """The job that simulates a study and summarises it."""
    key = question("run", study)

    def work(report: Callable[[int, int], None], cancel: threading.Event) -> Results:
        wait_for_warm_up(cancel)
        runs = simulate(study, progress=report, cancel=cancel)
        table = characteristics(runs)
        return Results(key, runs, table, Values(table), bounds(study))

    return key, work

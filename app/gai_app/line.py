"""Long work in the background: jobs that wait for their turn, report progress and can be cancelled.

A job holds its own result until whoever asked has taken it, so nobody loses one. The threads
know nothing of Streamlit; a page looks at its job now and then.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gai_app.places import sentences
from gai_app.settings import ANSWERS_SHARED, JOBS_AT_ONCE, SECONDS_AWAY
from gai_core import Cancelled, InputError
from gai_core.engine import CancelFlag, Progress

Task = Callable[[Progress, CancelFlag], Any]
"""What a job does: given a progress report and a cancel flag, it returns the result."""
SHORT = 2.0
"""Seconds of work up to which a job is short: one place is always left for these."""
UNKNOWN = 60.0
"""Seconds of work where nobody can say."""
UNEXPECTED = "something went wrong that should not; the server's log has the details"


@dataclass(eq=False)
class Job:
    """Work asked for: its turn, how far it is, and in the end its result or what went wrong."""

    key: str
    label: str
    task: Task
    effort: float = UNKNOWN
    """About how many seconds of work it is."""
    wanted: Callable[[], bool] = lambda: True
    """Whether the one who asked is still there."""
    others: list[Callable[[], bool]] = field(default_factory=list)
    """The same for those who asked the same later, as after a reload."""
    shared: bool = True
    """Whether the result is small enough to be kept for others with the same question."""
    yields: bool = False
    """Whether nobody asked for it: then it lets all short ones be done first."""
    pause: float = 0.0
    """Seconds before which it does not begin: who goes on typing would only have it cancelled."""
    asked: float = field(default_factory=time.monotonic)
    started: float | None = None
    done: int = 0
    total: int = 0
    news: str = ""
    """What is known already, in words."""
    result: Any = None
    cancelled: bool = False
    problem: str = ""
    _cancel: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)
    _seen: float = field(default_factory=time.monotonic)

    def is_set(self) -> bool:
        """Whether the work should stop: it was cancelled, or nobody is there any more."""
        now = time.monotonic()
        if self.wanted() or any(wants() for wants in self.others):
            self._seen = now
        return self._cancel.is_set() or now - self._seen > SECONDS_AWAY

    def report(self, done: int, total: int) -> None:
        """Progress, called by the work."""
        self.done, self.total = done, total

    def leave(self, wants: Callable[[], bool]) -> "Job":
        """One of those who asked has enough; gives what the job is for them from now on.

        The work goes on for the others, also where one of them is the same person: after a reload
        a run may be asked for and recalled at once.
        """
        if not self.others:
            self.stop()
            return self
        rest = [self.wanted, *self.others]
        if wants in rest:
            rest.remove(wants)
        self.wanted, *self.others = rest
        left = Job(self.key, self.label, self.task)
        left.stop()
        return left

    def stop(self) -> None:
        """Ask the work to stop; for its owner it has ended now."""
        self._cancel.set()
        self.cancelled = True
        self._ended.set()

    def end(self, result: Any = None, *, problem: str = "", cancelled: bool = False) -> None:
        """What became of it, unless its owner has given it up."""
        if not self.ended:
            self.result, self.problem, self.cancelled = result, problem, cancelled
            self._ended.set()

    def wait(self, seconds: float) -> bool:
        """Whether it has ended, now or within so many seconds."""
        return self._ended.wait(seconds)

    @property
    def ended(self) -> bool:
        """Whether there is nothing to wait for any more."""
        return self._ended.is_set()

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
        """Since the work began, 0 while it waits for its turn."""
        return 0.0 if self.started is None else time.monotonic() - self.started

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the pace so far, None while there is none."""
        return self.seconds * (1 - self.share) / self.share if self.share > 0 else None

    @property
    def rank(self) -> float:
        """Who is next: who asked first, but a long job lets those pass that are sooner done.

        It waits for no longer than it takes by itself: who asks later than that is behind it.
        """
        return self.asked + self.effort

    @property
    def pausing(self) -> bool:
        """Whether it is too early to begin."""
        return self.pause > 0 and time.monotonic() < self.asked + self.pause

    @property
    def short(self) -> bool:
        """Whether it is over soon."""
        return self.effort <= SHORT


class Line:
    """All jobs of a server: those at work, those that wait, and the last answers."""

    def __init__(self, places: int = JOBS_AT_ONCE, answers: int = ANSWERS_SHARED) -> None:
        self._places, self._size = places, answers
        self._waiting: list[Job] = []
        self._working: list[Job] = []
        self._answers: OrderedDict[str, Any] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, key: str) -> Any | None:
        """What somebody got as answer to the same question, None if that is not known any more."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def add(self, job: Job) -> Job:
        """Let the job begin when it is its turn; gives the one that somebody has begun already."""
        with self._lock:
            for other in (*self._working, *self._waiting):
                if other.key == job.key and not other.ended:
                    other.others.append(job.wanted)
                    return other
            self._waiting.append(job)
        self._begin()
        if job.pausing:
            later = threading.Timer(job.pause + 0.01, self._begin)  # surely not too early
            later.daemon = True
            later.start()
        return job

    def ahead(self, job: Job) -> int:
        """How many others have their turn before a job that waits."""
        with self._lock:
            return sum(other.rank < job.rank and not other.ended for other in self._waiting)

    def _begin(self) -> None:
        """Start whose turn it is; called when a job comes and when one ends."""
        with self._lock:
            self._waiting = [job for job in self._waiting if not job.ended]
            for job in sorted(self._waiting, key=lambda job: job.rank):
                if self._may_begin(job):
                    self._waiting.remove(job)
                    self._working.append(job)
                    threading.Thread(
                        target=self._work, args=(job,), name="job", daemon=True
                    ).start()

    def _may_begin(self, job: Job) -> bool:
        """Whether there is a place; the same question is answered once, and waits for it."""
        long = sum(not other.short for other in self._working)
        place = len(self._working) < self._places and (job.short or long < max(1, self._places - 1))
        first = (other for other in (*self._working, *self._waiting) if other.short)
        if job.yields and any(other.rank < job.rank for other in first):
            return False
        return place and not job.pausing and all(other.key != job.key for other in self._working)

    def _work(self, job: Job) -> None:
        job.started = time.monotonic()
        try:
            found = self.answer(job.key)
            if found is None:
                if job.is_set():
                    raise Cancelled
                found = job.task(job.report, job)
                if job.shared:
                    self._share(job.key, found)
            job.end(found)
        except Cancelled:
            job.end(cancelled=True)
        except InputError as error:
            job.end(problem=" ".join(sentences(error)))
        except MemoryError:
            job.end(problem="not enough memory; choose fewer trials, designs or truths")
        except Exception as error:
            if not _server_ends(error):
                logging.getLogger(__name__).exception("a job failed")
            job.end(problem=UNEXPECTED)
        finally:
            with self._lock:
                self._working.remove(job)
            self._begin()

    def _share(self, key: str, found: Any) -> None:
        with self._lock:
            self._answers[key] = found
            while len(self._answers) > self._size:
                self._answers.popitem(last=False)


def _server_ends(error: Exception) -> bool:
    """Whether a job failed only because the server ends, and everything with it.

    Thread pools refuse work a moment before the main thread counts as gone.
    """
    return not threading.main_thread().is_alive() or "interpreter shutdown" in str(error)

"""The work behind the pages as jobs: how it is simulated here, and what a run gives."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gai_app.line import Task
from gai_app.settings import CLUSTER
from gai_app.warm import wait_for_warm_up
from gai_core import Study, __version__
from gai_core.engine import CancelFlag, Progress, Work, at_work
from gai_core.questions import answer_sentences
from gai_core.results import Analysis, headline
from gai_core.study import Truth


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
        return _read(Results(runs, key))

    return key, task


def _read(found: Results) -> Results:
    """With what the first page shows of it: of many trials that takes a while."""
    _ = list(answer_sentences(found)), headline(found.study, at_a_glance(found.study), found.values)
    return found


def at_a_glance(study: Study) -> Truth:
    """The assumption under which results are first shown: with a dose above the target, if any."""
    return next((truth for truth in study.truths if study.above(truth)), study.truths[0])

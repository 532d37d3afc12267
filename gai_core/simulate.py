"""Study -> runs: every design on every truth, on the same simulated patients.

The replicates are cut into chunks that a few threads work through. A chunk
writes its own rows, and each row depends on (seed, truth, replicate) and the
design alone, so the result is the same bit by bit however the work is cut.
"""

import math
import os
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gai_core.errors import Cancelled, InputError
from gai_core.streams import truth_key
from gai_core.study import Design, Study, Truth

PATIENTS_PER_CHUNK = 4_000_000
"""At 5 to 50 ns a patient a chunk takes 0.2 s at most: soon enough to cancel."""
LARGEST_RESULT_BYTES = 8_000_000_000

Progress = Callable[[int, int], None]
"""Called in the caller's thread with (trials done, trials in all)."""


class CancelFlag(Protocol):
    """Anything with `is_set`, for example a threading.Event."""

    def is_set(self) -> bool:
        """Whether the simulation should stop."""


@dataclass(frozen=True)
class Trials:
    """The simulated trials of one design under one truth, one row per replicate.

    `verdict` is 1 (good), -1 (bad) or 0 (undecided); `decided` is the number of
    patients in the whole trial when the arm got its verdict, 0 if it got none;
    `assigned` counts the arm's patients and `sums` adds up their outcomes.
    """

    verdict: NDArray[np.int8]
    decided: NDArray[np.int32]
    assigned: NDArray[np.int32]
    sums: NDArray[Any]

    @property
    def patients(self) -> NDArray[np.int64]:
        """Patients in all, per replicate."""
        return np.asarray(self.assigned.sum(axis=1, dtype=np.int64))

    def rows(self, first: int, last: int) -> "Trials":
        """Replicates first, ..., last - 1, as views."""
        return Trials(*(array[first:last] for array in self.arrays))

    @property
    def arrays(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The four arrays in their order."""
        return self.verdict, self.decided, self.assigned, self.sums


@dataclass(frozen=True)
class Runs:
    """A study and its simulated trials, by names of truth and design."""

    study: Study
    trials: Mapping[tuple[str, str], Trials]
    seconds: float = 0.0
    """How long the simulation took."""

    def __getitem__(self, truth_and_design: tuple[str, str]) -> Trials:
        return self.trials[truth_and_design]


def simulate(
    study: Study,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    cancel: CancelFlag | None = None,
    earlier: Runs | None = None,
) -> Runs:
    """Simulate every design of the study on every truth.

    `earlier` are runs of the same study with fewer replicates: they are kept and
    only the missing replicates are simulated. Raises Cancelled when `cancel` is set.
    """
    started = time.monotonic()
    threads = checked_threads(threads)
    _check_size(study)
    trials = {
        (truth.name, design.name): empty_trials(study)
        for truth in study.truths
        for design in study.designs
    }
    kept = _keep(study, earlier, trials)
    total = study.simulation.runs * len(trials)
    done = kept * len(trials)
    report = progress or _silent
    report(done, total)
    with closing(_finished(_chunks(study, trials, kept), threads, cancel)) as finished:
        for rows in finished:
            done += rows
            report(done, total)
    return Runs(study, trials, time.monotonic() - started)


def patients_at_most(study: Study) -> int:
    """Patients that a simulation of the study can need: every trial running to n_max."""
    settings = study.simulation
    return settings.runs * settings.n_max * len(study.designs) * len(study.truths)


def _silent(done: int, total: int) -> None:
    """Report no progress."""


def checked_threads(threads: int | None) -> int:
    """A number of threads: all cores where none is given."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if threads is None:
        return available or 1
    if not 1 <= threads <= 1024:
        raise InputError(f"threads must lie between 1 and 1024, but is {threads}")
    return threads


def _check_size(study: Study) -> None:
    per_arm = 1 + 4 + 4 + np.dtype(study.outcome.sum_type).itemsize
    cells = len(study.truths) * len(study.designs)
    needed = study.simulation.runs * len(study.arms) * cells * per_arm
    if needed > LARGEST_RESULT_BYTES:
        raise InputError(
            f"simulation.runs is too large: {study.simulation.runs:,} trials of {len(study.arms)} "
            f"arms, {len(study.designs)} designs and {len(study.truths)} truths need "
            f"{needed / 1e9:.1f} GB, and at most {LARGEST_RESULT_BYTES / 1e9:.0f} GB are allowed; "
            f"choose at most {study.simulation.runs * LARGEST_RESULT_BYTES // needed:,} runs"
        )


def empty_trials(study: Study) -> Trials:
    """Room for the study's replicates of one design under one truth."""
    shape = study.simulation.runs, len(study.arms)
    return Trials(
        np.empty(shape, np.int8),
        np.empty(shape, np.int32),
        np.empty(shape, np.int32),
        np.empty(shape, study.outcome.sum_type),
    )


def _keep(study: Study, earlier: Runs | None, trials: Mapping[tuple[str, str], Trials]) -> int:
    """Copy the earlier replicates; how many there were."""
    if earlier is None:
        return 0
    before, now = earlier.study.model_dump(), study.model_dump()
    kept = min(before["simulation"].pop("runs"), now["simulation"].pop("runs"))
    if before != now:
        raise InputError(
            "the earlier runs are of another study: only the number of runs may differ"
        )
    for key, block in trials.items():
        for array, old in zip(block.arrays, earlier[key].arrays, strict=True):
            array[:kept] = old[:kept]
    return int(kept)


Task = Callable[[], int]
Runner = Callable[[Truth, int, Trials], None]
"""Simulates a truth's replicates from a first one on, into the rows of trials."""


def _chunks(study: Study, trials: Mapping[tuple[str, str], Trials], kept: int) -> Iterator[Task]:
    """Tasks that simulate a few replicates each and return how many."""
    size = max(1, PATIENTS_PER_CHUNK // study.simulation.n_max)
    for design in study.designs:
        run = runner(study, design)
        for truth in study.truths:
            block = trials[truth.name, design.name]
            for first in range(kept, study.simulation.runs, size):
                rows = block.rows(first, min(first + size, study.simulation.runs))
                yield _task(run, truth, first, rows)


def _task(run: Runner, truth: Truth, first: int, rows: Trials) -> Task:
    def task() -> int:
        run(truth, first, rows)
        return len(rows.verdict)

    return task


def runner(study: Study, design: Design) -> Runner:
    """A design made ready to run: its curves, its tables, its compiled loop."""
    from gai_core.engine import kernel  # the compiler loads only when something is simulated

    rule, rule_parameters = design.sampling
    criterion, criterion_parameters = design.identification
    setting, outcome = study.setting(design), study.outcome
    curves = criterion.curves_of(setting, criterion_parameters)
    tables = rule.tables(setting, rule_parameters)
    loop = kernel(rule, outcome)
    scale = math.sqrt(outcome.variance_at(study.threshold))

    def run(truth: Truth, first: int, rows: Trials) -> None:
        loop(
            first,
            np.uint64(study.simulation.seed),
            truth_key(truth.name),
            outcome.locations(truth.means),
            outcome.spread,
            study.threshold,
            scale,
            curves.accept,
            curves.reject,
            tables.of_n,
            tables.of_t,
            design.burn_in,
            study.simulation.n_max,
            *rows.arrays,
        )

    return run


def _finished(
    tasks: Iterator[Task], threads: int, cancel: CancelFlag | None
) -> Generator[int, None, None]:
    """Run the tasks on threads, a few ahead; yield each result in the caller's thread."""
    pending: set[Future[int]] = set()
    with ThreadPoolExecutor(threads, thread_name_prefix="gai") as pool:
        try:
            for task in tasks:
                if cancel is not None and cancel.is_set():
                    raise Cancelled
                pending.add(pool.submit(task))
                if len(pending) >= 2 * threads:
                    finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in finished)
            while pending:
                if cancel is not None and cancel.is_set():
                    raise Cancelled
                finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
        finally:
            for future in pending:
                future.cancel()

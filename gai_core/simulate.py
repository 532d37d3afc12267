"""Study -> runs: every design on every truth, on the same simulated patients.

The replicates are cut into chunks that a few threads work through. A chunk
writes its own rows, and each row depends on (seed, truth, replicate) and the
design alone, so the result is the same bit by bit however the work is cut.
"""

import math
import os
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gai_core.conduct import look_numbers, terms
from gai_core.errors import Cancelled, InputError
from gai_core.registry import Rule, Tables
from gai_core.setting import Curves
from gai_core.streams import truth_key
from gai_core.study import Design, Study, Truth

if TYPE_CHECKING:
    from gai_core.conduct_engine import People

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
class Calendar:
    """When it happened, for trials with a `[conduct]`, one row per replicate.

    Per arm `seen` counts the outcomes that came in (dropouts left out are not among them),
    `month` is when it got its verdict (nan if it got none), `waiting` how many patients then
    waited for their outcome. Per trial: the months of the last enrolment and of the last
    outcome or verdict, and the patients in the `pipeline` when enrolment ended.
    """

    seen: NDArray[np.int32]
    month: NDArray[np.float64]
    waiting: NDArray[np.int32]
    enrolment: NDArray[np.float64]
    end: NDArray[np.float64]
    pipeline: NDArray[np.int32]


@dataclass(frozen=True)
class Trials:
    """The simulated trials of one design under one truth, one row per replicate.

    `verdict` is 1 (good), -1 (bad) or 0 (undecided); `decided` is the number of
    patients in the whole trial when the arm got its verdict, 0 if it got none;
    `assigned` counts the arm's patients and `sums` adds up their outcomes. Trials that are
    run in time have a `calendar` too.
    """

    verdict: NDArray[np.int8]
    decided: NDArray[np.int32]
    assigned: NDArray[np.int32]
    sums: NDArray[Any]
    calendar: Calendar | None = None

    @property
    def patients(self) -> NDArray[np.int64]:
        """Patients in all, per replicate."""
        return np.asarray(self.assigned.sum(axis=1, dtype=np.int64))

    def rows(self, first: int, last: int) -> "Trials":
        """Replicates first, ..., last - 1, as views."""
        return trials_of([array[first:last] for array in self.arrays])

    @property
    def named_arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by their names, those of the calendar last."""
        own: dict[str, NDArray[Any]] = {
            "verdict": self.verdict,
            "decided": self.decided,
            "assigned": self.assigned,
            "sum": self.sums,
        }
        return own if self.calendar is None else own | vars(self.calendar)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All arrays in their order."""
        return tuple(self.named_arrays.values())


def trials_of(arrays: Sequence[NDArray[Any]]) -> Trials:
    """Trials from their arrays in order: four, or ten with a calendar."""
    verdict, decided, assigned, sums, *others = arrays
    return Trials(verdict, decided, assigned, sums, Calendar(*others) if others else None)


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
    threads = _checked_threads(threads)
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


def _checked_threads(threads: int | None) -> int:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if threads is None:
        return available or 1
    if not 1 <= threads <= 1024:
        raise InputError(f"threads must lie between 1 and 1024, but is {threads}")
    return threads


def _check_size(study: Study) -> None:
    one = empty_trials(study, 1)
    cells = len(study.truths) * len(study.designs)
    needed = study.simulation.runs * cells * sum(array.nbytes for array in one.arrays)
    if needed > LARGEST_RESULT_BYTES:
        raise InputError(
            f"simulation.runs is too large: {study.simulation.runs:,} trials of {len(study.arms)} "
            f"arms, {len(study.designs)} designs and {len(study.truths)} truths need "
            f"{needed / 1e9:.1f} GB, and at most {LARGEST_RESULT_BYTES / 1e9:.0f} GB are allowed; "
            f"choose at most {study.simulation.runs * LARGEST_RESULT_BYTES // needed:,} runs"
        )


def empty_trials(study: Study, runs: int | None = None) -> Trials:
    """Room for replicates of one design under one truth: all of the study's, or so many."""
    per_trial = study.simulation.runs if runs is None else runs
    per_arm = per_trial, len(study.arms)
    calendar = Calendar(
        np.empty(per_arm, np.int32),
        np.empty(per_arm, np.float64),
        np.empty(per_arm, np.int32),
        np.empty(per_trial, np.float64),
        np.empty(per_trial, np.float64),
        np.empty(per_trial, np.int32),
    )
    return Trials(
        np.empty(per_arm, np.int8),
        np.empty(per_arm, np.int32),
        np.empty(per_arm, np.int32),
        np.empty(per_arm, study.outcome.sum_type),
        calendar if study.conduct else None,
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
    if study.conduct is not None:
        return conducted(study, design)
    from gai_core.engine import kernel  # the compiler loads only when something is simulated

    prepared = prepare(study, design)
    loop = kernel(prepared.rule, study.outcome)

    def run(truth: Truth, first: int, rows: Trials) -> None:
        loop(
            *_patients_of(study, truth, first),
            study.threshold,
            prepared.scale,
            prepared.curves.accept,
            prepared.curves.reject,
            prepared.tables.of_n,
            prepared.tables.of_t,
            design.burn_in,
            study.simulation.n_max,
            *rows.arrays,
        )

    return run


def conducted(study: Study, design: Design, people: "People | None" = None) -> Runner:
    """The same for a study that says how its trials are run.

    `people`, if given, holds the patients of the last replicate after a run.
    """
    from gai_core.conduct_engine import Limits, Results, conduct_kernel, people_for

    assert study.conduct is not None
    prepared = prepare(study, design)
    curves, outcome = prepared.curves, study.outcome
    loop = conduct_kernel(prepared.rule, outcome)
    numbers = terms(study.conduct, study.set_apart), look_numbers(study.conduct)
    at_look = curves.has_limits(outcome)
    limits = Limits(curves.accept, curves.reject, at_look, curves.only_at_end)

    def run(truth: Truth, first: int, rows: Trials) -> None:
        loop(
            *_patients_of(study, truth, first),
            float(truth.trend or 0.0),
            study.threshold,
            prepared.scale,
            limits,
            prepared.tables.of_n,
            prepared.tables.of_t,
            design.burn_in,
            study.simulation.n_max,
            *numbers,
            people or people_for(study.simulation.n_max, outcome),
            Results(*rows.arrays),
        )

    return run


class Prepared(NamedTuple):
    """What a loop needs of a design: computed once, for any number of trials."""

    rule: Rule
    curves: Curves
    tables: Tables
    scale: float
    """Standard deviation of an outcome at the threshold."""


def prepare(study: Study, design: Design) -> Prepared:
    """The curves and tables of a design."""
    rule, rule_parameters = design.sampling
    criterion, criterion_parameters = design.identification
    setting = study.setting(design)
    return Prepared(
        rule,
        criterion.curves_of(setting, criterion_parameters),
        rule.tables(setting, rule_parameters),
        math.sqrt(study.outcome.variance_at(study.threshold)),
    )


def _patients_of(study: Study, truth: Truth, first: int) -> tuple[Any, ...]:
    """Where the patients of a truth come from: first replicate, streams, means, spread."""
    return (
        first,
        np.uint64(study.simulation.seed),
        truth_key(truth.name),
        study.outcome.locations(study.completing(truth)),
        study.spread(truth),
    )


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

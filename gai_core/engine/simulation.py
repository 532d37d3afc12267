"""Study -> runs: every design on every truth, on the same simulated patients.

The replicates are cut into chunks that threads, or the workers of a cluster, work
through. A chunk has its own rows, and each row depends on (seed, truth, replicate)
and the design alone, so the result is the same bit by bit however the work is cut.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Protocol

import numpy as np

from gai_core.basics import CancelFlag as CancelFlag
from gai_core.basics import (
    InputError,
    Problem,
    Workers,
    differing,
    fingerprint,
    finished,
    own_threads,
)
from gai_core.engine.loop_parts import StopFlag
from gai_core.engine.prepared import Runner, runner
from gai_core.engine.trials import Blocks, Runs, Trials, empty_trials, sized
from gai_core.study import Design, Study, Truth

PATIENTS_PER_CHUNK = 4_000_000
"""At 5 to 50 ns a patient a chunk takes 0.2 s at most: often enough to show progress."""
SECONDS_PER_REMOTE_CHUNK = 0.5
"""A task costs a cluster about 4 ms, so a chunk takes more than 0.3 s; cancelling waits for it."""
LARGEST_RESULT_BYTES = 8_000_000_000

Progress = Callable[[int, int], None]
"""Called in the caller's thread with (trials done, trials in all)."""


class Simulator(Protocol):
    """Anything that simulates a study as `simulate` does: with a cache, or on a cluster."""

    def __call__(
        self,
        study: Study,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
        cancel: CancelFlag | None = None,
        earlier: Runs | None = None,
        workers: Workers | None = None,
    ) -> Runs:
        """Simulate every design of the study on every truth."""


def simulate(
    study: Study,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    cancel: CancelFlag | None = None,
    earlier: Runs | None = None,
    known: Blocks | None = None,
    workers: Workers | None = None,
) -> Runs:
    """Simulate every design of the study on every truth.

    `earlier` are runs of the same study with fewer replicates: they are kept and
    only the missing replicates are simulated. So are the first replicates of single
    blocks in `known`. `workers` of a cluster take the place of threads. Raises
    Cancelled when `cancel` is set.
    """
    started = time.monotonic()
    _check_size(study)
    trials = {
        (truth.name, design.name): empty_trials(study)
        for truth in study.truths
        for design in study.designs
    }
    kept = _keep(trials, _longest(known or {}, _of_earlier(study, earlier)))
    total = study.simulation.runs * len(trials)
    done = sum(kept.values())
    report = progress or _silent
    stop = StopFlag()
    with nullcontext(workers) if workers else own_threads(threads) as crew, stop:
        report(done, total)
        pace = _Pace(study, total - done, crew)
        calls = _calls(study, trials, kept, crew, pace, stop)
        with closing(finished(calls, crew, cancel)) as chunks:
            for chunk in chunks:
                pace.learn(chunk)
                done += _place(trials, chunk)
                report(done, total)
    return Runs(study, trials, time.monotonic() - started, sum(kept.values()))


def patients_at_most(study: Study) -> int:
    """Patients that a simulation of the study can need: every trial running to n_max."""
    settings = study.simulation
    return settings.runs * settings.n_max * len(study.designs) * len(study.truths)


def _silent(done: int, total: int) -> None:
    """Report no progress."""


def _check_size(study: Study) -> None:
    one = empty_trials(study, 1)
    cells = len(study.truths) * len(study.designs)
    needed = study.simulation.runs * cells * sum(array.nbytes for array in one.arrays)
    if needed > LARGEST_RESULT_BYTES:
        rule = (
            f"is too large: {study.simulation.runs:,} trials of {len(study.arms)} arms, "
            f"{len(study.designs)} designs and {len(study.truths)} truths need "
            f"{needed / 1e9:.1f} GB, and at most {LARGEST_RESULT_BYTES / 1e9:.0f} GB are allowed"
        )
        fewer = study.simulation.runs * LARGEST_RESULT_BYTES // needed
        remedy = f"choose at most {fewer:,} runs"
        raise InputError(Problem(("simulation", "runs"), rule, remedy=remedy))


def _of_earlier(study: Study, earlier: Runs | None) -> Blocks:
    """The blocks of earlier runs, after a look at whether they are of the same study."""
    if earlier is None:
        return {}
    if sized(earlier.study, 1) != sized(study, 1):
        raise InputError(
            "the earlier runs are of another study: only the number of runs may differ"
        )
    return earlier.trials


def _longest(known: Blocks, earlier: Blocks) -> Blocks:
    """Of every block that is there already, the one with more replicates."""
    both = (*known.items(), *earlier.items())
    return dict(sorted(both, key=lambda block: len(block[1].verdict)))


def _keep(trials: Blocks, known: Blocks) -> dict[tuple[str, str], int]:
    """Copy the replicates that are known; how many of each block."""
    kept = dict.fromkeys(trials, 0)
    for key in trials.keys() & known.keys():
        kept[key] = min(len(trials[key].verdict), len(known[key].verdict))
        _copy(known[key].rows(0, kept[key]), trials[key].rows(0, kept[key]))
    return kept


def _copy(source: Trials, target: Trials) -> None:
    for name, array in target.named_arrays.items():
        array[...] = source.named_arrays[name]


@dataclass(frozen=True)
class Chunk:
    """Some simulated replicates of one design under one truth, and how long they took."""

    truth: str
    design: str
    first: int
    rows: Trials
    seconds: float


def _place(trials: Blocks, chunk: Chunk) -> int:
    """Put the rows of a chunk where they belong, unless they are; how many they are."""
    count = len(chunk.rows.verdict)
    target = trials[chunk.truth, chunk.design].rows(chunk.first, chunk.first + count)
    if not np.may_share_memory(target.verdict, chunk.rows.verdict):
        _copy(chunk.rows, target)
    return count


class _Pace:
    """How many replicates make a chunk; of the chunks of a cluster it learns what they take."""

    def __init__(self, study: Study, total: int, crew: Workers) -> None:
        self._least = max(1, PATIENTS_PER_CHUNK // study.simulation.n_max)
        self._most = math.ceil(total / (2 * crew.count))  # so that nobody is left without work
        self._learns = crew.remote
        self.rows = self._least

    def learn(self, chunk: Chunk) -> None:
        """Few rows if trials are long, many if they end early."""
        if self._learns:
            a_second = len(chunk.rows.verdict) / max(chunk.seconds, 1e-6)
            wished = round(SECONDS_PER_REMOTE_CHUNK * a_second)
            self.rows = max(self._least, min(wished, self._most))


Call = Callable[[], Chunk]


def _calls(
    study: Study,
    trials: Blocks,
    kept: Mapping[tuple[str, str], int],
    crew: Workers,
    pace: _Pace,
    stop: StopFlag,
) -> Iterator[Call]:
    """What is to be done, a chunk at a time; a chunk is cut when its turn comes."""
    blueprint = sized(study, 1).model_dump_json()
    for design in study.designs:
        run: Callable[[str, int, int], Chunk] | None = None
        for truth in study.truths:
            first = kept[truth.name, design.name]
            while first < study.simulation.runs:
                run = run or (
                    partial(remote_chunk, blueprint, fingerprint(), design.name)
                    if crew.remote
                    else _local_chunks(study, design, trials, stop)
                )
                last = min(first + pace.rows, study.simulation.runs)
                yield partial(run, truth.name, first, last)
                first = last


def _local_chunks(
    study: Study, design: Design, trials: Blocks, stop: StopFlag
) -> Callable[[str, int, int], Chunk]:
    """A function that simulates replicates of a truth straight into their place."""
    run = runner(study, design, stop)

    def chunk(truth: str, first: int, last: int) -> Chunk:
        rows = trials[truth, design.name].rows(first, last)
        return _timed(run, study.truth(truth), design.name, first, rows)

    return chunk


def _timed(run: Runner, truth: Truth, design: str, first: int, rows: Trials) -> Chunk:
    started = time.monotonic()
    run(truth, first, rows)
    return Chunk(truth.name, design, first, rows, time.monotonic() - started)


def check_worker(expected: dict[str, str]) -> None:
    """Refuse to work where package or libraries are not those of the one who asks."""
    unlike = differing(expected, fingerprint())
    if unlike:
        raise InputError(f"a worker of the cluster differs: {'; '.join(unlike)}")


def remote_chunk(
    blueprint: str, expected: dict[str, str], design: str, truth: str, first: int, last: int
) -> Chunk:
    """Simulate replicates in a worker of a cluster, which may have joined just now."""
    check_worker(expected)
    study, run = _prepared(blueprint, design)
    rows = empty_trials(sized(study, last - first))
    run(study.truth(truth), first, rows.rows(0, 0))  # compiles, where that was not done yet
    return _timed(run, study.truth(truth), design, first, rows)


@lru_cache(maxsize=8)
def _prepared(blueprint: str, design: str) -> tuple[Study, Runner]:
    """A worker keeps its last designs ready: their curves can take seconds."""
    study = Study.model_validate_json(blueprint)
    return study, runner(study, study.design(design))

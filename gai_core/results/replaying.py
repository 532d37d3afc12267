"""One simulated trial, patient by patient, and which trials are worth looking at.

The engine keeps only what a trial ends with. A replay repeats the trial in plain
Python with the design's own curves and index: before every patient all open arms
are compared, which is what the engine does in fewer steps.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import InputError, thinned
from gai_core.engine import Runs, Trials, conducted, empty_trials
from gai_core.evidence import (
    BAD,
    CHOICES,
    GOOD,
    PATIENTS,
    UNDECIDED,
    draw_normal,
    start,
    truth_key,
)
from gai_core.results.quantities import events
from gai_core.results.timing import declared_times
from gai_core.study import Design, Study, Truth


class Moment(NamedTuple):
    """A verdict: after how many patients, on which arm, which one, and in which month."""

    patient: int
    arm: int
    verdict: int
    month: float | None = None


class ArmState(NamedTuple):
    """An arm after some patients of the trial."""

    assigned: int
    seen: int
    """Outcomes that are known."""
    total: float
    verdict: int

    @property
    def mean(self) -> float:
        """Mean outcome so far; nan without one."""
        return self.total / self.seen if self.seen else math.nan


class PatientTimes(NamedTuple):
    """Months of enrolment and of the outcome of one patient, and whether there is none."""

    enrolled: float
    known: float
    dropped_out: bool
    left_out: bool


@dataclass(frozen=True)
class Replay:
    """A trial in the order of its patients: the arm and the outcome of each, and the verdicts.

    A conducted trial has the times of its patients too.
    """

    arms: list[int]
    outcomes: list[float]
    moments: list[Moment]
    size: int
    """Number of arms."""
    times: list[PatientTimes] | None = None
    partners: list[int | None] | None = None
    """Against the control: per patient on a dose the partner, if there is one."""

    def month(self, patients: int) -> float | None:
        """The month after so many patients: of the last one's enrolment, or of the end."""
        if self.times is None or not patients:
            return None
        if patients < len(self.times):
            return self.times[patients - 1].enrolled
        return max([time.known for time in self.times] + [m.month or 0.0 for m in self.moments])

    def known(self, patients: int) -> list[int]:
        """Which of the first so many patients have an outcome by then, in the order it came."""
        patients = min(patients, len(self.arms))
        if self.times is None:
            return list(range(patients))
        month, times = self.month(patients), self.times
        there = [
            i for i in range(patients) if not times[i].left_out and times[i].known <= (month or 0.0)
        ]
        return sorted(there, key=lambda i: (times[i].known, i))

    def waiting(self, patients: int) -> list[int]:
        """Which of the first so many patients still wait for their outcome."""
        patients = min(patients, len(self.arms))
        if self.times is None:
            return []
        month = self.month(patients) or 0.0
        return [i for i in range(patients) if self.times[i].known > month]

    def after(self, patients: int) -> list[ArmState]:
        """Every arm after so many patients of the trial."""
        assigned, seen, totals = [0] * self.size, [0] * self.size, [0.0] * self.size
        for arm in self.arms[:patients]:
            assigned[arm] += 1
        for patient in self.known(patients):
            seen[self.arms[patient]] += 1
            totals[self.arms[patient]] += self.outcomes[patient]
        verdicts = {m.arm: m.verdict for m in self.moments_by(patients)}
        return [
            ArmState(assigned[arm], seen[arm], totals[arm], verdicts.get(arm, UNDECIDED))
            for arm in range(self.size)
        ]

    def moments_by(self, patients: int) -> list[Moment]:
        """The verdicts that are there after so many patients."""
        if self.times is None:
            return [moment for moment in self.moments if moment.patient <= patients]
        month = self.month(patients) or 0.0
        return [moment for moment in self.moments if (moment.month or 0.0) <= month]

    def paths(self, study: Study, patients: int) -> list[tuple[list[int], list[float]]]:
        """Per arm: after n of its outcomes, its mean, or its t-statistic where the variance is
        unknown; long paths are thinned for drawing. Against the control: of its pairs."""
        stream, paths = study.stream, []
        both = zip(self.streams(study, patients), self.controls(study, patients), strict=True)
        for own, controls in both:
            shown = thinned(own.size)
            values = stream.outcome.running(own, stream.target, controls)[shown]
            paths.append(((shown + 1).tolist(), values.tolist()))
        return paths

    def streams(self, study: Study, patients: int) -> list[NDArray[np.float64]]:
        """Per arm: its evidence, number by number; the control of a pair has none of its own."""
        if self.partners is None:
            order = self.known(patients)
            arms = np.array([self.arms[i] for i in order])
            outcomes = np.array([self.outcomes[i] for i in order])
            return [outcomes[arms == arm] for arm in range(self.size)]
        return [pairs[:, 0] for pairs in self._pairs_of_all(study, patients)]

    def controls(self, study: Study, patients: int) -> list[NDArray[np.float64]]:
        """Per arm: the outcomes of the controls behind the numbers of its evidence."""
        if self.partners is None:
            return [np.empty(0)] * self.size
        return [pairs[:, 1] for pairs in self._pairs_of_all(study, patients)]

    def _pairs_of_all(self, study: Study, patients: int) -> list[NDArray[np.float64]]:
        """Per arm a row for every pair; the control has none of its own."""
        return [
            np.array(
                [] if arm == study.set_apart else [*self._pairs(study, arm, patients)], float
            ).reshape(-1, 2)
            for arm in range(self.size)
        ]

    def _pairs(self, study: Study, dose: int, patients: int) -> Iterator[tuple[float, float]]:
        """What the dose's pairs say, and their controls' outcomes, up to the first that waits.

        They come in the order of enrolment.
        """
        assert self.partners is not None
        assert self.times is not None
        combine, month = study.stream.outcome.combine, self.month(patients) or 0.0
        assert combine is not None
        enrolled = min(patients, len(self.arms))
        for one in range(enrolled):
            other = self.partners[one]
            if self.arms[one] != dose:
                continue
            both = [one] if other is None else [one, other]
            late = any(i >= enrolled or self.times[i].known > month for i in both)
            if other is None or late:
                return
            if any(self.times[i].left_out for i in both):
                continue
            counts, value = combine(self.outcomes[one], self.outcomes[other])
            if counts:
                yield value, self.outcomes[other]


def replay(study: Study, truth: Truth, design: Design, replicate: int) -> Replay:
    """Repeat one replicate of a simulation."""
    if not 0 <= replicate < study.simulation.runs:
        raise InputError(
            f"the trial must be one of 1 to {study.simulation.runs:,}, but is {replicate + 1}"
        )
    if study.conduct is not None:
        return _conducted(study, truth, design, replicate)
    n_max, size = study.simulation.n_max, len(study.arms)
    patients = [potential_outcomes(study, truth, replicate, arm) for arm in range(size)]
    score = _scores(study, truth, design, replicate)
    judging = _Judging(study, design)
    for arm in study.candidates:
        for _ in range(design.burn_in):
            judging.treat(arm, next(patients[arm]))
    open_arms = judging.still_open([*study.candidates])
    wanted = size + 1 if design.once_at_end else study.doses_wanted or size + 1
    while open_arms and len(judging.order) < n_max and _declared(judging.moments) < wanted:
        scores = score(open_arms, judging.counts, judging.sums, judging.squares, len(judging.order))
        arm = open_arms[scores.index(max(scores))]
        judging.treat(arm, next(patients[arm]))
        open_arms = judging.still_open([arm])
    return Replay(judging.order, judging.outcomes, judging.moments, size)


class _Judging:
    """What is known of every arm of a trial, patient by patient, and the verdicts."""

    def __init__(self, study: Study, design: Design) -> None:
        self._stages, self._xi = study.stages(design), study.stream.target
        self._books = study.outcome.bookkeeping
        self._candidates, self._in_order = list(study.candidates), design.order is not None
        self._found: dict[int, int] = {}
        size = len(study.arms)
        self.order: list[int] = []
        self.outcomes: list[float] = []
        self.moments: list[Moment] = []
        self.counts, self.sums, self.squares = [0] * size, [0.0] * size, [0.0] * size

    def treat(self, arm: int, outcome: float) -> None:
        """One patient more."""
        self.order.append(arm)
        self.outcomes.append(outcome)
        self.counts[arm] += 1
        self.sums[arm] += outcome
        self.squares[arm] = self._books.add(self.squares[arm], outcome, 0.0, self._xi)

    def still_open(self, arms: list[int]) -> list[int]:
        """Judge arms, and after a verdict all others; those that can get another patient."""
        again = self._judge(arms) and self._stages.several
        while again:
            again = self._judge(self._without_verdict)
        last = len(self._stages.first.accept) - 1
        return [arm for arm in self._without_verdict if self.counts[arm] < last]

    def _judge(self, arms: list[int]) -> bool:
        """Judge arms at the stage that the verdicts lead to; whether one got a verdict."""
        before = len(self.moments)
        for arm in arms:
            n, declared = self.counts[arm], _declared(self.moments)
            limits = self._stages.at(declared, len(self.moments) - declared)
            state = n, self.sums[arm], self.squares[arm], self._xi
            verdict = self._books.judge(*state, limits.accept[n], limits.reject[n])
            if verdict != UNDECIDED:
                self._found[arm] = verdict
                self._give_verdicts(arm)
        return len(self.moments) > before

    def _give_verdicts(self, found: int) -> None:
        """The arm's, or where doses are judged in order all that follow from what was found."""
        arms, known = [found], {moment.arm for moment in self.moments}
        if self._in_order:
            from_below, from_above = self._candidates, self._candidates[::-1]
            good = takewhile(lambda arm: self._found.get(arm) == GOOD, from_above)
            bad = takewhile(lambda arm: self._found.get(arm) == BAD, from_below)
            arms = sorted({*good, *bad} - known)
        self.moments += [Moment(len(self.order), arm, self._found[arm]) for arm in arms]

    @property
    def _without_verdict(self) -> list[int]:
        return [arm for arm in self._candidates if arm not in self._found]


def _declared(moments: list[Moment]) -> int:
    return sum(moment.verdict == GOOD for moment in moments)


def _conducted(study: Study, truth: Truth, design: Design, replicate: int) -> Replay:
    """The same for a conducted trial, whose loop leaves its patients behind."""
    from gai_core.engine.conduct_state import room_for_log
    from gai_core.engine.prepared import pairs_of

    log, pairs = room_for_log(study.simulation.n_max, study.outcome), pairs_of(study)
    trials = empty_trials(study, 1)
    conducted(study, design, log, pairs=pairs)(truth, replicate, trials)
    assert trials.calendar is not None
    size = int(trials.patients[0])
    dropped = log.dropped[:size].tolist()
    left_out = study.dropout is not None and study.dropout.left_out
    months = zip(log.enrolled[:size].tolist(), log.due[:size].tolist(), dropped, strict=True)
    moments = [
        Moment(int(trials.decided[0, arm]), arm, int(trials.verdict[0, arm]), float(month))
        for arm, month in enumerate(trials.calendar.month[0])
        if not math.isnan(month)
    ]
    return Replay(
        log.arm[:size].tolist(),
        [float(outcome) for outcome in log.outcome[:size]],
        sorted(moments, key=lambda moment: (moment.month or 0.0, moment.arm)),
        len(study.arms),
        [PatientTimes(*three, left_out and three[2]) for three in months],
        None
        if study.target is None
        else _partners(study, log.arm[:size], pairs.partner, pairs.control),
    )


def _partners(
    study: Study, arms: NDArray[Any], partner: NDArray[Any], control: NDArray[Any]
) -> list[int | None]:
    """Per patient the control of the pair, if one was enrolled."""
    nobody = study.simulation.n_max
    found = [
        None if arm == study.set_apart else int(control[partner[patient]])
        for patient, arm in enumerate(arms.tolist())
    ]
    return [None if other == nobody else other for other in found]


Scores = Callable[[list[int], list[int], list[float], list[float], int], list[float]]
"""The scores of the open arms, given all counts, sums and squares and the patients so far."""


def _scores(study: Study, truth: Truth, design: Design, replicate: int) -> Scores:
    (rule, _), tables = design.sampling, study.tables(design)
    of_n, of_t = tables.of_n.tolist(), tables.of_t.tolist()
    summary, index, books = rule.summary, rule.index_for(study.outcome), study.outcome.bookkeeping
    xi = study.stream.target
    scale = math.sqrt(study.outcome.variance_at(xi))
    noise = choice_noise(study, truth, replicate)
    first = len(study.candidates) * design.burn_in
    frozen, stale_from = of_t[first], _stale_after(first)

    def scores(
        open_arms: list[int], counts: list[int], sums: list[float], squares: list[float], t: int
    ) -> list[float]:
        nonlocal frozen, stale_from
        if t >= stale_from:  # "in steps": t is read anew when it has grown by a 16th
            frozen, stale_from = of_t[t], _stale_after(t)
        found = []
        for arm in open_arms:
            n = counts[arm]
            x = {"never": 0.0, "with t": of_t[t], "in steps": frozen}.get(rule.varies)
            scales = books.scales(n, sums[arm], squares[arm], xi, scale)
            two = summary(sums[arm] / n, n, of_n[n], xi, *scales)
            found.append(index(*two, next(noise) if x is None else x))
        return found

    return scores


def _stale_after(t: int) -> int:
    return t + 1 + (t >> 4)


def potential_outcomes(study: Study, truth: Truth, replicate: int, arm: int) -> Iterator[float]:
    """The outcomes of an arm's patients in one replicate, one after the other."""
    outcome = study.outcome
    location = outcome.locations(study.completing(truth))[arm]
    place = study, truth, replicate, arm, PATIENTS
    return _stream_of(type(outcome).draw, *place, location, study.spread(truth))


def choice_noise(study: Study, truth: Truth, replicate: int) -> Iterator[float]:
    """The standard normal numbers that a randomised rule chooses with."""
    return _stream_of(draw_normal, study, truth, replicate, 0, CHOICES, 0.0, 1.0)


BLOCK = 256


def _stream_of(
    draw: Callable[..., Any],
    study: Study,
    truth: Truth,
    replicate: int,
    arm: int,
    purpose: np.uint64,
    location: Any,
    spread: float,
) -> Iterator[float]:
    """The numbers of one stream, drawn a block at a time."""
    from gai_core.engine.loop import draws  # the compiler loads only when something is simulated

    fill, values = draws(draw), np.empty(BLOCK)
    seed, key = np.uint64(study.simulation.seed), truth_key(truth.name)
    with np.errstate(over="ignore"):  # 64-bit words that wrap around are meant
        words = np.array(start(seed, key, np.uint64(replicate), np.uint64(arm), purpose))
    while True:
        fill(words, location, spread, values)
        yield from values.tolist()


class Example(NamedTuple):
    """A replicate worth looking at, and why."""

    replicate: int
    why: str


def typical(runs: Runs, truth: str, design: str) -> Example:
    """The trial in the middle when they are ordered by first declaration, then by patients."""
    ordered = _by_luck(runs, truth, design)
    middle = int(ordered[(ordered.size - 1) // 2])
    return Example(middle, "the one in the middle, ordered by first declaration and patients")


def unlucky(runs: Runs, truth: str, design: str) -> Example:
    """The first trial with a wrong verdict; without one, a trial of the slowest 5%."""
    study = runs.study
    wrong = np.flatnonzero(events(runs, truth, design)["any_error"])
    if wrong.size:
        share = f"{wrong.size:,} of {study.simulation.runs:,} trials"
        return Example(int(wrong[0]), f"a dose gets a wrong verdict, as in {share}")
    ordered = _by_luck(runs, truth, design)
    late = int(ordered[min(ordered.size - 1, math.ceil(0.95 * ordered.size))])
    return Example(late, "no trial errs; this one is among the last 5% by first declaration")


def _by_luck(runs: Runs, truth: str, design: str) -> NDArray[np.int64]:
    """Replicates from the soonest first declaration to the latest, then by patients."""
    trials: Trials = runs[truth, design]
    first = declared_times(trials, runs.study.simulation.n_max)[:, 0]
    return np.lexsort((trials.patients, first))

"""One simulated trial, patient by patient.

The engine keeps only what a trial ends with. A replay repeats the trial in plain
Python with the design's own curves and index: before every patient all open arms
are compared, which is what the engine does in fewer steps.
"""

import math
from collections.abc import Callable
from itertools import takewhile
from typing import Any

from numpy.typing import NDArray

from gai_core.basics import InputError
from gai_core.engine import conducted, empty_trials
from gai_core.evidence import BAD, GOOD, UNDECIDED
from gai_core.results.potential_outcomes import choice_noise, potential_outcomes
from gai_core.results.replayed import Moment, PatientTimes, Replay
from gai_core.results.timing import as_known
from gai_core.study import Design, Study, Truth


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
    moments = judging.moments
    if design.once_at_end:
        moments = [moment._replace(patient=len(judging.order)) for moment in moments]
    return Replay(judging.order, judging.outcomes, moments, size)


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
    from gai_core.engine import pairs_of, room_for_log

    log, pairs = room_for_log(study.simulation.n_max, study.outcome), pairs_of(study)
    trials = empty_trials(study, 1)
    conducted(study, design, log, pairs=pairs)(truth, replicate, trials)
    trials = as_known(trials, once_at_end=design.once_at_end)
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

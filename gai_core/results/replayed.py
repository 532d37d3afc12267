"""A simulated trial in the order of its patients: what was known, and judged, after how many."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import thinned
from gai_core.evidence import UNDECIDED
from gai_core.study import Study


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

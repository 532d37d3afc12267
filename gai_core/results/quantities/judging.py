"""Simulated trials beside what is known of the truth behind them: what quantities are read from."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gai_core.engine import Calendar, Runs, Trials
from gai_core.evidence import BAD, GOOD, EvidenceStream
from gai_core.results.estimates import Estimates
from gai_core.results.timing import Time, as_known, months, times, waiting
from gai_core.study import best_doses, doses_in_order

Happened = NDArray[np.bool_]


@dataclass(frozen=True)
class Judged:
    """The trials of one design under one truth; what several quantities need is computed once."""

    trials: Trials
    good: tuple[bool, ...]
    """Which arms meet the target."""
    n_max: int
    once_at_end: bool = False
    """Whether the design looks once, when all patients are in."""
    ordered: tuple[int, ...] = ()
    """Positions of the doses from the lowest to the highest; empty where nothing orders them."""
    best: tuple[int, ...] = ()
    """Positions of the good doses with the largest mean."""
    stream: EvidenceStream | None = None
    """What a dose's evidence is made of, for those who ask what was estimated."""
    means: tuple[float, ...] = ()
    """The means of the arms' streams."""

    @property
    def calendar(self) -> Calendar:
        """When it happened; only conducted trials have one."""
        if self.trials.calendar is None:
            raise ValueError("only trials with a [conduct] have a calendar")
        return self.trials.calendar

    @cached_property
    def known(self) -> Trials:
        """The trials with every verdict when it is known."""
        return as_known(self.trials, once_at_end=self.once_at_end)

    @cached_property
    def estimates(self) -> Estimates:
        """Means and intervals at the end of the trial."""
        if self.stream is None:
            raise ValueError("estimates need to know what evidence is made of")
        return Estimates(self.trials, self.stream, self.means)

    @cached_property
    def declared(self) -> Happened:
        """Per trial and arm, whether it was declared."""
        return np.asarray(self.trials.verdict == GOOD)

    @cached_property
    def any_declared(self) -> Happened:
        """Per trial, whether any arm was declared."""
        return np.asarray(self.declared.any(axis=1))

    @cached_property
    def false_declaration(self) -> Happened:
        """Per trial, whether an arm that misses the target was declared."""
        return np.asarray((self.declared & ~np.array(self.good)).any(axis=1))

    @cached_property
    def missed_dose(self) -> Happened:
        """Per trial, whether an arm that meets the target was dropped."""
        return np.asarray(((self.trials.verdict == BAD) & np.array(self.good)).any(axis=1))

    @cached_property
    def times(self) -> dict[str, Time]:
        """tau_1, ..., tau_stop in patients."""
        return times(self.trials, self.n_max)

    @cached_property
    def months(self) -> dict[str, Time]:
        """The same in months."""
        return months(self.trials, self.calendar)

    @cached_property
    def waiting(self) -> dict[str, Time]:
        """Patients in the pipeline at every declaration."""
        return waiting(self.trials, self.calendar)


def judged(runs: Runs, truth: str, design: str) -> Judged:
    """The trials of a design under a truth, by their names."""
    study = runs.study
    assumed = study.truth(truth)
    return Judged(
        runs[truth, design],
        study.good(assumed),
        study.simulation.n_max,
        study.design(design).once_at_end,
        doses_in_order(study),
        best_doses(study, assumed),
        study.stream,
        tuple(study.stream_mean(assumed, arm) for arm in range(len(study.arms))),
    )

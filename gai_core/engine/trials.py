"""What a simulation leaves behind: per replicate and arm, verdicts, times, patients, outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gai_core.study import Study

Blocks = Mapping[tuple[str, str], "Trials"]
"""Trials by names of truth and design."""


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
    run in time have a `calendar` too, and those with scores of unknown variance `squares`: sums
    of squared distances from the target. Where evidence is made of pairs with concurrent controls,
    `sums`, `squares` and what is `seen` of a dose are those of its pairs; where these are judged by
    their likelihood, `squares` counts the responders among the controls.
    """

    verdict: NDArray[np.int8]
    decided: NDArray[np.int32]
    assigned: NDArray[np.int32]
    sums: NDArray[Any]
    calendar: Calendar | None = None
    squares: NDArray[np.float64] | None = None

    @property
    def patients(self) -> NDArray[np.int64]:
        """Patients in all, per replicate."""
        return np.asarray(self.assigned.sum(axis=1, dtype=np.int64))

    def rows(self, first: int, last: int) -> "Trials":
        """Replicates first, ..., last - 1, as views."""
        return trials_of({name: array[first:last] for name, array in self.named_arrays.items()})

    @property
    def named_arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by their names, those of the calendar last."""
        own: dict[str, NDArray[Any]] = {
            "verdict": self.verdict,
            "decided": self.decided,
            "assigned": self.assigned,
            "sum": self.sums,
        }
        if self.squares is not None:
            own["squares"] = self.squares
        return own if self.calendar is None else own | vars(self.calendar)

    @property
    def with_squares(self) -> dict[str, NDArray[Any]]:
        """The arrays as the loops take them: squares without columns where they are not kept."""
        return {"squares": np.empty((len(self.verdict), 0))} | self.named_arrays

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All arrays, where their names do not matter."""
        return tuple(self.named_arrays.values())


def trials_of(named_arrays: Mapping[str, NDArray[Any]]) -> Trials:
    """Trials from their arrays by name; with a calendar if there is anything more than theirs."""
    others = dict(named_arrays)
    own = {name: others.pop(name) for name in ("verdict", "decided", "assigned")}
    sums, squares = others.pop("sum"), others.pop("squares", None)
    calendar = Calendar(**others) if others else None
    return Trials(**own, sums=sums, calendar=calendar, squares=squares)


@dataclass(frozen=True)
class Runs:
    """A study and its simulated trials, by names of truth and design."""

    study: Study
    trials: Blocks
    seconds: float = 0.0
    """How long the simulation took, without the trials that were kept."""
    kept: int = 0
    """Trials that were there before: of earlier runs, or out of the cache."""

    def __getitem__(self, truth_and_design: tuple[str, str]) -> Trials:
        return self.trials[truth_and_design]


def empty_trials(study: Study, runs: int | None = None) -> Trials:
    """Room for replicates of one design under one truth: all of the study's, or so many."""
    per_trial = study.simulation.runs if runs is None else runs
    per_arm, evidence = (per_trial, len(study.arms)), study.stream.outcome
    calendar = Calendar(
        seen=np.empty(per_arm, np.int32),
        month=np.empty(per_arm, np.float64),
        waiting=np.empty(per_arm, np.int32),
        enrolment=np.empty(per_trial, np.float64),
        end=np.empty(per_trial, np.float64),
        pipeline=np.empty(per_trial, np.int32),
    )
    return Trials(
        verdict=np.empty(per_arm, np.int8),
        decided=np.empty(per_arm, np.int32),
        assigned=np.empty(per_arm, np.int32),
        sums=np.empty(per_arm, evidence.sum_type),
        calendar=calendar if study.conduct else None,
        squares=np.empty(per_arm) if evidence.bookkeeping.squares else None,
    )


def sized(study: Study, runs: int) -> Study:
    """The study with another number of runs."""
    return study.model_copy(
        update={"simulation": study.simulation.model_copy(update={"runs": runs})}
    )

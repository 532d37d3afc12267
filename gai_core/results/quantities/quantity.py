"""What a quantity says about itself: its value in every trial, and how to show it.

An entry is a `Quantity`, or a `Family` of numbered ones such as tau_1, ..., tau_K, of which a
study has as many as it has candidates.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import mean_share, measured, percent, with_error
from gai_core.results.among import chance_among, each_mean, each_root, mean_among, root_among
from gai_core.results.monte_carlo import (
    QUANTILES,
    ValueAndError,
    count_statistics,
    share,
    time_statistics,
    with_largest,
)
from gai_core.results.quantities.judging import Judged
from gai_core.study import Study, Truth

Unit = Literal["patients", "months", "share", "outcome"]
Direction = Literal["less", "more"]


@dataclass(frozen=True)
class Kind:
    """A kind of statistic: what the tidy table says of a value that every trial has."""

    name: str
    compared_by: str
    """The statistic by which designs are compared."""
    statistics: Callable[[Any], Mapping[str, ValueAndError]]
    rows: int
    """How many statistics there are."""
    each: Callable[[Any], NDArray[np.float64]] = lambda found: np.asarray(found, np.float64)
    """One number per trial whose mean is the statistic that designs are compared by."""
    partial: bool = False
    """Whether some trials have no value: then the table says which share has one."""

    def summary(self, found: Any) -> ValueAndError:
        """The statistic by which designs are compared, with its standard error."""
        return self.statistics(found)[self.compared_by]


CHANCE = Kind("chance", "probability", lambda happened: {"probability": share(happened)}, 1)
"""Something happens in a trial or not."""
MEAN = Kind("mean", "mean", count_statistics, 2 + len(QUANTILES))
"""Every trial has a number."""
COUNT = Kind("count", "mean", with_largest, MEAN.rows + 1)
"""The same, of which the largest value matters too."""
TIME = Kind(
    "time",
    "restricted_mean",
    time_statistics,
    4 + len(QUANTILES),
    lambda time: np.asarray(time.values, np.float64),
)
"""A trial may end before it is reached: then it is censored, and counts as its last value."""
CHANCE_AMONG = Kind("chance among some", "probability", chance_among, 2, each_mean, True)
"""A chance among the trials of which it can be said."""
MEAN_AMONG = Kind("mean among some", "mean", mean_among, 3, each_mean, True)
"""A number that only some trials have."""
ROOT_AMONG = Kind("root among some", "root_mean_square", root_among, 2, each_root, True)
"""The root of the mean square of such a number."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One quantity of a trial, or of every arm of a trial."""

    key: str
    label: str
    """In a trialist's words; one label wherever it is shown."""
    short: str = ""
    """For the head of a column; the label where there is none."""
    symbol: str = ""
    """What the paper calls it, for those who know it."""
    meaning: str
    """A sentence for the help page."""
    kind: Kind
    unit: Unit
    value: Callable[[Judged], Any]
    """Per trial: booleans (a chance), numbers (a mean) or a Time; with `arms`, a column an arm."""
    better: Direction | None = None
    compared: bool = False
    """Whether designs are compared by it."""
    prominent: bool = False
    """Whether the report compares the designs by it."""
    glance: bool = False
    """Whether it answers one of a trialist's first questions: the app shows it at a glance."""
    shown: bool = True
    """Whether the tables of a truth have it; the tidy table has every quantity."""
    arms: Literal["all", "candidates"] | None = None
    """Whose it is: every arm's, only those that get a verdict, or (None) the trial's."""
    conducted: bool = False
    """Whether only a study with a conduct has it, as what needs a calendar."""
    otherwise: str = ""
    """What counts where a time is not reached."""
    ordered: bool = False
    """Whether it needs doses whose amounts order them."""
    which_dose: bool = False
    """Whether it is about which dose is found: such chances have a table of their own."""
    signed: bool = False
    """Whether its sign says in which direction something is off, so that a plus is written too."""
    nth: int = 0
    """Its number in its family."""
    wish: str = ""
    """What `gai plan` can be asked for: the end of "a chance that …"; empty if it cannot."""
    rises: bool = False
    """Whether a wish only becomes likelier with more patients, so that bisection finds it."""
    patients_per_evidence: Callable[[Study, Truth], float] | None = None
    """For a wish that has a lower bound (theory.reachable)."""

    def __post_init__(self) -> None:
        if self.compared and self.better is None:
            raise ValueError(f"{self.key}: what designs are compared by has a better direction")
        if self.wish and (self.kind is not CHANCE or self.arms is not None):
            raise ValueError(f"{self.key}: only a chance of the whole trial can be wished for")

    @property
    def head(self) -> str:
        """The head of its column."""
        return self.short or self.label

    @property
    def compared_label(self) -> str:
        """Its label with what counts where it is not reached: this is what every table shows."""
        if not self.otherwise:
            return self.label
        return f"{self.label} ({self.otherwise} where it is not reached)"

    @property
    def scale(self) -> int:
        """From its value to what is shown: shares are shown in percent."""
        return 100 if self.unit == "share" else 1

    def in_words(self, value: float, mcse: float, runs: int) -> str:
        """A value with its standard error over so many trials: those that have one."""
        return value_in_words(value, mcse, runs, chance=self.is_chance, unit=self.unit)

    @property
    def is_chance(self) -> bool:
        """Whether its statistic is a chance, of all trials or of some."""
        return self.kind in (CHANCE, CHANCE_AMONG)

    def per_trial(self, trials: Judged) -> NDArray[np.float64]:
        """One number per trial whose mean is the statistic that designs are compared by."""
        return self.kind.each(self.value(trials))

    def summary(self, trials: Judged) -> ValueAndError:
        """The statistic by which designs are compared, with its standard error."""
        return self.kind.summary(self.value(trials))

    def arms_of(self, study: Study) -> list[int]:
        """The arms that have it: a control that is set apart gets no verdict."""
        if self.arms is None:
            return []
        return [*study.candidates] if self.arms == "candidates" else [*range(len(study.arms))]

    def members(self, _study: Study) -> tuple["Quantity", ...]:
        """Itself alone."""
        return (self,)


def value_in_words(value: float, mcse: float, runs: int, *, chance: bool, unit: str) -> str:
    """A statistic that designs are compared by, with its error; a dash where no trial has it."""
    if math.isnan(value):
        return "–"
    if chance:
        return percent(value, mcse, runs)
    if unit == "outcome":
        return measured(value, mcse)
    return mean_share(value, mcse) if unit == "share" else with_error(value, mcse)


@dataclass(frozen=True, kw_only=True)
class Family:
    """Numbered quantities: the first, the second, ..., one for every candidate of a study."""

    key: str
    label: str
    meaning: str
    member: Callable[[int], Quantity]

    def members(self, study: Study) -> tuple[Quantity, ...]:
        """Those that a study has."""
        return tuple(self.member(k) for k in range(1, len(study.candidates) + 1))


def ordinal(k: int) -> str:
    """first, second, third, 4th, ..., 21st, ..."""
    words = {1: "first", 2: "second", 3: "third"}
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = "th" if 10 < k % 100 < 14 else endings.get(k % 10, "th")
    return words.get(k, f"{k}{ending}")

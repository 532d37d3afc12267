"""What a rule and a criterion say about themselves, once, for every reader.

The command line, the app, the report and the parametrised tests take names,
formulas, citations, parameters and guarantees from these entries.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from gai_core.compiled import compiled
from gai_core.outcomes import Bernoulli, Gaussian
from gai_core.part import Part
from gai_core.setting import Curves, Setting

OutcomeKind = Literal["bernoulli", "gaussian"]
Guarantee = Literal["always", "up to n_max", "nothing"]
ALWAYS_VALID = (
    "The chance of any wrong verdict is at most delta, under every allocation rule "
    "and for every sample size."
)
PAPER = "Kano et al., Good Arm Identification via Bandit Feedback (ICML 2018)"


class Parameters(Part):
    """Base of a rule's or criterion's parameters: names, defaults, ranges, descriptions."""


@dataclass(frozen=True)
class Tables:
    """Numbers a rule needs in the loop: one per patients on an arm, one per patients in all."""

    of_n: NDArray[np.float64]
    of_t: NDArray[np.float64]

    @staticmethod
    def only_n(of_n: NDArray[np.float64]) -> "Tables":
        """Tables of a rule for which the number of patients in all does not matter."""
        return Tables(of_n, np.zeros_like(of_n))


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What rules and criteria have in common."""

    key: str
    label: str
    """In a trialist's words."""
    formula: str
    citation: str
    outcomes: tuple[OutcomeKind, ...] = ("bernoulli", "gaussian")
    parameters: type[Parameters] = Parameters


def equal_share(setting: Setting, _parameters: Any) -> float:
    """delta/K (Bonferroni): the error that one arm may make."""
    return setting.delta / setting.arms


def _no_problem(_setting: Setting, _parameters: Any) -> None:
    """Any parameters fit any setting."""


@dataclass(frozen=True, kw_only=True)
class Criterion(Entry):
    """An identification criterion: a setting becomes two curves."""

    guarantee: Guarantee
    guarantee_text: str
    curves: Callable[[Setting, Any], Curves]
    allowance: Callable[[Setting, Any], float] = equal_share
    """alpha, the error that one arm may make."""
    problem: Callable[[Setting, Any], str | None] = _no_problem
    """Why the parameters do not fit the setting, if so, and what to choose instead."""

    def curves_of(self, setting: Setting, parameters: Any) -> Curves:
        """The curves as a trial uses them: no verdict before the burn-in ends."""
        return self.curves(setting, parameters).without(setting.burn_in, setting.outcome)


Varies = Literal["never", "with t", "in steps", "at random"]


@compiled
def linear_index(centre: float, width: float, x: float) -> float:
    """centre + width x, the index of most rules."""
    return centre + width * x


@compiled
def no_credit(score: float, waiting: int) -> float:  # noqa: ARG001
    """Patients who wait for their outcome change nothing but the number of patients."""
    return score


@dataclass(frozen=True, kw_only=True)
class Rule(Entry):
    """A sampling rule: the undecided arm with the largest index gets the next patient.

    `summary(mean, n, of_n, xi, scale)` makes two numbers of an arm's data (scale is
    the standard deviation of an outcome at xi), `index(centre, width, x)` makes the
    score of them. Both are compiled into the engine's loop. Ties go to the first arm.
    """

    summary: Callable[..., tuple[float, float]]
    tables: Callable[[Setting, Any], Tables]
    varies: Varies = "never"
    """What x is, and so how an arm's score changes while other arms are sampled.

    never: it does not; with t: x is of_t[t], and the score must not fall as t grows;
    in steps: the same, but of_t is read anew only when t has grown by a 16th;
    at random: x is a new standard normal number for every patient and arm.
    """
    index: Callable[..., float] = linear_index
    bernoulli_index: Callable[..., float] | None = None
    """The index for Bernoulli outcomes, where it is another one."""
    counts_waiting: bool = True
    """Whether n is the number assigned, waiting patients among them, or the number of outcomes."""
    credit: Callable[..., float] = no_credit
    """(score, waiting) -> the score of an arm of which so many patients wait for their outcome."""
    caution: str = ""
    """What to beware of, if anything."""

    def index_for(self, outcome: Bernoulli | Gaussian) -> Callable[..., float]:
        """The index for a kind of outcome."""
        if self.bernoulli_index is not None and outcome.kind == "bernoulli":
            return self.bernoulli_index
        return self.index


EntryType = TypeVar("EntryType", bound=Entry)


class Registry(Mapping[str, EntryType], Generic[EntryType]):
    """Entries by their key, in the order in which they are shown."""

    def __init__(self, kind: str, entries: Iterable[EntryType]) -> None:
        self.kind = kind
        self._entries = {entry.key: entry for entry in entries}

    def __getitem__(self, key: str) -> EntryType:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def unknown(self, key: str) -> str:
        """What to say about a key that is not here."""
        return f"is no known {self.kind}{suggestion(key, self)}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """'; did you mean …?' or '; choose one of …' for a misspelt word."""
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else f"; choose one of {', '.join(names)}"

"""What an allocation rule says about itself, once, for every reader."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import jitable
from gai_core.evidence import DesignPart, Outcome, Setting

Varies = Literal["never", "with t", "in steps", "at random"]


@dataclass(frozen=True)
class Tables:
    """Numbers a rule needs in the loop: one per patients on an arm, one per patients in all."""

    of_n: NDArray[np.float64]
    of_t: NDArray[np.float64]

    @staticmethod
    def only_n(of_n: NDArray[np.float64]) -> "Tables":
        """Tables of a rule for which the number of patients in all does not matter."""
        return Tables(of_n, np.zeros_like(of_n))


@jitable
def linear_index(centre: float, width: float, x: float) -> float:
    """centre + width x, the index of most rules."""
    return centre + width * x


@jitable
def no_credit(score: float, waiting: int) -> float:
    """Patients who wait for their outcome change nothing but the number of patients."""
    return score


@dataclass(frozen=True, kw_only=True)
class Rule(DesignPart):
    """A sampling rule: the undecided arm with the largest index gets the next patient.

    `summary(mean, n, of_n, xi, scale, unit)` makes two numbers of an arm's data (scale is
    the standard deviation of an outcome at xi, unit the one in which tables that hold s2
    are: 1), `index(centre, width, x)` makes the score of them. Where the variance is unknown,
    s2 is 1 and both are the arm's running standard deviation. Both functions are compiled
    into the engine's loop. Ties go to the first arm.
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
    by_divergence: bool = False
    """Whether the index is the largest mean that the outcome's own divergence allows."""
    counts_waiting: bool = True
    """Whether n is the number assigned, waiting patients among them, or the number of outcomes."""
    credit: Callable[..., float] = no_credit
    """(score, waiting) -> the score of an arm of which so many patients wait for their outcome."""
    by_ratio: bool = False
    """Whether the score is a number of patients, which counts in parts of the arm's ratio."""
    caution: str = ""
    """What to beware of, if anything."""

    def index_for(self, outcome: Outcome) -> Callable[..., float]:
        """The index for a kind of outcome."""
        return type(outcome).largest_mean if self.by_divergence else self.index

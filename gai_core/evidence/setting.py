"""What a design is told before the trial, and the two curves it decides with.

The means are not among it: truth and design meet in the engine only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gai_core.evidence.error_rates import ErrorRates
from gai_core.evidence.outcomes import Outcome


@dataclass(frozen=True)
class Setting:
    """Number of arms K, threshold xi, error rates, outcome, largest sample size, burn-in."""

    arms: int
    threshold: float
    errors: ErrorRates
    outcome: Outcome
    """What the stream of an arm's evidence is made of."""
    most_patients: int
    """Patients that all arms with a verdict get together at most."""
    burn_in: int = 1
    missing: bool = False
    """Whether outcomes can be missing, so that an arm's last number of them is not known."""
    missing_share: float = 0.0
    """The share of them that is expected to be."""
    unlike: bool = field(default=False, repr=False)
    """Whether arms get patients in a ratio, so that they have no last number in common."""
    equally: int | None = field(default=None, repr=False)
    """Patients of every arm under equal allocation, where cohorts with partners leave fewer."""
    most_on_one: int | None = field(default=None, repr=False)
    """Patients that one arm gets at most, where that is less: with pairs half are controls.

    What is kept between runs is named after the last look that follows from both."""

    tests: int | None = None
    """Arms that share the error, where these are not all (`sharing`)."""
    together: int | None = field(default=None, repr=False)
    """Patients of all arms together at most, where limits for fewer on one arm leave that open."""

    @property
    def counts(self) -> NDArray[np.float64]:
        """n = 0, 1, ..., most_patients as numbers; with index 0, so that curve[n] belongs to n."""
        return np.arange(self.most_patients + 1, dtype=np.float64)

    @property
    def sharing(self) -> int:
        """Arms that share the error: K, or those that are left of a step-down."""
        return self.arms if self.tests is None else self.tests

    def after(self, verdicts: int) -> "Setting":
        """The same where so many arms no longer take part in the error."""
        return replace(self, tests=self.sharing - verdicts) if verdicts else self

    @property
    def equal_count(self) -> int:
        """Patients that every arm gets under equal allocation, if none is dropped."""
        each = self.most_patients // self.arms
        return each if self.equally is None else min(each, self.equally)

    @property
    def largest_count(self) -> int:
        """Patients that one arm can get at most."""
        most = self.most_patients
        return most if self.most_on_one is None else min(most, self.most_on_one)

    @property
    def possible_count(self) -> int:
        """The same less the burn-in of the others, which ends before any arm is judged.

        With pairs n patients on a dose have n controls, and the other doses their burn-in beside
        them: 2 n + (K-1) burn-in <= n_max, which is twice `most_on_one` or one more.
        """
        others = (self.arms - 1) * self.burn_in
        possible = self.most_patients - others
        if self.most_on_one is not None:
            possible = min(possible, (2 * self.most_on_one + 1 - others) // 2)
        return min(self.largest_count, max(possible, 1))

    @property
    def first_verdict(self) -> int:
        """Outcomes of an arm before it can be judged: the burn-in, or what its outcomes need."""
        return max(self.burn_in, self.outcome.least_count)

    @property
    def target(self) -> float:
        """The threshold on the scale of the limits."""
        return self.outcome.on_limits(self.threshold, self.threshold, 1.0)

    @property
    def mirrored(self) -> "Setting":
        """The setting of the mirrored data: to be good there is to be bad here."""
        outcome = self.outcome
        return replace(
            self, outcome=outcome.mirrored, threshold=outcome.mirrored_target(self.threshold)
        )

    def at(self, error: float) -> "Setting":
        """The same with one rate for both errors: what the limits of one side are made from."""
        return replace(self, errors=ErrorRates.both(error))


@dataclass(frozen=True)
class Curves:
    """An identification criterion: what an arm's outcome sum after n patients decides.

    The arm is declared good if sum >= accept[n] and bad if sum <= reject[n]; where the variance
    of scores is unknown, R = s/sqrt(q) stands in the place of the sum (`bookkeeping`). Where pairs
    are judged by their likelihood, every entry is a row by the responders among the controls.
    The last entry is the last at which an arm can be decided: an arm that gets so
    far without a verdict is closed, undecided. Entry 0 never decides.
    """

    accept: NDArray[Any]
    reject: NDArray[Any]
    only_at_end: bool = False
    """Whether an arm is judged once, when all outcomes are in, however many they are."""

    def without(self, entries: int, outcome: Outcome) -> "Curves":
        """The same curves, but the first so many entries never decide."""
        accept, reject = self.accept.copy(), self.reject.copy()
        before = np.arange(min(entries, len(accept)))
        accept[before], reject[before] = outcome.never(before.astype(float))
        return replace(self, accept=accept, reject=reject)

    def has_limits(self, outcome: Outcome) -> NDArray[np.bool_]:
        """At which n = 0, 1, ... an arm can get a verdict at all."""
        declare, drop = self.can_decide(outcome)
        return np.asarray(declare | drop)

    def can_decide(self, outcome: Outcome) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """At which n = 0, 1, ... an arm can be declared, and dropped."""
        above, below = outcome.never(np.arange(len(self.accept), dtype=float))
        declare, drop = self.accept < above, self.reject > below
        if outcome.by_controls:
            return np.asarray(declare.any(axis=1)), np.asarray(drop.any(axis=1))
        return declare, drop


@dataclass(frozen=True)
class Stages:
    """Curves by the verdicts that were given: accept[j] after j declarations, reject[j] after j
    drops. Without step-down there is one of each. A later stage is never stricter: `nested`."""

    accept: NDArray[Any]
    reject: NDArray[Any]
    only_at_end: bool = False

    @classmethod
    def of(cls, accepting: Sequence[Curves], rejecting: Sequence[Curves]) -> "Stages":
        """The accept curves of some and the reject curves of others, nested.

        Limits that were each calibrated for their own error need not be nested at every n. An
        earlier stage is made as strict as the later ones, never the other way round: that only
        takes from its error.
        """
        accept = np.stack([curves.accept for curves in accepting])
        reject = np.stack([curves.reject for curves in rejecting])
        return cls(
            np.maximum.accumulate(accept[::-1])[::-1].copy(),
            np.minimum.accumulate(reject[::-1])[::-1].copy(),
            accepting[0].only_at_end,
        )

    def at(self, declared: int, dropped: int) -> Curves:
        """The curves after so many declarations and drops."""
        accept = self.accept[min(declared, len(self.accept) - 1)]
        return Curves(accept, self.reject[min(dropped, len(self.reject) - 1)], self.only_at_end)

    @property
    def first(self) -> Curves:
        """The curves before any verdict."""
        return self.at(0, 0)

    @property
    def last(self) -> Curves:
        """The curves that decide most easily: what they do not decide is open at every stage."""
        return self.at(len(self.accept), len(self.reject))

    @property
    def several(self) -> bool:
        """Whether a verdict changes the limits of the other arms."""
        return len(self.accept) > 1 or len(self.reject) > 1

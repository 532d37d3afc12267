"""What a decision rule (an identification criterion) says about itself, once, for every reader."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import Problem
from gai_core.evidence import Curves, DesignPart, ErrorRates, Outcome, Setting

Guarantee = Literal["always", "up to n_max", "simulated", "nothing"]
PROVEN: tuple[Guarantee, ...] = ("always", "up to n_max")
"""Guarantees that a promise, a recommendation or a benchmark may rest on."""
ANY_WRONG = "The chance of any wrong verdict is at most delta"
ANY_FALSE = "The chance of any false declaration is"
BOTH_ERRORS = f"{ANY_FALSE} at most alpha, and that of dropping any good dose at most beta"
EVERY_RULE = "under every allocation rule"
AS_ASSUMED = "if outcomes are as assumed"
ONE_RATE = "rate of the control is the same throughout"
EQUAL_RULE = "equal allocation, with all doses compared with the same controls"
SAME_CONTROLS = f"under {EQUAL_RULE}"
ALWAYS_VALID = "{error}, {rules} and for every sample size, {assumed}."
ASSUMED = (
    "The outcomes of a dose are independent and have one mean throughout the trial; scores are "
    "normal with at most the assumed variance, or with any if it is unknown to the designs.",
    "When an outcome becomes known, and whether, has nothing to do with what it is.",
    "Allocation rule, decision rule, their parameters, looks and the largest sample size were "
    "fixed before the first outcome.",
)
"""What every guarantee rests on: 'outcomes as assumed' in full."""
ASSUMED_OF_PAIRS = (
    "A cohort is allocated before its outcomes; outcomes are independent, and a trend over time "
    "moves all arms alike; scores are normal with at most the assumed variance, or with any if it "
    "is unknown to the designs.",
    "Whether an outcome becomes known has nothing to do with the arm, except by the outcome.",
    *ASSUMED[2:],
)
"""The same where doses are compared with the control of the same cohort."""


def equal_share(setting: Setting, _parameters: Any) -> float:
    """alpha/K (Bonferroni): the error that one arm may make in being declared."""
    return setting.errors.declare / setting.sharing


def _no_problem(_setting: Setting, _parameters: Any) -> None:
    """Any parameters fit any setting."""


def _every_count(setting: Setting, _parameters: Any) -> NDArray[np.float64]:
    """An arm is looked at after each of its patients."""
    return setting.counts[1:]


def _as_it_is(outcome: Outcome, _parameters: Any) -> Outcome:
    """All of a stream, under every course that it may take."""
    return outcome


def _never(_parameters: Any) -> bool:
    """Whatever the parameters are."""
    return False


@dataclass(frozen=True, kw_only=True)
class Criterion(DesignPart):
    """An identification criterion: a setting becomes two curves."""

    guarantee: Guarantee
    promises: str
    """What it promises; `{error}`, `{rules}` and `{assumed}` are said as the study has them."""
    curves: Callable[[Setting, Any], Curves]
    guarantee_by: Callable[[Any], Guarantee] | None = None
    """The guarantee with these parameters, where it depends on them."""
    allowance: Callable[[Setting, Any], float] = equal_share
    """The error that one arm may make in being declared, from alpha."""
    evidence: Callable[[Outcome, Any], Outcome] = _as_it_is
    """What the limits read of a stream, and under which assumptions: whose law their error has."""
    problem: Callable[[Setting, Any], Problem | None] = _no_problem
    """Which parameter does not fit the setting, if one does not."""
    looks: Callable[[Setting, Any], NDArray[np.float64]] = _every_count
    """The numbers of an arm's patients at which it is looked at."""
    once_at_end: Callable[[Any], bool] = _never
    """Whether, with these parameters, every arm is judged once, when it has all its patients."""
    needs_equal: Callable[[Any], bool] = _never
    """Whether, with these parameters, the guarantee is about equal allocation alone."""
    needs_one_rate: Callable[[Any], bool] = _never
    """Whether, with these parameters, the guarantee rests on one rate of the control throughout."""
    shares_patients: Callable[[Any], bool] = _never
    """Whether, with these parameters, arms keep the error together because they share patients."""
    steps_down: Callable[[Any], bool] = _never
    """Whether, with these parameters, a verdict leaves its share of the error to the others."""

    @property
    def guarantee_text(self) -> str:
        """What it promises with usual parameters and one error rate, delta."""
        return self.promises.format(error=ANY_WRONG, rules=EVERY_RULE, assumed=AS_ASSUMED)

    def guarantee_with(self, parameters: Any) -> Guarantee:
        """How far the promise goes with these parameters."""
        return self.guarantee if self.guarantee_by is None else self.guarantee_by(parameters)

    def promise(self, errors: ErrorRates, parameters: Any = None, *, drops: bool = True) -> str:
        """The guarantee in words, with delta as alpha and beta where these differ.

        Without `drops` something else drops doses, and only declarations are spoken of. Without
        `parameters` it is about the usual ones.
        """
        equal = parameters is not None and self.needs_equal(parameters)
        steady = parameters is not None and self.needs_one_rate(parameters)
        if drops:
            error = ANY_WRONG if errors.same else BOTH_ERRORS
        else:
            error = f"{ANY_FALSE} at most {'delta' if errors.same else 'alpha'}"
        return self.promises.format(
            error=error,
            rules=SAME_CONTROLS if equal else EVERY_RULE,
            assumed=f"{AS_ASSUMED} and the {ONE_RATE}" if steady else AS_ASSUMED,
        )

    def allowances(self, setting: Setting, parameters: Any) -> tuple[float, float]:
        """The errors that one arm may make: in being declared, and in being dropped."""
        errors = setting.errors
        both = (setting.at(error) for error in (errors.declare, errors.drop))
        declare, drop = (self.allowance(side, parameters) for side in both)
        return declare, drop

    def curves_of(self, setting: Setting, parameters: Any) -> Curves:
        """The curves as a trial uses them: no verdict before the burn-in ends."""
        return self.curves(setting, parameters).without(setting.first_verdict, setting.outcome)

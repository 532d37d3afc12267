"""What a decision rule (an identification criterion) says about itself, once, for every reader."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from gai_core.basics import Problem
from gai_core.evidence import Curves, DesignPart, Setting

Guarantee = Literal["always", "up to n_max", "nothing"]
ALWAYS_VALID = (
    "The chance of any wrong verdict is at most delta, under every allocation rule "
    "and for every sample size, if outcomes are as assumed."
)
ASSUMED = (
    "The outcomes of a dose are independent and have one mean throughout the trial; scores are "
    "normal with at most the assumed variance.",
    "When an outcome becomes known, and whether, has nothing to do with what it is.",
    "Allocation rule, decision rule, their parameters, looks and the largest sample size were "
    "fixed before the first outcome.",
)
"""What every guarantee rests on: 'outcomes as assumed' in full."""


def equal_share(setting: Setting, _parameters: Any) -> float:
    """delta/K (Bonferroni): the error that one arm may make."""
    return setting.delta / setting.arms


def _no_problem(_setting: Setting, _parameters: Any) -> None:
    """Any parameters fit any setting."""


def _while_it_runs(_parameters: Any) -> bool:
    """Arms are judged while the trial runs."""
    return False


@dataclass(frozen=True, kw_only=True)
class Criterion(DesignPart):
    """An identification criterion: a setting becomes two curves."""

    guarantee: Guarantee
    guarantee_text: str
    curves: Callable[[Setting, Any], Curves]
    allowance: Callable[[Setting, Any], float] = equal_share
    """alpha, the error that one arm may make."""
    problem: Callable[[Setting, Any], Problem | None] = _no_problem
    """Which parameter does not fit the setting, if one does not."""
    once_at_end: Callable[[Any], bool] = _while_it_runs
    """Whether, with these parameters, every arm is judged once, when it has all its patients."""

    def curves_of(self, setting: Setting, parameters: Any) -> Curves:
        """The curves as a trial uses them: no verdict before the burn-in ends."""
        return self.curves(setting, parameters).without(setting.burn_in, setting.outcome)

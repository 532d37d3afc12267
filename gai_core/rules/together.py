"""Rules as one: a loop that is compiled for several rules serves each of them.

A conducted loop takes seconds to compile, and what a rule adds to it is a few lines. So the lines
of all rules of the planner stand in one loop, and numbers say whose are meant: branches that go
the same way for a whole trial. A rule from elsewhere has a loop of its own.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gai_core.basics import jitable
from gai_core.rules.rule import Rule, no_credit

Function = Callable[..., Any]


class RuleNumbers(NamedTuple):
    """Which functions are a rule's, and what is known of it beforehand."""

    summary_number: int
    index_number: int
    credit_number: int
    by_divergence: bool
    """The index is the outcome's own."""
    random: bool
    rising: bool
    in_steps: bool
    counts_waiting: bool
    credited: bool
    """Patients who wait change the score."""
    by_ratio: bool


class Together(NamedTuple):
    """The functions of rules that share a loop, each of them once."""

    summaries: tuple[Function, ...]
    indices: tuple[Function, ...]
    credits: tuple[Function, ...]

    @classmethod
    def of(cls, *rules: Rule) -> "Together":
        """The functions of these rules."""
        parts = [(rule.summary, rule.index, rule.credit) for rule in rules]
        return cls(*(tuple(dict.fromkeys(part)) for part in zip(*parts, strict=True)))

    def numbers(self, rule: Rule) -> RuleNumbers:
        """What a loop of these functions is told of a rule."""
        return RuleNumbers(
            self.summaries.index(rule.summary),
            self.indices.index(rule.index),
            self.credits.index(rule.credit),
            rule.by_divergence,
            rule.varies == "at random",
            rule.varies == "with t",
            rule.varies == "in steps",
            rule.counts_waiting,
            rule.credit is not no_credit,
            rule.by_ratio,
        )


def switch(functions: Sequence[Function]) -> Function:
    """One function of several that take the same: a number before that says which one is meant."""
    first, *others = functions
    if not others:

        @jitable
        def only(_which: int, *given: Any) -> Any:
            return first(*given)

        return only
    rest = switch(others)

    @jitable
    def either(which: int, *given: Any) -> Any:
        if which == 0:
            return first(*given)
        return rest(which - 1, *given)

    return either

"""Rules as one: a loop that is compiled for several rules serves each of them.

A conducted loop takes seconds to compile, and what a rule adds to it is a few lines. So the lines
of all rules of the planner stand in one loop, and numbers say whose are meant: branches that go
the same way for a whole trial. A rule from elsewhere has a loop of its own.
"""

import functools
from collections.abc import Callable
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


@functools.cache
def switch(functions: tuple[Function, ...]) -> Function:
    """One function of several that take the same: a number before that says which one is meant."""
    first, *others = functions
    if not others:

        @jitable
        def only(_which: int, *given: Any) -> Any:
            return first(*given)

        return _known_here(only, functions)
    rest = switch(tuple(others))

    @jitable
    def either(which: int, *given: Any) -> Any:
        if which == 0:
            return first(*given)
        return rest(which - 1, *given)

    return _known_here(either, functions)


def _known_here(function: Function, functions: tuple[Function, ...]) -> Function:
    """The function under a name of this module.

    Compiled code is kept under a hash of what a loop closes over, and a function that no module
    knows by name is hashed by its content, which is not the same in every process.
    """
    names = (f"{one.__module__}_{one.__qualname__}" for one in functions)
    name = "_or_".join(names).replace(".", "_")
    function.__name__ = function.__qualname__ = name
    globals()[name] = function
    return function

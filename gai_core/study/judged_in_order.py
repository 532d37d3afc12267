"""Doses in order: declared from the highest down, dropped from the lowest up, at the full rates.

A design with `order = "increasing"` tests every dose at the whole of alpha and of beta. A dose that
has crossed its limit is *found* good, or bad, for good: it gets no more patients. It is declared
when all higher doses are declared, too, and dropped when all lower ones are dropped.

Proof. Let h be the highest bad dose. Whenever a bad dose is declared, so is h, which then has
crossed its limit: a chance of at most alpha, for one dose instead of K. Likewise a good dose is
dropped only if the lowest good one is found bad: at most beta. That findings are remembered changes
nothing, as a limit bounds the chance to cross it ever; nor does allocation, delay or stopping.

Neither rate needs the order to be right. What rests on it is the chance to find good doses: a bad
dose above a good one has to be declared, wrongly, before that can be. With one delta for any wrong
verdict each side has a half of it, as either dose may err.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from gai_core.basics import Place, Problem
from gai_core.criteria import CRITERIA
from gai_core.evidence import ErrorRates

if TYPE_CHECKING:
    from gai_core.study.parts import Design, Truth
    from gai_core.study.study import Study

EQUAL_SHARES = ("bonferroni", "sidak")
"""Shares of the error that are the whole of it where one dose is tested at a time."""
IN_ORDER = (
    "Doses are judged in order, declared from the highest down and dropped from the lowest up, so "
    "that they do not share the error rates. These hold for every dose-response; that good doses "
    "are found rests on the assumption that responses do not fall with the dose."
)


def rates_in_order(design: "Design", errors: ErrorRates) -> ErrorRates:
    """What either side of a design in order may err: of one delta for both, a half.

    All of it where nothing is promised of what drops doses, or nothing does.
    """
    dropping = CRITERIA.get(design.futility or design.criterion)
    if not errors.same or dropping is None or dropping.guarantee == "nothing":
        return errors
    return ErrorRates.both(errors.declare / 2)


def order_problems(study: "Study", place: Place, design: "Design") -> Iterator[Problem]:
    """Doses that are not listed from the lowest to the highest, or an error that is shared."""
    if design.order is None:
        return
    own = (*place, "order")
    doses = [(study.arms[i].label, study.arms[i].dose) for i in study.candidates]
    for (low, before), (high, after) in pairwise(doses):
        if before is not None and after is not None and after <= before:
            rule = "needs arms that are listed from the lowest to the highest dose"
            yield Problem(own, rule, f"{high} ({after:g}) comes after {low} ({before:g})")
            return
    for part in ("criterion", "futility"):
        given = getattr(design, f"{part}_parameters")
        share = given.get("share", EQUAL_SHARES[0])
        if share not in EQUAL_SHARES:
            rule = "must be left out where doses are judged in order, each at the full rate"
            yield Problem((*place, f"{part}_parameters", "share"), rule, f"is {share!r}")


def best_below_the_top(study: "Study", truth: "Truth") -> int | None:
    """The dose with the largest mean, if it meets the target and responses fall after it."""
    expected, candidates = study.expected(truth), study.candidates
    best = max(candidates, key=lambda arm: (expected[arm], arm))
    return best if study.good(truth)[best] and best != candidates[-1] else None

"""What is kept of an arm's outcomes, and how a verdict and a rule read it: compiled into the loops.

The state of a stream after n outcomes is their sum s and, where a kind needs it, a second number q:
the sum of their squared distances from the target xi, or the responders among the controls of a
dose's pairs. Elsewhere q stays 0 and costs nothing. A kind of stream brings a `Bookkeeping` of its
own; the loops know nothing else about it. The limits after n outcomes are two numbers, or two rows
of numbers by q.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from gai_core.basics import jitable
from gai_core.evidence.verdicts import BAD, GOOD, UNDECIDED

Function = Callable[..., Any]


@jitable
def nothing_pooled(n: int, both: float, u: float) -> tuple[float, float]:
    """Sums of pairs tell nothing."""
    return 0.0, both


class Bookkeeping(NamedTuple):
    """The functions of a kind of stream that are compiled into the loops."""

    squares: bool
    """Whether q is kept."""
    add: Function
    """(q, x, y, xi) -> q after the outcome x; y is the control's of a pair, else 0."""
    beyond: Function
    """(n, s, q, xi, accept, reject) -> whether there is a verdict, given both limits at n."""
    judge: Function
    """The same -> the verdict."""
    scales: Function
    """(n, s, q, xi, scale) -> what a rule takes for the standard deviation of an outcome, and in
    which unit its tables are."""
    pools: bool = False
    """Whether the sums x + y of pairs tell the variance too:"""
    add_both: Function = nothing_pooled
    """(n, their sum over the pairs before, that of the n-th) -> what is added to q, and the new
    sum, which the loop keeps beside the state."""


@jitable
def add_nothing(q: float, x: float, y: float, xi: float) -> float:
    """q is not kept."""
    return q


@jitable
def sum_beyond(n: int, s: float, q: float, xi: float, accept: float, reject: float) -> bool:
    """Whether the sum is at one of its limits, or beyond."""
    return s >= accept or s <= reject


@jitable
def judge_sum(n: int, s: float, q: float, xi: float, accept: float, reject: float) -> int:
    """The verdict on an outcome sum, given the two curves at its number of patients."""
    if s >= accept:
        return GOOD
    return BAD if s <= reject else UNDECIDED


@jitable
def known_scales(n: int, s: float, q: float, xi: float, scale: float) -> tuple[float, float]:
    """The standard deviation at xi, and tables that are right as they are."""
    return scale, 1.0


SUMS = Bookkeeping(False, add_nothing, sum_beyond, judge_sum, known_scales)
"""Limits on the outcome sum, for outcomes whose spread is known."""


@jitable
def add_square(q: float, x: float, y: float, xi: float) -> float:
    """q + (x - xi)^2."""
    return q + (x - xi) * (x - xi)


@jitable
def ratio_beyond(n: int, s: float, q: float, xi: float, accept: float, reject: float) -> bool:
    """Whether R = (s - n xi)/sqrt(q) is beyond one of its limits.

    Signed squares are compared: no root, no division. Without any distance from xi (q = 0)
    nothing is beyond a limit.
    """
    about = s - n * xi
    squared = about * abs(about)
    return squared > accept * abs(accept) * q or squared < reject * abs(reject) * q


@jitable
def judge_ratio(n: int, s: float, q: float, xi: float, accept: float, reject: float) -> int:
    """The verdict on R = (s - n xi)/sqrt(q)."""
    about = s - n * xi
    squared = about * abs(about)
    if squared > accept * abs(accept) * q:
        return GOOD
    return BAD if squared < reject * abs(reject) * q else UNDECIDED


@jitable
def running_scales(n: int, s: float, q: float, xi: float, scale: float) -> tuple[float, float]:
    """The running standard deviation, twice: sd^2 = (q - about^2/n + q/n)/n, about = s - n xi.

    q - about^2/n is the sum of squares about the mean. One more outcome is counted, q/n, that is
    as far from the mean as outcomes are from xi: so there is a standard deviation from the first
    outcome on, whatever the unit, and with many outcomes it is the usual one.
    """
    about = s - n * xi
    squares = q * (n + 1.0) - about * about
    spread = math.sqrt(squares) / n if squares > 0.0 else 1.0
    return spread, spread


SUMS_AND_SQUARES = SUMS._replace(squares=True, add=add_square)
"""The same; q is kept for those who estimate how much outcomes spread."""

RATIOS = Bookkeeping(True, add_square, ratio_beyond, judge_ratio, running_scales)
"""Limits on R = s/sqrt(q), for scores whose variance nobody knows."""


@jitable
def add_pooled(n: int, both: float, u: float) -> tuple[float, float]:
    """(n-1)/n (u - mean of those before)^2, by which the squares about the mean of x + y grow."""
    if n == 1:
        return 0.0, u
    apart = u - both / (n - 1)
    return apart * apart * (n - 1) / n, both + u


@jitable
def pooled_scales(n: int, s: float, q: float, xi: float, scale: float) -> tuple[float, float]:
    """The running standard deviation, twice: sd^2 = (q - about^2/n + q/N)/N, N = 2n - 1.

    q has N squares: those of the differences about xi, and n - 1 of sums x + y about their mean.
    """
    about, squares = s - n * xi, 2.0 * n - 1.0
    rest = q * (1.0 + 1.0 / squares) - about * about / n
    spread = math.sqrt(rest / squares) if rest > 0.0 else 1.0
    return spread, spread


POOLED_RATIOS = RATIOS._replace(scales=pooled_scales, pools=True, add_both=add_pooled)
"""The same where the sums of the two scores of a pair tell the variance beside their difference."""


@jitable
def add_control(q: float, x: float, y: float, xi: float) -> float:
    """q + y: one more responder among the controls, or not."""
    return q + y


@jitable
def row_beyond(n: int, s: float, q: float, xi: float, accept: Any, reject: Any) -> bool:
    """Whether the sum is at one of its limits for q responders among the controls, or beyond."""
    controls = int(q)
    return bool(s >= accept[controls] or s <= reject[controls])


@jitable
def judge_row(n: int, s: float, q: float, xi: float, accept: Any, reject: Any) -> int:
    """The verdict on a sum of differences, given q responders among the controls."""
    controls = int(q)
    if s >= accept[controls]:
        return GOOD
    return BAD if s <= reject[controls] else UNDECIDED


BY_CONTROLS = Bookkeeping(True, add_control, row_beyond, judge_row, known_scales)
"""Limits on the sum of differences, by the responders among the controls."""

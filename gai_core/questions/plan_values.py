"""Values that a planned field may take, and the search for the first that does enough.

n_max, delta and alpha are searched by doubling and bisection: on the same patients more of
either only helps, up to small steps back where curves are calibrated anew. So the
values just below an answer are tried too, and a smaller one that does enough becomes
the answer. A correct list can be lost again, to errors that become frequent: where
bisection finds none and the values are not too many, they are tried one by one. So are
those of beta, burn_in and looks, which may help or harm.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from gai_core.basics import Argument, InputError, Problem, shown, suggestion
from gai_core.study import (
    LARGEST_N_MAX,
    Design,
    Grid,
    Number,
    Study,
    narrowed,
    numbers_at,
    parse_variation,
    varied,
)

NEIGHBOURS = 10
"""Values below an answer of a bisection that are tried as well; so many per arm where the curves
are calibrated for n_max: with one look, a chance goes up and down with the arm's patients."""
MOST_TRIED = 1_000
"""Values that are tried one by one."""
DIGITS = 2
"""Significant digits of a delta."""

Holds = Callable[[int], bool]
"""Whether the value at a position does enough."""


@dataclass(frozen=True)
class Solvable:
    """A field that can be solved for: in words, and whether more of it only helps."""

    words: str
    head: str
    """For the head of a column."""
    helps: bool


SOLVABLE = {
    "n_max": Solvable("the smallest sample size", "sample size", True),
    "delta": Solvable("the error rate", "error rate", True),
    "errors.declare": Solvable("the error rate of declaring (alpha)", "rate of declaring", True),
    "errors.drop": Solvable("the error rate of dropping (beta)", "rate of dropping", False),
    "burn_in": Solvable("the burn-in", "burn-in", False),
    "looks": Solvable("the patients of an arm between two looks", "patients between looks", False),
}
RATES = "delta", "errors.declare", "errors.drop"
"""Fields that are error rates. A larger beta drops doses sooner, which may help or harm."""
DECLARING = "delta", "errors.declare"
"""Those that bound false declarations, on which what is reachable depends."""
SMALLEST_DELTA, LARGEST_DELTA = 0.0001, 0.5
"""Error rates that anybody would plan with."""


def solvable(field: str) -> Solvable:
    """What is known of a field that is to be solved for."""
    if field not in SOLVABLE:
        rule, remedy = f"{shown(field)} cannot be solved for", suggestion(field, SOLVABLE)
        raise InputError(Problem((Argument("solve"),), rule, remedy=remedy, whole=True))
    return SOLVABLE[field]


def parse_among(study: Study, field: str, text: str) -> tuple[Number, Number]:
    """`LOW:HIGH` as two values of the field."""
    low, colon, high = text.partition(":")
    if not colon or ":" in high:
        raise InputError(Problem((Argument("among"),), "must be LOW:HIGH", f"is {shown(text)}"))
    values = parse_variation(study, f"{field}={low},{high}", "among").values
    if values[0] >= values[1]:
        source = (Argument("among"),), f" {text}"
        raise InputError("the first value must be the smaller one", source=source)
    return values[0], values[1]


def candidates(
    study: Study, design: Design, field: str, among: tuple[Number, Number] | None
) -> Sequence[Number]:
    """The values to choose from, smallest first; `study` has this one design."""
    known = solvable(field)
    if among is not None:
        for value in among:
            varied(study, {field: value}, "among")  # an error says why it cannot be
        low, high = among
    else:
        low, high = _usual(study, field)
    values = decimals(low, high) if field in RATES else range(int(low), int(high) + 1)
    if not known.helps and len(values) > MOST_TRIED:
        rule = (
            f"{design.name} has {len(values):,} values from {low:,} to {high:,}, and at most "
            f"{MOST_TRIED:,} are tried one by one"
        )
        narrower = "narrow them with ", (Argument("among"),), " LOW:HIGH"
        problem = Problem((), rule, remedy=narrower)
        raise InputError(problem, source=((Argument("solve"),), f" {field}"))
    return values


def decimals(low: float, high: float) -> list[float]:
    """Numbers of two significant digits from low to high, and these two."""
    first, last = Decimal(repr(float(low))), Decimal(repr(float(high)))
    values = {first, last}
    for exponent in range(first.adjusted(), last.adjusted() + 1):
        unit = Decimal(1).scaleb(exponent - DIGITS + 1)
        values |= {count * unit for count in range(10 ** (DIGITS - 1), 10**DIGITS)}
    return [float(value) for value in sorted(values) if first <= value <= last]


def _usual(study: Study, field: str) -> tuple[Number, Number]:
    """The default range: all values around the study's own that its design allows."""
    if field in RATES:
        return SMALLEST_DELTA, _largest_rate(study, field)
    settings, grid = study.simulation, Grid(study, [field], "solve")
    last = {"n_max": LARGEST_N_MAX, "burn_in": settings.n_max // len(study.arms)}

    def valid(value: int) -> bool:
        try:
            grid.study({field: value})
        except InputError:
            return False
        return True

    own = next(int(value) for _, value in numbers_at(study, field, "solve"))
    high = last.get(field, settings.n_max)
    if field == "n_max" and not valid(high):  # too many to calibrate for: as many as are quick
        high = max(own, study.outcome.largest_calibration)
    return _edge(valid, own, 1), _edge(valid, own, high)


def _largest_rate(study: Study, field: str) -> float:
    """The two rates must add up to less than 1."""
    declare, drop = study.error_rates.declare, study.error_rates.drop
    if field == "delta":
        return LARGEST_DELTA
    own, other = (declare, drop) if field == "errors.declare" else (drop, declare)
    return max(own, min(LARGEST_DELTA, round(0.99 - other, 2)))


def _edge(valid: Callable[[int], bool], good: int, end: int) -> int:
    """The last valid value on the way from a valid one to another."""
    if valid(end):
        return end
    while abs(end - good) > 1:
        middle = (good + end) // 2
        good, end = (middle, end) if valid(middle) else (good, middle)
    return good


def first_by_trying(holds: Holds, first: int, last: int) -> int | None:
    """The first position from `first` on at which it holds, each being tried."""
    step = 1 if last >= first else -1
    return next((i for i in range(first, last + step, step) if holds(i)), None)


def first_by_bisection(holds: Holds, first: int, last: int) -> int | None:
    """The first position at which it holds, if it goes on holding from there."""
    if holds(first):
        return first
    low, step = first, 1
    while not holds(high := min(first + step, last)):
        if high == last:
            return None
        low, step = high, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def smallest_around(holds: Holds, first: int, found: int, neighbours: int) -> int:
    """The smallest position at which it holds, going down while one of the neighbours does."""
    while True:
        below = range(max(first, found - neighbours), found)
        smaller = next((i for i in below if holds(i)), None)
        if smaller is None:
            return found
        found = smaller


def position(values: Sequence[Number], least: float) -> int:
    """The position of the first value that is at least so large; len(values) if none is."""
    if isinstance(values, range):
        return (
            0 if least <= values[0] else min(math.ceil(min(least, 1e15)) - values[0], len(values))
        )
    return next((i for i, value in enumerate(values) if value >= least), len(values))


def one_design(study: Study, design: Design, truths: Sequence[str]) -> Study:
    """The study with one design and the listed truths."""
    return narrowed(study, truths, [design.name])

"""The search for one design's plan: every value is simulated once, and what was seen is kept."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gai_core.basics import Argument, InputError, Problem
from gai_core.engine import Runs, patients_at_most
from gai_core.questions.plan_values import (
    DECLARING,
    MOST_TRIED,
    NEIGHBOURS,
    RATES,
    Holds,
    candidates,
    first_by_bisection,
    first_by_trying,
    one_design,
    position,
    smallest_around,
    solvable,
)
from gai_core.results import (
    Quantity,
    judged,
    quantities_of,
    share_interval,
    why_not_there,
    wishes,
)
from gai_core.study import Design, Grid, Number, Study, numbers_at
from gai_core.theory import least_delta, least_n_max

MOST_PATIENTS = 10**11
"""Simulated patients of one try at most."""


@dataclass(frozen=True)
class Wish:
    """A chance to be reached."""

    quantity: str
    chance: float

    @property
    def in_words(self) -> str:
        """A chance of 80% that a good dose is declared."""
        return f"a chance of {100 * self.chance:g}% that {self.event}"

    @property
    def event(self) -> str:
        """What is to happen, in words."""
        return wishes()[self.quantity].wish


@dataclass(frozen=True)
class Estimate:
    """A simulated chance under a truth, with Wilson's 95% interval."""

    truth: str
    chance: float
    low: float
    high: float


@dataclass(frozen=True)
class Plan:
    """The answer for one design, or why there is none."""

    design: str
    field: str
    wish: Wish
    value: Number | None = None
    """The smallest (or largest) value whose simulated chance reaches the wish."""
    at: tuple[Estimate, ...] = ()
    """The chances there, per truth."""
    next_value: Number | None = None
    """The value beside it that does not reach the wish; None at the end of the range."""
    at_next: tuple[Estimate, ...] = ()
    may: Number | None = None
    """The first value that may reach the wish, considering the Monte Carlo error."""
    sure: Number | None = None
    """The first value that surely reaches the wish; None where none tried does."""
    fails_again: Number | None = None
    """The largest value tried that lies beyond the answer and does not reach the wish, if any."""
    tries: int = 0
    why_not: str = ""
    applies: bool = True
    """Whether the design depends on the field at all."""

    @property
    def certain(self) -> bool:
        """Whether more trials could not change the answer, at 95%."""
        return self.value is not None and self.may == self.value == self.sure


def _silent(_tries: int) -> None:
    """Report nothing."""


class Search:
    """The search for one design; every value is simulated once."""

    def __init__(
        self,
        study: Study,
        design: Design,
        truths: Sequence[str],
        wish: Wish,
        field: str,
        among: tuple[Number, Number] | None,
        run: Callable[[Study], Runs],
        most_patients: int = MOST_PATIENTS,
    ) -> None:
        self._study = one_design(study, design, truths)
        self._design, self._wish, self._field, self._run = design, wish, field, run
        self._quantity = wished_quantity(study, wish.quantity)
        self._helps = solvable(field).helps
        self._seen: dict[int, tuple[Estimate, ...]] = {}
        self.report: Callable[[int], None] = _silent
        self._values: Sequence[Number] = ()
        self._why_not = ""
        self.applies = field != "looks" or _has_looks(self._study)
        if not self.applies:
            self._why_not = f"{design.name} has no looks after every so many patients"
            return
        self._values = candidates(self._study, design, field, among)
        self._grid = Grid(self._study, [field], "solve")
        last = self._at(len(self._values) - 1)
        self.applies = field not in RATES or _depends_on_rate(self._at(0), last)
        if not self.applies:
            self._why_not = f"neither its limits nor its allocation depend on {field}"
            return
        most = patients_at_most(last)
        if most > most_patients:
            rule = (
                f"one try could need {most:.2g} simulated patients, and at most "
                f"{most_patients:.2g} are allowed"
            )
            smaller = "choose fewer runs, or a smaller ", (Argument("among"),), " LOW:HIGH"
            problem = Problem((), rule, remedy=smaller)
            raise InputError(problem, source=((Argument("solve"),), f" {field}"))

    def answer(self, largest: bool) -> Plan:
        """The plan, or why there is none."""
        start = 0 if self._why_not else self._possible_from()
        if self._why_not:
            return self._none(self._why_not)
        last = len(self._values) - 1
        first, last = (last, start) if largest else (start, last)
        reached = self._all(lambda e: e.chance >= self._wish.chance)
        found = self._first(reached, first, last)
        if found is not None and self._helps:
            found = smallest_around(reached, first, found, self._neighbours())
        if found is None:
            return self._none(self._not_reached(last if not largest else first))
        sure = self._first(self._all(lambda e: e.low >= self._wish.chance), found, last)
        may = self._first(self._all(lambda e: e.high >= self._wish.chance), first, found)
        beside = found + (1 if largest else -1)
        failing = [i for i in self._seen if i > found and not reached(i)] if self._helps else []
        known = beside in range(min(first, last), max(first, last) + 1)
        return Plan(
            self._design.name,
            self._field,
            self._wish,
            value=self._values[found],
            at=self._estimates(found),
            next_value=self._values[beside] if known else None,
            at_next=self._estimates(beside) if known else (),
            may=None if may is None else self._values[may],
            sure=None if sure is None else self._values[sure],
            fails_again=self._values[max(failing)] if failing else None,
            tries=len(self._seen),
        )

    def _neighbours(self) -> int:
        calibrated = self._design.guarantee == "up to n_max"
        return NEIGHBOURS * len(self._study.arms) if calibrated else NEIGHBOURS

    def _none(self, why_not: str) -> Plan:
        return Plan(
            self._design.name,
            self._field,
            self._wish,
            tries=len(self._seen),
            why_not=why_not,
            applies=self.applies,
        )

    def _all(self, enough: Callable[[Estimate], bool]) -> Holds:
        """Whether the chances under all truths are enough."""
        return lambda i: all(enough(estimate) for estimate in self._estimates(i))

    def _first(self, holds: Holds, first: int, last: int) -> int | None:
        """The first position at which it holds."""
        if not self._helps:
            return first_by_trying(holds, first, last)
        found = first_by_bisection(holds, first, last)
        # A list is less often correct where errors are frequent: it may hold in between only.
        between = not self._quantity.rises and last - first < MOST_TRIED
        return first_by_trying(holds, first, last) if found is None and between else found

    def _estimates(self, i: int) -> tuple[Estimate, ...]:
        if i not in self._seen:
            self._seen[i] = estimates(self._run(self._at(i)), self._wish.quantity)
            self.report(len(self._seen))
        return self._seen[i]

    def _at(self, i: int) -> Study:
        return self._grid.study({self._field: self._values[i]})

    def _possible_from(self) -> int:
        """The first position that the lower bounds leave open; says why where none is."""
        each = self._quantity.patients_per_evidence
        if each is None or not self._design.proven:
            return 0
        wish, least = self._wish, least_delta if self._field in DECLARING else least_n_max
        limits = {
            truth.name: least(self._study, truth, each, wish.chance) for truth in self._study.truths
        }
        hardest = max(limits, key=lambda name: limits[name])
        if self._field == "n_max" or self._field in DECLARING:
            start = position(self._values, limits[hardest])
            unreachable = start == len(self._values)
            most = self._values[-1]
        else:
            start, most = 0, self._study.simulation.n_max
            unreachable = most < limits[hardest]
        if unreachable:
            self._why_not = self._beyond(hardest, limits[hardest], most)
        return start

    def _beyond(self, truth: str, limit: float, most: Number) -> str:
        wish = self._wish.in_words
        if self._field in DECLARING:
            return (
                f"cannot be reached, because the lower bound is {limit:.2g}: under “{truth}” no "
                f"design with {self._study.simulation.n_max:,} patients and a smaller error rate "
                f"reaches {wish}, and {most:g} is the largest one tried"
            )
        if math.isinf(limit):
            why = "no dose is above the target"
            if self._study.above(self._study.truth(truth)):
                why = "a dose lies exactly at the target, which no number of patients can settle"
            return f"cannot be reached, because the lower bound is infinite: under “{truth}” {why}"
        return (
            f"cannot be reached, because the lower bound is {math.ceil(limit):,}: under “{truth}” "
            f"no design that keeps {self._kept()} and has fewer patients reaches {wish}, and n_max "
            f"is at most {most:,}"
        )

    def _kept(self) -> str:
        """The error rate on which what is reachable depends."""
        errors = self._study.error_rates
        return f"{'an error rate' if errors.same else 'an alpha'} of {errors.declare:g}"

    def _not_reached(self, end: int) -> str:
        """What was seen at the end of the range, or at its best."""
        i = end
        if not self._helps or not self._quantity.rises:
            i = max(self._seen, key=lambda j: min(e.chance for e in self._seen[j]))
        worst = min(self._estimates(i), key=lambda estimate: estimate.chance)
        return (
            f"not reached from {self._values[0]:,} to {self._values[-1]:,}: with {self._field} = "
            f"{self._values[i]:,} the chance that {self._wish.event} is "
            f"{100 * worst.chance:.1f}% (95%: {100 * worst.low:.1f} to {100 * worst.high:.1f}) "
            f"under “{worst.truth}”"
        )


def _depends_on_rate(low: Study, high: Study) -> bool:
    """Whether a design's limits or its allocation are others with the largest rate tried.

    Where every bound is proven, they are: that is not computed.
    """
    design = low.designs[0]
    if design.proven and design.decision.bounds_dropping:
        return True
    ends = []
    for study in (low, high):
        (sized,) = study.designs
        stages, tables = study.stages(sized), study.tables(sized)
        ends.append((stages.accept, stages.reject, tables.of_n, tables.of_t))
    return not all(itertools.starmap(np.array_equal, zip(*ends, strict=True)))


def _has_looks(study: Study) -> bool:
    """Whether the design looks after every so many patients: neither at the end nor at a list."""
    try:
        return all(steps[-1] == "looks" for steps, _ in numbers_at(study, "looks"))
    except InputError:
        return False


def wished_quantity(study: Study, quantity: str) -> Quantity:
    """What is wished for; refused where the study does not have it."""
    known = quantities_of(study)
    if quantity not in known:
        rule = why_not_there(study, quantity)
        raise InputError(Problem((Argument("want"),), rule, whole=True))
    return known[quantity]


def estimates(runs: Runs, quantity: str) -> tuple[Estimate, ...]:
    """The chance of a quantity under every truth of runs of one design."""
    study, found = runs.study, []
    chance = wished_quantity(study, quantity)
    for truth in study.truths:
        happened = chance.value(judged(runs, truth.name, study.designs[0].name))
        low, high = share_interval(np.array([happened.sum()]), happened.size)
        found.append(Estimate(truth.name, float(happened.mean()), float(low[0]), float(high[0])))
    return tuple(found)

"""The last candidates of a search: their n_max settled on many trials, and all judged afresh."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from gai_core.basics import checked_threads, finished, own_threads
from gai_core.engine import Runs, Work
from gai_core.questions.comparing import fresh_seed
from gai_core.questions.design_race import AS_GOOD, frontier
from gai_core.questions.design_sizes import Sizing
from gai_core.questions.design_trials import Aim, Worth, averaged, sized
from gai_core.questions.plan_search import Plan
from gai_core.study import changed, narrowed

BEST = "Best found"
MOST_FINALISTS = 5
"""The best of the last round, of which the winner is chosen."""
MOST_ON_FRONTIER = 5


def promising(last: Sequence[Worth]) -> list[Worth]:
    """The best few of the last round, and those that trade patients for a smaller n_max."""
    others = [one for one in frontier(last) if one not in last[:MOST_FINALISTS]]
    return [*last[:MOST_FINALISTS], *spread(others, MOST_ON_FRONTIER)]


def spread(found: Sequence[Worth], most: int) -> list[Worth]:
    """At most so many, over the whole of them."""
    if len(found) <= most:
        return list(found)
    return [found[round(i * (len(found) - 1) / (most - 1))] for i in range(most)]


@dataclass(frozen=True)
class Sized:
    """A candidate with its n_max, and what it costs there on the trials of the search."""

    worth: Worth
    plan: Plan
    cost: float
    enrolled: float

    @classmethod
    def of(cls, aim: Aim, runs: int, work: Work, worth: Worth) -> "Sized":
        """Settle the n_max of a candidate."""
        sizing = Sizing(aim, worth.candidate, work, runs)
        plan = sizing.answer("", worth.n_max)
        if plan.value is None:
            return cls(worth, plan, math.inf, math.inf)
        there = averaged(aim, worth.candidate, sizing.tried[int(plan.value)], work)
        cost = float(plan.value) if aim.minimise == "largest" else float(there.per_trial.mean())
        return cls(worth, plan, cost, there.enrolled)


def with_names(found: Sequence[Sized]) -> dict[str, Sized]:
    """The best, and those with a smaller n_max that no other beats, by names."""
    able = sorted((one for one in found if one.plan.value is not None), key=lambda one: one.cost)
    if not able:
        return {}
    equal = [one for one in able if one.cost <= AS_GOOD * able[0].cost]
    best = min(equal, key=_size)
    kept, smallest = [best], _size(best)
    for one in sorted(able, key=lambda one: (one.enrolled, _size(one))):
        if _size(one) < smallest:
            kept.append(one)
            smallest = _size(one)
    return {BEST if i == 1 else f"Found {i}": one for i, one in enumerate(kept, 1)}


def _size(one: Sized) -> int:
    assert one.plan.value is not None
    return int(one.plan.value)


Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


def each_alone(
    answer: Callable[[Aim, int, Work, Asked], Answer],
    aim: Aim,
    asked: Sequence[Asked],
    runs: int,
    work: Work,
) -> list[Answer]:
    """The answers in order, as many at once as there are threads."""
    alone = replace(work, threads=1, progress=None)
    found: dict[int, Answer] = {}

    def one(i: int) -> tuple[int, Answer]:
        return i, answer(aim, runs, alone, asked[i])

    threads = work.workers.count if work.workers else checked_threads(work.threads)
    with own_threads(threads) as pool:
        for i, value in finished((partial(one, i) for i in range(len(asked))), pool, work.cancel):
            found[i] = value
            if work.progress is not None:
                work.progress(len(found), len(asked))
    return [found[i] for i in range(len(asked))]


def afresh(aim: Aim, runs: int, work: Work, named: tuple[str, Sized]) -> Runs:
    """Trials that the search has not seen, under all truths, of one design by its name."""
    name, one = named
    truths = [truth.name for truth in aim.study.truths]
    made = sized(aim, one.worth.candidate, _size(one), runs, truths)
    design = one.worth.candidate.design(name)
    study = narrowed(made.model_copy(update={"designs": (design,)}), truths, [name])
    return work.simulate(changed(study, seed=fresh_seed(aim.study)))

"""The search for the best candidate: a race on common patients, generation by generation.

Every generation begins with the leader, the best candidate so far. Its children are all candidates
that differ from it in one value, and further ones sampled around the best few, so that two changes
that help only together are found too. All are simulated on few trials. Those that a paired
comparison with the leader does not show to be worse, the best of them, go on to more trials, and
the best there leads the next generation. The race ends when generations bring nothing better.
The best of all then run on still more trials, and the best there wins.

A mixed space of choices and numbers with a noisy objective is what ready-made optimisers are
least good at; what makes this one quick is that candidates share their patients.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gai_core.engine import Work
from gai_core.questions.design_candidate import Candidate
from gai_core.questions.design_space import PARTS, Space
from gai_core.questions.design_trials import Aim, Worth, all_worth

WORSE = 2.33
"""Standard errors by which a candidate must be worse to be dropped: one in a hundred by chance."""
NEAR, NEAREST = 0.6, 0.004
"""So near must a chance come to the wish: times 1/sqrt(trials), about two standard errors."""
AS_GOOD = 1.005
"""In the end costs up to this times the smallest count as equal, and the smaller n_max decides."""
SAMPLED = 0.2
"""Chance with which a sampled child differs from its parent on an axis."""
STEPS = 0.5
"""Share of a generation that may be one step from the leader; the others are sampled."""
BETTER = 0.999
"""A leader must need less than this times the patients of the one before to count as progress."""


@dataclass(frozen=True)
class Effort:
    """How long is searched: numbers of trials, candidates and generations."""

    few: int = 400
    """Trials of every candidate."""
    more: int = 2_000
    """Trials of those that go on."""
    many: int = 8_000
    """Trials of the last round."""
    children: int = 100
    """New candidates of a generation at most."""
    parents: int = 4
    """Candidates around which children are sampled."""
    go_on: int = 8
    """Candidates of a generation that go on to more trials."""
    on_frontier: int = 2
    """Further ones that go on because they trade a smaller n_max for patients."""
    generations: int = 10
    patience: int = 3
    """Generations without progress after which the race ends."""
    last: int = 12
    """Candidates of the last round."""

    @property
    def nears(self) -> dict[int, float]:
        """How near the chance must come to the wish, for every number of trials."""
        every = self.few, self.more, self.many
        return {runs: max(NEAR / math.sqrt(runs), NEAREST) for runs in every}


USUAL_EFFORT = Effort()
QUICK_EFFORT = Effort(few=250, more=1_000, many=4_000, children=30, generations=3, last=6)
THOROUGH_EFFORT = Effort(few=800, more=4_000, many=16_000, children=160, generations=25, last=20)
EFFORTS = {"quick": QUICK_EFFORT, "usual": USUAL_EFFORT, "thorough": THOROUGH_EFFORT}

Tell = Callable[[Worth, int], None]
"""Called with the best so far, and how many candidates were tried."""


class Race:
    """The candidates that were tried, what each is worth, and who leads."""

    def __init__(self, aim: Aim, space: Space, effort: Effort, work: Work) -> None:
        self._aim, self._space, self._effort = aim, space, effort
        self._work = replace(work, progress=None)
        self._progress = work.progress
        self._draw = np.random.default_rng(aim.study.simulation.seed)
        self.few: dict[Candidate, Worth] = {}
        self.more: dict[Candidate, Worth] = {}
        self._done = 0

    @property
    def size(self) -> int:
        """Candidates tried."""
        return len(self.few)

    def run(self, starts: Sequence[Candidate], tell: Tell | None = None) -> list[Worth]:
        """The best candidates on many trials, the best one first; nobody where none reaches it.

        While none reaches the wish, the one that comes nearest to it leads.
        """
        self._try(self.few, ((start, self._aim.limit / 2) for start in starts))
        leader = self._go_on(starts)
        idle = 0
        for _ in range(self._effort.generations):
            if idle >= self._effort.patience:
                break
            if tell is not None and leader.reaches:
                tell(leader, self.size)
            children = self._children(leader)
            self._try(self.few, children)
            found = self._go_on([child for child, _ in children], leader)
            idle = idle + 1 if _standing(found) >= _standing(leader, BETTER) else 0
            leader = found
        return self._last_round()

    def _report(self) -> None:
        """One more was simulated; of as many as there may be."""
        effort = self._effort
        self._done += 1
        whole = (effort.generations + 1) * (effort.children + effort.go_on) + 2 * effort.last
        if self._progress is not None:
            self._progress(min(self._done, whole), whole)

    def _try(self, known: dict[Candidate, Worth], asked: Iterable[tuple[Candidate, float]]) -> None:
        """Simulate those that were not yet."""
        runs = self._effort.few if known is self.few else self._effort.more
        new = [(candidate, guess) for candidate, guess in asked if candidate not in known]
        found = all_worth(self._aim, new, runs, self._effort.nears[runs], self._work, self._report)
        known.update({one.candidate: one for one in found})

    def _go_on(self, new: Sequence[Candidate], leader: Worth | None = None) -> Worth:
        """The leader after the most promising of the new ones had more trials."""
        able = [self.few[candidate] for candidate in new]
        if leader is not None and leader.reaches:
            ours = self.few[leader.candidate]
            able = [one for one in able if one.reaches and not surely_worse(one, ours)]
        best = sorted(able, key=_standing)[: self._effort.go_on]
        smaller = [one for one in frontier(list(self.few.values())) if one.candidate in new]
        best += smaller[: self._effort.on_frontier]
        guesses = ((one.candidate, min(one.n_max, self._aim.limit)) for one in best)
        self._try(self.more, guesses)
        return min(self.more.values(), key=_standing)

    def _ranked(self) -> list[Worth]:
        return sorted((one for one in self.more.values() if one.reaches), key=_standing)

    def _children(self, leader: Worth) -> list[tuple[Candidate, float]]:
        """Steps from the leader, then samples around the best; with guesses of their n_max."""
        size = self._effort.children
        steps = [found for _, found in self._space.steps(leader.candidate)]
        new = [step for step in dict.fromkeys(steps) if step not in self.few]
        most = round(STEPS * size)
        if len(new) > most:
            chosen = self._draw.choice(len(new), most, replace=False)
            new = [new[i] for i in sorted(chosen)]
        limit = float(self._aim.limit)
        children = dict.fromkeys(new, min(leader.n_max, limit))
        parents = self._parents() or [leader]
        for i in range(size - len(children)):
            parent = parents[i % len(parents)]
            child = self._space.sampled(parent.candidate, SAMPLED, self._draw)
            if child not in self.few:
                children.setdefault(child, min(parent.n_max, limit))
        return list(children.items())

    def _parents(self) -> list[Worth]:
        """The best few, those of the frontier, and the best of every rule, criterion and futility.

        A part may need parameters of its own before it is any good: the best that has it is
        improved beside the leader.
        """
        ranked = self._ranked()
        best = [*ranked[: self._effort.parents], *frontier(ranked)]
        known = {part: one for one in ranked[::-1] for part in _parts(one.candidate)}
        few = sorted((one for one in self.few.values() if one.reaches), key=_standing)
        others = {part: one for one in few[::-1] for part in _parts(one.candidate)}
        return list(dict.fromkeys([*best, *(others | known).values()]))

    def _last_round(self) -> list[Worth]:
        """The best, and those of the frontier, on many trials."""
        runs = self._effort.many
        ranked = self._ranked()
        chosen = dict.fromkeys([*ranked[: self._effort.last], *frontier(ranked)])
        guesses = ((one.candidate, one.n_max) for one in chosen)
        found = all_worth(
            self._aim, guesses, runs, self._effort.nears[runs], self._work, self._report
        )
        order = sorted((one for one in found if one.reaches), key=lambda one: one.cost)
        equal = [one for one in order if one.cost <= AS_GOOD * order[0].cost]
        first = min(equal, key=lambda one: one.n_max, default=None)
        return sorted(order, key=lambda one: one is not first)


def _parts(candidate: Candidate) -> list[tuple[str, str]]:
    """The rule, the criterion and the futility of a candidate."""
    data = candidate.data
    return [(part, str(data.get(part))) for part in PARTS]


def _standing(one: Worth, factor: float = 1.0) -> tuple[float, float]:
    """Where a candidate stands, the smaller the better: by cost, or by how near it comes."""
    return factor * one.cost, -one.chance / factor


def surely_worse(one: Worth, other: Worth) -> bool:
    """Whether a paired test says that one needs more than the other, on the same trials."""
    if not (one.reaches and other.reaches):
        return other.reaches
    difference = one.per_trial - other.per_trial
    error = float(difference.std()) / math.sqrt(difference.size)
    return float(difference.mean()) > WORSE * error


def frontier(found: Sequence[Worth]) -> list[Worth]:
    """Those that no other beats in both n_max and patients; fewest patients first."""
    best, kept = math.inf, []
    for one in sorted(found, key=lambda one: (one.enrolled, one.n_max)):
        if one.n_max < best:
            best = one.n_max
            kept.append(one)
    return kept

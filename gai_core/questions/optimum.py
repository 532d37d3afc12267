"""What a search for the best design found: the best, what it trades for what, the benchmarks."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gai_core.questions.comparing import EqualPower
from gai_core.questions.design_trials import COSTS, Aim, Worth
from gai_core.results import kind_of_benchmark, mean, paired_ratio
from gai_core.study import Study, changed


@dataclass(frozen=True)
class Optimum:
    """The best design, those on the frontier and the benchmarks, simulated on fresh trials."""

    aim: Aim
    compared: EqualPower
    """All of them at their own n_max, under all truths."""
    searched: Mapping[str, Worth]
    """What each was worth in the search."""
    costs: Mapping[str, float]
    """What each that reaches the wish costs at its n_max, on the trials of the search."""
    found: tuple[str, ...]
    """The best first, then others with a smaller n_max: the frontier as the search has it."""
    tried: int
    """Designs that were tried."""

    @property
    def best(self) -> str | None:
        """The best design in the search, which may be a benchmark; None where none reaches it."""
        names = [*self.found[:1], *(name for name in self.costs if name not in self.found)]
        return min(names, key=lambda name: self.costs[name], default=None)

    @property
    def benchmarks(self) -> list[str]:
        """The benchmarks that reach the wish, those that need least first."""
        names = [name for name in self.compared.reached if name not in self.found]
        return sorted(names, key=lambda name: self.cost(name)[0])

    @property
    def benchmark(self) -> str | None:
        """The best group-sequential benchmark, or the best fixed one where none reaches it."""
        sequential = self.benchmark_of_kind("group-sequential")
        return self.benchmark_of_kind("fixed") if sequential is None else sequential

    def benchmark_of_kind(self, kind: str) -> str | None:
        """The benchmark of a kind that needs least."""
        full = self.compared.study
        return next((n for n in self.benchmarks if kind_of_benchmark(full, n) == kind), None)

    @property
    def names(self) -> list[str]:
        """All that were judged: found ones, then benchmarks."""
        return [*self.found, *self.benchmarks]

    def per_trial(self, name: str, key: str) -> NDArray[np.float64]:
        """A quantity in every fresh trial, averaged over the truths by their weights."""
        return self.compared.averaged(self.aim.weights, name, key)

    def n_max(self, name: str) -> int:
        """The largest sample size of a design."""
        return self.compared.fresh[name].study.simulation.n_max

    def enrolled(self, name: str) -> tuple[float, float]:
        """Patients enrolled on average over the weighted truths, and the standard error."""
        return mean(self.per_trial(name, "enrolled"))

    def cost(self, name: str) -> tuple[float, float]:
        """What is minimised, and its standard error."""
        if self.aim.minimise == "largest":
            return float(self.n_max(name)), 0.0
        return mean(self.per_trial(name, COSTS[self.aim.minimise]))

    def ratio(self, name: str, other: str) -> tuple[float, float]:
        """The cost relative to another design's; the error counts both searches for n_max, too."""
        if self.aim.minimise == "largest":
            value, error = self.n_max(name) / self.n_max(other), 0.0
        else:
            key = COSTS[self.aim.minimise]
            value, error = paired_ratio(self.per_trial(name, key), self.per_trial(other, key))
        sizes = (self.compared.size_error(one) for one in (name, other))
        return value, math.hypot(error, value * math.hypot(*sizes))

    @property
    def on_frontier(self) -> list[str]:
        """Of all that were judged, those that no other beats in both numbers on fresh trials."""
        numbers = {name: (self.n_max(name), self.enrolled(name)[0]) for name in self.names}
        return [name for name, own in numbers.items() if not _is_beaten(own, numbers.values())]

    def study(self, name: str) -> Study:
        """A design as a study that can be run: with its n_max, and the runs and seed asked with."""
        own, settings = self.compared.fresh[name].study, self.aim.study.simulation
        again = changed(own, runs=settings.runs, seed=settings.seed)
        if name not in self.found:
            return again
        note = f"The design was found by a search among {self.tried:,} (gai optimise)."
        return again.model_copy(update={"notes": f"{own.notes} {note}".strip()})


def _is_beaten(own: tuple[float, float], others: Iterable[tuple[float, float]]) -> bool:
    """Whether another is smaller in one number and not larger in the other."""
    return any(other != own and other[0] <= own[0] and other[1] <= own[1] for other in others)

"""A simulated study with everything that is read from it, each computed once and when asked for.

The app's pages, the report's sections and a Python user draw from the same value.
"""

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from gai_core.engine import Runs
from gai_core.results.comparison import benchmark_of, compare
from gai_core.results.summary import Values
from gai_core.results.tidy import LazyValues, characteristics
from gai_core.study import Study, dump_study
from gai_core.theory import bounds, worst_cases

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Analysis:
    """Runs, and what follows from them."""

    runs: Runs

    @property
    def study(self) -> Study:
        """The study as it was run."""
        return self.runs.study

    @cached_property
    def table(self) -> "pd.DataFrame":
        """The tidy table of operating characteristics."""
        return characteristics(self.runs)

    @cached_property
    def values(self) -> Values:
        """The same, looked up by name; without the table, counted when it is asked for."""
        return Values(self.table) if "table" in vars(self) else LazyValues(self.runs)

    @cached_property
    def bounds(self) -> "pd.DataFrame":
        """What no design can beat."""
        return bounds(self.study)

    @cached_property
    def exact_errors(self) -> "pd.DataFrame":
        """Promised and exact errors of every design, at the worst means."""
        return worst_cases(self.study)

    @property
    def baseline(self) -> str:
        """The benchmark, group-sequential or else fixed; the first design where there is none."""
        return benchmark_of(self.study) or self.study.designs[0].name

    def comparison(self, quantity: str, baseline: str | None = None) -> "pd.DataFrame":
        """Every design against the baseline by one quantity, on the same simulated patients."""
        place = quantity, baseline or self.baseline
        if place not in self._comparisons:
            self._comparisons[place] = compare(self.runs, self.values, place[1], quantity)
        return self._comparisons[place]

    @cached_property
    def _comparisons(self) -> "dict[tuple[str, str], pd.DataFrame]":
        return {}

    @cached_property
    def study_hash(self) -> str:
        """SHA-256 of the study file."""
        return hashlib.sha256(dump_study(self.study).encode()).hexdigest()

    @cached_property
    def results_hash(self) -> str:
        """SHA-256 of the tidy table as CSV."""
        return hashlib.sha256(table_csv(self.table).encode()).hexdigest()

    def only(self, designs: list[str]) -> Self:
        """The same, as if the study had these designs only."""
        kept = tuple(design for design in self.study.designs if design.name in designs)
        study = self.study.model_copy(update={"designs": kept})
        found = replace(self, runs=replace(self.runs, study=study))
        # What was looked up for all designs serves for some, and bounds know no design.
        vars(found).update(values=self.values, bounds=self.bounds)
        return found


def analyse(runs: Runs) -> Analysis:
    """Everything that is read from runs; tables are made when they are first asked for."""
    return Analysis(runs)


def table_csv(table: "pd.DataFrame") -> str:
    """The tidy table as it is written to a file."""
    return str(table.to_csv(index=False, lineterminator="\n"))

"""Everything the sections of a report draw from, computed once."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gai_core.engine import Runs
from gai_core.questions import worst_cases
from gai_core.results import Values, benchmark_of, characteristics
from gai_core.study import Study, dump_study
from gai_core.theory import bounds

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Material:
    """A simulated study; tables are made when a section first asks for them."""

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
        """The same, looked up by name."""
        return Values(self.table)

    @cached_property
    def limits(self) -> "pd.DataFrame":
        """What no design can beat."""
        return bounds(self.study)

    @cached_property
    def worst(self) -> "pd.DataFrame":
        """Promised and exact errors."""
        return worst_cases(self.study)

    @property
    def baseline(self) -> str:
        """The fixed design, or the first one where there is none."""
        return benchmark_of(self.study) or self.study.designs[0].name

    @cached_property
    def study_hash(self) -> str:
        """SHA-256 of the study file."""
        return hashlib.sha256(dump_study(self.study).encode()).hexdigest()

    @cached_property
    def results_hash(self) -> str:
        """SHA-256 of the tidy table as CSV."""
        return hashlib.sha256(table_csv(self.table).encode()).hexdigest()


def table_csv(table: "pd.DataFrame") -> str:
    """The tidy table as it is written to a file."""
    return str(table.to_csv(index=False, lineterminator="\n"))

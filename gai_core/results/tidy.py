"""Runs -> operating characteristics: one tidy table, each value with its Monte Carlo error.

Every quantity of the registry has its rows. Times (timing.py) can be censored: `reached` is the
share of trials that reached one, `mean` and `sd` are over those, `restricted_mean` is
E[min(tau, n_max)] (in months, the end of the trial takes the place of n_max), and quantiles
count censored trials as beyond (inf).
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gai_core.engine import Runs
from gai_core.results.monte_carlo import ValueAndError, mean
from gai_core.results.quantities import Judged, Quantity, judged, quantities_of
from gai_core.results.summary import Values
from gai_core.study import Study

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["truth", "design", "quantity", "arm", "statistic", "value", "mcse"]


def characteristics(runs: Runs) -> "pd.DataFrame":
    """The operating characteristics of every design under every truth, as a tidy table."""
    import pandas as pd

    study, known = runs.study, list(quantities_of(runs.study).values())
    rows = [
        (truth.name, design.name, *row)
        for truth in study.truths
        for design in study.designs
        for row in _rows(study, judged(runs, truth.name, design.name), known)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def table_rows(study: Study) -> int:
    """Rows that the tidy table of a study has."""
    rows = sum(
        quantity.kind.rows * (1 if quantity.arms is None else len(quantity.arms_of(study)))
        for quantity in quantities_of(study).values()
    )
    return len(study.truths) * len(study.designs) * rows


Row = tuple[str, str, str, float, float]
"""quantity, arm, statistic, value, mcse"""


def _rows(study: Study, trials: Judged, known: Sequence[Quantity]) -> Iterator[Row]:
    """Quantity by quantity; those of arms that follow each other, arm by arm."""
    for of_arms, group in groupby(known, lambda q: q.arms is not None):
        found = [(quantity, quantity.value(trials)) for quantity in group]
        if not of_arms:
            for quantity, values in found:
                yield from _statistics(quantity, "", values)
            continue
        arms = {quantity.key: quantity.arms_of(study) for quantity, _ in found}
        for arm, dose in enumerate(study.arms):
            for quantity, values in found:
                if arm in arms[quantity.key]:
                    yield from _statistics(quantity, dose.label, values[:, arm])


def _statistics(quantity: Quantity, arm: str, values: Any) -> Iterator[Row]:
    for statistic, (value, error) in quantity.kind.statistics(values).items():
        yield quantity.key, arm, statistic, value, error


class LazyValues(Values):
    """The numbers of the tidy table by name, each quantity counted when it is first asked for.

    Who reads a few of them, as a page does, does not wait for all.
    """

    def __init__(self, runs: Runs) -> None:
        super().__init__()
        self._runs = runs
        self._last: tuple[tuple[str, str], Judged | None] = ("", ""), None
        self._counted: set[tuple[str, str, str]] = set()

    def __call__(
        self, truth: str, design: str, quantity: str, statistic: str, arm: str = ""
    ) -> ValueAndError:
        """Value and Monte Carlo standard error."""
        if (truth, design, quantity) not in self._counted:
            self._count(truth, design, quantity)
        return super().__call__(truth, design, quantity, statistic, arm)

    def _count(self, truth: str, design: str, quantity: str) -> None:
        for row in _rows(self._runs.study, self._judged(truth, design), [self._known[quantity]]):
            self.put(truth, design, *row)
        self._counted.add((truth, design, quantity))

    @cached_property
    def _known(self) -> dict[str, Quantity]:
        return quantities_of(self._runs.study)

    def _judged(self, truth: str, design: str) -> Judged:
        """Of one design at a time: what it has computed of many trials is large."""
        place, found = self._last
        if found is None or place != (truth, design):
            found = judged(self._runs, truth, design)
            self._last = (truth, design), found
        return found


def paired_differences(runs: Runs, design: str, baseline: str) -> "pd.DataFrame":
    """`design` minus `baseline` on the same simulated patients, with its standard error.

    Times are compared by their restricted means, events by their probabilities.
    Pairing removes what the two designs share: the patients.
    """
    import pandas as pd

    study = runs.study
    names = study.design(design).name, study.design(baseline).name
    rows = []
    for truth in study.truths:
        ours, theirs = (judged(runs, truth.name, name) for name in names)
        for quantity in quantities_of(study).values():
            if quantity.arms is None:
                found = paired_difference(quantity, ours, theirs)
                rows.append((truth.name, *names, quantity.key, quantity.kind.compared_by, *found))
    columns = ["truth", "design", "baseline", "quantity", "statistic", "value", "mcse"]
    return pd.DataFrame(rows, columns=columns)


def paired_difference(quantity: Quantity, ours: Judged, theirs: Judged) -> ValueAndError:
    """The mean difference of one quantity, trial by trial."""
    return mean(quantity.per_trial(ours) - quantity.per_trial(theirs))

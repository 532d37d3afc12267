"""Runs -> operating characteristics: one tidy table, each value with its Monte Carlo error.

Every quantity of the registry has its rows. Times (timing.py) can be censored: `reached` is the
share of trials that reached one, `mean` and `sd` are over those, `restricted_mean` is
E[min(tau, n_max)] (in months, the end of the trial takes the place of n_max), and quantiles
count censored trials as beyond (inf).
"""

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gai_core.engine import Runs
from gai_core.results.monte_carlo import ValueAndError, mean
from gai_core.results.quantities import Judged, Quantity, judged, quantities_of
from gai_core.study import Study

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["truth", "design", "quantity", "arm", "statistic", "value", "mcse"]


def characteristics(runs: Runs) -> "pd.DataFrame":
    """The operating characteristics of every design under every truth, as a tidy table."""
    import pandas as pd

    study = runs.study
    rows = [
        (truth.name, design.name, *row)
        for truth in study.truths
        for design in study.designs
        for row in _rows(study, judged(runs, truth.name, design.name))
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


def _rows(study: Study, trials: Judged) -> Iterator[Row]:
    """Quantity by quantity; those of arms that follow each other, arm by arm."""
    for of_arms, group in groupby(quantities_of(study).values(), lambda q: q.arms is not None):
        found = [(quantity, quantity.value(trials)) for quantity in group]
        if not of_arms:
            for quantity, values in found:
                yield from _statistics(quantity, "", values)
            continue
        for arm, dose in enumerate(study.arms):
            for quantity, values in found:
                if arm in quantity.arms_of(study):
                    yield from _statistics(quantity, dose.label, values[:, arm])


def _statistics(quantity: Quantity, arm: str, values: Any) -> Iterator[Row]:
    for statistic, (value, error) in quantity.kind.statistics(values).items():
        yield quantity.key, arm, statistic, value, error


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

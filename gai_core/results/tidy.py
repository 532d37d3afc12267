"""Runs -> operating characteristics: one tidy table, each value with its Monte Carlo error.

Times (timing.py) can be censored: `reached` is the share of trials that reached one,
`mean` and `sd` are over those, `restricted_mean` is E[min(tau, n_max)] (in months, the end
of the trial takes the place of n_max), and quantiles count censored trials as beyond (inf).
"""

import functools
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gai_core.engine import Runs, Trials
from gai_core.evidence import BAD, GOOD, UNDECIDED
from gai_core.results.timing import Time, months, per_trial, times, waiting
from gai_core.study import Study

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["truth", "design", "quantity", "arm", "statistic", "value", "mcse"]
QUANTILES = {"q10": 0.10, "q25": 0.25, "q50": 0.50, "q75": 0.75, "q90": 0.90}

Numbers = NDArray[np.float64]


def events(trials: Trials, good: tuple[bool, ...]) -> dict[str, NDArray[np.bool_]]:
    """What happened or not in every replicate, given which arms are good."""
    is_good = np.array(good)
    declared = trials.verdict == GOOD
    false_declaration = (declared & ~is_good).any(axis=1)
    missed_dose = ((trials.verdict == BAD) & is_good).any(axis=1)
    return {
        "any_declared": declared.any(axis=1),
        "correct_list": (declared == is_good).all(axis=1),
        "any_error": false_declaration | missed_dose,
        "false_declaration": false_declaration,
        "missed_dose": missed_dose,
    }


def characteristics(runs: Runs) -> "pd.DataFrame":
    """The operating characteristics of every design under every truth, as a tidy table."""
    import pandas as pd

    study = runs.study
    rows = [
        (truth.name, design.name, *row)
        for truth in study.truths
        for design in study.designs
        for row in _rows(
            runs[truth.name, design.name],
            study,
            study.good(truth),
        )
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def table_rows(study: Study) -> int:
    """Rows that the tidy table of a study has."""
    arms, doses, of_counts = len(study.arms), len(study.candidates), 2 + len(QUANTILES)
    rows = (doses + 1) * (of_counts + 2) + of_counts + 5 + arms * of_counts + doses * 3
    if study.conduct is not None:
        rows += (2 * doses + 1) * (of_counts + 2) + (4 + arms) * of_counts
    return len(study.truths) * len(study.designs) * rows


Row = tuple[str, str, str, float, float]
"""quantity, arm, statistic, value, mcse"""


def _rows(trials: Trials, study: Study, good: tuple[bool, ...]) -> Iterator[Row]:
    yield from _time_rows(times(trials, study.simulation.n_max))
    yield from _count_rows("n_patients", "", trials.patients)
    for quantity, event in events(trials, good).items():
        yield quantity, "", "probability", *share(event)
    for arm, dose in enumerate(study.arms):
        yield from _count_rows("assigned", dose.label, trials.assigned[:, arm])
        if arm in study.candidates:
            for quantity, verdict in (("good", GOOD), ("bad", BAD), ("undecided", UNDECIDED)):
                happened = trials.verdict[:, arm] == verdict
                yield quantity, dose.label, "probability", *share(happened)
    if trials.calendar is not None:
        yield from _time_rows(months(trials, trials.calendar))
        yield from _time_rows(waiting(trials, trials.calendar))
        for quantity, values in per_trial(trials, trials.calendar, good).items():
            yield from _count_rows(quantity, "", values)
        for arm, dose in enumerate(study.arms):
            yield from _count_rows("outcomes", dose.label, trials.calendar.seen[:, arm])


def _time_rows(found: Mapping[str, Time]) -> Iterator[Row]:
    for quantity, time in found.items():
        for statistic, (value, error) in time_statistics(time).items():
            yield quantity, "", statistic, value, error


def _count_rows(quantity: str, arm: str, counts: NDArray[np.number]) -> Iterator[Row]:
    for statistic, (value, error) in count_statistics(counts).items():
        yield quantity, arm, statistic, value, error


def time_statistics(time: Time) -> Mapping[str, tuple[float, float]]:
    """Mean and sd of the trials that reached it, share reached, restricted mean, quantiles."""
    reached = time.values[time.reached]
    return {
        "mean": mean(reached),
        "sd": standard_deviation(reached),
        "reached": share(time.reached),
        "restricted_mean": mean(time.values),
        **quantiles(np.where(time.reached, time.values, np.inf)),
    }


def count_statistics(counts: NDArray[np.number]) -> Mapping[str, tuple[float, float]]:
    """Mean, sd and quantiles of a number that every trial has."""
    return {
        "mean": mean(counts),
        "sd": standard_deviation(counts),
        **quantiles(counts.astype(np.float64)),
    }


def mean(values: NDArray[np.number]) -> tuple[float, float]:
    """Mean and its standard error sd/sqrt(R); nan where there are too few values."""
    if values.size == 0:
        return np.nan, np.nan
    average = float(values.mean(dtype=np.float64))
    if values.size == 1:
        return average, np.nan
    return average, float(values.std(ddof=1, dtype=np.float64) / np.sqrt(values.size))


def standard_deviation(values: NDArray[np.number]) -> tuple[float, float]:
    """Standard deviation s and its standard error sqrt((m4 - s^4)/R) / (2 s) (delta method)."""
    if values.size < 2:
        return np.nan, np.nan
    squares = (values - values.mean(dtype=np.float64)) ** 2
    sd = float(np.sqrt(squares.sum() / (values.size - 1)))
    return sd, 0.0 if sd == 0 else float(squares.std() / np.sqrt(values.size) / (2 * sd))


def share(happened: NDArray[np.bool_]) -> tuple[float, float]:
    """Share p of the trials, and its standard error sqrt(p (1-p) / R).

    The error is 0 where p is 0 or 1: then R trials only show that p is within about 3/R of it.
    """
    p = float(happened.mean())
    return p, float(np.sqrt(p * (1 - p) / happened.size)) if happened.size > 1 else np.nan


NORMAL_95 = 1.959963984540054
"""The 97.5% quantile of the normal distribution."""


def share_interval(happened: NDArray[np.integer], size: int) -> tuple[Numbers, Numbers]:
    """Wilson's 95% interval (JASA 22:209, 1927) of shares seen in `size` trials."""
    p, z2 = happened / size, NORMAL_95**2
    centre = (p + z2 / (2 * size)) / (1 + z2 / size)
    half = NORMAL_95 * np.sqrt(p * (1 - p) / size + z2 / (4 * size**2)) / (1 + z2 / size)
    # Rounding must not leave the share itself outside.
    return np.clip(centre - half, 0.0, p), np.clip(centre + half, p, 1.0)


def runs_for(mcse: float, runs: int, wanted: float) -> int:
    """Trials that bring a standard error down to the wanted one: it falls as 1/sqrt(trials)."""
    return max(2, math.ceil(runs * (mcse / wanted) ** 2 - 1e-9))


def quantiles(values: Numbers) -> Mapping[str, tuple[float, float]]:
    """Order statistics, each with half the width of its one-sigma binomial rank interval.

    The q-quantile is the smallest value x with at least a share q of the values <= x.
    The error is infinite or nan where the interval runs into the censored values.
    """
    ordered = np.sort(values)
    picked = ordered[_ranks(ordered.size)]
    known = np.isfinite(picked[:, 1]) & (ordered.size > 1)
    with np.errstate(invalid="ignore"):
        errors = np.where(known, (picked[:, 2] - picked[:, 1]) / 2, np.nan)
    return dict(
        zip(QUANTILES, zip(picked[:, 0].tolist(), errors.tolist(), strict=True), strict=True)
    )


@functools.lru_cache(maxsize=16)
def _ranks(size: int) -> NDArray[np.int64]:
    """Per quantile, the places among `size` sorted values of itself and of its two limits."""
    q = np.array([*QUANTILES.values()])[:, None]
    spread = np.sqrt(size * q * (1 - q))
    ranks = np.ceil(size * q + spread * [0.0, -1.0, 1.0])
    return np.asarray(np.clip(ranks, 1, size) - 1, np.int64)


def paired_differences(runs: Runs, design: str, baseline: str) -> "pd.DataFrame":
    """`design` minus `baseline` on the same simulated patients, with its standard error.

    Times are compared by their restricted means, events by their probabilities.
    Pairing removes what the two designs share: the patients.
    """
    import pandas as pd

    study = runs.study
    rows = []
    for truth in study.truths:
        ours, theirs = (
            _per_replicate(runs, truth.name, study.design(name).name) for name in (design, baseline)
        )
        for quantity, (statistic, values) in ours.items():
            difference = values.astype(np.float64) - theirs[quantity][1]
            rows.append((truth.name, design, baseline, quantity, statistic, *mean(difference)))
    columns = ["truth", "design", "baseline", "quantity", "statistic", "value", "mcse"]
    return pd.DataFrame(rows, columns=columns)


Comparable = tuple[str, NDArray[Any]]
"""The statistic to compare a quantity by, and its value in every replicate."""


def _per_replicate(runs: Runs, truth: str, design: str) -> dict[str, Comparable]:
    study, trials = runs.study, runs[truth, design]
    good = study.good(study.truth(truth))
    found = times(trials, study.simulation.n_max)
    counts: dict[str, NDArray[Any]] = {"n_patients": trials.patients}
    if trials.calendar is not None:
        found |= months(trials, trials.calendar)
        counts |= per_trial(trials, trials.calendar, good)
    return {
        **{quantity: ("restricted_mean", time.values) for quantity, time in found.items()},
        **{quantity: ("mean", values) for quantity, values in counts.items()},
        **{quantity: ("probability", event) for quantity, event in events(trials, good).items()},
    }

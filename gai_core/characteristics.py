"""Runs -> operating characteristics: one tidy table, each value with its Monte Carlo error.

Times follow the paper: tau_k is the number of patients when the k-th arm is
declared good; when fewer arms are declared and every arm has a verdict, it is
tau_stop. A time not reached by n_max is censored: `reached` is the share of
trials that reached it, `mean` and `sd` are over those, `restricted_mean` is
E[min(tau, n_max)], and quantiles count censored trials as beyond n_max (inf).
"""

import functools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gai_core.setting import BAD, GOOD, UNDECIDED
from gai_core.simulate import Runs, Trials
from gai_core.study import Study

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["truth", "design", "quantity", "arm", "statistic", "value", "mcse"]
QUANTILES = {"q10": 0.10, "q25": 0.25, "q50": 0.50, "q75": 0.75, "q90": 0.90}

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Time:
    """A time in patients, one per replicate; where not `reached`, it is censored at n_max."""

    patients: NDArray[np.int32]
    reached: NDArray[np.bool_]


def times(trials: Trials, n_max: int) -> dict[str, Time]:
    """tau_1, ..., tau_K and tau_stop of every replicate."""
    arms = trials.verdict.shape[1]
    finished = (trials.verdict != UNDECIDED).all(axis=1)
    stop = np.where(finished, trials.decided.max(axis=1), np.int32(n_max + 1))
    declared = declared_times(trials, n_max)
    result = {f"tau_{k + 1}": _time(np.minimum(declared[:, k], stop), n_max) for k in range(arms)}
    return result | {"tau_stop": _time(stop, n_max)}


def declared_times(trials: Trials, n_max: int) -> NDArray[np.int32]:
    """Per replicate the patients at the 1st, 2nd, ... declaration; n_max + 1 where there is none.

    Unlike tau_k this does not count a trial that ends with fewer declarations.
    """
    declared = np.where(trials.verdict == GOOD, trials.decided, np.int32(n_max + 1))
    return np.sort(declared, axis=1)


def _time(patients: NDArray[np.int32], n_max: int) -> Time:
    return Time(np.minimum(patients, np.int32(n_max)), patients <= n_max)


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
            study.good(truth),
            [arm.label for arm in study.arms],
            study.simulation.n_max,
        )
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def table_rows(study: Study) -> int:
    """Rows that the tidy table of a study has."""
    arms, of_counts = len(study.arms), 2 + len(QUANTILES)
    times_and_events = (arms + 1) * (of_counts + 2) + of_counts + 5
    return len(study.truths) * len(study.designs) * (times_and_events + arms * (of_counts + 3))


Row = tuple[str, str, str, float, float]
"""quantity, arm, statistic, value, mcse"""


def _rows(trials: Trials, good: tuple[bool, ...], labels: list[str], n_max: int) -> Iterator[Row]:
    for quantity, time in times(trials, n_max).items():
        for statistic, (value, error) in time_statistics(time).items():
            yield quantity, "", statistic, value, error
    for statistic, (value, error) in count_statistics(trials.patients).items():
        yield "n_patients", "", statistic, value, error
    for quantity, event in events(trials, good).items():
        yield quantity, "", "probability", *share(event)
    for arm, label in enumerate(labels):
        for statistic, (value, error) in count_statistics(trials.assigned[:, arm]).items():
            yield "assigned", label, statistic, value, error
        for quantity, verdict in (("good", GOOD), ("bad", BAD), ("undecided", UNDECIDED)):
            yield quantity, label, "probability", *share(trials.verdict[:, arm] == verdict)


def time_statistics(time: Time) -> Mapping[str, tuple[float, float]]:
    """Mean and sd of the trials that reached it, share reached, restricted mean, quantiles."""
    reached = time.patients[time.reached]
    return {
        "mean": mean(reached),
        "sd": standard_deviation(reached),
        "reached": share(time.reached),
        "restricted_mean": mean(time.patients),
        **quantiles(np.where(time.reached, time.patients, np.inf)),
    }


def count_statistics(counts: NDArray[np.integer]) -> Mapping[str, tuple[float, float]]:
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


Comparable = tuple[str, NDArray[np.int32] | NDArray[np.int64] | NDArray[np.bool_]]
"""The statistic to compare a quantity by, and its value in every replicate."""


def _per_replicate(runs: Runs, truth: str, design: str) -> dict[str, Comparable]:
    study, trials = runs.study, runs[truth, design]
    result: dict[str, Comparable] = {}
    for quantity, time in times(trials, study.simulation.n_max).items():
        result[quantity] = "restricted_mean", time.patients
    result["n_patients"] = "mean", trials.patients
    for quantity, event in events(trials, study.good(study.truth(truth))).items():
        result[quantity] = "probability", event
    return result

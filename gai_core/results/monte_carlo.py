"""Values of simulated trials with their Monte Carlo errors: means, shares, quantiles."""

import functools
import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import wilson
from gai_core.results.timing import Time

QUANTILES = {"q10": 0.10, "q25": 0.25, "q50": 0.50, "q75": 0.75, "q90": 0.90}

Numbers = NDArray[np.float64]
ValueAndError = tuple[float, float]
"""A value and its Monte Carlo standard error."""


def time_statistics(time: Time) -> Mapping[str, ValueAndError]:
    """Mean and sd of the trials that reached it, share reached, restricted mean, quantiles."""
    reached = time.values[time.reached]
    return {
        "mean": mean(reached),
        "sd": standard_deviation(reached),
        "reached": share(time.reached),
        "restricted_mean": mean(time.values),
        **quantiles(np.where(time.reached, time.values, np.inf)),
    }


def count_statistics(counts: NDArray[np.number]) -> Mapping[str, ValueAndError]:
    """Mean, sd and quantiles of a number that every trial has."""
    return {
        "mean": mean(counts),
        "sd": standard_deviation(counts),
        **quantiles(counts.astype(np.float64)),
    }


def with_largest(counts: NDArray[np.number]) -> Mapping[str, ValueAndError]:
    """The same, and the largest that was seen, which has no standard error."""
    return {**count_statistics(counts), "largest": (float(counts.max()), np.nan)}


def mean(values: NDArray[np.number]) -> ValueAndError:
    """Mean and its standard error sd/sqrt(R); nan where there are too few values."""
    if values.size == 0:
        return np.nan, np.nan
    average = float(values.mean(dtype=np.float64))
    if values.size == 1:
        return average, np.nan
    return average, float(values.std(ddof=1, dtype=np.float64) / np.sqrt(values.size))


def paired_ratio(ours: NDArray[np.number], theirs: NDArray[np.number]) -> ValueAndError:
    """Ratio r of two means over the same trials, and its standard error (delta method).

    That is the one of the mean of x - r y, divided by the mean of y.
    """
    one, other = mean(ours)[0], mean(theirs)[0]
    if not other > 0:
        return np.nan, np.nan
    ratio = one / other
    return ratio, mean(ours - ratio * theirs)[1] / other


def standard_deviation(values: NDArray[np.number]) -> ValueAndError:
    """Standard deviation s and its standard error sqrt((m4 - s^4)/R) / (2 s) (delta method)."""
    if values.size < 2:
        return np.nan, np.nan
    squares = (values - values.mean(dtype=np.float64)) ** 2
    sd = float(np.sqrt(squares.sum() / (values.size - 1)))
    return sd, 0.0 if sd == 0 else float(squares.std() / np.sqrt(values.size) / (2 * sd))


def share(happened: NDArray[np.bool_]) -> ValueAndError:
    """Share p of the trials, and its standard error sqrt(p (1-p) / R).

    The error is 0 where p is 0 or 1: then R trials only show that p is within about 3/R of it.
    """
    p = float(happened.mean())
    return p, float(np.sqrt(p * (1 - p) / happened.size)) if happened.size > 1 else np.nan


def share_interval(happened: NDArray[np.integer], size: int) -> tuple[Numbers, Numbers]:
    """Wilson's 95% interval of shares seen in `size` trials."""
    return wilson(happened / size, size)


def runs_for(mcse: float, runs: int, wanted: float) -> int:
    """Trials that bring a standard error down to the wanted one: it falls as 1/sqrt(trials)."""
    return max(2, math.ceil(runs * (mcse / wanted) ** 2 - 1e-9))


def quantiles(values: Numbers) -> Mapping[str, ValueAndError]:
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

"""Numbers that only some trials have: what they say, and of how many trials."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gai_core.results.monte_carlo import Numbers, ValueAndError, mean, share, standard_deviation

COUNTED = "counted"
"""The statistic that says which share of the trials has the number."""


@dataclass(frozen=True)
class Among:
    """A number, or whether something happened, per trial; those not `counted` have none."""

    values: NDArray[Any]
    counted: NDArray[np.bool_]

    def __getitem__(self, place: Any) -> "Among":
        return Among(self.values[place], self.counted[place])

    @property
    def kept(self) -> NDArray[Any]:
        """The values of the trials that count."""
        return self.values[self.counted]


def mean_among(some: Among) -> Mapping[str, ValueAndError]:
    """The share of trials that count; mean and sd of these."""
    return {
        COUNTED: share(some.counted),
        "mean": mean(some.kept),
        "sd": standard_deviation(some.kept),
    }


def chance_among(some: Among) -> Mapping[str, ValueAndError]:
    """The share of trials that count; in which share of these it happened."""
    happened = share(some.kept) if some.kept.size else (np.nan, np.nan)
    return {COUNTED: share(some.counted), "probability": happened}


def root_among(some: Among) -> Mapping[str, ValueAndError]:
    """The share of trials that count; the root of their mean square (delta method)."""
    square, error = mean(some.kept.astype(np.float64) ** 2)
    root = float(np.sqrt(square))
    return {COUNTED: share(some.counted), "root_mean_square": (root, _halved(error, root))}


def _halved(error: float, root: float) -> float:
    return error / (2 * root) if root > 0 else error


def each_mean(some: Among) -> Numbers:
    """Numbers of all trials whose mean is that of the trials that count, m + (x - m)/p or m.

    p is the share that counts. They are the influences of the trials on this ratio of two means:
    so paired differences of designs have the right standard error (delta method).
    """
    if not some.counted.any():
        return np.full(some.counted.shape, np.nan)
    average = some.kept.mean(dtype=np.float64)
    away = np.where(some.counted, some.values - average, 0.0)
    return np.asarray(average + away / some.counted.mean())


def each_root(some: Among) -> Numbers:
    """The same for the root of a mean square."""
    squares = each_mean(Among(some.values.astype(np.float64) ** 2, some.counted))
    root = np.sqrt(squares.mean())
    return np.asarray(root + (squares - root**2) / (2 * root) if root > 0 else squares)

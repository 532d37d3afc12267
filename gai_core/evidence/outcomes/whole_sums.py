"""Boundaries on sums that are whole numbers from 0 on."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

ROUNDING = 1e-9
"""A whole count this little below the boundary still counts as below."""


def least_whole(sums: Numbers, never: Numbers) -> Numbers:
    """The least whole count not below the boundary, at most the one that is never reached."""
    return np.clip(np.ceil(np.nan_to_num(sums, nan=np.inf) + ROUNDING), 0, never)


def least_whole_that(
    guess: Numbers, holds: Callable[[Numbers], NDArray[np.bool_]], never: Numbers
) -> Numbers:
    """The least whole count for which `holds`, at most the one that is never reached.

    `guess` is right up to rounding; one step down and one up settle the last bit,
    so that the curve decides exactly as the inequality in floating point does.
    """
    count = np.clip(np.ceil(guess), 0, never)
    count = np.where((count > 0) & holds(count - 1), count - 1, count)
    return np.where(holds(count) | (count >= never), count, count + 1)

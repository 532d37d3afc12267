"""From a confidence radius r(n) around the mean to curves on the outcome sum."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gai_core.outcomes import Bernoulli
from gai_core.setting import Curves, Setting

Numbers = NDArray[np.float64]


def curves_of_radius(setting: Setting, radius: Numbers) -> Curves:
    """Good if S/n - r(n) >= xi, bad if S/n + r(n) < xi, as least and greatest sums."""
    n, xi, r = setting.counts[1:], setting.threshold, radius[1:]
    if isinstance(setting.outcome, Bernoulli):
        accept = _least_count(n, n * (xi + r), lambda count: count / n - r >= xi)
        reject = _least_count(n, n * (xi - r), lambda count: count / n + r >= xi) - 1
    else:
        accept, reject = n * (xi + r), n * (xi - r)
    never_accept, never_reject = (
        (1, -1) if isinstance(setting.outcome, Bernoulli) else (np.inf, -np.inf)
    )
    kind = setting.outcome.sum_type
    return Curves(
        np.concatenate([[never_accept], accept]).astype(kind),
        np.concatenate([[never_reject], reject]).astype(kind),
    )


def _least_count(
    n: Numbers, guess: Numbers, holds: Callable[[Numbers], NDArray[np.bool_]]
) -> Numbers:
    """The least whole count from 0 to n for which `holds`, n + 1 where none does.

    `guess` is right up to rounding; one step down and one up settle the last bit,
    so that the curve decides exactly as the inequality in floating point does.
    """
    count = np.clip(np.ceil(guess), 0, n + 1)
    count = np.where((count > 0) & holds(count - 1), count - 1, count)
    return np.where(holds(count) | (count > n), count, count + 1)

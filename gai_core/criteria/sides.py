"""From one side to two: curves on the outcome sum from a boundary above the threshold.

"Bad" is "good" for the mirrored data: n - S responders against 1 - xi, or the
negated sum against -xi.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gai_core.evidence import Bernoulli, Curves, Setting

Numbers = NDArray[np.float64]
Boundary = Callable[[Numbers, float], Numbers]
"""(n, xi) -> the sum from which on an arm with n patients is declared to exceed xi."""

ROUNDING = 1e-9
"""A whole count this little below the boundary still counts as below."""


def two_sided(setting: Setting, boundary: Boundary) -> Curves:
    """Good from the boundary on; bad from the boundary of the mirrored data on."""
    n, xi = setting.counts[1:], setting.threshold
    if isinstance(setting.outcome, Bernoulli):
        good = _whole(n, boundary(n, xi))
        bad = n - _whole(n, boundary(n, 1 - xi))
        return _curves(setting, good, bad)
    return _curves(setting, boundary(n, xi), -boundary(n, -xi))


def one_sided(setting: Setting, sums: Numbers) -> Curves:
    """Good from the sums on, never bad."""
    n = setting.counts[1:]
    if isinstance(setting.outcome, Bernoulli):
        return _curves(setting, _whole(n, sums), np.full_like(n, -1))
    return _curves(setting, sums, np.full_like(n, -np.inf))


def _whole(n: Numbers, sums: Numbers) -> Numbers:
    """The least whole count not below the boundary, n + 1 where not even n is enough."""
    return np.clip(np.ceil(np.nan_to_num(sums, nan=np.inf) + ROUNDING), 0, n + 1)


def _curves(setting: Setting, accept: Numbers, reject: Numbers) -> Curves:
    """Curves from n = 1 on, with an entry for n = 0 that never decides."""
    never = (1, -1) if isinstance(setting.outcome, Bernoulli) else (np.inf, -np.inf)
    kind = setting.outcome.curve_type
    return Curves(
        np.concatenate([[never[0]], accept]).astype(kind),
        np.concatenate([[never[1]], reject]).astype(kind),
    )


def of_radius(setting: Setting, radius: Numbers) -> Curves:
    """Good if S/n - r(n) >= xi, bad if S/n + r(n) < xi, for a radius around the mean."""
    n, xi, r = setting.counts[1:], setting.threshold, radius[1:]
    if isinstance(setting.outcome, Bernoulli):
        accept = _least_count(n, n * (xi + r), lambda count: count / n - r >= xi)
        reject = _least_count(n, n * (xi - r), lambda count: count / n + r >= xi) - 1
        return _curves(setting, accept, reject)
    return _curves(setting, n * (xi + r), n * (xi - r))


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

"""From one side to two: curves on the outcome sum from a boundary above the threshold.

"Bad" is "good" for the mirrored data, which the outcome knows: n - S responders against
1 - xi, or the negated sum against -xi.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gai_core.evidence import Curves, Setting

Numbers = NDArray[np.float64]
Boundary = Callable[[Setting], Numbers]
"""One side of a setting -> the sums after n = 1, 2, ... patients from which on an arm is declared
to exceed its target, where the side's alpha is the chance that any arm is so declared wrongly."""


def two_sided(setting: Setting, boundary: Boundary, dropping: Boundary | None = None) -> Curves:
    """Good from the boundary at alpha on; bad from that of the mirrored data at beta on."""
    n, outcome, errors = setting.counts[1:], setting.outcome, setting.errors
    good = outcome.least_sum(n, boundary(setting.at(errors.declare)))
    bad = outcome.least_sum(n, (dropping or boundary)(setting.mirrored.at(errors.drop)))
    return curves_from(setting, good, outcome.mirrored_sum(n, bad))


def one_sided(setting: Setting, sums: Numbers) -> Curves:
    """Good from the sums on, never bad."""
    n, outcome = setting.counts[1:], setting.outcome
    return curves_from(setting, outcome.least_sum(n, sums), outcome.never(n)[1])


def curves_from(setting: Setting, accept: Numbers, reject: Numbers) -> Curves:
    """Curves from n = 1 on, with an entry for n = 0 that never decides."""
    above, below = setting.outcome.never(np.zeros(1))
    kind = setting.outcome.curve_type

    def from_zero(first: Numbers, limits: Numbers) -> Numbers:
        return np.concatenate([np.broadcast_to(first, (1, *limits.shape[1:])), limits])

    return Curves(from_zero(above, accept).astype(kind), from_zero(below, reject).astype(kind))


def of_radius(setting: Setting, radius: Callable[[float], Numbers]) -> Curves:
    """Good if S/n - r(n) >= xi, bad if S/n + r(n) < xi, r(n) = radius(alpha) and radius(beta)."""
    n, xi, least = setting.counts[1:], setting.threshold, setting.outcome.least_that
    above, below = radius(setting.errors.declare)[1:], radius(setting.errors.drop)[1:]
    accept = least(n, n * (xi + above), lambda sums: sums / n - above >= xi)
    kept = least(n, n * (xi - below), lambda sums: sums / n + below >= xi)
    # A whole sum is dropped one below; of the others, one at the limit has no chance.
    return curves_from(setting, accept, kept - 1 if setting.outcome.whole else kept)

"""The mixture for scores of unknown variance: limits on R = s/sqrt(q), in closed form.

A half-normal mixture over effect sizes (mean - xi)/sigma > 0 with variance g, and the right-Haar
measure on sigma, give with v = g/(1 + n g) and F_n the Student distribution with n degrees

  log E = -(1/2) log(1 + n g) - (n/2) log(1 - v R^2) + log(2 F_n(R sqrt(v n/(1 - v R^2)))).

Where q has N squares and not n (`pooled_scores`), N stands for n as the degrees of freedom: in the
exponent n/2, in F_n and beside v in its argument.

At mean xi E is a martingale for every sigma, and a lower mean lowers R along every path. So by
Ville's inequality E ever reaches 1/alpha with a chance of at most alpha, whatever sigma.
"""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

ALL_COUNTS_TO = 1_000
KNOTS = 1_000
"""Beyond ALL_COUNTS_TO the limit is computed at this many n and interpolated: it is smooth."""
STEPS = 60
"""Bisections: more would not change a double."""


def log_evidence(r: Numbers, n: Numbers, g: float, *, pooled: bool = False) -> Numbers:
    """log E after n outcomes with the ratio R; q has n squares, or 2n - 1."""
    from scipy.special import stdtr

    v = g / (1 + n * g)
    rest = 1 - v * r * r
    degrees = 2 * n - 1 if pooled else n
    student = stdtr(degrees, r * np.sqrt(v * degrees / rest))
    return np.asarray(-0.5 * np.log1p(n * g) - 0.5 * degrees * np.log(rest) + np.log(2 * student))


def student_limit(n: Numbers, g: float, target: float, *, pooled: bool = False) -> Numbers:
    """The R at which log E reaches the target; infinite where not even sqrt(n) is enough."""
    if n.size <= ALL_COUNTS_TO:
        return _solve(n, g, target, pooled)
    from scipy.interpolate import CubicSpline

    spaced = np.round(np.geomspace(n[ALL_COUNTS_TO], n[-1], KNOTS))
    knots = np.unique(np.concatenate([n[:ALL_COUNTS_TO], spaced]))
    limits = _solve(knots, g, target, pooled)
    finite = np.isfinite(limits)
    if finite.sum() < KNOTS:  # an error so small that even long trials have no limit at first
        return _solve(n, g, target, pooled)
    between = CubicSpline(np.log(knots[finite]), limits[finite])
    return np.where(n < knots[finite][0], np.inf, between(np.log(n)))


def _solve(n: Numbers, g: float, target: float, pooled: bool) -> Numbers:
    """By bisection from above, where there is enough evidence."""
    low, high = np.zeros_like(n), np.sqrt(n)
    possible = log_evidence(high, n, g, pooled=pooled) > target
    for _ in range(STEPS):
        middle = (low + high) / 2
        enough = log_evidence(middle, n, g, pooled=pooled) >= target
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(possible, high, np.inf)

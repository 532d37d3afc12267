"""The chance that the largest of several correlated t-statistics is above q, and its quantile.

The statistics are T_m = u_m'Z / s, with unit vectors u_m, Z standard normal in r dimensions, s^2 an
independent chi^2 over its df degrees of freedom (s = 1 for infinitely many). With Z = rho w, w
uniform on the sphere and a = max_m u_m'w,

    P(max T > q) = E[ 1{a > 0} P(rho^2 / s^2 > q^2 / a^2) ]     for q > 0,

and rho^2 / (r s^2) has the F distribution with (r, df) degrees of freedom. So only the direction is
left to average over: by a fixed set of scrambled Sobol points, the same for every q, so that the
chance falls smoothly in q. With 2^15 points the error of a chance is below 1e-4 (the tests compare
with other computations), and the same question has the same answer.
"""

from functools import lru_cache

import numpy as np

from gai_core.mcp_mod.curve_shapes import Numbers

POINTS = 15
"""Power of two of the number of directions."""
_SEED = 20_050_901
_LARGEST = 60.0
"""Where quantiles are looked for at most."""


@lru_cache(maxsize=8)
def _sphere(dimensions: int) -> Numbers:
    """Directions spread evenly over the sphere, by scrambled Sobol points; half are mirrored."""
    from scipy.special import ndtri
    from scipy.stats import qmc

    cube = qmc.Sobol(dimensions, seed=np.random.default_rng(_SEED)).random_base2(POINTS - 1)
    normal = ndtri(np.clip(cube, 1e-12, 1 - 1e-12))
    ahead = normal / np.linalg.norm(normal, axis=1)[:, None]
    return np.concatenate([ahead, -ahead])


def largest_products(units: Numbers) -> Numbers:
    """max_m u_m'w for every direction w, of those where it is above 0."""
    found = (_sphere(units.shape[1]) @ units.T).max(axis=1)
    return np.asarray(found[found > 0])


def chance_above(q: float, units: Numbers, df: float) -> float:
    """P(max T > q), for q > 0: the adjusted p-value of a statistic q."""
    from scipy.special import chdtrc, fdtrc

    a, r = largest_products(units), units.shape[1]
    square = (q / a) ** 2
    tail = chdtrc(r, square) if np.isinf(df) else fdtrc(r, df, square / r)
    return float(tail.sum() / 2**POINTS)


def critical_value(alpha: float, units: Numbers, df: float) -> float:
    """The q with P(max T > q) = alpha; above 0 as long as alpha is below P(max T > 0)."""
    from scipy.optimize import brentq

    def excess(q: float) -> float:
        return chance_above(q, units, df) - alpha

    smallest = 1e-6
    if excess(smallest) <= 0:
        return smallest
    largest = 2.0
    while excess(largest) > 0:
        if largest > _LARGEST**4:
            return float("inf")
        largest *= 2
    return float(brentq(excess, smallest, largest, xtol=1e-9))


NODES = 6
"""Degrees of freedom at which values are computed where trials have many different ones."""


def critical_values(alpha: float, units: Numbers, df: Numbers) -> Numbers:
    """The critical value for the degrees of freedom of every trial.

    It is smooth in 1/df: where dropouts leave many different numbers, it is interpolated.
    """
    different = np.unique(df)
    if different.size > NODES:
        different = 1 / np.linspace(1 / different[0], 1 / different[-1], NODES)
    found = np.array([critical_value(alpha, units, float(one)) for one in different])
    order = np.argsort(1 / different)
    return np.asarray(np.interp(1 / df, 1 / different[order], found[order]))

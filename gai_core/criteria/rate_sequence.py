"""The confidence sequence of a response rate: the lower limit at any n and S, from one table.

At n outcomes with S responders the lower limit is the x < m = S/n at which the evidence against
rates of at most x (`mixture.log_evidence`) reaches its target. It falls as x rises, and is almost
the likelihood ratio n d(m, x) less a slowly varying price. So n d(m, x) at the limit is smooth in
log S and log(n - S + 1): it is computed at the knots of a table and read by splines in between, and
x follows by Newton's steps. Limits are right to 2e-5.
"""

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gai_core.criteria.mixture import log_evidence

if TYPE_CHECKING:
    from scipy.interpolate import RectBivariateSpline

Numbers = NDArray[np.float64]
Weights = tuple[float, ...]

STEP = 0.25
"""Between two knots, in logarithms."""
SMALLEST_TABLE = 256
STEPS = 60
TOLERANCE = 1e-9


def lower_limits(n: Numbers, sums: Numbers, weights: Weights, target: float) -> Numbers:
    """The greatest x that the evidence rejects from below; 0 where nobody responded."""
    limits = np.zeros(n.shape)
    some = sums > 0
    if some.any():
        good, bad = sums[some], n[some] - sums[some]
        size = max(SMALLEST_TABLE, float(good.max()), float(bad.max()) + 1)
        table = _table(weights, target, 4 ** int(np.ceil(np.log(size) / np.log(4))))
        limits[some] = _below(good, bad, table.ev(np.log(good), np.log1p(bad)) ** 2)
    return limits


@functools.lru_cache(maxsize=8)
def _table(weights: Weights, target: float, size: int) -> "RectBivariateSpline":
    """sqrt(n d(m, x)) at the limit, by log S and log(n - S + 1), for both up to the size."""
    from scipy.interpolate import RectBivariateSpline

    knots = np.linspace(0.0, np.log(size), int(np.ceil(np.log(size) / STEP)) + 1)
    good, bad = np.meshgrid(np.exp(knots), np.expm1(knots), indexing="ij")
    ratios = _ratios(good.ravel(), bad.ravel(), weights, target).reshape(good.shape)
    return RectBivariateSpline(knots, knots, np.sqrt(ratios), s=0)


def _ratios(good: Numbers, bad: Numbers, weights: Weights, target: float) -> Numbers:
    """n d(m, x) at the limit, by secants: the evidence rises almost as fast."""
    ratio, before = np.full(good.shape, target + 1.0), None
    for _ in range(STEPS):
        missing = target - log_evidence(good, good + bad, _below(good, bad, ratio), weights)
        if np.abs(missing).max() < TOLERANCE:
            break
        slope = np.ones(good.shape)
        if before is not None:
            moved = ratio != before[0]
            change = (before[1] - missing)[moved] / (ratio - before[0])[moved]
            slope[moved] = np.clip(change, 0.2, 5.0)
        before = ratio, missing
        ratio = np.maximum(ratio + missing / slope, TOLERANCE)
    return ratio


def _below(good: Numbers, bad: Numbers, ratio: Numbers) -> Numbers:
    """x < m with n d(m, x) = S log(m/x) + (n - S) log((1-m)/(1-x)) = ratio.

    In log x the left side is convex, and log m - ratio/S is at the root or left of it.
    """
    mean = good / (good + bad)
    # Without failures the second term is 0.
    rest = np.where(bad > 0, bad * np.log1p(-np.where(bad > 0, mean, 0.0)), 0.0)
    log_x = np.log(mean) - ratio / good
    for _ in range(STEPS):
        x = np.exp(log_x)
        value = good * (np.log(mean) - log_x) + rest - bad * np.log1p(-x) - ratio
        step = value / (good - bad * x / (1 - x))
        log_x = log_x + step
        if np.abs(step).max() < TOLERANCE:
            break
    return np.asarray(np.exp(log_x))

"""Curves fitted to the estimates of many trials at once.

A curve is e0 + e1 g(d; theta). For a given theta the best e0 and e1 are those of weighted least
squares, which leave the weighted squares

    W_yy - (sum w (g - mean g) y)^2 / sum w (g - mean g)^2,     W_yy = sum w (y - mean y)^2,

means being weighted ones. So theta alone is searched: over a grid, for all trials by a few matrix
products, and from every trial's best point by damped steps (variable projection).
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from gai_core.mcp_mod.curve_shapes import Candidate, Numbers
from gai_core.mcp_mod.estimates import Estimates

COARSE = {1: 64, 2: 24}
"""Points of the grid along every axis, by the number of axes."""
STEPS = 25
"""Damped steps from the best point of the grid."""
DAMPING = 1e-8, 1e8
"""The least keeps steps finite where the data cannot tell two numbers of theta apart."""
SMALL = 1e-5
"""A change of theta, on the scale on which it is searched, by which slopes are found."""
_TINY = 1e-300
AT_ONCE = 4_000_000
"""Trials times grid points of one matrix product at most."""


@dataclass(frozen=True)
class Fits:
    """One shape fitted to many trials; doses are in units of the largest."""

    candidate: Candidate
    theta: tuple[Numbers, ...]
    """What was searched, trial by trial."""
    e0: Numbers
    e1: Numbers
    criterion: Numbers
    """Akaike's."""

    def at(self, doses: Numbers) -> Numbers:
        """The fitted curve of every trial (rows) at some doses."""
        theta = [one[:, None] for one in self.theta]
        g = self.candidate.shape.fitted_curve(doses[None, :], self.candidate.guess, theta)
        return np.asarray(self.e0[:, None] + self.e1[:, None] * g)


def fit(candidate: Candidate, doses: Numbers, estimates: Estimates) -> Fits:
    """The best curves of a shape, trial by trial."""
    shape, guess = candidate.shape, candidate.guess
    theta = _search(candidate, doses, estimates) if shape.axes else ()
    g = shape.fitted_curve(doses[None, :], guess, [one[:, None] for one in theta])
    g = np.broadcast_to(g, estimates.value.shape)
    w, y = estimates.weight, estimates.value
    total = w.sum(axis=1)
    of_g, of_y = (w * g).sum(axis=1) / total, (w * y).sum(axis=1) / total
    centred = g - of_g[:, None]
    e1 = (w * centred * y).sum(axis=1) / np.maximum((w * centred**2).sum(axis=1), _TINY)
    e0 = of_y - e1 * of_g
    misfit = (w * (y - e0[:, None] - e1[:, None] * g) ** 2).sum(axis=1)
    return Fits(candidate, theta, e0, e1, estimates.criterion(misfit, shape.parameters))


def _search(candidate: Candidate, doses: Numbers, estimates: Estimates) -> tuple[Numbers, ...]:
    """The best theta of every trial: from a grid, then by damped steps from there."""
    axes = candidate.shape.axes
    lines = [np.linspace(*axis.span, COARSE[len(axes)]) for axis in axes]
    grid = np.array(list(product(*lines)))
    places = grid[_best_of_grid(candidate, doses, estimates, grid)]
    low, high = np.array([axis.span for axis in axes]).T
    damping = np.full(len(places), 0.01)
    most = _explained(_curves(candidate, doses, places), estimates)
    for _ in range(STEPS):
        step = _step(candidate, doses, estimates, places, damping, (low, high))
        tried = np.clip(places + step, low, high)
        value = _explained(_curves(candidate, doses, tried), estimates)
        better = value > most
        places, most = np.where(better[:, None], tried, places), np.where(better, value, most)
        damping = np.clip(np.where(better, damping / 5, damping * 5), *DAMPING)
    return tuple(axis.value(places[:, i]) for i, axis in enumerate(axes))


def _curves(candidate: Candidate, doses: Numbers, places: Numbers) -> Numbers:
    """g of every trial (rows) at the doses, theta being given by its place on every axis."""
    axes = candidate.shape.axes
    theta = [axis.value(places[:, i, None]) for i, axis in enumerate(axes)]
    return np.asarray(candidate.shape.fitted_curve(doses, candidate.guess, theta))


def _step(
    candidate: Candidate,
    doses: Numbers,
    estimates: Estimates,
    places: Numbers,
    damping: Numbers,
    bounds: tuple[Numbers, Numbers],
) -> Numbers:
    """A step of Levenberg and Marquardt in theta, e0 and e1 being the best for every theta.

    Variable projection with Kaufman's Jacobian (BIT 15:49, 1975): what a change of theta does to
    the curve, less what e0 and e1 make up for. At a bound that a step would cross, theta stays.
    """
    w, size = estimates.weight, places.shape[1]
    g = _centred(_curves(candidate, doses, places), w)
    y = _centred(estimates.value, w)
    spread = np.maximum((w * g * g).sum(axis=1), _TINY)[:, None]
    e1 = (w * g * y).sum(axis=1)[:, None] / spread
    left, columns = y - e1 * g, []
    for axis in range(size):
        aside = np.zeros(size)
        aside[axis] = SMALL
        ends = (_curves(candidate, doses, places + way * aside) for way in (1, -1))
        change = _centred(np.subtract(*ends) / (2 * SMALL), w) * e1
        columns.append(change - (w * g * change).sum(axis=1)[:, None] / spread * g)
    jacobian = np.stack(columns, axis=2)
    weighted = w[:, :, None] * jacobian
    normal = np.einsum("tki,tkj->tij", weighted, jacobian)
    slope = np.einsum("tki,tk->ti", weighted, left)
    outward = ((places <= bounds[0]) & (slope < 0)) | ((places >= bounds[1]) & (slope > 0))
    kept = ~outward
    normal = normal * kept[:, :, None] * kept[:, None, :]
    diagonal = np.einsum("tii->ti", normal)  # a view
    diagonal += damping[:, None] * diagonal + _TINY**0.5 + outward
    return np.asarray(np.linalg.solve(normal, (slope * kept)[:, :, None])[:, :, 0])


def _centred(values: Numbers, w: Numbers) -> Numbers:
    """Values less their weighted mean, trial by trial."""
    return np.asarray(values - ((w * values).sum(axis=1) / w.sum(axis=1))[:, None])


def _best_of_grid(
    candidate: Candidate, doses: Numbers, estimates: Estimates, grid: Numbers
) -> NDArray[np.int64]:
    """Per trial, the point of the grid that explains most: by matrix products."""
    axes = candidate.shape.axes
    theta = [axis.value(grid[:, i, None]) for i, axis in enumerate(axes)]
    g = candidate.shape.fitted_curve(doses, candidate.guess, theta).T
    best = np.empty(len(estimates.value), np.int64)
    block = max(1, AT_ONCE // len(grid))
    for first in range(0, len(best), block):
        part = slice(first, first + block)
        w, y = estimates.weight[part], estimates.value[part]
        total = w.sum(axis=1)[:, None]
        of_g, of_y = w @ g / total, (w * y).sum(axis=1)[:, None] / total
        shared = (w * y) @ g - total * of_g * of_y
        spread = w @ (g * g) - total * of_g**2
        best[part] = (shared**2 / np.maximum(spread, _TINY)).argmax(axis=1)
    return best


def _explained(g: Numbers, estimates: Estimates) -> Numbers:
    """How much of the squares about the mean the curves of the trials explain."""
    w, centred = estimates.weight, _centred(g, estimates.weight)
    shared, spread = (w * centred * estimates.value).sum(axis=1), (w * centred**2).sum(axis=1)
    return np.asarray(shared**2 / np.maximum(spread, _TINY))

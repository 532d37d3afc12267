"""The smallest constant of a shape for which an arm at the threshold errs within its allowance."""

import functools
import math
from collections.abc import Callable
from dataclasses import astuple, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import InputError, remembered, source_hash
from gai_core.criteria.boundary_shapes import SHAPES, Chosen
from gai_core.criteria.boundary_shapes import Boundary as OfConstant
from gai_core.criteria.exact.allowances import allowance
from gai_core.criteria.exact.parameters import ExactParameters
from gai_core.criteria.exact.schedule import declaring_counts
from gai_core.criteria.mixture import normal_excess
from gai_core.criteria.posterior import posterior_boundary
from gai_core.criteria.sides import Numbers, one_sided, two_sided
from gai_core.evidence import Curves, Outcome, Setting

Counts = NDArray[Any]
"""Whole limits after n = 0, 1, ... patients; of pairs judged by their likelihood, rows of them."""

GRID_STEPS = 0.5, 0.25
TOLERANCES = 5e-3, 1e-5
"""Where chances do not go in steps, the search goes from a coarse quadrature to the fine one."""
CHECK_STEP, QUADRATURE = 0.125, 1e-7
"""A finer quadrature looks whether the limits found err within the allowance; where they do not, it
makes them itself, so far below the allowance as its own error can be at most."""
CLOSE = 1e-9
CLOSE_EVIDENCE = 1e-4
"""The same for evidence from pairs, of which every step of the search takes long."""


def shape_of(
    setting: Setting, parameters: ExactParameters, xi: float, looks: Numbers
) -> OfConstant:
    """The boundary at the looks as a function of c."""
    chosen = Chosen(parameters.prior_patients, parameters.exponent)
    return SHAPES[parameters.shape].boundary(setting.outcome, xi, looks, chosen)


def at_all_counts(setting: Setting, looks: Numbers, shape: OfConstant) -> OfConstant:
    """A boundary at the looks as one at every n = 1, 2, ...: infinite between the looks."""

    def boundary(c: float) -> Numbers:
        found, most = shape(c), setting.most_patients
        if setting.outcome.by_controls:
            rows = np.full((most, most + 1), np.inf)
            rows[looks.astype(int) - 1, : found.shape[1]] = found
            return rows
        result = np.full(most, np.inf)
        result[looks.astype(int) - 1] = found
        return result

    return boundary


@functools.lru_cache(maxsize=10_000)
def constant(setting: Setting, parameters: ExactParameters, xi: float) -> float:
    """The calibrated c of one side; kept between runs where it takes long."""
    if setting.outcome.shifts:
        xi = 0.0  # a shift of all sums changes nothing
    version = _version(setting.outcome, parameters.shape)
    if version is None:
        return _calibrate(setting, parameters, xi)
    key = f"{version} {astuple(setting)!r} {parameters!r} {xi!r}"  # a repr may leave out fields
    return remembered("calibrations", key, lambda: _calibrate(setting, parameters, xi))


@functools.cache
def _version(outcome: Outcome, shape: str) -> str | None:
    """A hash of all sources that a calibration rests on; None where it is not kept."""
    if not outcome.law_takes_long:
        return None
    from gai_core.evidence.crossing import law

    of_outcome = outcome.crossing, outcome.least_sum, outcome.never
    made_by: list[Callable[..., Any]] = [
        _calibrate,
        allowance,
        declaring_counts,
        normal_excess,
        posterior_boundary,
        SHAPES[shape].boundary,
        law,
        two_sided,
        *of_outcome,
        *outcome.law_functions(),
    ]
    return source_hash(made_by)


def _calibrate(setting: Setting, parameters: ExactParameters, xi: float) -> float:
    alpha = allowance(setting, parameters.share) * (1 - setting.outcome.law_accuracy)
    looks = declaring_counts(setting, parameters)
    boundary = at_all_counts(setting, looks, shape_of(setting, parameters, xi, looks))

    at_target = replace(setting, threshold=xi)

    def chance(c: float, step: float = GRID_STEPS[-1]) -> float:
        return _chance(setting.outcome, xi, one_sided(at_target, boundary(c)), alpha, step)

    if setting.outcome.whole:
        nobody = one_sided(at_target, boundary(0.0)).reject
        return bisect(
            lambda c: one_sided(at_target, boundary(c)).accept,
            lambda counts: _chance(setting.outcome, xi, Curves(counts, nobody), alpha),
            alpha,
            CLOSE_EVIDENCE if setting.outcome.by_controls else CLOSE,
        )
    c, slope = math.sqrt(-2 * math.log(alpha)), -3.0
    if SHAPES[parameters.shape].in_evidence:
        c, slope = -math.log(alpha), -1.0
    for step, tolerance in zip(GRID_STEPS, TOLERANCES, strict=True):
        c, slope = _secant(functools.partial(chance, step=step), alpha, c, slope, tolerance)
    surely = alpha * (1 - QUADRATURE)
    if setting.outcome.law_accuracy or chance(c, CHECK_STEP) <= surely:
        return c
    finely = functools.partial(chance, step=CHECK_STEP)
    return _secant(finely, surely, c, slope, TOLERANCES[-1])[0]


def _chance(
    outcome: Outcome, xi: float, upper: Curves, alpha: float, step: float = GRID_STEPS[-1]
) -> float:
    """P(an arm with mean xi ever crosses the boundary)."""
    from gai_core.evidence.crossing import law

    return float(law(outcome, xi, upper, smallest=alpha, step=step).good.sum())


def bisect(
    limits: Callable[[float], Counts],
    chance: Callable[[Counts], float],
    alpha: float,
    close: float = CLOSE,
) -> float:
    """The smallest c with chance(limits(c)) <= alpha, from above, for limits on whole sums.

    Limits rise with c, and the chance falls. Where two of them differ by one in one count alone,
    all between are one of the two: smaller steps would find the same limits.
    """
    known: dict[bytes, float] = {}

    def at(c: float) -> tuple[Counts, bool]:
        counts = limits(c)
        key = counts.tobytes()
        if key not in known:
            known[key] = chance(counts)
        return counts, known[key] <= alpha

    low, high = 0.0, 1.0
    below, enough = at(low)
    if enough:
        return low
    above, enough = at(high)
    while not enough:
        low, below, high = high, above, 2 * high
        above, enough = at(high)
    while high - low > close * high and (above - below).sum() > 1:
        middle = (low + high) / 2
        found, enough = at(middle)
        if enough:
            high, above = middle, found
        else:
            low, below = middle, found
    return high


def _secant(
    chance: Callable[[float], float], alpha: float, c: float, slope: float, tolerance: float
) -> tuple[float, float]:
    """c with log chance(c) at most log alpha and less than `tolerance` below it, and the slope."""
    target = math.log(alpha) - tolerance / 2
    before: tuple[float, float] | None = None
    for _ in range(60):
        excess = math.log(max(chance(c), alpha * CLOSE)) - target
        if before is not None:
            # Far off, the chance may be flat: the slope counts as at least 0.1.
            slope = min((excess - before[1]) / (c - before[0]), -0.1)
        if abs(excess) <= tolerance / 2:
            return c, slope
        before = c, excess
        c -= max(-1.0, min(1.0, excess / slope))
    raise InputError(
        f"the criterion exact could not be calibrated for an error of {alpha:g} per arm; "
        "choose other looks, another shape or the criterion mixture"
    )

"""Shapes of calibrated curves: the boundary at the looks as a function of one constant c.

To add one: write its function, and give it a line in SHAPES.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gai_core.criteria.mixture import normal_excess
from gai_core.criteria.posterior import posterior_boundary
from gai_core.criteria.sides import Numbers
from gai_core.evidence import Outcome

MIXTURE_PATIENTS = 10
"""Weight of the normal mixture whose shape can be chosen, in patients."""

Boundary = Callable[[float], Numbers]
"""c -> the boundary, which rises with c."""


class Chosen(NamedTuple):
    """What some shapes are told: the patients that a prior is worth, and an exponent."""

    prior_patients: float
    exponent: float


class Shape(NamedTuple):
    """How strict early looks are beside late ones."""

    words: str
    boundary: Callable[[Outcome, float, Numbers, Chosen], Boundary]
    """(outcome, xi, looks, what was chosen) -> the boundary."""
    in_evidence: bool = False
    """Whether c is an amount of evidence, and not a number of standard deviations."""


def _pocock(outcome: Outcome, xi: float, looks: Numbers, _chosen: Chosen) -> Boundary:
    """n xi + c sqrt(n v)."""
    if outcome.by_controls:
        return _of_evidence(outcome, xi, looks, 0.0)
    variance = outcome.variance_at(xi)
    return _at_level(outcome, looks, lambda c: looks * xi + c * np.sqrt(looks * variance))


def _obrien_fleming(outcome: Outcome, xi: float, looks: Numbers, _chosen: Chosen) -> Boundary:
    """n xi + c sqrt(N v), N the last look."""
    if outcome.by_controls:
        return _of_evidence(outcome, xi, looks, 1.0)
    variance = outcome.variance_at(xi)
    return _at_level(outcome, looks, lambda c: looks * xi + c * math.sqrt(looks[-1] * variance))


def _wang_tsiatis(outcome: Outcome, xi: float, looks: Numbers, chosen: Chosen) -> Boundary:
    """n xi + c N^(1/2-e) n^e sqrt(v), N the last look: e = 1/2 is Pocock, 0 O'Brien-Fleming."""
    if outcome.by_controls:
        return _of_evidence(outcome, xi, looks, 1 - 2 * chosen.exponent)
    of_n = looks[-1] ** (0.5 - chosen.exponent) * looks**chosen.exponent
    scale = of_n * math.sqrt(outcome.variance_at(xi))
    return _at_level(outcome, looks, lambda c: looks * xi + c * scale)


def _mixture(outcome: Outcome, xi: float, looks: Numbers, _chosen: Chosen) -> Boundary:
    """n xi + s(c), s the excess at which the normal mixture has the evidence c."""
    if outcome.by_controls:
        return _of_evidence(outcome, xi, looks, 0.5)
    variance = outcome.variance_at(xi)
    rho = MIXTURE_PATIENTS * variance
    return _at_level(outcome, looks, lambda c: looks * xi + normal_excess(looks, variance, rho, c))


def _posterior(outcome: Outcome, xi: float, looks: Numbers, chosen: Chosen) -> Boundary:
    """The sum at which P(mean >= xi | data) is Phi(c); the prior is centred on xi."""
    return lambda c: posterior_boundary(outcome, looks, xi, (xi, chosen.prior_patients), c)


def _of_evidence(outcome: Outcome, xi: float, looks: Numbers, power: float) -> Boundary:
    """Pairs judged by their likelihood: the log evidence c (N/n)^power, N the last look.

    It grows as z^2/2 does, so the powers 0 and 1 are those of z >= c and of z >= c sqrt(N/n).
    """
    return lambda c: outcome.rows_at(looks, xi, c * (looks[-1] / looks) ** power)


def _at_level(outcome: Outcome, looks: Numbers, on_sums: Boundary) -> Boundary:
    """The limit that is as strict as one on a sum of known spread."""
    return lambda c: outcome.limit_at_level(looks, on_sums(c))


SHAPES = {
    "pocock": Shape("as strict as late ones (Pocock)", _pocock),
    "obrien-fleming": Shape("very strict (O'Brien and Fleming)", _obrien_fleming),
    "wang-tsiatis": Shape("as strict as the exponent says (Wang and Tsiatis)", _wang_tsiatis),
    "mixture": Shape("between Pocock and O'Brien-Fleming (mixture)", _mixture, in_evidence=True),
    "posterior": Shape("by the chance to meet the target, given the data (Bayesian)", _posterior),
}

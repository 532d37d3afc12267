"""Evidence from both responses of pairs: likelihood ratios against the closest rates at the margin.

A pair has the responses x of the dose's patient and y of the control's. A dose at the margin m has
the rate p + m where the control has p. For such a p and 0 < l < min(1/(p+m), 1/(1-p)) let

  e(x, y) = (1 + l (x - p - m)) (1 - l (y - p)).

It is the likelihood ratio of the rates t1 = p + m + l (p+m)(1-p-m) and t0 = p - l p(1-p) against
p + m and p, and these are the closest rates at the margin: d(t1, p+m) + d(t0, p) is convex in p
and has the slope 0 there. Every t1 > t0 + m has one such p and l.

Let the control have any rate c, and the dose one of at most c + m. Both factors are independent
and not negative, so that with z = l (c - p)

  E e(x, y) <= (1 + z) (1 - z) <= 1,

given all that was seen before, and whatever c is at that time. So the product of e over a dose's
pairs is a supermartingale, in every course of the control's rate, and so is the mean of such
products over several (p, l). By Ville's inequality the chance that it ever reaches 1/alpha is at
most alpha. After n pairs with `a` responders on the dose and `b` among its controls the product is
exp(n u + a v - b w), so the mixture needs no order; it rises with a and falls with b, because
v > 0 and w > 0. After Turner, Ly and Grünwald, J. Statist. Plan. Inference 230:106116, 2024.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from gai_core.basics.code_cache import code_cache

Numbers = NDArray[np.float64]

RATES = 6
"""Rates p of the control in the mixture: lo + (hi - lo) sin^2, as far apart as rates spread."""
SHARES = (0.25, 0.5, 0.75)
"""l as shares of the largest one, from small effects to large ones."""


class Alternatives(NamedTuple):
    """Per alternative: log e of a pair without responders, and what each responder changes."""

    none: Numbers
    dose: Numbers
    control: Numbers


def alternatives(margin: float) -> Alternatives:
    """The alternatives of the mixture, all of the same weight."""
    low, high = max(0.0, -margin), min(1.0, 1.0 - margin)
    angles = (np.arange(RATES) + 0.5) / RATES * math.pi / 2
    p = np.repeat(low + (high - low) * np.sin(angles) ** 2, len(SHARES))
    bet = np.tile(SHARES, RATES) * np.minimum(1 / (p + margin), 1 / (1 - p))
    dose = np.log1p(-bet * (p + margin)), np.log1p(bet * (1 - p - margin))
    control = np.log1p(bet * p), np.log1p(-bet * (1 - p))
    return Alternatives(dose[0] + control[0], dose[1] - dose[0], control[1] - control[0])


def log_evidence(margin: float, n: ArrayLike, dose: ArrayLike, control: ArrayLike) -> Numbers:
    """log of the mixture after n pairs with so many responders on the dose, and on the control."""
    from scipy.special import logsumexp

    none, per_dose, per_control = alternatives(margin)
    n, a, b = (np.asarray(count, float)[..., None] for count in (n, dose, control))
    terms = n * none + a * per_dose + b * per_control
    return np.asarray(logsumexp(terms, axis=-1) - math.log(none.size))


def least_excess(margin: float, needed: Numbers) -> NDArray[np.int32]:
    """[n, b]: by how many responders the dose must be ahead of b responders on the control.

    `needed` is the log evidence that is needed after n = 0, 1, ... pairs. Where no number of
    responders is enough, or b is more than n, it is n + 1.
    """
    return np.asarray(_least(*alternatives(margin), needed))


def _least_excess(none, per_dose, per_control, needed):  # type: ignore[no-untyped-def]
    last, several = needed.size - 1, none.size
    least = np.empty((last + 1, last + 1), np.int32)
    for n in range(last + 1):
        least[n, :] = n + 1
        if n == 0 or needed[n] == np.inf:
            continue
        a = 0
        for b in range(n + 1):  # the more controls respond, the more must on the dose
            while a <= n:
                most = -np.inf
                for j in range(several):
                    most = max(most, n * none[j] + a * per_dose[j] + b * per_control[j])
                total = 0.0
                for j in range(several):
                    total += math.exp(n * none[j] + a * per_dose[j] + b * per_control[j] - most)
                if most + math.log(total / several) >= needed[n]:
                    break
                a += 1
            if a > n:
                break
            least[n, b] = a - b
    return least


with code_cache([_least_excess]) as _usable:
    _least = njit(nogil=True, error_model="numpy", cache=_usable)(_least_excess)

"""The least counts of responders that have enough evidence, by a walk along the boundary.

With A = s + r xi and B = f + r (1 - xi) after s responders and f others, the evidence of a beta
mixture over p > xi,

  E(s, f) = I(s, f) / I(0, 0),
  I(s, f) = integral over p > xi of (p/xi)^s ((1-p)/(1-xi))^f p^(r xi - 1) (1-p)^(r (1-xi) - 1),

obeys two identities. p + (1 - p) = 1 makes it a martingale, xi E(s+1, f) + (1-xi) E(s, f+1) =
E(s, f), and integration by parts gives B xi E(s+1, f) - A (1-xi) E(s, f+1) = g, with g = xi^(r xi)
(1-xi)^(r (1-xi)) / I(0, 0). So

  E(s+1, f) = (A E(s, f) + g) / ((A + B) xi),   E(s, f+1) = (B E(s, f) - g) / ((A + B) (1-xi)).

A responder raises E and another lowers it, so the least count with enough evidence either stays
or goes up by one with every patient: a few multiplications each. E is kept as a share of what is
enough, and along the way it is about 1, where neither step loses digits.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gai_core.basics.code_cache import code_cache

Numbers = NDArray[np.float64]


def least_counts(
    n_max: int, xi: float, weights: Numbers, constants: Numbers, log_enough: float, margin: float
) -> Numbers:
    """After n = 1, ..., n_max patients, the least count whose mean evidence is enough.

    n + 1 where not even n responders have it. `weights` are r and `constants` g of every mixture;
    evidence that exceeds what is enough by less than a share of `margin` does not count.
    """
    counts, before = np.empty(n_max), np.exp(-log_enough)
    _counts(xi, weights, constants * before, before, 1.0 + margin, counts)
    return counts


def _walk(xi, weights, constants, before, enough, counts):  # type: ignore[no-untyped-def]
    """Into `counts`: first all respond, then every patient does not who need not."""
    mixtures = weights.size
    evidence, lowered = np.full(mixtures, before), np.empty(mixtures)
    reached, s = False, 0.0
    for n in range(counts.size):  # patients before this one
        if reached:
            mean = 0.0
            for k in range(mixtures):
                others = n - s + weights[k] * (1.0 - xi)
                less = others * evidence[k] - constants[k]
                lowered[k] = less / ((n + weights[k]) * (1.0 - xi))
                mean += lowered[k] / mixtures
            if mean >= enough:
                for k in range(mixtures):  # copied at once it compiles for seconds
                    evidence[k] = lowered[k]
                counts[n] = s
                continue
        mean = 0.0
        for k in range(mixtures):
            more = (s + weights[k] * xi) * evidence[k] + constants[k]
            evidence[k] = more / ((n + weights[k]) * xi)
            mean += evidence[k] / mixtures
        s += 1.0
        reached = reached or mean >= enough
        counts[n] = s if reached else s + 1.0


with code_cache([least_counts]) as _usable:
    _counts = njit(nogil=True, error_model="numpy", cache=_usable)(_walk)

"""A confidence sequence: all means that `mixture` neither accepts nor rejects as a target.

The criterion is valid for every target x, so the x that it has decided about wrongly by any time
have a chance of at most alpha: what is left covers the mean at all times at once, and so at the end
of every design, whatever brought it about (Robbins, Ann. Math. Statist. 41:1397, 1970; Howard et
al., Ann. Statist. 49:1055, 2021). Either side has half of alpha.

The weights are those that `mixture` has unless it is told otherwise; that for scores is in units of
their variance, so that an interval does not depend on the unit of the score.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gai_core.criteria.mixture import MixtureParameters, normal_excess
from gai_core.criteria.rate_sequence import lower_limits
from gai_core.criteria.student_mixture import student_limit
from gai_core.evidence import (
    Bernoulli,
    Gaussian,
    GaussianUnknown,
    Outcome,
    RateDifferences,
    Seen,
    for_kind,
)

Numbers = NDArray[np.float64]
Limits = tuple[Numbers, Numbers]

LEVEL = 0.95
TARGET = float(np.log(2 / (1 - LEVEL)))
"""The log evidence that rejects a mean from one side."""
PARAMETERS = MixtureParameters()


def confidence_sequence(outcome: Outcome, seen: Seen) -> Limits:
    """Lower and upper 95% limits of the mean of every stream, valid at all times at once.

    nan where nothing was seen, or where there is none for the kind of outcome; infinite where
    too little was seen to say anything.
    """
    sequence = for_kind(SEQUENCES, type(outcome))
    low, high = np.full(seen.n.shape, np.nan), np.full(seen.n.shape, np.nan)
    some = seen.n > 0
    if sequence is not None and some.any():
        squares = None if seen.squares is None else seen.squares[some]
        low[some], high[some] = sequence(
            outcome, Seen(seen.n[some], seen.sums[some], squares, seen.target)
        )
    return low, high


def _of_rates(_outcome: Any, seen: Seen) -> Limits:
    """By root finding in x, once for every (n, S); the upper limit is that of the mirrored data."""
    keys, place = np.unique((seen.n.astype(np.int64) << 32) + seen.sums, return_inverse=True)
    n, sums = (part.astype(float) for part in (keys >> 32, keys & (2**32 - 1)))
    low = lower_limits(n, sums, PARAMETERS.r, TARGET)
    high = 1 - lower_limits(n, n - sums, PARAMETERS.r, TARGET)
    return low[place], high[place]


def _of_scores(outcome: Any, seen: Seen) -> Limits:
    """S/n -+ b(n)/n, b the boundary of S - n x, which is the same for every x."""
    counts, place = np.unique(seen.n, return_inverse=True)
    rho = PARAMETERS.rho * outcome.s2
    boundary = normal_excess(counts.astype(float), outcome.s2, rho, TARGET)
    half = (boundary / counts)[place]
    return seen.means - half, seen.means + half


def _of_rate_differences(outcome: Any, seen: Seen) -> Limits:
    """The same for differences, which are sub-Gaussian: none is beyond -1 and 1."""
    low, high = _of_scores(outcome, seen)
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


def _of_unknown(outcome: Any, seen: Seen) -> Limits:
    """S/n -+ k sqrt(SS/(n (n - k^2))), k(n) the limit on R and SS the squares about the mean.

    R at the target x is n d/sqrt(SS + n d^2) with d = S/n - x: it is k at this distance.
    """
    k = _ratio_limits(2 ** int(seen.n.max()).bit_length(), outcome.pooled)[seen.n]
    bounded = np.isfinite(k)
    k = np.where(bounded, k, 0.0)
    half = np.where(bounded, k * np.sqrt(seen.about_means / (seen.n * (seen.n - k**2))), np.inf)
    return seen.means - half, seen.means + half


@functools.lru_cache(maxsize=8)
def _ratio_limits(size: int, pooled: bool) -> Numbers:
    """k(n) for n = 0, 1, ..., infinite at 0."""
    limits = student_limit(np.arange(1.0, size + 1), PARAMETERS.g, TARGET, pooled=pooled)
    return np.concatenate([[np.inf], limits])


SEQUENCES: Mapping[type[Outcome], Callable[[Any, Seen], Limits]] = {
    Bernoulli: _of_rates,
    RateDifferences: _of_rate_differences,
    Gaussian: _of_scores,
    GaussianUnknown: _of_unknown,
}
"""The confidence sequence of every kind of stream that has one."""

"""Several doses against one control: the law of the largest difference.

With equally many patients x_ij on K doses and a control, and a known variance, the differences of
the means from that of the same controls, each divided by its standard deviation, are

  Z_i = (X_i - X_0) / sqrt(2),

with X_0, ..., X_K independent and standard normal: every two have the correlation 1/2. Given X_0
they are independent, so

  P(any Z_i > c_i) = integral phi(x) (1 - prod Phi(sqrt(2) c_i + x)) dx.

Dunnett, J. Am. Statist. Ass. 50:1096, 1955.
"""

import functools
import math
from collections.abc import Sequence

import numpy as np

REACH, STEP = 40.0, 0.05
"""The trapezium rule over a smooth function that vanishes at both ends errs less than rounding."""
CLOSE = 1e-13


def any_beyond(limits: Sequence[float]) -> float:
    """P(any Z_i > c_i): the chance that any difference from the shared control passes its limit."""
    from scipy.special import log_ndtr

    x = np.arange(-REACH, REACH + STEP / 2, STEP)
    none = sum(log_ndtr(math.sqrt(2) * limit + x) for limit in limits)
    weight = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return float(STEP * np.sum(weight * -np.expm1(none))) if limits else 0.0


def any_with_shared_control(chances: Sequence[float]) -> float:
    """The same, given the chance of each difference by itself."""
    from scipy.special import ndtri

    certain = [chance for chance in chances if chance >= 1]
    return 1.0 if certain else any_beyond([-float(ndtri(p)) for p in chances if p > 0])


@functools.lru_cache(maxsize=256)
def dunnett_critical(doses: int, alpha: float) -> float:
    """The limit c that any of so many Z_i passes with the chance alpha (one-sided).

    It is between the limit of one dose alone and Bonferroni's.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    alone, bonferroni = -float(ndtri(alpha)), -float(ndtri(alpha / doses))
    if doses == 1 or any_beyond([bonferroni] * doses) >= alpha:  # the same but for rounding
        return bonferroni
    found = brentq(lambda c: any_beyond([c] * doses) - alpha, alone, bonferroni, xtol=CLOSE)
    return float(found) + CLOSE


def dunnett_share(doses: int, alpha: float) -> float:
    """The chance of each Z_i by itself to pass Dunnett's limit: more than alpha/K."""
    from scipy.special import ndtr

    return float(ndtr(-dunnett_critical(doses, alpha)))

"""What a coarse lattice leaves over, used up: single counts lowered while the error allows.

With few looks the lattice is coarse and one constant leaves error unspent. Lower counts only add
to the chance, so a look that could not be lowered never can be.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gai_core.criteria.exact.allowances import allowance
from gai_core.criteria.exact.parameters import ExactParameters
from gai_core.criteria.exact.schedule import declaring_counts
from gai_core.criteria.sides import Numbers, one_sided
from gai_core.evidence import ROUNDING, Curves, Setting, lower_each


def used_up(
    setting: Setting,
    parameters: ExactParameters,
    xi: float,
    sums: Numbers,
    bound: Callable[[Curves], float] | None = None,
) -> Numbers:
    """Lower single boundary counts, last look first, while the chance stays within alpha.

    The chance is that of one arm to cross, if no other bound is to be kept.
    """
    alpha, outcome = allowance(setting, parameters.share), setting.outcome
    sums = np.ceil(sums + ROUNDING)
    upper = one_sided(replace(setting, threshold=xi), sums)
    looks = declaring_counts(setting, parameters)[::-1].astype(int)
    sums[looks - 1] = np.minimum(sums[looks - 1], looks + 1)
    while looks.size:
        can_be = sums[looks - 1] - 1 > looks * xi
        looks = looks[can_be]
        counts = sums[looks - 1].astype(int)  # what is above the lowered sum
        lowered = (
            outcome.lower_counts(xi, upper, looks, counts, alpha)
            if bound is None
            else lower_each(upper, looks, counts, alpha, bound)
        )
        looks = looks[lowered]
        sums[looks - 1] -= 1
    return sums

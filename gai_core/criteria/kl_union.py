"""The paper's union bound with Chernoff's inequality instead of Hoeffding's."""

from typing import Any

import numpy as np

from gai_core.basics import PAPER
from gai_core.criteria.criterion import ALWAYS_VALID, Criterion
from gai_core.criteria.sides import Numbers, two_sided
from gai_core.evidence import ROUNDING, Curves, Setting

STEPS = 50
TOLERANCE = 1e-12


def curves(setting: Setting, parameters: Any) -> Curves:
    """Good if S/n > xi and n d(S/n, xi) >= log(4 K n^2 / delta)."""

    def boundary(side: Setting) -> Numbers:
        n, xi = side.counts[1:], side.target
        constant = np.log(4 * side.sharing) - np.log(side.errors.declare)
        needed = (constant + 2 * np.log(n)) / n
        # d(m, xi) is convex and at least 2 (m - xi)^2: Newton from Hoeffding's mean downwards.
        mean = np.minimum(xi + np.sqrt(needed / 2), 1 - 1e-12)
        for _ in range(STEPS):
            slope = np.log(mean / xi) - np.log((1 - mean) / (1 - xi))
            step = (side.outcome.divergence(mean, xi) - needed) / slope
            mean = np.minimum(mean - step, 1 - 1e-12)
            if np.abs(step).max() < TOLERANCE:
                break
        # Where d(m, xi) is not reached below 1, only n responders of n may be enough.
        all_respond = side.outcome.divergence(1.0, xi) >= needed
        return np.where(all_respond, np.minimum(n * mean, n - 2 * ROUNDING), np.inf)

    return two_sided(setting, boundary)


KL_UNION = Criterion(
    key="kl-union",
    label="The paper's confidence bound, sharper for response rates",
    formula="n d(m, xi) >= log(4 K n^2 / delta)",
    citation=f"{PAPER}, Theorem 2, with Chernoff's bound",
    suits=lambda kind: kind.mean_range == (0.0, 1.0),
    guarantee="always",
    promises=ALWAYS_VALID,
    curves=curves,
)

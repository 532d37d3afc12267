"""The stitched bound: a law of the iterated logarithm at finite times."""

from typing import Any

import numpy as np

from gai_core.criteria.criterion import ALWAYS_VALID, Criterion
from gai_core.criteria.sides import Numbers, two_sided
from gai_core.evidence import Curves, Setting

ETA, POWER = 2.0, 1.4
"""Epochs double; epoch k gets a share (k + 1)^-1.4 of the error."""


def curves(setting: Setting, parameters: Any) -> Curves:
    """Good if S - n xi >= k1 sqrt(s2 n l(n)).

    k1 = (eta^(1/4) + eta^(-1/4)) / sqrt 2 and
    l(n) = s log(1 + log_eta n) + log(zeta(s) K / delta), with eta = 2 and s = 1.4.
    """
    from scipy.special import zeta

    k1 = (ETA**0.25 + ETA**-0.25) / np.sqrt(2)

    def boundary(side: Setting) -> Numbers:
        n, xi = side.counts[1:], side.target
        constant = np.log(zeta(POWER)) + np.log(side.sharing) - np.log(side.errors.declare)
        evidence = POWER * np.log1p(np.log(n) / np.log(ETA)) + constant
        return np.asarray(n * xi + k1 * np.sqrt(side.outcome.s2 * n * evidence))

    return two_sided(setting, boundary)


STITCHED = Criterion(
    key="stitched",
    label="Confidence bound tighter than the paper's (iterated logarithm)",
    formula="S - n xi >= 1.44 sqrt(s2 n (1.4 log(1 + log2 n) + log(3.11 K / delta)))",
    citation="Howard, Ramdas, McAuliffe and Sekhon, Ann. Statist. 49:1055, 2021, Theorem 1",
    suits=lambda kind: kind.sub_gaussian,
    guarantee="always",
    promises=ALWAYS_VALID,
    curves=curves,
)

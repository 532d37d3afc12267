"""The paper's identification criterion: a union bound over all sample sizes."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import PAPER
from gai_core.criteria.criterion import ALWAYS_VALID, Criterion
from gai_core.criteria.sides import of_radius
from gai_core.evidence import Curves, Setting


def union_radius(setting: Setting, delta: float) -> NDArray[np.float64]:
    """r(n) = sqrt(2 s2 log(4 K n^2 / delta) / n) for n = 0, ..., n_max (infinite at 0)."""
    n = setting.counts[1:]
    # log(4 K / delta) + 2 log n: no overflow for a delta as small as e^-700.
    evidence = np.log(4 * setting.sharing) - np.log(delta) + 2 * np.log(n)
    return np.concatenate([[np.inf], np.sqrt(2 * setting.outcome.s2 * evidence / n)])


def curves(setting: Setting, parameters: Any) -> Curves:
    """Good if m - r(n) >= xi, bad if m + r(n) < xi."""
    return of_radius(setting, functools.partial(union_radius, setting))


UNION = Criterion(
    key="union",
    label="The paper's confidence bound (cautious)",
    formula="r(n) = sqrt(2 s2 log(4 K n^2 / delta) / n)",
    citation=f"{PAPER}, Algorithm 1, Theorem 2 and Remark 1",
    suits=lambda kind: kind.sub_gaussian,
    guarantee="always",
    promises=ALWAYS_VALID,
    curves=curves,
)

"""Thompson sampling: each dose is tried as often as it is likely to be the best."""

from typing import Any

import numpy as np

from gai_core.basics import jitable
from gai_core.evidence import Setting
from gai_core.rules.rule import Rule, Tables


@jitable
def thompson_summary(
    mean: float, n: int, of_n: float, xi: float, scale: float, unit: float
) -> tuple[float, float]:
    """m_i and sqrt(v/n_i): the index m_i + z sqrt(v/n_i) is a draw from the posterior."""
    return mean, scale * of_n


def tables(setting: Setting, parameters: Any) -> Tables:
    """1/sqrt(n)."""
    return Tables.only_n(1 / np.sqrt(np.maximum(setting.counts, 1)))


THOMPSON = Rule(
    key="thompson",
    label="Favour a dose as often as it may be the best (Thompson sampling)",
    formula="argmax theta_i, theta_i ~ N(m_i, v/n_i), v the variance of an outcome at xi",
    citation="Thompson, Biometrika 25:285, 1933; Agrawal and Goyal, AISTATS 2013",
    summary=thompson_summary,
    tables=tables,
    varies="at random",
    counts_waiting=False,
)

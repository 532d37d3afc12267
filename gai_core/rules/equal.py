"""Equal: round robin over the undecided arms, the benchmark of every comparison."""

from typing import Any

import numpy as np

from gai_core.basics import jitable
from gai_core.evidence import Setting
from gai_core.rules.rule import Rule, Tables


@jitable
def equal_summary(
    mean: float, n: int, of_n: float, xi: float, scale: float, unit: float
) -> tuple[float, float]:
    """-n_i: the arm with the fewest patients is next."""
    return -float(n), 0.0


def tables(setting: Setting, parameters: Any) -> Tables:
    """Nothing is needed."""
    return Tables.only_n(np.zeros(setting.most_patients + 1))


EQUAL = Rule(
    key="equal",
    label="Equal allocation over the doses still undecided (the benchmark)",
    formula="argmin n_i",
    citation="Round robin; equal randomisation is the usual benchmark of dose-finding trials",
    summary=equal_summary,
    by_ratio=True,
    tables=tables,
)

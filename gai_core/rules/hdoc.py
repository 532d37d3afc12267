"""HDoC: the paper's hybrid algorithm for the dilemma of confidence (Algorithm 1)."""

from typing import Any

import numpy as np

from gai_core.basics import PAPER, jitable
from gai_core.evidence import Setting
from gai_core.rules.rule import Rule, Tables


@jitable
def hdoc_summary(
    mean: float, n: int, of_n: float, xi: float, scale: float, unit: float
) -> tuple[float, float]:
    """m_i and 1/sqrt(n_i), so that the index is m_i + sqrt(2 s2 log t) / sqrt(n_i)."""
    return mean, of_n * unit


def tables(setting: Setting, parameters: Any) -> Tables:
    """1/sqrt(n), and sqrt(2 s2 log t)."""
    counts = np.maximum(setting.counts, 1)
    return Tables(1 / np.sqrt(counts), np.sqrt(2 * setting.outcome.s2 * np.log(counts)))


HDOC = Rule(
    key="hdoc",
    label="Favour the doses that look best, with room for doubt",
    formula="argmax m_i + sqrt(2 s2 log(t) / n_i)",
    citation=f"{PAPER}, Algorithm 1 and Remark 1",
    summary=hdoc_summary,
    tables=tables,
    varies="with t",
)

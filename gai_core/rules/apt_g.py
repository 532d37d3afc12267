"""APT-G: sample the arm that is hardest to tell from the threshold (Algorithm 1)."""

from typing import Any

import numpy as np

from gai_core.basics import PAPER, jitable
from gai_core.evidence import Setting
from gai_core.rules.rule import Rule, Tables


@jitable
def apt_g_summary(
    mean: float, n: int, of_n: float, xi: float, scale: float, unit: float
) -> tuple[float, float]:
    """-sqrt(n_i) |xi - m_i|."""
    return -of_n * abs(xi - mean), 0.0


def tables(setting: Setting, parameters: Any) -> Tables:
    """sqrt(n)."""
    return Tables.only_n(np.sqrt(setting.counts))


APT_G = Rule(
    key="apt-g",
    label="Favour the doses closest to the target",
    formula="argmin sqrt(n_i) |xi - m_i|",
    citation=f"{PAPER}, Algorithm 1, after Locatelli et al., ICML 2016",
    summary=apt_g_summary,
    tables=tables,
    caution="A dose exactly at the target takes nearly every patient: no dose may be declared.",
)

"""Stay with the dose that has the most evidence of being good."""

from gai_core.basics import jitable
from gai_core.rules.apt_g import tables
from gai_core.rules.rule import Rule


@jitable
def apgai_summary(
    mean: float, n: int, of_n: float, xi: float, scale: float, unit: float
) -> tuple[float, float]:
    """sqrt(n_i) (m_i - xi): above xi the most evidence, below xi the least against."""
    return of_n * (mean - xi), 0.0


APGAI = Rule(
    key="apgai",
    label="Stay with the dose that has the most evidence of meeting the target",
    formula="argmax sqrt(n_i) (m_i - xi)",
    citation="Jourdan and Réda, An Anytime Algorithm for Good Arm Identification, 2023",
    summary=apgai_summary,
    tables=tables,
    counts_waiting=False,
    caution="May stay very long with a dose at the target before it tries another.",
)

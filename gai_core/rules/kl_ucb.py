"""KL-UCB: the largest mean that the data do not yet speak against."""

from gai_core.basics import jitable
from gai_core.rules.hdoc import tables
from gai_core.rules.rule import Rule


@jitable
def kl_ucb_summary(
    mean: float, n: int, of_n: float, xi: float, scale: float, unit: float
) -> tuple[float, float]:
    """m_i, and 1/sqrt(n_i)."""
    return mean, of_n * unit


KL_UCB = Rule(
    key="kl-ucb",
    label="Favour the doses with the highest plausible response",
    formula="argmax of max {q : n_i d(m_i, q) <= log t}; t read anew when it has grown by a 16th",
    citation="Cappé, Garivier, Maillard, Munos and Stoltz, Ann. Statist. 41:1516, 2013",
    summary=kl_ucb_summary,
    by_divergence=True,
    tables=tables,
    varies="in steps",
)

"""Nearest finish: the dose that would be declared soonest if a posterior draw were true.

A dose with evidence n d(m, xi) still lacks log(K/delta) + (1/2) log(1 + n/r) minus
that evidence, and gains d(theta, xi) with every patient if its mean is theta. With
d as for a normal outcome, the patients still needed are remaining / (theta-xi)^2 up
to a factor, so the dose with the largest (theta - xi) / sqrt(remaining) is next.
This credits the evidence a dose already has, which the paper's section 3.3 calls for.
If no draw is above xi, the same index picks the dose that is least far below.
"""

import math

import numpy as np
from pydantic import Field

from gai_core.basics import Parameters, jitable, searched
from gai_core.evidence import Setting
from gai_core.rules.rule import Rule, Tables

LEAST_REMAINING = 0.05
"""Evidence that always counts as lacking, so that no dose is favoured without limit."""


class NearestFinishParameters(Parameters):
    """How the evidence still needed grows with the patients seen."""

    r: float = Field(
        default=10.0,
        title="Patients after which caution grows",
        json_schema_extra=searched(1.0, 10.0, 100.0),
        ge=0.01,
        le=1e6,
        description="The evidence a dose needs grows with its patients, as log(1 + n/r)/2.",
    )


@jitable
def nearest_finish_summary(
    mean: float, n: int, of_n: float, xi: float, scale: float, unit: float
) -> tuple[float, float]:
    """(m_i - xi)/sqrt(remaining) and sqrt(v/n_i)/sqrt(remaining), so that the index is
    (theta_i - xi)/sqrt(remaining) with theta_i = m_i + z sqrt(v/n_i).

    of_n is the evidence needed at n; the evidence there is n (m_i - xi)^2 / (2 v).
    """
    above = (mean - xi) * (1.0 / scale)
    evidence = 0.5 * n * above * above if above > 0.0 else 0.0
    remaining = of_n - evidence
    remaining = remaining if remaining > LEAST_REMAINING else LEAST_REMAINING
    # Two roots side by side are faster than one after the other.
    return above / math.sqrt(remaining), 1.0 / math.sqrt(remaining * n)


@jitable
def still_to_find(score: float, waiting: int) -> float:
    """The same index for the patients that are still to be found.

    With the score v the dose needs N = 2/v^2 more patients if the draw is true. Of these so
    many wait for their outcome; the index of N - waiting is sqrt(2/(N - waiting)). A dose
    that needs no more than are waiting comes after all others, the one with fewest first.
    """
    if waiting == 0 or score <= 0.0:
        return score
    needed = 2.0 / (score * score)
    return math.sqrt(2.0 / (needed - waiting)) if needed > waiting else -float(waiting)


def tables(setting: Setting, parameters: NearestFinishParameters) -> Tables:
    """log(K/delta) + (1/2) log(1 + n/r) - log 2, the evidence a mixture needs at n."""
    needed = np.log(setting.sharing) - np.log(setting.errors.declare) - math.log(2)
    growth = 0.5 * np.log1p(setting.counts / parameters.r)
    return Tables.only_n(needed + growth)


NEAREST_FINISH = Rule(
    key="nearest-finish",
    label="Favour the dose that could be declared soonest (nearest finish)",
    formula=(
        "argmax (theta_i - xi) / sqrt(remaining_i), theta_i ~ N(m_i, v/n_i), remaining_i = "
        "max(log(K/delta) + log(1 + n_i/r)/2 - log 2 - n_i (m_i - xi)_+^2/(2 v), 0.05)"
    ),
    citation="After Thompson, Biometrika 25:285, 1933, and section 3.3 of the paper",
    parameters=NearestFinishParameters,
    summary=nearest_finish_summary,
    tables=tables,
    varies="at random",
    counts_waiting=False,
    credit=still_to_find,
)

"""LUCB-G: the upper confidence bound of the identification criterion (Algorithm 1)."""

from typing import Literal

import numpy as np
from pydantic import Field

from gai_core.basics import PAPER, Parameters, choices_in_words, jitable
from gai_core.criteria import union_radius
from gai_core.evidence import Setting
from gai_core.rules.rule import Rule, Tables


class LucbGParameters(Parameters):
    """Which radius the index uses."""

    radius: Literal["union", "union-published"] = Field(
        default="union",
        title="Width of the confidence bound",
        json_schema_extra=choices_in_words(
            {
                "union": "that of the paper's Remark 1",
                "union-published": "the one behind the paper's Medical 2 figures",
            }
        ),
        description="Radius in the index: Remark 1's, or the one behind Medical 2's figures.",
    )


@jitable
def lucb_g_summary(
    mean: float, n: int, of_n: float, xi: float, scale: float, unit: float
) -> tuple[float, float]:
    """m_i + r(n_i)."""
    return mean + of_n * unit, 0.0


def tables(setting: Setting, parameters: LucbGParameters) -> Tables:
    """r(n) at the rate of dropping, whose bound m + r is; the same whichever criterion decides."""
    narrowing = np.sqrt(2) if parameters.radius == "union-published" else 1.0
    return Tables.only_n(union_radius(setting, setting.errors.drop) / narrowing)


LUCB_G = Rule(
    key="lucb-g",
    label="Favour the doses whose upper confidence bound is highest",
    formula="argmax m_i + r(n_i), r(n) = sqrt(2 s2 log(4 K n^2 / delta) / n)",
    citation=f"{PAPER}, Algorithm 1, after Kalyanakrishnan et al., ICML 2012",
    parameters=LucbGParameters,
    summary=lucb_g_summary,
    tables=tables,
)

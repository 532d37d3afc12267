"""The radius that Medical 2's published figures were made with. For reproduction only."""

from typing import Any

import numpy as np

from gai_core.basics import PAPER
from gai_core.criteria.criterion import Criterion
from gai_core.criteria.sides import of_radius
from gai_core.criteria.union import union_radius
from gai_core.evidence import Curves, Setting, only


def curves(setting: Setting, parameters: Any) -> Curves:
    """As `union`, narrower by sqrt 2."""
    return of_radius(setting, lambda delta: union_radius(setting, delta) / np.sqrt(2))


UNION_PUBLISHED = Criterion(
    key="union-published",
    label="The radius behind the paper's Medical 2 figures (no guarantee)",
    formula="r(n) = sqrt(sigma^2 log(4 K n^2 / delta) / n)",
    citation=f"{PAPER}, inferred from Tables 1 and 2; differs from Remark 1 by a factor sqrt 2",
    suits=only("gaussian"),
    guarantee="nothing",
    promises=(
        "Carries no guarantee: the union bound's series diverges for this radius. "
        "It is here to reproduce published figures, not to plan a trial."
    ),
    curves=curves,
)

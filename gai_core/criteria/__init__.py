"""Decision rules (criteria). To add one: write its file, add it to this list."""

from gai_core.basics import Registry
from gai_core.criteria.below import BELOW, NO_DROPPING
from gai_core.criteria.criterion import (
    ASSUMED,
    ASSUMED_OF_PAIRS,
    EQUAL_RULE,
    ONE_RATE,
    PROVEN,
    SAME_CONTROLS,
    Criterion,
    Guarantee,
)
from gai_core.criteria.decision import Decision
from gai_core.criteria.exact import EXACT
from gai_core.criteria.kl_union import KL_UNION
from gai_core.criteria.mixture import MIXTURE
from gai_core.criteria.posterior import POSTERIOR
from gai_core.criteria.sequences import confidence_sequence
from gai_core.criteria.simulated import LARGEST_NOMINAL, SIMULATED
from gai_core.criteria.stitched import STITCHED
from gai_core.criteria.union import UNION, union_radius
from gai_core.criteria.union_published import UNION_PUBLISHED

CRITERIA: Registry[Criterion] = Registry(
    "criterion", [UNION, KL_UNION, STITCHED, MIXTURE, EXACT, SIMULATED, POSTERIOR, UNION_PUBLISHED]
)

ONLY_DROPPING = (BELOW, NO_DROPPING)
"""Ways to drop doses that declare none."""


def futilities() -> Registry[Criterion]:
    """All ways to drop doses: any criterion, and those that only drop."""
    return Registry("futility rule", [*CRITERIA.values(), *ONLY_DROPPING])


__all__ = [
    "ASSUMED",
    "ASSUMED_OF_PAIRS",
    "CRITERIA",
    "EQUAL_RULE",
    "LARGEST_NOMINAL",
    "NO_DROPPING",
    "ONE_RATE",
    "PROVEN",
    "SAME_CONTROLS",
    "Criterion",
    "Decision",
    "Guarantee",
    "confidence_sequence",
    "futilities",
    "union_radius",
]

"""Decision rules (criteria). To add one: write its file, add it to this list."""

from gai_core.basics import Registry
from gai_core.criteria.criterion import ASSUMED, Criterion
from gai_core.criteria.exact import EXACT
from gai_core.criteria.kl_union import KL_UNION
from gai_core.criteria.mixture import MIXTURE
from gai_core.criteria.stitched import STITCHED
from gai_core.criteria.union import UNION, union_radius
from gai_core.criteria.union_published import UNION_PUBLISHED

CRITERIA: Registry[Criterion] = Registry(
    "criterion", [UNION, KL_UNION, STITCHED, MIXTURE, EXACT, UNION_PUBLISHED]
)

__all__ = ["ASSUMED", "CRITERIA", "Criterion", "union_radius"]

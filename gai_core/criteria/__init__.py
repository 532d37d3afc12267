"""Identification criteria. To add one: write its file, add it to this list."""

from gai_core.criteria.exact import EXACT
from gai_core.criteria.kl_union import KL_UNION
from gai_core.criteria.mixture import MIXTURE
from gai_core.criteria.stitched import STITCHED
from gai_core.criteria.union import UNION
from gai_core.criteria.union_published import UNION_PUBLISHED
from gai_core.registry import Criterion, Registry

CRITERIA: Registry[Criterion] = Registry(
    "criterion", [UNION, KL_UNION, STITCHED, MIXTURE, EXACT, UNION_PUBLISHED]
)

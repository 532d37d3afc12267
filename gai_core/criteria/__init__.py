"""Identification criteria. To add one: write its file, add it to this list."""

from gai_core.criteria.union import UNION
from gai_core.criteria.union_published import UNION_PUBLISHED
from gai_core.registry import Criterion, Registry

CRITERIA: Registry[Criterion] = Registry("criterion", [UNION, UNION_PUBLISHED])

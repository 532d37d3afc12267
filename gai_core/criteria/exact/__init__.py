"""Limits calibrated for the largest sample size: what to choose, when to look, what is spent."""

from gai_core.criteria.exact.allowances import allowance
from gai_core.criteria.exact.limits import EXACT
from gai_core.criteria.exact.parameters import ExactParameters
from gai_core.criteria.exact.schedule import last_look, look_counts

__all__ = ["EXACT", "ExactParameters", "allowance", "last_look", "look_counts"]

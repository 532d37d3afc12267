"""Upkeep: compile ahead, measure speed."""

from gai_core.tools.bench import measure, plain_ns_per_patient
from gai_core.tools.warm_up import mark

__all__ = ["mark", "measure", "plain_ns_per_patient"]

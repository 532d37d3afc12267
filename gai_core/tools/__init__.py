"""Upkeep: compile ahead, measure speed."""

from gai_core.tools.bench import (
    benchmark,
    conduct_benchmark,
    measure,
    plain_ns_per_patient,
    variance_benchmark,
)
from gai_core.tools.warm_up import mark

__all__ = [
    "benchmark",
    "conduct_benchmark",
    "mark",
    "measure",
    "plain_ns_per_patient",
    "variance_benchmark",
]

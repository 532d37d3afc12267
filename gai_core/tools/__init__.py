"""Upkeep: compile ahead, measure speed."""

from gai_core.tools.warm_up import mark

__all__ = ["mark"]

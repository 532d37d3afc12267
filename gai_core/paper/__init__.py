"""The source paper: its published tables and figure beside computed ones."""

from gai_core.paper.reproduction import (
    FIGURE_TIMES,
    LARGEST_GAP,
    figure_sweep,
    published,
    reason,
    reproduce_figure,
    reproduce_tables,
)

__all__ = [
    "FIGURE_TIMES",
    "LARGEST_GAP",
    "figure_sweep",
    "published",
    "reason",
    "reproduce_figure",
    "reproduce_tables",
]

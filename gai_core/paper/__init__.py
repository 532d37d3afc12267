"""The source paper: its published tables and figure beside computed ones."""

from gai_core.paper.reproduction import (
    FIGURE_N_MAX,
    FIGURE_TIMES,
    N_MAX,
    PUBLISHED_RUNS,
    SEED,
    TABLES,
    figure_sweep,
    published,
    reproduce_figure,
    reproduce_tables,
)
from gai_core.paper.tables import PaperBlock, paper_blocks, with_sd

__all__ = [
    "FIGURE_N_MAX",
    "FIGURE_TIMES",
    "N_MAX",
    "PUBLISHED_RUNS",
    "SEED",
    "TABLES",
    "PaperBlock",
    "figure_sweep",
    "paper_blocks",
    "published",
    "reproduce_figure",
    "reproduce_tables",
    "with_sd",
]

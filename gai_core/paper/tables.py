"""The paper's tables as tables of words: published beside computed, block by block."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gai_core.paper.reproduction import LARGEST_GAP, reason
from gai_core.results import WordTable

if TYPE_CHECKING:
    import pandas as pd


class PaperBlock(NamedTuple):
    """The rows of a table that share a setting and a decision rule."""

    name: str
    """table1 or table2."""
    words: WordTable
    matches: list[bool]
    """Per row, whether published and computed agree."""
    reasons: list[str]
    """Why some do not."""


def paper_blocks(values: "pd.DataFrame") -> Iterator[PaperBlock]:
    """The recomputed tables, with the reason where a block does not match."""
    for (name, setting, criterion), block in values.groupby(
        ["table", "setting", "criterion"], sort=False
    ):
        matches = [not abs(gap) > LARGEST_GAP for gap in block.gap]
        apart = [rule for rule, same in zip(block.rule, matches, strict=True) if not same]
        reasons = list(dict.fromkeys(reason(setting, rule, criterion) for rule in apart))
        yield PaperBlock(str(name), _words(setting, criterion, block), matches, reasons)


def _words(setting: str, criterion: str, block: "pd.DataFrame") -> WordTable:
    rows = [
        [
            row.rule,
            row.quantity,
            f"{row.delta:g}",
            with_sd(row.published_mean, row.published_sd),
            with_sd(row.mean, row.sd),
            f"{100 * row.reached:.1f}%",
            "–" if math.isnan(row.gap) else f"{row.gap:+.1f}",
        ]
        for row in block.itertuples()
    ]
    columns = ["rule", "time", "delta", "published", "computed", "reached", "gap in s.e."]
    return WordTable(f"{setting}, decision rule {criterion}", columns, rows)


def with_sd(mean: float, sd: float) -> str:
    """A mean and the standard deviation beside it, as the paper prints them."""
    return "–" if math.isnan(mean) else f"{mean:,.1f} ± {sd:,.1f} sd"

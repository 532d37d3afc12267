"""What the tables and figures of a sweep show: one quantity at every point of the grid.

Only that quantity is kept of a point's table, so that a sweep can be streamed.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gai_core.basics import (
    Argument,
    InputError,
    Problem,
    shown,
    suggestion,
)
from gai_core.questions.sweeping import Point
from gai_core.results import (
    COUNTED,
    NORMAL_95,
    Quantity,
    WordTable,
    chances_of,
    quantities_of,
    share_interval,
    value_in_words,
    why_not_there,
)
from gai_core.study import Number, Study

if TYPE_CHECKING:
    import pandas as pd

LOG_RATIO = 15
"""A field whose values differ by such a factor has a logarithmic axis."""


class Measure(NamedTuple):
    """A quantity of the tidy table, the statistic it is shown by, and its name in words."""

    quantity: str
    arm: str
    statistic: str
    words: str
    arms: tuple[str, ...] = ()
    """The arms that have it; empty where it is the trial's."""
    unit: str = ""
    partial: bool = False
    """Whether only some trials have it."""

    @property
    def chance(self) -> bool:
        """Whether it is a chance, from 0 to 1."""
        return self.statistic == "probability"


def measure(study: Study, quantity: str, arm: str = "") -> Measure:
    """The quantity of that name: a chance, a time, or a number of patients."""
    known = measures(study)
    if quantity not in known:
        why_not = why_not_there(study, quantity)
        rule = why_not or f"{shown(quantity)} is not known"
        remedy = "" if why_not else suggestion(quantity, known)
        raise InputError(Problem((Argument("quantity"),), rule, remedy=remedy, whole=True))
    found = known[quantity]
    if not found.arms:
        if arm:
            rule = f"{quantity} belongs to no arm"
            raise InputError(Problem((Argument("arm"),), rule, remedy="leave it out", whole=True))
        return found
    if arm not in found.arms:
        rule, value = f"{quantity} needs an arm", f"{shown(arm)} is none"
        raise InputError(
            Problem((Argument("arm"),), rule, value, suggestion(arm, found.arms), whole=True)
        )
    return found._replace(arm=arm, words=f"{arm}: {found.words}")


def measures(study: Study) -> dict[str, Measure]:
    """Everything that a sweep of the study can show, by its name; chances of the trial first."""
    known, first = quantities_of(study), chances_of(study)
    return {key: _measure(study, quantity) for key, quantity in (first | known).items()}


def _measure(study: Study, quantity: Quantity) -> Measure:
    return Measure(
        quantity.key,
        "",
        quantity.kind.compared_by,
        quantity.compared_label,
        tuple(study.arms[arm].label for arm in quantity.arms_of(study)),
        quantity.unit,
        quantity.kind.partial,
    )


class Cell(NamedTuple):
    """The measured quantity at a point, under a truth and a design."""

    point: tuple[Number, ...]
    truth: str
    design: str
    value: float
    mcse: float
    runs: int
    """Trials that have the value."""


def cells(point: Point, table: "pd.DataFrame", shown: Measure) -> list[Cell]:
    """What is kept of a point's table."""
    place = tuple(point.values.values())
    return table_cells(table, list(point.values), shown, {place: point.study.simulation.runs})


def table_cells(
    table: "pd.DataFrame",
    fields: Sequence[str],
    shown: Measure,
    runs: Mapping[tuple[Number, ...], int],
) -> list[Cell]:
    """The same of the table of a whole sweep, given the trials of every point."""
    here = table[(table.quantity == shown.quantity) & (table.arm == shown.arm)]
    rows = here[here.statistic == shown.statistic]
    counted = here[here.statistic == COUNTED].value if shown.partial else [1.0] * len(rows)
    points = zip(*(rows[field].tolist() for field in fields), strict=True)
    return [
        Cell(point, truth, design, float(value), float(mcse), round(runs[point] * share))
        for point, truth, design, value, mcse, share in zip(
            points, rows.truth, rows.design, rows.value, rows.mcse, counted, strict=True
        )
    ]


def sweep_words(
    fields: Sequence[str], found: Sequence[Cell], shown: Measure, truth: str
) -> WordTable:
    """A row for every point, a column for every design."""
    here = {(cell.point, cell.design): cell for cell in found if cell.truth == truth}
    designs = list(dict.fromkeys(cell.design for cell in found))
    rows = [
        [*(f"{value:g}" for value in point), *(_words(here[point, d], shown) for d in designs)]
        for point in dict.fromkeys(cell.point for cell in found)
    ]
    return WordTable(f"{truth}: {shown.words}", [*fields, *designs], rows)


def _words(cell: Cell, shown: Measure) -> str:
    return value_in_words(cell.value, cell.mcse, cell.runs, chance=shown.chance, unit=shown.unit)


class SweepCurve(NamedTuple):
    """A quantity against the one varied field, with 95% intervals."""

    truth: str
    design: str
    x: list[Number]
    value: list[float]
    low: list[float]
    high: list[float]


def sweep_curves(found: Sequence[Cell], shown: Measure) -> list[SweepCurve]:
    """A curve per truth and design of a sweep over one field."""
    curves = []
    for truth, design in dict.fromkeys((cell.truth, cell.design) for cell in found):
        here = sorted(c for c in found if (c.truth, c.design) == (truth, design))
        limits = [_interval(cell, shown) for cell in here]
        curves.append(
            SweepCurve(
                truth,
                design,
                [cell.point[0] for cell in here],
                [cell.value for cell in here],
                [low for low, _ in limits],
                [high for _, high in limits],
            )
        )
    return curves


def _interval(cell: Cell, shown: Measure) -> tuple[float, float]:
    """Wilson's interval of a chance, else the normal one."""
    if shown.chance and cell.runs:
        low, high = share_interval(np.array([round(cell.value * cell.runs)]), cell.runs)
        return float(low[0]), float(high[0])
    return cell.value - NORMAL_95 * cell.mcse, cell.value + NORMAL_95 * cell.mcse


class HeatMap(NamedTuple):
    """A quantity against two varied fields, under one truth and design."""

    truth: str
    design: str
    x: list[Number]
    y: list[Number]
    value: list[list[float]]
    """A row for every y."""
    words: list[list[str]]
    """The same with Monte Carlo errors."""


def heat_maps(found: Sequence[Cell], shown: Measure) -> list[HeatMap]:
    """A map per truth and design of a sweep over two fields."""
    maps = []
    x, y = (sorted({cell.point[k] for cell in found}) for k in (0, 1))
    for truth, design in dict.fromkeys((cell.truth, cell.design) for cell in found):
        here = {c.point: c for c in found if (c.truth, c.design) == (truth, design)}
        rows = [[here[a, b] for a in x] for b in y]
        values = [[cell.value for cell in row] for row in rows]
        words = [[_words(cell, shown) for cell in row] for row in rows]
        maps.append(HeatMap(truth, design, x, y, values, words))
    return maps


def wide(x: Sequence[Number]) -> bool:
    """Whether an axis of these values had better be logarithmic."""
    return min(x) > 0 and max(x) >= LOG_RATIO * min(x)


MOST_PANELS = 60
"""Panels of a figure that a reader may still look through."""


def check_figure(study: Study, fields: Sequence[str]) -> None:
    """Refuse a figure of more than two varied fields, or of too many panels."""
    if len(fields) not in (1, 2):
        rule = "a figure shows one or two varied fields"
        value = f"{len(fields)} are varied ({', '.join(fields)})"
        raise InputError(Problem((Argument("figure"),), rule, value, whole=True))
    panels = len(study.truths) * (len(study.designs) if len(fields) == 2 else 1)
    if panels > MOST_PANELS:
        rule = f"at most {MOST_PANELS} panels"
        value = f"the truths and designs of the study make {panels}"
        raise InputError(Problem((Argument("figure"),), rule, value, "leave some out", whole=True))

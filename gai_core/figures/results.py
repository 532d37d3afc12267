"""The results of a run: chances by patients, times, verdicts, patients per dose."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gai_core.figure_data import (
    LOG_FROM,
    VERDICT_KINDS,
    BoundLine,
    DeclarationCurve,
    DosePatients,
    TimeBox,
    VerdictShares,
)
from gai_core.figures.style import (
    BAD,
    DROPPED,
    GOOD,
    GREY,
    MISSED,
    OPEN,
    Margins,
    beside,
    empty,
    label_rows,
    legend_above,
    legend_height,
    look,
    plain,
    short,
)
from gai_core.numerals import whole_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BOUND_LINES = {"sharper": "-", "theorem_1": "--", "asymptotic": ":"}
VERDICT_LOOKS = {
    "declared": (GOOD, ""),
    "dropped": (DROPPED, ""),
    "undecided": (OPEN, ""),
    "missed": (MISSED, "//"),
    "false": (BAD, "xx"),
}


def draw_declarations(
    curves: Sequence[DeclarationCurve], n_max: int, bounds: Sequence[BoundLine]
) -> "Figure":
    """The chance of having declared a dose by N patients, with 95% intervals."""
    figure, ((axes,),) = empty(2.9, margins=Margins(top=legend_height(len(curves))))
    for i, curve in enumerate(curves):
        style = look(i)
        axes.fill_between(
            curve.patients, curve.low, curve.high, color=style.colour, alpha=0.15, linewidth=0
        )
        axes.plot(
            curve.patients, curve.chance, label=plain(curve.design), color=style.colour,
            linestyle=style.line, marker=style.marker, markersize=4,
            markevery=max(1, len(curve.patients) // 10),
        )  # fmt: skip
    for bound in bounds:
        if bound.bound == "sharper" and bound.quantity == "tau_1" and bound.value <= n_max:
            axes.axvline(bound.value, color=GREY, linestyle="--", linewidth=1)
            axes.text(bound.value, 1.03, " lower bound on the mean", color=GREY, fontsize=7)
    axes.set_ylim(0, 1.1)
    _patients_axis(axes, n_max)
    axes.set_xlabel("patients in the trial")
    axes.set_ylabel("chance of having declared a dose")
    legend_above(figure, axes)
    return figure


def _patients_axis(axes: "Axes", n_max: int) -> None:
    if n_max >= LOG_FROM:
        axes.set_xscale("log")
        axes.set_xlim(10, n_max * 1.02)
    else:
        axes.set_xlim(0, n_max * 1.02)


def draw_times(boxes: Sequence[TimeBox], n_max: int, bounds: Sequence[BoundLine]) -> "Figure":
    """Boxes from the 25% to the 75% quantile, whiskers from 10% to 90%, beside the bounds.

    One panel: a group of rows for every time, a row for every design.
    """
    quantities = list(dict.fromkeys(box.quantity for box in boxes))
    designs = list(dict.fromkeys(box.design for box in boxes))
    group = len(designs) + 1
    size = group * len(quantities)
    margins = Margins(left=beside(designs), right=0.95, top=0.15)
    figure, ((axes,),) = empty(0.2 * size, margins=margins)
    rows = {box: _row(box, quantities, designs) for box in boxes}
    _draw_boxes(axes, rows, n_max, len(designs))
    for bound in bounds:
        if bound.quantity in quantities and bound.value <= n_max:
            first = group * quantities.index(bound.quantity)
            axes.vlines(
                bound.value, first + 0.5, first + group - 0.4, color=GREY, linewidth=1.2,
                linestyle=BOUND_LINES[bound.bound],
            )  # fmt: skip
    for i, quantity in enumerate(quantities):
        axes.annotate(
            quantity, (0.005, group * i), xycoords=("axes fraction", "data"), fontsize=8,
            weight="bold", va="center",
        )  # fmt: skip
    axes.set_yticks(list(rows.values()), [short(box.design) for box in rows])
    axes.set_ylim(size - 0.4, -0.6)
    _patients_axis(axes, n_max)
    axes.set_xlabel("patients in the trial")
    return figure


def _row(box: TimeBox, quantities: list[str], designs: list[str]) -> int:
    return (len(designs) + 1) * quantities.index(box.quantity) + 1 + designs.index(box.design)


def _draw_boxes(axes: "Axes", rows: dict[TimeBox, int], n_max: int, designs: int) -> None:
    for box, row in rows.items():
        colour = look(row % (designs + 1) - 1).colour
        if box.reached > 0:
            low, first, middle, third, high = (min(value, n_max) for value in box.quantiles)
            axes.plot([low, high], [row, row], color=colour, linewidth=1)
            axes.barh(row, third - first, left=first, height=0.6, color=colour, alpha=0.45)
            axes.plot([middle, middle], [row - 0.3, row + 0.3], color=colour, linewidth=2)
        if box.reached < 1:
            share = "not reached" if box.reached == 0 else f"{whole_percent(box.reached)} get there"
            axes.annotate(
                share, (1.01, row), xycoords=("axes fraction", "data"), fontsize=7, color=GREY,
                va="center", annotation_clip=False,
            )  # fmt: skip


def draw_verdicts(panels: Sequence[VerdictShares]) -> "Figure":
    """Shares of the verdicts per dose, one panel a design, errors hatched."""
    columns = min(3, len(panels))
    rows = math.ceil(len(panels) / columns)
    inner = 0.19 * len(panels[0].labels)
    margins = Margins(left=beside(panels[0].labels), top=0.3 + legend_height(5), bottom=0.3)
    space = {"hspace": 0.45 / inner, "wspace": 0.08}
    height = rows * inner + 0.45 * (rows - 1)
    figure, grid = empty(
        height, rows, columns, margins, sharex=True, sharey=True, gridspec_kw=space
    )
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for axes, panel in zip(grid.flat, panels, strict=False):
        left = [0.0] * len(panel.labels)
        for kind, words in VERDICT_KINDS.items():
            colour, hatch = VERDICT_LOOKS[kind]
            axes.barh(
                range(len(panel.labels)), panel.shares[kind], left=left, color=colour,
                hatch=hatch, edgecolor="white", linewidth=0, label=words,
            )  # fmt: skip
            left = [sum(pair) for pair in zip(left, panel.shares[kind], strict=True)]
        label_rows(axes, panel.labels)
        axes.set_xlim(0, 1)
        axes.set_title(short(panel.design), fontsize=8.5)
        axes.xaxis.set_major_formatter(lambda value, _position: f"{100 * value:.0f}%")
    legend_above(figure, grid[0, 0])
    return figure


def draw_patients(series: Sequence[DosePatients]) -> "Figure":
    """Mean patients per dose with the middle 80% of the trials."""
    labels = series[0].labels
    margins = Margins(left=beside(labels), top=legend_height(len(series)))
    figure, ((axes,),) = empty(len(labels) * (0.13 + 0.1 * len(series)), margins=margins)
    step = 0.7 / len(series)
    for i, data in enumerate(series):
        style = look(i)
        places = [p + (i - (len(series) - 1) / 2) * step for p in range(len(labels))]
        axes.hlines(places, data.low, data.high, color=style.colour, alpha=0.5, linewidth=1.5)
        axes.plot(
            data.mean, places, style.marker, color=style.colour, markersize=5,
            label=plain(data.design),
        )  # fmt: skip
    label_rows(axes, labels)
    axes.set_xlim(left=0)
    axes.set_xlabel("patients on the dose")
    legend_above(figure, axes)
    return figure

"""The results of a run: chances by patients, times, verdicts, patients per dose."""

import math
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from gai_core.basics import whole_percent
from gai_core.figures.style import (
    BAD,
    DROPPED,
    GOOD,
    GREY,
    LEGEND_COLUMNS,
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
from gai_core.results import (
    LOG_FROM,
    VERDICT_KINDS,
    BoundLine,
    DeclarationCurve,
    DosePatients,
    TimeBox,
    VerdictShares,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LETTERS = 14
"""Of the title of an upright axis, to the inch."""
BOUND_LINES = {"sharper": "-", "theorem_1": "--", "asymptotic": ":"}
VERDICT_LOOKS = {
    "declared": (GOOD, ""),
    "dropped": (DROPPED, ""),
    "undecided": (OPEN, ""),
    "missed": (MISSED, "//"),
    "false": (BAD, "xx"),
}


def draw_declarations(
    curves: Sequence[DeclarationCurve],
    n_max: int,
    bounds: Sequence[BoundLine],
    height: float = 2.9,
) -> "Figure":
    """The chance of having declared a dose by N patients, with 95% intervals."""
    figure, axes = empty(height, Margins(top=legend_height(len(curves))))
    for i, curve in enumerate(curves):
        draw_band(axes, i, curve.design, curve.patients, curve.chance, (curve.low, curve.high))
    for bound in bounds:
        if bound.bound == "sharper" and bound.quantity == "tau_1" and bound.value <= n_max:
            axes.axvline(bound.value, color=GREY, linestyle="--", linewidth=1)
            side: Any = "right" if bound.value > 0.6 * n_max else "left"
            axes.text(bound.value, 1.03, " lower bound ", color=GREY, fontsize=7, ha=side)
    axes.set_ylim(0, 1.1)
    _patients_axis(axes, n_max)
    axes.set_xlabel("patients in the trial")
    axes.set_ylabel("\n".join(wrap("chance of having declared a dose", int(LETTERS * height))))
    legend_above(figure, axes)
    return figure


def draw_band(
    axes: "Axes",
    position: int,
    design: str,
    x: Sequence[float],
    y: Sequence[float],
    band: tuple[Sequence[float], Sequence[float]],
) -> None:
    """A design's curve with the band around it."""
    style = look(position)
    axes.fill_between(x, *band, color=style.colour, alpha=0.15, linewidth=0)
    axes.plot(
        x,
        y,
        label=plain(design),
        color=style.colour,
        linestyle=style.line,
        marker=style.marker,
        markersize=4,
        markevery=max(1, len(x) // 10),
    )


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
    figure, axes = empty(0.2 * size, Margins(left=beside(designs), right=0.95, top=0.15))
    rows: dict[float, TimeBox] = {
        group * quantities.index(b.quantity) + 1 + designs.index(b.design): b for b in boxes
    }
    _draw_boxes(axes, rows, n_max, [look(designs.index(b.design)).colour for b in rows.values()])
    for bound in bounds:
        if bound.quantity in quantities and bound.value <= n_max:
            first = group * quantities.index(bound.quantity)
            axes.vlines(
                bound.value,
                first + 0.5,
                first + group - 0.4,
                color=GREY,
                linewidth=1.2,
                linestyle=BOUND_LINES[bound.bound],
            )
    for i, quantity in enumerate(quantities):
        axes.text(
            0.005,
            group * i,
            quantity,
            transform=axes.get_yaxis_transform(),
            fontsize=8,
            weight="bold",
            va="center",
        )
    label_rows(axes, {row: box.design for row, box in rows.items()})
    axes.set_ylim(size - 0.4, -0.6)
    _patients_axis(axes, n_max)
    axes.set_xlabel("patients in the trial")
    return figure


def _draw_boxes(
    axes: "Axes", rows: Mapping[float, TimeBox], n_max: int, colours: list[str]
) -> None:
    """All boxes at once: the middle half, the middle 80%, the median, and who gets there."""
    shown = [(row, box, c) for (row, box), c in zip(rows.items(), colours, strict=True)]
    reached = [(row, box, colour) for row, box, colour in shown if box.reached > 0]
    places, own = [row for row, _, _ in reached], [colour for _, _, colour in reached]
    low, first, middle, third, high = (
        [min(box.quantiles[k], n_max) for _, box, _ in reached] for k in range(5)
    )
    axes.hlines(places, low, high, color=own, linewidth=1)
    axes.hlines(places, first, third, color=own, linewidth=8, alpha=0.45)
    axes.scatter(middle, places, marker="|", s=70, color=own, linewidths=2)
    for row, box, _ in shown:
        if box.reached < 1:
            share = "not reached" if box.reached == 0 else f"{whole_percent(box.reached)} get there"
            axes.text(
                1.01,
                row,
                share,
                transform=axes.get_yaxis_transform(),
                fontsize=7,
                color=GREY,
                va="center",
            )


PANEL = 1.2
"""Width of a panel of verdicts and of the space after it."""


def draw_verdicts(panels: Sequence[VerdictShares]) -> "Figure":
    """Shares of the verdicts per dose, the designs side by side, errors hatched.

    One axes with three designs to a row: drawing axes takes far longer than drawing bars.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    labels = panels[0].labels
    columns, deep = min(3, len(panels)), len(labels) + 2
    rows = math.ceil(len(panels) / columns)
    margins = Margins(left=beside(labels), top=legend_height(5), bottom=0.1)
    figure, axes = empty(0.19 * (rows * deep), margins)
    handles = []
    for kind, words in VERDICT_KINDS.items():
        colour, hatch = VERDICT_LOOKS[kind]
        style: dict[str, Any] = {
            "facecolor": colour,
            "hatch": hatch,
            "edgecolor": "white",
            "linewidth": 0,
        }
        bars = [
            bar
            for i, panel in enumerate(panels)
            for bar in _bars(panel, kind, i % columns * PANEL, i // columns * deep)
        ]
        axes.add_collection(PolyCollection(bars, **style))
        handles.append(Patch(label=words, **style))
    for i, panel in enumerate(panels):
        place = i % columns * PANEL + 0.5, i // columns * deep - 0.9
        axes.text(*place, short(panel.design), ha="center", va="center", fontsize=8)
        for share in (0.0, 0.5, 1.0):
            axes.text(
                i % columns * PANEL + share,
                i // columns * deep + len(labels) - 0.1,
                f"{100 * share:.0f}%",
                ha="center",
                va="center",
                fontsize=6.5,
                color=GREY,
            )
    axes.set_axis_off()
    axes.set_xlim(-0.02, columns * PANEL - 0.16)
    axes.set_ylim(rows * deep - 1.5, -1.5)
    label_rows(axes, {r * deep + k: label for r in range(rows) for k, label in enumerate(labels)})
    figure.legend(
        handles=handles, loc="upper left", ncols=LEGEND_COLUMNS, frameon=False, fontsize=7.5
    )
    return figure


Bar = list[tuple[float, float]]


def _bars(panel: VerdictShares, kind: str, left: float, top: float) -> list[Bar]:
    """The pieces of the doses' bars that belong to one kind of verdict."""
    before = list(VERDICT_KINDS)[: list(VERDICT_KINDS).index(kind)]
    bars = []
    for row in range(len(panel.labels)):
        start = left + sum(panel.shares[other][row] for other in before)
        end = start + panel.shares[kind][row]
        up, down = top + row - 0.38, top + row + 0.38
        if end > start:
            bars.append([(start, up), (end, up), (end, down), (start, down)])
    return bars


def draw_patients(series: Sequence[DosePatients]) -> "Figure":
    """Mean patients per dose with the middle 80% of the trials."""
    labels = series[0].labels
    margins = Margins(left=beside(labels), top=legend_height(len(series)))
    figure, axes = empty(len(labels) * (0.13 + 0.1 * len(series)), margins)
    step = 0.7 / len(series)
    for i, data in enumerate(series):
        style = look(i)
        places = [p + (i - (len(series) - 1) / 2) * step for p in range(len(labels))]
        axes.hlines(places, data.low, data.high, color=style.colour, alpha=0.5, linewidth=1.5)
        axes.plot(
            data.mean,
            places,
            style.marker,
            color=style.colour,
            markersize=5,
            label=plain(data.design),
        )
    label_rows(axes, dict(enumerate(labels)))
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel("patients on the dose")
    legend_above(figure, axes)
    return figure

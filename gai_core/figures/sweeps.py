"""The results of a sweep: curves over one varied field, heat maps over two."""

import math
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from gai_core.figures.style import WIDTH, Margins, beside, legend_height, look, plain, short
from gai_core.questions import Cell, HeatMap, Measure, SweepCurve, heat_maps, sweep_curves, wide

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_NUMBERS = 12
"""Columns up to which the cells of a heat map show their numbers."""
MOST_TICKS = 12
GAP = 0.6
"""Inches between two panels."""
COLUMNS = 3


def draw_sweep(found: Sequence[Cell], shown: Measure, fields: Sequence[str]) -> "Figure":
    """Curves for one varied field, heat maps for two."""
    if len(fields) == 1:
        return draw_sweep_curves(sweep_curves(found, shown), shown, fields[0])
    return draw_heat_maps(heat_maps(found, shown), shown, fields)


def draw_sweep_curves(curves: Sequence[SweepCurve], shown: Measure, field: str) -> "Figure":
    """A panel per truth, a curve with its 95% interval per design."""
    truths = list(dict.fromkeys(curve.truth for curve in curves))
    designs = list(dict.fromkeys(curve.design for curve in curves))
    margins = Margins(top=legend_height(len(designs)) + 0.25)
    figure, panels = _panels(len(truths), 1, 1.9, margins)
    for curve in curves:
        axes, style = panels[truths.index(curve.truth)], look(designs.index(curve.design))
        axes.fill_between(
            curve.x, curve.low, curve.high, color=style.colour, alpha=0.15, linewidth=0
        )
        axes.plot(
            curve.x,
            curve.value,
            label=plain(curve.design),
            color=style.colour,
            linestyle=style.line,
            marker=style.marker,
            markersize=3.5,
        )
    for axes, truth in zip(panels, truths, strict=True):
        axes.set_title(plain(truth, 80), fontsize=8.5, loc="left")
        axes.grid(alpha=0.25, linewidth=0.6)
        axes.set_ylabel("\n".join(wrap(plain(shown.words, 120), 40)), fontsize=7.5)
        axes.set_ylim(*_limits(curves, shown))
        if wide(curves[0].x):
            axes.set_xscale("log")
        if len(curves[0].x) <= MOST_TICKS:
            axes.set_xticks(curves[0].x, labels=[f"{x:g}" for x in curves[0].x])
            axes.minorticks_off()
    panels[-1].set_xlabel(plain(field))
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper left", ncols=COLUMNS, frameon=False, fontsize=7.5)
    return figure


def _limits(curves: Sequence[SweepCurve], shown: Measure) -> tuple[float, float]:
    """All panels have the same scale."""
    if shown.chance:
        return -0.02, 1.02
    known = [v for curve in curves for v in (*curve.low, *curve.high) if math.isfinite(v)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def draw_heat_maps(maps: Sequence[HeatMap], shown: Measure, fields: Sequence[str]) -> "Figure":
    """A panel per truth and design, all in the same colours."""
    known = [v for panel in maps for row in panel.value for v in row if math.isfinite(v)]
    low, high = (0.0, 1.0) if shown.chance else (min(known, default=0), max(known, default=1))
    columns = min(COLUMNS, len({panel.design for panel in maps}))
    left = beside([f"{y:g}" for y in maps[0].y]) + 0.25
    height = min(3.2, max(1.1, 0.17 * len(maps[0].y)))
    margins = Margins(left=left, right=0.9, top=0.45)
    figure, panels = _panels(len(maps), columns, height, margins)
    image: Any = None
    for i, (axes, panel) in enumerate(zip(panels, maps, strict=True)):
        image = axes.imshow(
            panel.value,
            origin="lower",
            aspect="auto",
            vmin=low,
            vmax=high,
            cmap="cividis",
            interpolation="nearest",
        )
        axes.set_title(f"{short(panel.truth)}\n{short(panel.design)}", fontsize=7)
        _ticks(axes, panel, show_y=i % columns == 0)
        if len(panel.x) * columns <= MOST_NUMBERS:
            _numbers(axes, panel, shown, (low + high) / 2)
    figure.text(0.5, 0.06 / figure.get_figheight(), plain(fields[0]), ha="center", fontsize=8)
    figure.text(0.06 / WIDTH, 0.5, plain(fields[1]), va="center", rotation=90, fontsize=8)
    bar = figure.add_axes((1 - 0.75 / WIDTH, 0.25, 0.14 / WIDTH, 0.5))
    figure.colorbar(image, cax=bar).set_label(plain(shown.words, 120), fontsize=7)
    bar.tick_params(labelsize=6.5)
    return figure


def _ticks(axes: "Axes", panel: HeatMap, *, show_y: bool) -> None:
    for values, axis in ((panel.x, axes.xaxis), (panel.y, axes.yaxis)):
        step = math.ceil(len(values) / MOST_TICKS)
        axis.set_ticks(
            list(range(0, len(values), step)), labels=[f"{value:g}" for value in values[::step]]
        )
    axes.tick_params(labelsize=6.5, labelleft=show_y, length=2)
    axes.tick_params(axis="x", rotation=90 if len(panel.x) > 5 else 0)


def _numbers(axes: "Axes", panel: HeatMap, shown: Measure, middle: float) -> None:
    for j, row in enumerate(panel.value):
        for i, value in enumerate(row):
            text = f"{100 * value:.0f}" if shown.chance else f"{value:.3g}"
            colour = "white" if value < middle else "black"
            axes.text(i, j, text, ha="center", va="center", fontsize=6, color=colour)


def _panels(
    count: int, columns: int, height: float, margins: Margins
) -> "tuple[Figure, list[Axes]]":
    """A figure of the page's width with panels in rows, each so many inches high."""
    from matplotlib.figure import Figure

    rows = math.ceil(count / columns)
    whole = margins.top + rows * (height + GAP) - GAP + margins.bottom + 0.1
    width = (WIDTH - margins.left - margins.right - (columns - 1) * GAP / 3) / columns
    figure = Figure(figsize=(WIDTH, whole))
    panels = []
    for i in range(count):
        row, column = divmod(i, columns)
        left = margins.left + column * (width + GAP / 3)
        top = margins.top + row * (height + GAP)
        place = left / WIDTH, 1 - (top + height) / whole, width / WIDTH, height / whole
        axes = figure.add_axes(place)
        axes.tick_params(labelsize=7)
        panels.append(axes)
    return figure, panels

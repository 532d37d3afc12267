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
    empty,
    label_rows,
    legend_above,
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
    figure, ((axes,),) = empty(3.6)
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
    """Boxes from the 25% to the 75% quantile, whiskers from 10% to 90%, beside the bounds."""
    quantities = list(dict.fromkeys(box.quantity for box in boxes))
    designs = list(dict.fromkeys(box.design for box in boxes))
    height = 0.4 + len(quantities) * (0.45 + 0.24 * len(designs))
    figure, grid = empty(height, len(quantities), sharex=True)
    for axes, quantity in zip(grid[:, 0], quantities, strict=True):
        for box in (box for box in boxes if box.quantity == quantity):
            _draw_box(axes, box, designs.index(box.design), n_max)
        for bound in bounds:
            if bound.quantity == quantity and bound.value <= n_max:
                axes.axvline(
                    bound.value, color=GREY, linestyle=BOUND_LINES[bound.bound], linewidth=1.2
                )
        label_rows(axes, designs)
        axes.set_title(quantity, fontsize=8.5, loc="left")
        _patients_axis(axes, n_max)
    grid[-1, 0].set_xlabel("patients in the trial")
    return figure


def _draw_box(axes: "Axes", box: TimeBox, position: int, n_max: int) -> None:
    if box.reached > 0:
        low, first, middle, third, high = (min(value, n_max) for value in box.quantiles)
        stats = {"whislo": low, "q1": first, "med": middle, "q3": third, "whishi": high}
        axes.bxp(
            [stats], positions=[position], orientation="horizontal", widths=0.6, showfliers=False,
            patch_artist=True, manage_ticks=False,
            boxprops={"facecolor": look(position).colour, "alpha": 0.45},
            medianprops={"color": "black"},
        )  # fmt: skip
    if box.reached < 1:
        share = "not reached" if box.reached == 0 else f"{whole_percent(box.reached)} get there"
        axes.annotate(
            share, (1.01, position), xycoords=("axes fraction", "data"), fontsize=7, color=GREY,
            va="center", annotation_clip=False,
        )  # fmt: skip


def draw_verdicts(panels: Sequence[VerdictShares]) -> "Figure":
    """Shares of the verdicts per dose, one panel a design, errors hatched."""
    columns = min(3, len(panels))
    rows = math.ceil(len(panels) / columns)
    height = 0.5 + rows * (0.5 + 0.2 * len(panels[0].labels))
    figure, grid = empty(height, rows, columns, sharex=True, sharey=True)
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
    figure, ((axes,),) = empty(0.9 + len(labels) * (0.16 + 0.1 * len(series)))
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

"""The limits that declare and drop a dose."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gai_core.figures.style import GREY, Margins, empty, in_lines, look, plain
from gai_core.results import Limits
from gai_core.study import Study, what_n_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST_TICKS = 8
"""Numbers of patients that are written at the axis each by itself."""


def _plain_ticks(axes: "Axes", counts: set[int]) -> None:
    """A few looks by their own numbers: powers of ten say little between 5 and 35."""
    if 0 < len(counts) <= MOST_TICKS:
        axes.set_xticks(sorted(counts), labels=[f"{n:,}" for n in sorted(counts)])
        axes.minorticks_off()


def draw_boundaries(study: Study, boundaries: Sequence[Limits]) -> "Figure":
    """Limits as means, or t-statistics: declare from the upper line on, drop from the lower."""
    figure, axes = empty(3.4, Margins(left=0.95, top=0.15))
    drawn = 0
    for i, boundary in enumerate(boundaries):
        n, declare, drop = boundary.as_drawn()
        drawn += len(n)
        style: dict[str, Any] = {
            "color": look(i).colour,
            "linestyle": look(i).line,
            "marker": look(i).marker if len(n) <= 30 else None,
        }
        axes.plot(n, declare, label=plain(boundary.design), **style)
        axes.plot(n, drop, **style)
    outcome = study.stream.outcome
    target = outcome.target_drawn(study.stream.target)
    axes.axhline(target, color=GREY, linewidth=1)
    place: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "bottom"}
    axes.text(0.995, target, "target", color=GREY, fontsize=8, **place)
    axes.set_xscale("log")
    _plain_ticks(axes, {int(n) for boundary in boundaries for n in boundary.as_drawn()[0]})
    if not drawn:  # an axis without a point has no limits of its own
        axes.set_xlim(1, max(2, *(int(boundary.n[-1]) for boundary in boundaries)))
        words = "no dose can get a verdict with so few patients"
        axes.text(0.5, 0.6, words, color=GREY, transform=axes.transAxes, ha="center")
    axes.set_xlabel(what_n_counts(study))
    axes.set_ylabel(in_lines(outcome.axis_name), fontsize=8)
    axes.legend(frameon=False, fontsize=7.5)
    return figure

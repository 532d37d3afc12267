"""The assumed dose-responses against the target."""

from typing import TYPE_CHECKING

from gai_core.figures.style import GREY, Margins, beside, empty, in_lines, look, short
from gai_core.results import dose_response
from gai_core.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_dose_response(study: Study) -> "Figure":
    """All truths in one picture, one line each."""
    crowded = sum(len(arm.label) for arm in study.arms) > 60
    below = 0.35 + 0.6 * beside(arm.label for arm in study.arms) if crowded else 0.35
    left = max(0.95, 0.8 * beside([study.arms[0].label])) if crowded else 0.95  # it leans there
    figure, axes = empty(2.7, Margins(left=left, top=0.15, bottom=below))
    places = range(len(study.arms))
    for i, truth in enumerate(study.truths):
        style = look(i)
        axes.plot(
            places,
            dose_response(study, truth).means,
            label=short(truth.name),
            color=style.colour,
            linestyle=style.line,
            marker=style.marker,
            markersize=5,
        )
    if study.target is None:  # else it is another for every truth: the control's mean is drawn
        _draw_target(axes, study.stream.target)
    axes.set_xticks(
        places,
        [short(arm.label) for arm in study.arms],
        rotation=35 if crowded else 0,
        ha="right" if crowded else "center",
    )
    axes.set_ylabel(in_lines(study.outcome.endpoint) or "assumed mean", fontsize=8)
    axes.legend(frameon=False, fontsize=7.5)
    return figure


def _draw_target(axes: "Axes", target: float) -> None:
    axes.axhline(target, color=GREY, linewidth=1)
    axes.annotate(
        f"target {target:g}",
        (1, target),
        xycoords=("axes fraction", "data"),
        ha="right",
        va="bottom",
        color=GREY,
        fontsize=7.5,
    )

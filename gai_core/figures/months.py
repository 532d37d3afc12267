"""Conducted trials over calendar time: chances, enrolment and verdicts by month."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gai_core.figures.results import draw_band
from gai_core.figures.style import Margins, empty, legend_above, legend_height, look
from gai_core.results import EnrolmentCurve, MonthCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_month_declarations(curves: Sequence[MonthCurve]) -> "Figure":
    """The chance of having declared a dose by a month, with 95% intervals."""
    figure, axes = empty(2.9, Margins(top=legend_height(len(curves))))
    for i, curve in enumerate(curves):
        draw_band(axes, i, curve.design, curve.months, curve.chance, (curve.low, curve.high))
    _by_month(figure, axes, curves[0].months[-1], "chance of having declared a dose")
    axes.set_ylim(0, 1.05)
    return figure


def draw_enrolment(curves: Sequence[EnrolmentCurve]) -> "Figure":
    """Patients enrolled by month, on average and in the middle 80% of the trials."""
    figure, axes = empty(2.6, Margins(top=legend_height(len(curves))))
    for i, curve in enumerate(curves):
        draw_band(axes, i, curve.design, curve.months, curve.enrolled, (curve.low, curve.high))
    _by_month(figure, axes, curves[0].months[-1], "patients enrolled")
    return figure


def draw_verdict_months(curves: Sequence[EnrolmentCurve]) -> "Figure":
    """Doses with a verdict by month, on average: declared as lines, dropped as faint ones."""
    figure, axes = empty(2.6, Margins(top=legend_height(len(curves) + 1)))
    for i, curve in enumerate(curves):
        draw_band(axes, i, curve.design, curve.months, curve.declared, (curve.declared,) * 2)
        style = look(i)
        axes.plot(
            curve.months,
            curve.dropped,
            color=style.colour,
            linewidth=0.7,
            alpha=0.7,
            label="dropped (thin lines)" if i == len(curves) - 1 else None,
        )
    _by_month(figure, axes, curves[0].months[-1], "doses declared, on average")
    return figure


def _by_month(figure: "Figure", axes: "Axes", last: float, what: str) -> None:
    axes.set_xlim(0, last)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("months since enrolment began")
    axes.set_ylabel(what)
    legend_above(figure, axes)

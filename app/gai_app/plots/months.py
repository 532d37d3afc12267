"""Conducted trials over calendar time: chances, times, enrolment and verdicts by month."""

import plotly.graph_objects as go

from gai_app.escaping import figure as plain
from gai_app.plots.appearance import look
from gai_app.plots.results import CHANCE, draw_boxes
from gai_app.plots.style import add_band, empty, stacked_panels
from gai_core.results import EnrolmentCurve, MonthCurve, TimeBox
from gai_core.study import Study

MONTHS = "months since enrolment began"


def draw_month_declarations(curves: list[MonthCurve], doses: int) -> go.Figure:
    """The chance of having declared at least so many doses by a month."""
    figure = empty(430, hovermode="x unified")
    for curve in curves:
        add_band(figure, curve.design, curve.months, (curve.chance, curve.low, curve.high), CHANCE)
    what = "1 dose" if doses == 1 else f"{doses} doses"
    figure.update_xaxes(title=MONTHS, range=[0, curves[0].months[-1]], hoverformat=".1f")
    figure.update_yaxes(
        title=f"chance of having declared at least {what}", tickformat=".0%", range=[0, 1.04]
    )
    return figure


def draw_month_times(study: Study, boxes: list[TimeBox], last: float) -> go.Figure:
    """The times of the verdicts in months: boxes as for patients, without bounds."""
    figure = draw_boxes(study, boxes, last)
    rows = len({box.quantity for box in boxes})
    figure.update_xaxes(title=MONTHS, row=rows, col=1)
    figure.update_layout(height=figure.layout.height - 40, margin={"t": 35})  # it has no legend
    return figure


def draw_course(curves: list[EnrolmentCurve]) -> go.Figure:
    """Patients enrolled by month, and below them the doses that have a verdict by then."""
    figure = stacked_panels(["patients enrolled", "doses with a verdict, on average"], 1, 250)
    for curve in curves:
        add_band(
            figure,
            curve.design,
            curve.months,
            (curve.enrolled, curve.low, curve.high),
            "%{y:,.0f} patients (%{customdata[0]:,.0f} to %{customdata[1]:,.0f} in 80% of trials)",
            row=1,
            col=1,
        )
        style = look(curve.design)
        for words, values, width in (
            ("declared", curve.declared, 2.5),
            ("dropped", curve.dropped, 1),
        ):
            figure.add_scatter(
                x=curve.months,
                y=values,
                name=f"{plain(curve.design)}: {words}",
                legendgroup=curve.design,
                showlegend=False,
                mode="lines",
                line={"color": style.colour, "dash": style.dash, "width": width},
                hovertemplate=f"%{{y:.2f}} doses {words}<extra></extra>",
                row=2,
                col=1,
            )
    figure.update_xaxes(range=[0, curves[0].months[-1]], hoverformat=".1f")
    figure.update_xaxes(title=MONTHS, row=2, col=1)
    figure.update_yaxes(rangemode="tozero")
    return figure

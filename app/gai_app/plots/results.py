"""The results of a run: chances by patients, times, verdicts, patients per dose."""

import math
from typing import Any

import plotly.graph_objects as go

from gai_app.escaping import figure as plain
from gai_app.plots.appearance import look
from gai_app.plots.style import (
    BAD,
    GOOD,
    GREY,
    OPEN,
    Sheet,
    add_band,
    arm_labels,
    count_ticks,
    empty,
    faint,
    hover_lines,
    short,
    stacked_panels,
    upright_line,
)
from gai_core.basics import whole_percent
from gai_core.results import (
    LOG_FROM,
    LOWER_BOUNDS,
    VERDICT_KINDS,
    BoundLine,
    DeclarationCurve,
    DosePatients,
    TimeBox,
    VerdictShares,
)
from gai_core.study import Study

BOUND_LOOKS = {
    "sharper": ("solid", "sharper lower bound"),
    "theorem_1": ("dash", "Theorem 1"),
    "asymptotic": ("dot", "asymptotic bound"),
}
VERDICT_LOOKS = {
    "declared": (GOOD, ""),
    "dropped": ("#56B4E9", ""),
    "undecided": (OPEN, ""),
    "missed": ("#E69F00", "/"),
    "false": (BAD, "x"),
}


CHANCE = "%{y:.1%} (95% interval %{customdata[0]:.1%} to %{customdata[1]:.1%})"
"""What a chance says on hover."""


def patients_axis(study: Study) -> str:
    """What an axis of patients counts."""
    return "patients in the trial" if study.conduct is None else "patients enrolled"


def draw_declarations(
    study: Study,
    doses: int,
    curves: list[DeclarationCurve],
    bounds: list[BoundLine],
    sheet: Sheet = go.Figure,
) -> go.Figure:
    """The chance of having declared at least so many doses by N patients."""
    n_max = study.simulation.n_max
    figure = empty(430, sheet, hovermode="x unified")
    for curve in curves:
        add_band(
            figure, curve.design, curve.patients, (curve.chance, curve.low, curve.high), CHANCE
        )
    figure.update_xaxes(title=patients_axis(study))
    if n_max >= LOG_FROM:
        burn_in = min(design.burn_in for design in study.designs)
        first = burn_in * len(study.arms)
        figure.update_xaxes(
            **count_ticks(n_max), range=[math.log10(first), math.log10(n_max * 1.05)]
        )
    else:
        figure.update_xaxes(range=[0, n_max * 1.04])
    for line in bounds:
        if line.quantity == f"tau_{doses}" and line.bound == "sharper" and line.value <= n_max:
            # Words stand where the other line's are not.
            side = "right" if line.value < n_max / 3 or n_max >= LOG_FROM else "left"
            upright_line(figure, line.value, "lower bound on the mean", dash="dash", side=side)
    upright_line(figure, n_max, "largest sample size")
    what = "1 dose" if doses == 1 else f"{doses} doses"
    figure.update_yaxes(
        title=f"chance of having declared at least {what}", tickformat=".0%", range=[0, 1.12]
    )
    return figure


def draw_times(study: Study, boxes: list[TimeBox], bounds: list[BoundLine]) -> go.Figure:
    """Boxes from the 25% to the 75% quantile, whiskers from 10% to 90%, beside the bounds."""
    n_max = study.simulation.n_max
    figure = draw_boxes(study, boxes, n_max)
    quantities = list(dict.fromkeys(box.quantity for box in boxes))
    _add_bounds(figure, study, bounds, quantities)
    figure.update_xaxes(title=patients_axis(study), row=len(quantities), col=1)
    if n_max >= LOG_FROM:
        least = min((box.quantiles[0] for box in boxes if box.reached > 0), default=10)
        first = math.log10(max(1, min(0.8 * least, n_max / 10)))
        figure.update_xaxes(**count_ticks(n_max), range=[first, math.log10(n_max * 1.02)])
    return figure


def draw_boxes(study: Study, boxes: list[TimeBox], last: float) -> go.Figure:
    """A panel per time with a box per design; what is not reached ends at `last`."""
    labels = {box.quantity: box.label for box in boxes}
    quantities, designs = list(labels), [design.name for design in study.designs]
    figure = stacked_panels(list(labels.values()), 1, 24 + 30 * len(designs))
    notes = []
    for box in boxes:
        row, i = quantities.index(box.quantity) + 1, designs.index(box.design)
        if box.reached > 0:
            _add_box(figure, box, i, last, row)
        if box.reached < 1:
            notes.append(_share_note(box, i, row))
    # All at once: Plotly checks every annotation again when one is added.
    figure.update_layout(annotations=[*figure.layout.annotations, *notes])
    ticks = {"tickvals": list(range(len(designs))), "ticktext": [short(name) for name in designs]}
    figure.update_yaxes(**ticks, range=[len(designs) - 0.5, -0.5], automargin=True)
    figure.update_xaxes(range=[0, last * 1.02])
    figure.update_layout(margin={"r": 100})
    return figure


def _share_note(box: TimeBox, position: int, row: int) -> dict[str, Any]:
    """How many trials get there, at the right of the panel."""
    share = "not reached" if box.reached == 0 else f"{whole_percent(box.reached)} get there"
    axis = "" if row == 1 else str(row)
    return {
        "x": 1,
        "y": position,
        "xref": f"x{axis} domain",
        "yref": f"y{axis}",
        "text": share,
        "showarrow": False,
        "xanchor": "left",
        "xshift": 8,
        "font": {"size": 12},
    }


def _add_box(figure: go.Figure, box: TimeBox, position: int, last: float, row: int) -> None:
    low, first, middle, third, high = (min(value, last) for value in box.quantiles)
    colour = look(box.design).colour
    figure.add_box(
        y=[position],
        lowerfence=[low],
        q1=[first],
        median=[middle],
        q3=[third],
        upperfence=[high],
        orientation="h",
        width=0.6,
        line={"color": colour, "width": 1.5},
        fillcolor=faint(colour, 0.3),
        showlegend=False,
        name=plain(box.design),
        row=row,
        col=1,
    )


def _add_bounds(
    figure: go.Figure, study: Study, bounds: list[BoundLine], quantities: list[str]
) -> None:
    """Lower bounds as lines across the panel of their time, explained on hover."""
    named: set[str] = set()
    for line in bounds:
        if line.quantity not in quantities or line.value > study.simulation.n_max:
            continue
        dash, label = BOUND_LOOKS[line.bound]
        figure.add_scatter(
            x=[line.value] * 20,
            y=[-0.5 + len(study.designs) * i / 19 for i in range(20)],
            mode="lines",
            line={"color": GREY, "dash": dash, "width": 2},
            name=label,
            legendgroup=line.bound,
            showlegend=line.bound not in named,
            hovertext=hover_lines(f"{line.value:,.0f} patients. {LOWER_BOUNDS[line.bound]}"),
            hoverinfo="text",
            row=quantities.index(line.quantity) + 1,
            col=1,
        )
        named.add(line.bound)


def draw_verdicts(panels: list[VerdictShares]) -> go.Figure:
    """Shares of the verdicts per dose, one panel a design, errors hatched."""
    columns = min(3, len(panels))
    figure = stacked_panels(
        [short(panel.design) for panel in panels], columns, 10 + 26 * len(panels[0].labels)
    )
    for i, panel in enumerate(panels):
        labels = [short(label) for label in panel.labels]
        for kind, words in VERDICT_KINDS.items():
            colour, pattern = VERDICT_LOOKS[kind]
            figure.add_bar(
                x=panel.shares[kind],
                y=list(range(len(labels))),
                orientation="h",
                name=words,
                legendgroup=kind,
                showlegend=i == 0,
                marker={"color": colour, "pattern": {"shape": pattern, "fillmode": "overlay"}},
                customdata=[plain(label) for label in panel.labels],
                hovertemplate=f"%{{customdata}}: {words} in %{{x:.1%}}<extra></extra>",
                row=i // columns + 1,
                col=i % columns + 1,
            )
        figure.update_yaxes(
            tickvals=list(range(len(labels))),
            ticktext=labels,
            range=[len(labels) - 0.5, -0.5],
            automargin=True,
            row=i // columns + 1,
            col=i % columns + 1,
        )
    figure.update_xaxes(tickformat=".0%", range=[0, 1], dtick=0.5)
    figure.update_layout(barmode="stack")
    return figure


def draw_patients(study: Study, series: list[DosePatients]) -> go.Figure:
    """Mean patients per dose with the middle 80% of the trials."""
    labels = [arm.label for arm in study.arms]
    figure = empty(110 + len(labels) * (16 + 14 * len(series)))
    step = 0.7 / len(series)
    for i, data in enumerate(series):
        style = look(data.design)
        figure.add_scatter(
            x=data.mean,
            y=[place + (i - (len(series) - 1) / 2) * step for place in range(len(labels))],
            mode="markers",
            name=plain(data.design),
            marker={"color": style.colour, "symbol": style.symbol, "size": 9},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [max(h - m, 0) for h, m in zip(data.high, data.mean, strict=True)],
                "arrayminus": [max(m - low, 0) for low, m in zip(data.low, data.mean, strict=True)],
                "color": faint(style.colour, 0.6),
                "thickness": 2,
                "width": 0,
            },
            customdata=[
                [plain(label), low, high]
                for label, low, high in zip(labels, data.low, data.high, strict=True)
            ],
            hovertemplate=(
                "%{customdata[0]}: %{x:,.1f} patients on average, %{customdata[1]:,.0f} to "
                "%{customdata[2]:,.0f} in 80% of the trials"
            ),
        )
    figure.update_yaxes(
        tickvals=list(range(len(labels))),
        ticktext=arm_labels(study),
        range=[len(labels) - 0.5, -0.5],
    )
    figure.update_xaxes(title="patients on the dose", rangemode="tozero")
    return figure

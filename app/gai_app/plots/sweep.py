"""The results of a sweep: curves over one varied field, heat maps over two."""

import math
from collections.abc import Sequence
from textwrap import wrap

import plotly.graph_objects as go

from gai_app.escaping import figure as plain
from gai_app.plots.style import ON_COLOUR, add_band, empty, short, stacked_panels
from gai_core.questions import HeatMap, Measure, SweepCurve, wide
from gai_core.study import Number

LIGHT_TO_BLUE = [(0, "#FFF8E5"), (0.5, "#BBD9E8"), (1, "#6FAFD8")]
"""Light enough for words on them, and for those who see no red or green."""
MOST_TICKS = 12
LONGEST_TICK = 7
MOST_NUMBERS = 24
"""Cells side by side up to which they show their numbers."""
MOST_COLUMNS = 3
ROW, TALLEST = 34, 420
"""Pixels: of a row of a map, and of a map at most."""


def draw_curves(curves: Sequence[SweepCurve], shown: Measure, field: str) -> go.Figure:
    """A curve with its 95% interval per design."""
    figure = empty(430, hovermode="x unified")
    number = "%{y:.1%}" if shown.chance else "%{y:,.1f}"
    low, high = (f"%{{customdata[{k}]:{'.1%' if shown.chance else ',.1f'}}}" for k in (0, 1))
    for curve in curves:
        add_band(
            figure,
            curve.design,
            list(curve.x),
            (curve.value, curve.low, curve.high),
            f"{number} (95% interval {low} to {high})",
        )
    x = curves[0].x
    figure.update_xaxes(title=plain(field, 60))
    if wide(x):
        figure.update_xaxes(type="log")
    if len(x) <= MOST_TICKS:
        figure.update_xaxes(tickvals=list(x), ticktext=[_tick(value) for value in x])
    figure.update_yaxes(title="<br>".join(wrap(plain(shown.words, 120), 48)), rangemode="tozero")
    if shown.chance:
        figure.update_yaxes(tickformat=".0%", range=[-0.02, 1.04])
    return figure


def draw_maps(maps: Sequence[HeatMap], shown: Measure, fields: Sequence[str]) -> go.Figure:
    """A panel per design, all in the same colours."""
    columns = min(MOST_COLUMNS, len(maps))
    height = min(TALLEST, max(140, ROW * len(maps[0].y)))
    figure = stacked_panels([short(panel.design) for panel in maps], columns, height)
    for i, panel in enumerate(maps):
        row, column = i // columns + 1, i % columns + 1
        figure.add_heatmap(
            z=panel.value,
            x=list(range(len(panel.x))),
            y=list(range(len(panel.y))),
            coloraxis="coloraxis",
            text=_numbers(panel, shown),
            texttemplate="%{text}" if len(panel.x) * columns <= MOST_NUMBERS else "",
            textfont={"color": ON_COLOUR, "size": 12},
            hovertext=_hovers(panel, fields),
            hoverinfo="text",
            xgap=1,
            ygap=1,
            row=row,
            col=column,
        )
        figure.update_xaxes(
            **_ticks(panel.x), title=plain(fields[0], 40), automargin=True, row=row, col=column
        )
        figure.update_yaxes(**_ticks(panel.y), automargin=True, row=row, col=column)
        if column == 1:
            figure.update_yaxes(title=plain(fields[1], 40), row=row, col=1)
    known = [v for panel in maps for line in panel.value for v in line if math.isfinite(v)]
    low, high = (0, 1) if shown.chance else (min(known, default=0), max(known, default=1))
    figure.update_layout(
        margin={"t": 30},
        coloraxis={
            "colorscale": LIGHT_TO_BLUE,
            "cmin": low,
            "cmax": high,
            "colorbar": {"thickness": 12, "tickformat": ".0%" if shown.chance else ",.4~g"},
        },
    )
    return figure


def _ticks(values: Sequence[Number]) -> dict[str, list[object]]:
    """The values at their positions, so many as there is room for."""
    step = math.ceil(len(values) / MOST_TICKS)
    return {
        "tickvals": list(range(0, len(values), step)),
        "ticktext": [_tick(value) for value in values[::step]],
    }


def _tick(value: Number) -> str:
    """A value that fits below an axis."""
    text = f"{value:g}"
    return text if len(text) <= LONGEST_TICK else f"{value:.2g}"


def _numbers(panel: HeatMap, shown: Measure) -> list[list[str]]:
    def text(value: float) -> str:
        if not math.isfinite(value):
            return "–"
        return f"{100 * value:.0f}" if shown.chance else f"{value:,.3g}"

    return [[text(value) for value in line] for line in panel.value]


def _hovers(panel: HeatMap, fields: Sequence[str]) -> list[list[str]]:
    across, up = (plain(field, 60) for field in fields)
    design = plain(panel.design)
    return [
        [
            f"{design}<br>{across}: {x:g}<br>{up}: {y:g}<br>{words}"
            for x, words in zip(panel.x, line, strict=True)
        ]
        for y, line in zip(panel.y, panel.words, strict=True)
    ]

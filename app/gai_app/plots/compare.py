"""Designs against a baseline: a heat map over truths."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from gai_app.escaping import figure as plain
from gai_app.plots.style import ON_COLOUR, empty, short

if TYPE_CHECKING:
    import pandas as pd

BETTER, EVEN, WORSE = "#7DBAE0", "#F4F4F4", "#F0A070"
"""Light enough for words on them."""


def draw_differences(
    compared: "pd.DataFrame", words: list[list[str]], *, less_is_better: bool
) -> go.Figure:
    """Designs down, truths across; blue is better than the baseline, orange worse."""
    designs, truths = (list(dict.fromkeys(compared[name])) for name in ("design", "truth"))
    wide = compared.pivot(index="design", columns="truth", values="difference")
    values = wide.loc[designs, truths]
    largest = float(values.abs().max().fillna(0.0).max()) or 1.0
    scale = [(0, BETTER), (0.5, EVEN), (1, WORSE)]
    figure = empty(110 + 44 * len(designs))
    figure.add_heatmap(
        z=values.values.tolist(),
        x=list(range(len(truths))),
        y=list(range(len(designs))),
        text=[[cell.replace(" [", "<br>[", 1) for cell in row] for row in words],
        texttemplate="%{text}",
        textfont={"color": ON_COLOUR, "size": 12},  # a narrow window has room for an interval
        colorscale=scale,
        reversescale=not less_is_better,
        zmin=-largest,
        zmax=largest,
        customdata=[[f"{plain(d)}, {plain(t)}" for t in truths] for d in designs],
        hovertemplate="%{customdata}: %{text}<extra></extra>",
        colorbar={"title": "difference", "thickness": 12},
        xgap=2,
        ygap=2,
    )
    figure.update_xaxes(
        tickvals=list(range(len(truths))), ticktext=[short(t) for t in truths], side="top"
    )
    figure.update_yaxes(
        tickvals=list(range(len(designs))),
        ticktext=[short(d) for d in designs],
        autorange="reversed",
    )
    return figure

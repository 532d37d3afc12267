"""The paper's figure: times against the asymptotic bound as the error rate falls."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from gai_app.plots.appearance import look
from gai_app.plots.style import GREY, empty

if TYPE_CHECKING:
    import pandas as pd

TIMES = {
    "tau_1": "patients until the first declaration",
    "tau_2": "patients until the second declaration",
}
RULES = {"hdoc": "HDoC", "lucb-g": "LUCB-G"}


def draw_figure(values: "pd.DataFrame", quantity: str) -> go.Figure:
    """Mean patients until tau_1 or tau_2 for log(1/delta) = 5, 10, ..., 50."""
    here = values[values.quantity == quantity]
    figure = empty(380)
    for rule, name in RULES.items():
        block, style = here[here.rule == rule], look(name)
        figure.add_scatter(
            x=block.log_1_over_delta.tolist(),
            y=block["mean"].tolist(),
            error_y={"type": "data", "array": (2 * block.mcse).tolist(), "thickness": 1},
            name=name,
            mode="lines+markers",
            line={"color": style.colour, "dash": style.dash},
            marker={"symbol": style.symbol, "size": 8},
        )
    block = here[here.rule == "hdoc"]
    figure.add_scatter(
        x=block.log_1_over_delta.tolist(),
        y=block.asymptotic_bound.tolist(),
        name="asymptotic lower bound",
        mode="lines",
        line={"color": GREY, "dash": "dot", "width": 2},
    )
    figure.update_xaxes(title="logarithm of 1 / error rate")
    figure.update_yaxes(title=TIMES[quantity], rangemode="tozero")
    return figure

"""The limits that declare and drop a dose, design by design."""

from collections.abc import Sequence

import plotly.graph_objects as go

from gai_app.escaping import figure as plain
from gai_app.plots.appearance import look
from gai_app.plots.style import GREY, count_ticks, empty
from gai_core.results import Limits
from gai_core.study import Study, what_n_counts


def draw_limits(study: Study, boundaries: Sequence[Limits]) -> go.Figure:
    """Limits as means, or t-statistics, over the patients of a dose."""
    figure, outcome = empty(430), study.stream.outcome
    what, counted = outcome.path_name, what_n_counts(study)
    for boundary in boundaries:
        style = look(boundary.design)
        n, declare, drop = boundary.as_drawn()
        few = len(n) <= 30
        for upper, values in ((True, declare), (False, drop)):
            figure.add_scatter(
                x=n,
                y=values,
                name=plain(boundary.design),
                legendgroup=boundary.design,
                showlegend=upper,
                mode="lines+markers" if few else "lines",
                line={"color": style.colour, "dash": style.dash, "width": 2},
                marker={"symbol": style.symbol, "size": 8},
                hovertemplate=(
                    f"{'declare from' if upper else 'drop up to'} a {what} of %{{y:.3f}} after "
                    f"%{{x}} {counted}"
                ),
            )
    figure.add_hline(
        y=study.stream.outcome.target_drawn(study.stream.target),
        line={"color": GREY, "width": 1},
        annotation={"text": "target"},
        annotation_position="bottom right",
    )
    figure.update_xaxes(title=counted, **count_ticks(study.simulation.n_max))
    figure.update_yaxes(title=plain(study.stream.outcome.axis_name, 48))
    return figure

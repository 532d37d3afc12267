"""Expected against largest enrolment: a point per design, which can be chosen."""

from collections.abc import Sequence

import plotly.graph_objects as go

from gai_app.escaping import figure as plain
from gai_app.plots.style import empty
from gai_core.figures import COLOURS
from gai_core.questions import FrontierPoint


def draw_frontier(points: Sequence[FrontierPoint], chosen: str) -> go.Figure:
    """Found designs and benchmarks; a line joins those that no other beats in both numbers."""
    figure = empty(430, clickmode="event+select")
    best = sorted((point for point in points if point.on_frontier), key=lambda p: p.n_max)
    figure.add_scatter(
        x=[point.n_max for point in best],
        y=[point.enrolled for point in best],
        mode="lines",
        line={"color": "#888888", "width": 1},
        hoverinfo="skip",
        name="not beaten in both",
    )
    named = {chosen, *(point.name for point in best)}  # of the others names would overlap
    for benchmark, words, symbol in ((False, "found", "circle"), (True, "benchmark", "square")):
        some = [point for point in points if point.benchmark is benchmark]
        figure.add_scatter(
            x=[point.n_max for point in some],
            y=[point.enrolled for point in some],
            customdata=[[point.name] for point in some],
            hovertext=[plain(point.name, 40) for point in some],
            text=[plain(point.name, 40) if point.name in named else "" for point in some],
            mode="markers+text",
            textposition=[_side(point, points) for point in some],
            cliponaxis=False,
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
            marker={
                "color": COLOURS[int(benchmark)],
                "symbol": symbol,
                "size": [16 if point.name == chosen else 10 for point in some],
                "line": {"width": [2 if point.name == chosen else 0 for point in some]},
            },
            hovertemplate="%{hovertext}: n_max %{x:,}, %{y:,.1f} on average<extra></extra>",
            name=words,
        )
    figure.update_xaxes(title="Largest sample size (n_max)")
    figure.update_yaxes(title="Patients enrolled on average")
    return figure


def _side(point: FrontierPoint, points: Sequence[FrontierPoint]) -> str:
    """Where the name stands: in the right half to the left, so that it is not cut off."""
    sizes = [one.n_max for one in points]
    right = 2 * point.n_max > min(sizes) + max(sizes)
    return "top left" if right else "top right"

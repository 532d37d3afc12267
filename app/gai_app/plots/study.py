"""The assumed dose-response with the target, before anything is run."""

import plotly.graph_objects as go

from gai_app.escaping import figure as plain
from gai_app.plots.style import BAD, CONTROL_SYMBOL, GOOD, GREY, Sheet, empty, short
from gai_core.results import DoseResponse
from gai_core.study import Study


def draw_dose_response(study: Study, data: DoseResponse, sheet: Sheet = go.Figure) -> go.Figure:
    """Means of the arms against the target, each with its margin."""
    figure = empty(320, sheet, showlegend=False)
    places = list(range(len(data.labels)))
    figure.add_scatter(
        x=places, y=data.means, mode="lines", line={"color": GREY, "width": 1}, hoverinfo="skip"
    )
    for colour, symbol, words, chosen in (
        (GOOD, "circle", "meets the target", [i for i in study.candidates if data.good[i]]),
        (BAD, "x", "does not meet the target", [i for i in study.candidates if not data.good[i]]),
        (
            GREY,
            CONTROL_SYMBOL,
            "control, no candidate",
            [i for i in places if i == study.set_apart],
        ),
    ):
        figure.add_scatter(
            x=chosen,
            y=[data.means[i] for i in chosen],
            mode="markers+text",
            marker={"color": colour, "symbol": symbol, "size": 12},
            text=[f"{data.margins[i]:+.3g}" for i in chosen],
            textposition=[
                "top center" if data.margins[i] >= 0 else "bottom center" for i in chosen
            ],
            customdata=[[plain(data.labels[i]), words] for i in chosen],
            hovertemplate=(
                "%{customdata[0]}: %{y:.4g}, %{text} from the target<br>%{customdata[1]}"
                "<extra></extra>"
            ),
        )
    target = data.target
    # Over the end whose dose is further from it, whose own number stands elsewhere.
    left, right = (abs(data.means[i] - target) for i in (0, -1))
    figure.add_hline(
        y=target,
        line={"color": GREY, "dash": "dash"},
        annotation={"text": f"target {target:g}"},
        annotation_position="top left" if left > right else "top right",
    )
    labels = [short(label) for label in data.labels]
    crowded = sum(map(len, labels)) > 40
    if study.set_apart is not None:
        labels[study.set_apart] += "<br>(control)"
    figure.update_xaxes(
        tickvals=places,
        ticktext=labels,
        tickangle=-40 if crowded else 0,
        range=[-0.5, len(places) - 0.5],
    )
    low, high = min(*data.means, target), max(*data.means, target)
    room = 0.18 * (high - low or abs(high) or 1)
    figure.update_yaxes(
        title=plain(study.outcome.endpoint, 48) or "assumed mean", range=[low - room, high + room]
    )
    return figure

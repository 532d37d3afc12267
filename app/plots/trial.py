"""One trial, patient by patient: who went where, and how every dose's mean moved."""

from typing import NamedTuple

import plotly.graph_objects as go

from app.plain import figure as plain
from app.plots.style import BAD, GOOD, GREY, empty, look, short, stacked_panels
from gai_core.decisions import Limits
from gai_core.replay import Replay
from gai_core.study import Study

COLUMNS = 3
MOST_POINTS = 4_000
"""Patients drawn one by one; of a longer trial only the last so many."""


class Look(NamedTuple):
    """How a verdict is marked."""

    words: str
    colour: str
    symbol: str


VERDICTS = {
    1: Look("declared", GOOD, "star"),
    -1: Look("dropped", BAD, "x"),
}


def draw_allocations(study: Study, trial: Replay, patients: int) -> go.Figure:
    """A mark for every patient on the line of the dose; responders are filled."""
    labels = [arm.label for arm in study.arms]
    figure = empty(90 + 34 * len(labels))
    first = max(0, patients - MOST_POINTS)
    binary = study.outcome.kind == "bernoulli"
    groups = (("responder", True), ("no response", False)) if binary else (("patient", True),)
    for words, wanted in groups:
        here = [
            t for t in range(first, patients) if not binary or bool(trial.outcomes[t]) is wanted
        ]
        figure.add_scatter(
            x=[t + 1 for t in here],
            y=[trial.arms[t] for t in here],
            mode="markers",
            name=words,
            marker={
                "symbol": "line-ns" if not wanted else "circle",
                "size": 6,
                "color": look(0).colour,
                "line": {"width": 1.5, "color": GREY if not wanted else look(0).colour},
            },
            customdata=[[plain(labels[trial.arms[t]]), trial.outcomes[t]] for t in here],
            hovertemplate=(
                "patient %{x}: %{customdata[0]}, outcome %{customdata[1]:.3g}<extra></extra>"
            ),
        )
    for verdict, style in VERDICTS.items():
        moments = [m for m in trial.moments if m.verdict == verdict and m.patient <= patients]
        figure.add_scatter(
            x=[m.patient for m in moments],
            y=[m.arm for m in moments],
            mode="markers",
            name=style.words,
            marker={
                "symbol": style.symbol,
                "size": 16,
                "color": style.colour,
                "line": {"width": 1, "color": "white"},
            },
            customdata=[plain(labels[m.arm]) for m in moments],
            hovertemplate=f"%{{customdata}} {style.words} after patient %{{x}}<extra></extra>",
        )
    figure.update_xaxes(title="patient of the trial", range=[first, max(patients, 10) * 1.02])
    figure.update_yaxes(
        tickvals=list(range(len(labels))),
        ticktext=[short(label) for label in labels],
        range=[len(labels) - 0.4, -0.6],
    )
    return figure


def draw_means(study: Study, trial: Replay, limits: Limits, patients: int) -> go.Figure:
    """Running mean of every dose against the limits that declare and drop it."""
    states = trial.after(patients)
    longest = max(10, max(state.assigned for state in states))
    columns = min(COLUMNS, len(states))
    figure = stacked_panels([short(arm.label) for arm in study.arms], columns, 160)
    n, declare, drop = limits.as_means(longest)
    paths = trial.mean_paths(patients)
    for arm, state in enumerate(states):
        place = {"row": arm // columns + 1, "col": arm % columns + 1}
        counts, means = paths[arm]
        for name, values, colour, dash in (
            ("declare from here up", declare, GOOD, "solid"),
            ("drop from here down", drop, BAD, "dash"),
        ):
            figure.add_scatter(
                x=n, y=values, mode="lines", name=name, legendgroup=name, showlegend=arm == 0,
                line={"color": colour, "dash": dash, "width": 1.5}, hoverinfo="skip", **place,
            )  # fmt: skip
        figure.add_scatter(
            x=counts,
            y=means,
            mode="lines",
            name="running mean",
            legendgroup="mean",
            showlegend=arm == 0,
            line={"color": look(0).colour, "width": 2},
            hovertemplate="after %{x} patients: %{y:.3f}<extra></extra>",
            **place,
        )
        if state.verdict in VERDICTS and means:
            style = VERDICTS[state.verdict]
            figure.add_scatter(
                x=[counts[-1]], y=[means[-1]], mode="markers", showlegend=False,
                marker={"symbol": style.symbol, "size": 14, "color": style.colour},
                hovertemplate=f"{style.words}<extra></extra>", **place,
            )  # fmt: skip
        figure.add_scatter(
            x=[0, longest * 1.05], y=[study.threshold] * 2, mode="lines", name="target",
            legendgroup="target", showlegend=arm == 0, hoverinfo="skip",
            line={"color": GREY, "dash": "dot", "width": 1}, **place,
        )  # fmt: skip
    figure.update_xaxes(range=[0, longest * 1.05])
    if study.outcome.kind == "bernoulli":
        figure.update_yaxes(range=[-0.03, 1.03])
    return figure

"""One trial, patient by patient: who went where, and how every dose's mean moved."""

import math
from itertools import cycle
from typing import NamedTuple

import plotly.graph_objects as go

from gai_app.escaping import figure as plain
from gai_app.plots.appearance import nth
from gai_app.plots.style import BAD, GOOD, GREY, OPEN, arm_labels, empty, stacked_panels
from gai_core.evidence import BAD as DROPPED
from gai_core.evidence import GOOD as DECLARED
from gai_core.results import Limits, Moment, Replay
from gai_core.study import Study

COLUMNS = 3
BLUE = nth(0).colour
BY_MONTH = "month (patients at their enrolment, verdicts when they were given)"
MOST_POINTS = 4_000
"""Patients drawn one by one; of a longer trial only the last so many."""


class Look(NamedTuple):
    """How a verdict is marked."""

    words: str
    colour: str
    symbol: str


VERDICTS = {
    DECLARED: Look("declared", GOOD, "star"),
    DROPPED: Look("dropped", BAD, "x"),
}


Mark = tuple[str, int, str, str]
"""What a patient's mark looks like: symbol, size, colour, colour of the line."""
WITH_OUTCOME: tuple[Mark, ...] = ("circle", 6, BLUE, BLUE), ("line-ns", 6, BLUE, GREY)
"""For the patients that an outcome tells apart, in its order."""
WITHOUT: dict[str, Mark] = {
    "dropped out": ("x-thin", 7, GREY, "#CC79A7"),
    "outcome not known yet": ("circle-open", 5, GREY, OPEN),
}


def draw_allocations(study: Study, trial: Replay, patients: int) -> go.Figure:
    """A mark for every patient on the line of the dose, by number or by month of enrolment."""
    labels = [arm.label for arm in study.arms]
    figure = empty(90 + 34 * len(labels))
    first = max(0, patients - MOST_POINTS)
    group = _groups(study, trial, patients)
    own = dict(zip(study.outcome.marks, cycle(WITH_OUTCOME), strict=False))
    for words, (symbol, size, colour, line) in (own | WITHOUT).items():
        here = [t for t in range(first, patients) if group[t] == words]
        if not here and words not in own:
            continue
        figure.add_scatter(
            x=[_when(trial, t) for t in here],
            y=[trial.arms[t] for t in here],
            mode="markers",
            name=words,
            marker={
                "symbol": symbol,
                "size": size,
                "color": colour,
                "line": {"width": 1.5, "color": line},
            },
            customdata=[_about(trial, t, labels, words) for t in here],
            hovertemplate="patient %{customdata}<extra></extra>",
        )
    _add_verdicts(figure, trial, patients, labels)
    if trial.times is None:
        figure.update_xaxes(title="patient of the trial", range=[first, max(patients, 10) * 1.02])
    else:
        last = max(trial.month(patients) or 0.0, trial.times[0].known)
        start = trial.times[first].enrolled if first else 0.0
        figure.update_xaxes(title=BY_MONTH, range=[start, last * 1.02])
    figure.update_yaxes(
        tickvals=list(range(len(labels))),
        ticktext=arm_labels(study),
        range=[len(labels) - 0.4, -0.6],
    )
    return figure


def _groups(study: Study, trial: Replay, patients: int) -> list[str]:
    """Which mark every patient gets."""
    waiting = set(trial.waiting(patients))

    def group(t: int) -> str:
        if t in waiting:
            return "outcome not known yet"
        if trial.times is not None and trial.times[t].dropped_out:
            return "dropped out"
        return study.outcome.mark(trial.outcomes[t])

    return [group(t) for t in range(patients)]


def _when(trial: Replay, patient: int) -> float:
    """Where a patient stands: its number, or the month of its enrolment."""
    return patient + 1 if trial.times is None else trial.times[patient].enrolled


def _about(trial: Replay, patient: int, labels: list[str], group: str) -> str:
    """A patient on hover."""
    unknown = group in ("dropped out", "outcome not known yet")
    what = group if unknown else f"outcome {trial.outcomes[patient]:.3g}"
    text = f"{patient + 1}: {plain(labels[trial.arms[patient]])}, {what}"
    if trial.times is None:
        return text
    times = trial.times[patient]
    return f"{text}<br>enrolled in month {times.enrolled:.1f}, outcome in month {times.known:.1f}"


def _add_verdicts(figure: go.Figure, trial: Replay, patients: int, labels: list[str]) -> None:
    """Stars and crosses when a dose was declared or dropped."""
    for verdict, style in VERDICTS.items():
        moments = [m for m in trial.moments_by(patients) if m.verdict == verdict]
        figure.add_scatter(
            x=[m.patient if m.month is None else m.month for m in moments],
            y=[m.arm for m in moments],
            mode="markers",
            name=style.words,
            marker={
                "symbol": style.symbol,
                "size": 16,
                "color": style.colour,
                "line": {"width": 1, "color": "white"},
            },
            customdata=[_moment(m, labels, style.words) for m in moments],
            hovertemplate="%{customdata}<extra></extra>",
        )


def _moment(moment: Moment, labels: list[str], words: str) -> str:
    text = f"{plain(labels[moment.arm])} {words} after patient {moment.patient:,}"
    return text if moment.month is None else f"{text}, in month {moment.month:.1f}"


def draw_means(study: Study, trial: Replay, limits: Limits, patients: int) -> go.Figure:
    """Running mean, or t-statistic, of every dose against the limits that declare and drop it."""
    states = trial.after(patients)
    longest = max(10, max(state.seen for state in states))
    n, declare, drop = limits.as_drawn(longest)
    paths, target = (
        trial.paths(study, patients),
        study.stream.outcome.target_drawn(study.stream.target),
    )
    # A control that is only a partner has nothing of its own to show.
    shown = [arm for arm in range(len(states)) if arm != study.set_apart or paths[arm][1]]
    columns, labels = min(COLUMNS, len(shown)), arm_labels(study)
    figure = stacked_panels([labels[arm] for arm in shown], columns, 160)
    counted = "patients" if trial.times is None else "outcomes"
    for at, arm in enumerate(shown):
        state, place = states[arm], {"row": at // columns + 1, "col": at % columns + 1}
        counts, means = paths[arm]
        for name, values, colour, dash in (
            ("declare from here up", declare, GOOD, "solid"),
            ("drop from here down", drop, BAD, "dash"),
        ):
            if arm == study.set_apart:
                continue  # no limits for an arm that gets no verdict
            figure.add_scatter(
                x=n,
                y=values,
                mode="lines",
                name=name,
                legendgroup=name,
                showlegend=arm == study.candidates[0],
                line={"color": colour, "dash": dash, "width": 1.5},
                hoverinfo="skip",
                **place,
            )
        figure.add_scatter(
            x=counts,
            y=means,
            mode="lines",
            name=f"running {study.stream.outcome.path_name}",
            legendgroup="mean",
            showlegend=at == 0,
            line={"color": nth(0).colour, "width": 2},
            hovertemplate=f"after %{{x}} {counted}: %{{y:.3f}}<extra></extra>",
            **place,
        )
        if state.verdict in VERDICTS and means:
            style = VERDICTS[state.verdict]
            figure.add_scatter(
                x=[counts[-1]],
                y=[means[-1]],
                mode="markers",
                showlegend=False,
                marker={"symbol": style.symbol, "size": 14, "color": style.colour},
                hovertemplate=f"{style.words}<extra></extra>",
                **place,
            )
        figure.add_scatter(
            x=[0, longest * 1.05],
            y=[target] * 2,
            mode="lines",
            name="target",
            legendgroup="target",
            showlegend=at == 0,
            hoverinfo="skip",
            line={"color": GREY, "dash": "dot", "width": 1},
            **place,
        )
    figure.update_xaxes(range=[0, longest * 1.05])
    low, high = study.stream.outcome.mean_range
    if high < math.inf:
        room = 0.03 * (high - low)
        figure.update_yaxes(range=[low - room, high + room])
    return figure

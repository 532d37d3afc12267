"""One trial, patient by patient."""

from itertools import cycle
from typing import TYPE_CHECKING

from gai_core.evidence import BAD as DROPPED
from gai_core.evidence import GOOD as DECLARED
from gai_core.figures.style import (
    BAD,
    GOOD,
    GREY,
    Margins,
    beside,
    empty,
    label_rows,
    legend_above,
    legend_height,
    look,
)
from gai_core.results import Replay
from gai_core.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VERDICTS = {DECLARED: ("declared", GOOD, "*"), DROPPED: ("dropped", BAD, "X")}
PATIENTS = ("o", look(0).colour, 2.5), ("|", GREY, 5.0)
"""How the kinds of patients are marked that an outcome tells apart: symbol, colour, size."""
LAST_DRAWN = 2_000
"""Patients drawn; of a longer trial only the last so many."""


def draw_trial(study: Study, trial: Replay) -> "Figure":
    """A mark for every patient on the line of the dose, and the verdicts."""
    labels = [arm.label for arm in study.arms]
    where = [t + 1.0 for t in range(len(trial.arms))]
    if trial.times is not None:
        where = [time.enrolled for time in trial.times]
    figure, axes = empty(0.22 * len(labels), Margins(left=beside(labels), top=legend_height(4)))
    first = max(0, len(trial.arms) - LAST_DRAWN)
    marks = [study.outcome.mark(value) for value in trial.outcomes]
    for words, (symbol, colour, size) in zip(study.outcome.marks, cycle(PATIENTS), strict=False):
        here = [t for t in range(first, len(trial.arms)) if marks[t] == words]
        axes.plot(
            [where[t] for t in here],
            [trial.arms[t] for t in here],
            symbol,
            color=colour,
            markersize=size,
            label=words,
        )
    for verdict, (words, colour, marker) in VERDICTS.items():
        moments = [moment for moment in trial.moments if moment.verdict == verdict]
        if moments:
            axes.plot(
                [m.patient if m.month is None else m.month for m in moments],
                [m.arm for m in moments],
                marker,
                color=colour,
                markersize=9,
                markeredgecolor="white",
                linestyle="none",
                label=words,
            )
    label_rows(axes, dict(enumerate(labels)))
    axes.set_ylim(len(labels) - 0.5, -0.5)
    by_month = "month (patients at their enrolment, verdicts when they were given)"
    axes.set_xlabel("patient of the trial" if trial.times is None else by_month)
    legend_above(figure, axes)
    return figure

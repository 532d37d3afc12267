"""Expected against largest enrolment: the designs that a search found, and the benchmarks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gai_core.figures.style import COLOURS, WIDTH, plain
from gai_core.questions import FrontierPoint

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEIGHT = 4.2
"""Inches."""


def draw_frontier(points: Sequence[FrontierPoint]) -> "Figure":
    """A point per design by its name; a line joins those that no other beats in both numbers."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    axes = figure.add_subplot()
    best = sorted((p for p in points if p.on_frontier), key=lambda p: p.n_max)
    axes.plot(
        [p.n_max for p in best], [p.enrolled for p in best], color="0.6", linewidth=1, zorder=1
    )
    for benchmark, colour, marker, words in (
        (False, COLOURS[0], "o", "found"),
        (True, COLOURS[1], "s", "benchmark"),
    ):
        some = [p for p in points if p.benchmark is benchmark]
        axes.scatter(
            [p.n_max for p in some],
            [p.enrolled for p in some],
            color=colour,
            marker=marker,
            s=28,
            label=words,
            zorder=2,
        )
    middle = (min(p.n_max for p in points) + max(p.n_max for p in points)) / 2
    for point in points:
        left = point.n_max > middle  # words on the side where there is room
        axes.annotate(
            plain(point.name, 40),
            (point.n_max, point.enrolled),
            xytext=(-5 if left else 5, 4),
            textcoords="offset points",
            fontsize=7,
            ha="right" if left else "left",
        )
    axes.set_xlabel("Largest sample size (n_max)")
    axes.set_ylabel("Patients enrolled on average")
    axes.margins(x=0.12, y=0.12)
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.legend(frameon=False, fontsize=7.5)
    return figure

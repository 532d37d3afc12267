"""What a figure shows apart from how it is drawn: named data first, then Matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gai_core.errors import InputError
from gai_core.files import written_whole
from gai_core.study import Design, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, which colour-blind readers can tell apart."""
ALL_POINTS = 400
STYLES = ("-", "--", "-.", ":")


class Boundary(NamedTuple):
    """One design's limits on an arm's mean, by the arm's number of patients; nan where none."""

    design: str
    n: NDArray[np.int64]
    declare: NDArray[np.float64]
    drop: NDArray[np.float64]


def boundary_data(study: Study, design: Design) -> Boundary:
    """From when on an arm is declared, up to when it is dropped, as means."""
    criterion, parameters = design.identification
    curves = criterion.curves_of(study.setting(design), parameters)
    n = np.arange(1, curves.accept.size)
    declare, drop = curves.accept[1:] / n, curves.reject[1:] / n
    if study.outcome.kind == "bernoulli":
        declare = np.where(curves.accept[1:] <= n, declare, np.nan)
        drop = np.where(curves.reject[1:] >= 0, drop, np.nan)
    return Boundary(
        design.name,
        n,
        np.where(np.isfinite(declare), declare, np.nan),
        np.where(np.isfinite(drop), drop, np.nan),
    )


def draw_boundaries(study: Study, boundaries: Sequence[Boundary]) -> "Figure":
    """Declare above the upper line of a design, drop below its lower line."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.add_subplot()
    for i, boundary in enumerate(boundaries):
        looks = np.isfinite(boundary.declare) | np.isfinite(boundary.drop)
        few = looks.sum() <= 30
        style: dict[str, Any] = {
            "color": COLOURS[i % len(COLOURS)],
            "linestyle": STYLES[i % len(STYLES)],
            "marker": "o" if few else None,
        }
        shown = np.flatnonzero(looks)[_thinned(int(looks.sum()))]
        n = boundary.n[shown]
        axes.plot(n, boundary.declare[shown], label=_plain(boundary.design), **style)
        axes.plot(n, boundary.drop[shown], **style)
    axes.axhline(study.threshold, color="grey", linewidth=1)
    place: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "bottom"}
    axes.text(0.995, study.threshold, "target", color="grey", fontsize=8, **place)
    axes.set_xscale("log")
    axes.set_xlabel("patients on the dose")
    axes.set_ylabel(_plain(study.outcome.endpoint) or "mean outcome")
    axes.set_title(f"Declare above, drop below: {_plain(study.title)}", fontsize=10)
    axes.legend(frameon=False, fontsize=8)
    axes.grid(alpha=0.25)
    return figure


def _thinned(size: int) -> NDArray[np.int64]:
    """All of the first points, then ever fewer: more than the eye can tell apart on a log axis."""
    if size <= ALL_POINTS:
        return np.arange(size)
    later = np.geomspace(ALL_POINTS, size - 1, ALL_POINTS).astype(np.int64)
    return np.unique(np.concatenate([np.arange(ALL_POINTS), later]))


def _plain(text: str) -> str:
    """Labels are data: a dollar sign does not begin a formula."""
    return text.replace("$", r"\$")


def check_format(path: Path) -> None:
    """Refuse a file name whose ending no figure can have."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path}: a figure's name must end in {', '.join(FORMATS)}")


def write_figure(figure: "Figure", path: Path) -> None:
    """Write the figure whole or not at all, in the format of the name's ending."""
    check_format(path)
    with written_whole(path) as draft:
        figure.savefig(draft, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)

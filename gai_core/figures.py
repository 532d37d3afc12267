"""Figures, drawn with Matplotlib from data that other rooms have named."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gai_core.decisions import Limits
from gai_core.errors import InputError
from gai_core.files import written_whole
from gai_core.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, which colour-blind readers can tell apart."""
STYLES = ("-", "--", "-.", ":")


def draw_boundaries(study: Study, boundaries: Sequence[Limits]) -> "Figure":
    """Limits as means: declare from a design's upper line on, drop from its lower line down."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.add_subplot()
    for i, boundary in enumerate(boundaries):
        n, declare, drop = boundary.as_means()
        style: dict[str, Any] = {
            "color": COLOURS[i % len(COLOURS)],
            "linestyle": STYLES[i % len(STYLES)],
            "marker": "o" if len(n) <= 30 else None,
        }
        axes.plot(n, declare, label=_plain(boundary.design), **style)
        axes.plot(n, drop, **style)
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
        undated = {"Date": None} if path.suffix.lower() == ".svg" else None
        figure.savefig(draft, dpi=150, metadata=undated)

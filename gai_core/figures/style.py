"""How figures look, and how they become files: the same bytes for the same figure."""

import io
import logging
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from gai_core.basics import InputError, printable, written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#767676")
"""Okabe and Ito's palette, which colour-blind readers can tell apart, here and on the screen; its
black is grey, so that it is seen on a dark page too."""
LINES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "D", "^", "X", "*", "P")
GREY = "#7A8490"
GOOD, BAD, OPEN, DROPPED, MISSED = "#009E73", "#D55E00", "#C3CAD1", "#56B4E9", "#E69F00"
LONGEST_LABEL = 28
LONGEST_LINE, MOST_LINES = 38, 3
"""Of the title of an axis."""
WIDTH = 7.2
"""Inches, the width of a page's text."""


class Look(NamedTuple):
    """A design's colour, line and marker."""

    colour: str
    line: str
    marker: str


def look(position: int) -> Look:
    """The look of the design at a position in the study."""
    return Look(
        COLOURS[position % len(COLOURS)],
        LINES[position % len(LINES)],
        MARKERS[position % len(MARKERS)],
    )


def plain(text: str, longest: int = 120) -> str:
    """Labels are data: a dollar sign begins no formula, what no drawing can hold is replaced, and
    what has no room is cut."""
    cut = text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
    lines = cut.replace("\t", " ").split("\n")
    return "\n".join(map(printable, lines)).replace("$", r"\$")


def in_lines(text: str) -> str:
    """The title of an upright axis, in lines that fit beside it."""
    return "\n".join(wrap(plain(text), LONGEST_LINE)[:MOST_LINES])


def short(text: str) -> str:
    """A label that fits beside an axis."""
    return plain(text, LONGEST_LABEL)


class Margins(NamedTuple):
    """Inches around the axes. Given, not found by trial and drawing, which would take as long
    as the figure itself."""

    left: float = 0.75
    right: float = 0.2
    top: float = 0.4
    bottom: float = 0.5


USUAL = Margins()


def beside(labels: Iterable[str]) -> float:
    """Inches that labels at the left of an axis need."""
    longest = max((sum(1 + (ord(char) > 0x2E80) for char in short(t)) for t in labels), default=0)
    return 0.25 + 0.066 * longest


def empty(height: float, margins: Margins = USUAL) -> "tuple[Figure, Axes]":
    """A figure of the page's width with axes so many inches high."""
    from matplotlib.figure import Figure

    whole = height + margins.top + margins.bottom
    figure = Figure(figsize=(WIDTH, whole))
    width = WIDTH - margins.left - margins.right
    place = margins.left / WIDTH, margins.bottom / whole, width / WIDTH, height / whole
    axes = figure.add_axes(place)
    axes.grid(axis="x", alpha=0.25, linewidth=0.6)
    axes.tick_params(labelsize=7.5)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


LEGEND_COLUMNS = 3


def legend_height(entries: int) -> float:
    """Inches that a legend above the axes needs."""
    return 0.15 + 0.19 * math.ceil(entries / LEGEND_COLUMNS)


def legend_above(figure: "Figure", axes: "Axes") -> None:
    """A legend above the axes."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="upper left", ncols=LEGEND_COLUMNS, frameon=False, fontsize=7.5
    )


def label_rows(axes: "Axes", labels: Mapping[float, str]) -> None:
    """Names at the left of rows, as texts: ticks take several times as long to draw."""
    axes.set_yticks([])
    place = axes.get_yaxis_transform()
    for row, label in labels.items():
        axes.text(-0.012, row, short(label), transform=place, ha="right", va="center", fontsize=7.5)
    axes.hlines(list(labels), 0, 1, transform=place, color="#000000", alpha=0.08, linewidth=0.6)


@cache
def _fonts() -> list[str]:
    """DejaVu for what it has, and a font with Japanese letters for the rest, where installed."""
    from importlib.util import find_spec

    spec = find_spec("matplotlib_fontja")
    if spec is None or spec.origin is None:
        return ["DejaVu Sans"]
    from matplotlib import font_manager

    path = Path(spec.origin).parent / "fonts" / "ipaexg.ttf"
    font_manager.fontManager.addfont(str(path))
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it has no bold letters
    return ["DejaVu Sans", font_manager.FontProperties(fname=str(path)).get_name()]


@contextmanager
def _settings() -> Iterator[None]:
    import matplotlib as mpl

    with (
        mpl.rc_context({"font.family": _fonts(), "svg.hashsalt": "gai-planner", "font.size": 8.5}),
        warnings.catch_warnings(),
    ):
        # A letter that no font has is drawn as a box; the warning would quote it as it is.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield


Drawing = Callable[[], "Figure"]


def picture(draw: Drawing, kind: str) -> bytes:
    """What is drawn as SVG, PNG or PDF; the same bytes for the same drawing."""
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    content = io.BytesIO()
    with _settings():
        draw().savefig(content, format=kind, dpi=170, metadata=undated)
    return content.getvalue()


def check_format(path: Path) -> None:
    """Refuse a file name whose ending no figure can have."""
    if path.suffix.lower() not in FORMATS:
        rule = f"a figure's name must end in {', '.join(FORMATS)}"
        raise InputError(rule, source=str(path))


def write_figure(draw: Drawing, path: Path) -> None:
    """Write what is drawn whole or not at all, in the format of the name's ending."""
    check_format(path)
    content = picture(draw, path.suffix.lower().removeprefix("."))
    with written_whole(path) as draft:
        draft.write_bytes(content)

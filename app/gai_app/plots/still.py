"""A figure as an SVG of a few kilobytes, for the first page: nothing has to be loaded for it.

Plotly is 4.7 MB and takes a browser seconds to load. The same figure is drawn here from its own
data: lines, bands, marks with what they say on hover, and straight lines across. Words take the
colour of the page's text.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from gai_app.plots.sketch import Sketch

DASHES = {
    "dash": "7 5",
    "dot": "2 4",
    "dashdot": "7 4 2 4",
    "longdash": "12 5",
    "longdashdot": "12 4 2 4",
}
MARKS = {
    "circle": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "square": "M-3.6-3.6h7.2v7.2h-7.2z",
    "diamond": "M0-5l5 5l-5 5l-5-5z",
    "triangle-up": "M0-5l4.8 8.6h-9.6z",
    "x": "M-4-2l2-2l2 2l2-2l2 2l-2 2l2 2l-2 2l-2-2l-2 2l-2-2l2-2z",
    "star": "M0-5.5l1.6 3.6l3.9.4l-2.9 2.6l.8 3.9l-3.4-2l-3.4 2l.8-3.9l-2.9-2.6l3.9-.4z",
    "cross": "M-1.6-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
}
LETTER = 6.9
"""About the width of a letter."""
LINE = 20


@dataclass(frozen=True)
class Axis:
    """Numbers of the study to places of the picture."""

    range: tuple[float, float]
    begin: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a number."""
        low, high = self.range
        at = math.log10(value) if self.log else value
        return self.begin + (at - low) / (high - low) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """About five round numbers."""
        low, high = self.range
        step = 10 ** math.floor(math.log10((high - low) / 4))
        step *= next(by for by in (1, 2, 5, 10) if (high - low) / (by * step) <= 6)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        return [i * step for i in range(first, last + 1)]


_still = st.components.v2.component(
    "gai_still",
    js="""export default ({ parentElement, data }) => {
        if (parentElement.gaiStill === data.svg) return;
        parentElement.innerHTML = parentElement.gaiStill = data.svg;
    };""",
    isolate_styles=False,
)


def show_still(drawn: str, name: str) -> None:
    """Put a drawn figure on the page."""
    _still(key=f"still-{name}", data={"svg": drawn})


def svg(figure: go.Figure | Sketch, title: str, width: int = 460) -> str:
    """The figure as text of an SVG: one panel of lines, bands and marks.

    `title` says what it shows to who cannot see it.
    """
    data = figure.to_plotly_json()
    layout, traces = data["layout"], data["data"]
    height = round(0.8 * layout.get("height", 320))  # narrower than on a page of its own
    legend, top = _legend(traces, width)
    x, y = layout["xaxis"], layout["yaxis"]
    across = Axis(x["range"], 62, width - 14, x.get("type") == "log")
    slanted = bool(x.get("tickangle"))
    bottom = height - (88 if slanted else 48 if x.get("title") else 36)
    up = Axis(y["range"], bottom, top + 14)
    parts = [
        *legend,
        *_sideways(y, up, across),
        *_along(x, across, bottom, slanted=slanted),
        _window(across, up),
        *(part for trace in traces for part in _trace(trace, across, up)),
        "</svg>",
        *(_straight(shape, across, up) for shape in layout.get("shapes", ())),
        *(_words(note, across, up) for note in layout.get("annotations", ())),
        *_titles(x, y, across, up, height),
    ]
    return (
        f'<svg class="gai-still" role="img" aria-label="Figure: {escape(title)}" '
        f'viewBox="0 0 {width} {height}" style="width: 100%; max-width: 640px; height: auto; '
        f'font-size: 13px; fill: currentColor" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _legend(traces: Sequence[Any], width: int) -> tuple[list[str], float]:
    """A mark and a name for every line that has one, in rows; and where the picture begins."""
    parts, x, y = [], 62.0, 14.0
    named = [t for t in traces if t.get("name") and t.get("showlegend") is not False]
    for trace in named:
        name = str(trace["name"])
        room = 44 + LETTER * len(name)
        if x + room > width and x > 62:
            x, y = 62.0, y + LINE
        parts.append(
            f'<g transform="translate({x:.0f} {y:.0f})">{_line("M0 -4H26", trace["line"])}'
            f'<g transform="translate(13 -4)">{_mark(trace)}</g>'
            f'<text x="32">{_plain(name)}</text></g>'
        )
        x += room
    return parts, y + 6 if named else 8.0


def _sideways(axis: Any, up: Axis, across: Axis) -> list[str]:
    parts = []
    percent = axis.get("tickformat") == ".0%"
    for value in up.ticks():
        if percent and value > 1:
            continue  # there is room above for words
        words = f"{value:.0%}" if percent else f"{round(value, 10):g}"
        parts.append(
            f'<path d="M{across.begin} {up(value):.1f}H{across.end}" stroke="currentColor" '
            f'stroke-opacity=".13"/><text x="{across.begin - 6}" y="{up(value) + 4:.1f}" '
            f'text-anchor="end">{words}</text>'
        )
    return parts


def _along(axis: Any, across: Axis, bottom: float, *, slanted: bool) -> list[str]:
    values = axis.get("tickvals") or across.ticks()
    words = axis.get("ticktext") or [f"{value:,g}" for value in values]
    parts = [f'<path d="M{across.begin} {bottom}H{across.end}" stroke="currentColor"/>']
    taken = 0.0
    for value, text in zip(values, words, strict=True):
        at = across(value)
        half = 10 if slanted else LETTER * max(map(len, str(text).split("<br>"))) / 2
        if not across.begin - 1 <= at <= across.end + 1 or at - half < taken:
            continue
        taken = at + half + 4
        turn = f' transform="rotate(-40 {at:.1f} {bottom + 16})"' if slanted else ""
        anchor = "end" if slanted else "middle"
        for i, line in enumerate(str(text).split("<br>")):
            parts.append(
                f'<text x="{at:.1f}" y="{bottom + 18 + 15 * i}" text-anchor="{anchor}"{turn}>'
                f"{_plain(line)}</text>"
            )
    return parts


def _titles(x: Any, y: Any, across: Axis, up: Axis, height: int) -> list[str]:
    middle, half = (up.begin + up.end) / 2, (across.begin + across.end) / 2
    below, beside = (_plain(axis.get("title", {}).get("text", "")) for axis in (x, y))
    return [
        f'<text x="{half:.0f}" y="{height - 6}" text-anchor="middle">{below}</text>',
        f'<text x="14" y="{middle:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 14 {middle:.0f})">{beside}</text>',
    ]


def _window(across: Axis, up: Axis) -> str:
    """What is drawn in it ends at its edges, but for half a mark."""
    left, top = across.begin - 7, up.end - 7
    size = f"{across.end - left + 7:.1f}", f"{up.begin - top + 7:.1f}"
    box = f'x="{left:.1f}" y="{top:.1f}" width="{size[0]}" height="{size[1]}"'
    return f'<svg {box} viewBox="{left:.1f} {top:.1f} {size[0]} {size[1]}">'


def _trace(trace: Any, across: Axis, up: Axis) -> Iterable[str]:
    points = [
        (across(a), up(b))
        for a, b in zip(trace["x"], trace["y"], strict=True)
        if not across.log or a > 0
    ]
    if not points:
        return
    path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points)
    mode = trace.get("mode", "lines")
    if trace.get("fill") == "toself":
        yield f'<path d="{path}z" fill="{escape(trace["fillcolor"])}"/>'
    elif "lines" in mode:
        yield _line(path, trace["line"])
    if "markers" in mode:
        marker = trace["marker"]
        every = max(1, math.ceil(len(points) / (marker.get("maxdisplayed") or len(points))))
        for i, (a, b) in enumerate(points):
            if i % every == 0:
                said = _said(trace, i)
                yield f'<g transform="translate({a:.1f} {b:.1f})">{_mark(trace)}{said}</g>'
    if "text" in mode:
        for (a, b), text, place in zip(points, trace["text"], trace["textposition"], strict=True):
            shift = -11 if str(place).startswith("top") else 21
            yield f'<text x="{a:.1f}" y="{b + shift:.1f}" text-anchor="middle">{text}</text>'


def _said(trace: Any, i: int) -> str:
    """What a mark says on hover: its name, if it has one, and its numbers."""
    data = trace.get("customdata")
    first = trace.get("name") or (data[i][0] if data is not None else "")
    return f"<title>{_plain(str(first))}: {trace['x'][i]:,g}, {trace['y'][i]:.3g}</title>"


def _line(path: str, line: Any) -> str:
    look = f'stroke="{line["color"]}" stroke-width="{line.get("width", 2)}"'
    dash = DASHES.get(line.get("dash", "solid"), "none")
    return f'<path d="{path}" fill="none" {look} stroke-dasharray="{dash}"/>'


def _mark(trace: Any) -> str:
    """A mark has its line's colour if it has none of its own."""
    marker = trace["marker"]
    colour, size = marker.get("color") or trace["line"]["color"], marker.get("size", 8) / 8
    return f'<path d="{MARKS[marker["symbol"]]}" fill="{colour}" transform="scale({size})"/>'


def _straight(shape: Any, across: Axis, up: Axis) -> str:
    """A line across the whole picture: at a height, or upright."""
    if shape["xref"] == "x":
        path = f"M{across(shape['x0']):.1f} {up.begin}V{up.end}"
    else:
        path = f"M{across.begin} {up(shape['y0']):.1f}H{across.end}"
    return _line(path, shape["line"])


def _words(note: Any, across: Axis, up: Axis) -> str:
    """Words beside a straight line."""
    anchor, shift = ("end", -4) if note.get("xanchor") == "right" else ("start", 4)
    if note.get("yref") == "paper":
        x = across(10 ** note["x"] if across.log else note["x"])
        return (
            f'<text x="{x + shift:.1f}" y="{up.end + 10:.1f}" text-anchor="{anchor}" '
            f'font-size="12">{_plain(note["text"])}</text>'
        )
    x = across.begin if anchor == "start" else across.end
    return (
        f'<text x="{x + shift:.1f}" y="{up(note["y"]) - 5:.1f}" text-anchor="{anchor}">'
        f"{_plain(note['text'])}</text>"
    )


def _plain(text: str) -> str:
    """Labels of figures are escaped already, with entities of HTML; line breaks are none here."""
    return text.replace("<br>", " ")

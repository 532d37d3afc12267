"""What figures have in common: margins, panels, bands, ticks, and how they come to the page."""

import math
import textwrap
from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from gai_app.escaping import figure as plain
from gai_app.page_look import theme
from gai_app.plots.appearance import look
from gai_app.plots.sketch import Sketch
from gai_core import Study

Sheet = type[go.Figure] | type[Sketch]
"""What a figure is drawn on."""

GREY = "#74808C"
"""Lines that explain; words have an ink."""
INKS = {"light": "#45525F", "dark": "#B7C1CB"}
"""At least 4.5:1 on the ground of each theme (.streamlit/config.toml)."""
ON_COLOUR = "#1B2733"
"""Words on coloured cells, whose colours are light enough for it in both themes."""
HAS_BAR = {"type": "heatmap"}
GOOD, BAD, OPEN = "#009E73", "#D55E00", "#B8C0C8"
"""Meets the target, does not, undecided."""
CONTROL_SYMBOL = "diamond"
"""A control that is set apart, in grey."""
LONGEST_LABEL = 26
PANEL_GAP = 58
"""Pixels between panels: ticks below the one, the title above the other."""


def faint(colour: str, opacity: float = 0.16) -> str:
    """The colour, nearly transparent."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def short(text: str) -> str:
    """A label that fits beside an axis."""
    return plain(text, LONGEST_LABEL)


def arm_labels(study: Study) -> list[str]:
    """The arms beside an axis; a control that is set apart is named as such."""
    return [
        f"{plain(arm.label, LONGEST_LABEL - 10)} (control)"
        if i == study.set_apart
        else short(arm.label)
        for i, arm in enumerate(study.arms)
    ]


def empty(height: int, sheet: Sheet = go.Figure, **layout: Any) -> go.Figure:
    """A figure without anything in it yet; on a `Sketch`, for a still."""
    figure = sheet()
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 16, "t": 36, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        hoverlabel={"namelength": -1},
        **layout,
    )
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    return figure


def stacked_panels(titles: list[str], columns: int, height: int) -> go.Figure:
    """Panels under each other, each so many pixels high, with room for their titles."""
    rows = math.ceil(len(titles) / columns)
    inner = rows * height + (rows - 1) * PANEL_GAP
    figure = make_subplots(
        rows=rows,
        cols=columns,
        shared_yaxes=columns > 1,
        horizontal_spacing=0.05,
        vertical_spacing=PANEL_GAP / inner,
        subplot_titles=titles,
    )
    figure.update_annotations(font={"size": 13})
    figure.update_layout(
        height=inner + 130,
        margin={"l": 10, "r": 16, "t": 75, "b": 55},
        legend={"orientation": "h", "yref": "container", "yanchor": "top", "y": 1, "x": 0},
        hoverlabel={"namelength": -1},
    )
    return figure


def hover_lines(text: str) -> str:
    """A sentence for a hover box, in lines."""
    return "<br>".join(plain(line) for line in textwrap.wrap(text, 60))


def add_band(
    figure: go.Figure,
    design: str,
    x: list[Any],
    curve: tuple[list[float], list[float], list[float]],
    hover: str,
    **place: int,
) -> None:
    """A design's curve (middle, low, high) with the band around it; hover has low and high."""
    style, (middle, low, high) = look(design), curve
    figure.add_scatter(
        x=[*x, *reversed(x)],
        y=[*high, *reversed(low)],
        mode="lines",
        fill="toself",
        fillcolor=faint(style.colour),
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
        legendgroup=design,
        **place,
    )
    figure.add_scatter(
        x=x,
        y=middle,
        name=plain(design),
        legendgroup=design,
        mode="lines+markers",
        line={"color": style.colour, "dash": style.dash, "width": 2},
        marker={"symbol": style.symbol, "size": 8, "maxdisplayed": 12},
        customdata=list(zip(low, high, strict=True)),
        hovertemplate=hover,
        **place,
    )


def count_ticks(largest: float) -> dict[str, Any]:
    """Ticks 1, 2, 5, 10, 20, 50, ... for a logarithmic axis of patients."""
    values = [digit * 10**power for power in range(7) for digit in (1, 2, 5)]
    shown = [value for value in values if value <= largest]
    return {"type": "log", "tickvals": shown, "ticktext": [f"{value:,}" for value in shown]}


def upright_line(
    figure: go.Figure, x: float, text: str, *, dash: str = "dot", side: str = "left"
) -> None:
    """A vertical line across the figure with words beside its upper end.

    The axis must have its type already: words stand at log10(x) of a logarithmic axis.
    """
    figure.add_vline(x=x, line={"color": GREY, "dash": dash, "width": 1.5})
    figure.add_annotation(
        x=math.log10(x) if figure.layout.xaxis.type == "log" else x,
        y=1,
        yref="paper",
        yanchor="top",
        xanchor="right" if side == "left" else "left",
        text=text,
        showarrow=False,
        font={"size": 12},
    )


Clicked = Callable[[Any], None]
"""Called with the `customdata` of a point that was clicked, before the page is drawn again."""


def draw(figure: go.Figure, name: str, title: str, on_click: Clicked | None = None) -> None:
    """Put the figure on the page under a title for those who cannot see it.

    The tool bar shows only what is of use; `page.js` adds an SVG to the PNG that Plotly offers.
    Plotly takes the browser a second or two to load: the first page has stills instead.
    """
    config = {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
        "toImageButtonOptions": {"filename": name, "scale": 2},
    }
    alt = f"Figure: {title}"
    _ink(figure)
    key = f"figure-{name}"

    def clicked() -> None:
        points = st.session_state[key].selection.points
        if on_click is not None and points:  # none: the same point again, which takes it back
            on_click(points[0]["customdata"])

    chosen: Any = {} if on_click is None else {"on_select": clicked, "selection_mode": "points"}
    st.plotly_chart(figure, width="stretch", key=key, config=config, alt=alt, **chosen)


def _ink(figure: go.Figure) -> None:
    """All words of a figure in a colour that can be read on the ground of the theme."""
    colour = INKS[theme()]
    font = {"color": colour}
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(tickfont=font, title_font=font)
    figure.update_layout(font=font, legend={"font": font})
    figure.update_annotations(font=font)
    figure.update_coloraxes(colorbar={"tickfont": font})
    figure.update_traces(colorbar={"tickfont": font, "title": {"font": font}}, selector=HAS_BAR)

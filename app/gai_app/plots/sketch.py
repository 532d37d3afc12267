"""What stills need of a Plotly figure, without Plotly: its data as it is, unchecked.

Plotly checks every number of a figure, which takes longer than all else of a page. A still is
drawn from the same calls (`still.py`); a test compares it with the one of a figure of Plotly's.
"""

from types import SimpleNamespace
from typing import Any

Data = dict[str, Any]


class Sketch:
    """Traces, axes, straight lines and words, under the names that a figure of Plotly's has."""

    def __init__(self) -> None:
        self._traces: list[Data] = []
        self._layout: Data = {"xaxis": {}, "yaxis": {}, "shapes": [], "annotations": []}

    @property
    def layout(self) -> SimpleNamespace:
        """What is asked of the layout while a figure is drawn: the type of an axis."""
        return SimpleNamespace(xaxis=SimpleNamespace(type=self._layout["xaxis"].get("type")))

    def add_scatter(self, **trace: Any) -> None:
        """Lines, marks, words or a filled band."""
        self._traces.append(trace)

    def update_layout(self, **layout: Any) -> None:
        """Its height, and what only a page of Plotly's shows."""
        self._layout.update(layout)

    def update_xaxes(self, **axis: Any) -> None:
        """The axis below."""
        self._layout["xaxis"].update(_with_title(axis))

    def update_yaxes(self, **axis: Any) -> None:
        """The axis at the side."""
        self._layout["yaxis"].update(_with_title(axis))

    def add_vline(self, x: float, line: Data) -> None:
        """A line across the figure, upright."""
        self._layout["shapes"].append({"xref": "x", "x0": x, "line": line})

    def add_hline(self, y: float, line: Data, annotation: Data, annotation_position: str) -> None:
        """A line across the figure at a height, with words above one of its ends."""
        self._layout["shapes"].append({"xref": "x domain", "y0": y, "line": line})
        anchor = annotation_position.rpartition(" ")[2]
        self._layout["annotations"].append({"yref": "y", "y": y, "xanchor": anchor, **annotation})

    def add_annotation(self, **note: Any) -> None:
        """Words at a place."""
        self._layout["annotations"].append(note)

    def to_plotly_json(self) -> Data:
        """Everything as data, as a figure of Plotly's gives it."""
        return {"data": self._traces, "layout": self._layout}


def _with_title(axis: Data) -> Data:
    return axis | {"title": {"text": axis["title"]}} if "title" in axis else axis

"""The studies before and after the one under edit: undo and redo over everything."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

Data = dict[str, Any]
MOST_STEPS = 100
"""Steps that can be undone."""


@dataclass
class History:
    """Data that is never changed in place, so a step costs no more than a reference."""

    past: list[Data] = field(default_factory=list)
    future: list[Data] = field(default_factory=list)
    place: Hashable = None
    """Where the last step was typed: what is typed on at the same place is one step."""

    def step(self, before: Data, place: Hashable = None) -> None:
        """The study has changed; `before` is what it was."""
        if place is None or place != self.place:
            self.past.append(before)
            del self.past[:-MOST_STEPS]
        self.place = place
        self.future.clear()

    def undo(self, current: Data) -> Data:
        """The study before the last step."""
        if not self.past:
            return current
        self.place = None
        self.future.append(current)
        return self.past.pop()

    def redo(self, current: Data) -> Data:
        """The study after the step that was undone."""
        if not self.future:
            return current
        self.place = None
        self.past.append(current)
        return self.future.pop()

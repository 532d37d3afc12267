"""One pass over the plan page: errors find their place, and new rows or columns start it anew."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.escaping import markdown
from gai_app.places import Shown, located
from gai_core import Study
from gai_core.study import study_or_problems

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


class Editing:
    """What the widgets started from, and what has to happen when all of them were read."""

    def __init__(self) -> None:
        self.base: Data = draft.base()
        self.restart = False
        """Set when the page must be drawn anew because a table has other rows or columns."""
        self._slots: list[tuple[tuple[str, ...], DeltaGenerator]] = []
        self._rooms: list[tuple[DeltaGenerator, Callable[[Study], None]]] = []

    def errors_here(self, *parts: str) -> None:
        """Errors of these parts of the study will be shown at this place of the page."""
        self._slots.append((parts, st.container()))

    def say_later(self, say: Callable[[Study], None]) -> None:
        """Room at this place for what can be said once the whole study is valid."""
        self._rooms.append((st.container(), say))

    def finish(self, data: Data) -> Study | None:
        """Keep what the widgets say; the study if it is valid, else its errors at their fields."""
        draft.keep(data)
        if self.restart:
            draft.restart()
            st.rerun()
        found = study_or_problems(data)
        if isinstance(found, Study):
            for room, say in self._rooms:
                with room:
                    say(found)
            return found
        for problem in found:
            self._show(located(problem, data))
        return None

    def _show(self, problem: Shown) -> None:
        for parts, place in self._slots:
            if problem.part in parts:
                place.error(markdown(problem.text), icon=":material/error:")
                return
        st.error(markdown(problem.text), icon=":material/error:")

"""One pass over the plan page: errors find their place, and new rows or columns start it anew.

Fields keep their place on the page at once and are drawn when all of the study is known: then
each can say what is wrong with it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor import sheet
from gai_app.escaping import markdown
from gai_app.places import Shown, located, name
from gai_core import Study
from gai_core.basics import Place, Problem

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

Errors = dict[str, str]
"""What is wrong, by the path of the field."""


class Editing:
    """What the widgets started from, and what has to happen when all of them were read."""

    def __init__(self) -> None:
        self.base: Data = draft.base()
        """What Streamlit's own widgets start from."""
        self.current: Data = draft.current()
        """What the fields show: the study as it stands, with all that was typed."""
        self.restart = False
        """Set when the page must be drawn anew because a table has other rows or columns."""
        self._slots: list[tuple[tuple[str, ...], DeltaGenerator]] = []
        self._rooms: list[tuple[DeltaGenerator, Callable[[Study], None]]] = []
        self._otherwise: list[tuple[DeltaGenerator, Callable[[], None]]] = []
        self._drawn: list[tuple[DeltaGenerator, Callable[[Errors], None]]] = []

    def field(self, path: str, label: str, value: Any, reads: str = "number", **look: Any) -> Any:
        """A field for the value at a path of the study; gives the value, or a text that is none.

        `reads` names the way in which its text is read (`parsing.READERS`); `look` is what
        `sheet.Field` takes besides.
        """
        look.setdefault("numeric", reads not in ("text", "numbers", "list", "ratio"))
        asked = sheet.Field(path, label, value, reads, **look)
        self.later(lambda errors: sheet.draw_field(asked, errors.get(path, "")))
        return value

    def later(self, draws: Callable[[Errors], None]) -> None:
        """Room at this place for what is drawn when all errors are known."""
        self._drawn.append((st.container(), draws))

    def errors_here(self, *parts: str) -> None:
        """Errors of these parts of the study will be shown at this place of the page."""
        self._slots.append((parts, st.container()))

    def say_later(
        self, say: Callable[[Study], None], otherwise: Callable[[], None] | None = None
    ) -> None:
        """Room at this place for what can be said once the whole study is valid, or otherwise."""
        room = st.container()
        self._rooms.append((room, say))
        if otherwise is not None:
            self._otherwise.append((room, otherwise))

    def finish(self, data: Data) -> Study | None:
        """Keep what the widgets say; the study if it is valid, else its errors at their fields."""
        draft.keep(data)
        if self.restart:
            draft.restart()
            st.rerun()
        data, found = draft.current(), draft.checked()
        problems = [] if isinstance(found, Study) else found
        shown = [_refused(problem, data) or located(problem, data) for problem in problems]
        errors = {
            _path(problem.place[:depth]): one.text
            for problem, one in zip(problems, shown, strict=True)
            for depth in range(1, len(problem.place) + 1)
        }
        for room, draws in self._drawn:
            with room:
                draws(errors)
        if isinstance(found, Study):
            for room, say in self._rooms:
                with room:
                    say(found)
            return found
        for place, lament in self._otherwise:
            with place:
                lament()
        for problem in shown:
            self._show(problem)
        return None

    def _show(self, problem: Shown) -> None:
        for parts, place in self._slots:
            if problem.part in parts:
                place.error(markdown(problem.text), icon=":material/error:")
                return
        st.error(markdown(problem.text), icon=":material/error:")


def _path(place: Place) -> str:
    return ".".join(map(str, place))


def _refused(problem: Problem, data: Data) -> Shown | None:
    """The words of the one who read the text, where they say more than that it is no number."""
    value: Any = data
    try:
        for step in problem.place:
            value = value[step]
    except (LookupError, TypeError):
        return None
    why = draft.refusal(_path(problem.place), value)
    if not why:
        return None
    return Shown(located(problem, data).part, f"{name(problem.place, data)}: {why}")

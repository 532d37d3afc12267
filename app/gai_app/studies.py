"""The studies of a session, side by side: one is under edit, the others wait as they were left.

Opening a study replaces nothing: it stands beside the others. Only an example that nobody has
touched makes room for it.
"""

import streamlit as st

from gai_app import draft
from gai_app.draft import Kept
from gai_app.escaping import distinct
from gai_app.settings import STUDIES_PER_SESSION
from gai_app.taking import take
from gai_core import InputError, Study
from gai_core.study import changed


def waiting() -> dict[int, Kept]:
    """The others, by their numbers."""
    found: dict[int, Kept] = st.session_state.setdefault("studies", {})
    return found


def current() -> int:
    """The number of the study under edit."""
    return int(st.session_state.setdefault("study-number", 1))


def titles() -> dict[int, str]:
    """All studies of the session in the order in which they were opened, no two named alike."""
    named = {number: str(kept.data["title"]) for number, kept in waiting().items()}
    named[current()] = str(draft.current()["title"])
    numbers = sorted(named)
    return dict(zip(numbers, distinct([named[number] for number in numbers]), strict=True))


def open_study(study: Study, *, untouched: bool = False) -> None:
    """Edit this study from now on, with the others beside it.

    `untouched` marks an example: while nobody changes it, the next study takes its place.
    """
    data = with_wanted_on_top(study).model_dump(mode="json")
    if draft.begun() and not _may_go():
        for number, kept in waiting().items():
            if kept.data == data:
                switch(number)
                return
        if draft.current() == data:
            draft.restart()
            return
        _put_away()
    draft.begin(data)
    st.session_state["example"] = data if untouched else None


def with_wanted_on_top(study: Study) -> Study:
    """The same study with the doses wanted where the editor has them, not in the conduct."""
    inside = study.conduct is not None and study.conduct.wanted is not None
    return changed(study, wanted=study.doses_wanted) if inside else study


def _may_go() -> bool:
    """Whether the study under edit is an example as it was shipped."""
    return st.session_state.get("example") == draft.current()


def is_example() -> bool:
    """Whether nobody has changed the example that was opened first."""
    return _may_go()


def _put_away() -> None:
    if len(waiting()) + 1 >= STUDIES_PER_SESSION:
        raise InputError(f"{STUDIES_PER_SESSION} studies are open, which is the most: close one")
    waiting()[current()] = draft.put_away()
    st.session_state["study-number"] = max(titles()) + 1


def add(kept: Kept) -> None:
    """Put a study beside the one under edit, unless it is there or there is no room."""
    others = [draft.current(), *(other.data for other in waiting().values())]
    if kept.data not in others and len(others) < STUDIES_PER_SESSION:
        waiting()[max(titles()) + 1] = kept


def switch(number: int) -> None:
    """Edit another study of the session."""
    if number == current() or number not in waiting():
        return
    chosen = waiting().pop(number)
    waiting()[current()] = draft.put_away()
    st.session_state["study-number"] = number
    draft.take_out(chosen)


def close() -> None:
    """Take the study under edit away; its place has the one that was opened before it."""
    if not waiting():
        return
    number = max((other for other in waiting() if other < current()), default=min(waiting()))
    st.session_state["closed-study"] = draft.put_away()
    st.session_state["study-number"] = number
    draft.take_out(waiting().pop(number))


def reopen() -> None:
    """The study that was closed last, as it was."""
    closed: Kept = take("closed-study")
    waiting()[current()] = draft.put_away()
    st.session_state["study-number"] = max(titles()) + 1
    draft.take_out(closed)

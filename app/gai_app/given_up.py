"""A pass that was given up for a newer one: what it meets at its end is no error."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st


@contextmanager
def void_if_given_up() -> Iterator[None]:
    """Around what a pass draws: an error counts only while the pass does.

    A pass that is given up is still drawn for a moment beside the next one, or beside the end of
    its session. Streamlit has a lock for each of them, and none for both: while the old one
    enters a widget, the next one puts away what the session holds, and the widget may be lost in
    between. That ends the old pass with a KeyError in the server's log, for nobody to see.
    """
    try:
        yield
    except Exception:
        # Here Streamlit ends a pass that was given up, without a word; any other goes on.
        st.session_state.get("page")
        raise

"""What a session remembers for one use: its name is emptied, and never removed."""

from typing import Any

import streamlit as st


def take(name: str, default: Any = None) -> Any:
    """What is remembered under a name, which is empty from now on.

    A pass that was given up is still drawn for a moment beside the next one, and for each of its
    widgets Streamlit reads all that the session remembers, name by name: a name that the next pass
    removes meanwhile ends the old one with an error in the server's log.
    """
    found = st.session_state.get(name)
    if found is None:
        return default
    st.session_state[name] = None
    return found

"""Where a study comes from: a shipped scenario, nothing, or a file."""

import functools

import streamlit as st

from gai_app import draft, studies
from gai_app.editor import first_study
from gai_app.editor.sheet import after_typing
from gai_app.escaping import markdown
from gai_app.settings import UPLOAD_BYTES
from gai_core import InputError, Study, load_study, parse_study
from gai_core.study import scenario_titles

_shipped = functools.cache(scenario_titles)


def menu() -> None:
    """Where another study comes from; it opens beside the one under edit."""
    door = st.popover(
        "New or open",
        icon=":material/folder_open:",
        on_change="rerun",
        key=draft.key("open"),
    )
    if door.open:
        with door:
            st.button(
                "New study",
                icon=":material/add:",
                type="primary",
                on_click=after_typing(begin_new),
                width="stretch",
                key="new-study",
            )
            choose_study()
            _upload()
            _close()


def begin_new() -> None:
    """An empty study and its short form, beside the others."""
    if _open(first_study.empty_study()):
        first_study.use_short_form(on=True)


def _open(study: Study) -> bool:
    try:
        studies.open_study(study)
    except InputError as error:
        st.session_state["no-room"] = str(error)
        return False
    return True


def _open_chosen(key: str) -> None:
    if st.session_state[key] is not None:
        _open(load_study(st.session_state[key]))


def choose_study() -> None:
    """Start from a shipped study."""
    titles = _shipped()
    key = draft.key("start")
    st.selectbox(
        "Start from an example",
        [*titles],
        index=None,
        format_func=titles.__getitem__,
        placeholder="Choose a shipped study",
        key=key,
        on_change=after_typing(_open_chosen),
        args=(key,),
    )


def _upload() -> None:
    """Open a study file; what is wrong with it is said in words."""
    file = st.file_uploader(
        f"Open a study file (TOML, at most {UPLOAD_BYTES // 1000} kB)",
        type="toml",
        key=draft.key("upload"),
    )
    if file is None:
        return
    try:
        studies.open_study(_parsed(file.name, file.getvalue()))
    except InputError as error:
        lines = "\n".join(f"- {markdown(sentence)}" for sentence in error.sentences())
        st.error(f"This file is not a study:\n{lines}", icon=":material/error:")
        return
    draft.restart()  # the file is read
    st.rerun()


def _close() -> None:
    """Studies that are no longer wanted can be had back until the next one goes."""
    if len(studies.titles()) > 1:
        st.button(
            "Close this study",
            on_click=after_typing(studies.close),
            width="stretch",
            key="close-study",
        )
    if st.session_state.get("closed-study") is not None:
        st.button(
            "Reopen the closed study",
            on_click=after_typing(studies.reopen),
            width="stretch",
            key="reopen-study",
        )


def _parsed(name: str, content: bytes) -> Study:
    if len(content) > UPLOAD_BYTES:
        raise InputError(f"must have at most {UPLOAD_BYTES:,} bytes", source=name)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("must be a text file in UTF-8", source=name) from None
    return parse_study(text, name)

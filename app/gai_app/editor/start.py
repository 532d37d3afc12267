"""Where a study comes from: a shipped scenario, nothing, or a file."""

import functools

import streamlit as st

from gai_app import draft
from gai_app.editor import first_study
from gai_app.editor.first_study import empty_study
from gai_app.escaping import markdown
from gai_app.settings import UPLOAD_BYTES
from gai_core import InputError, Study, load_study, parse_study
from gai_core.study import scenario_titles

EMPTY = "An empty study"
_shipped = functools.cache(scenario_titles)


def _open_chosen(key: str) -> None:
    name = st.session_state[key]
    if name == EMPTY:
        new_study()
    elif name is not None:
        open_or_ask(load_study(name))


def new_study() -> None:
    """An empty study and its short form."""
    open_or_ask(empty_study(), short=True)


def open_or_ask(study: Study, *, short: bool = False) -> None:
    """Open the study, but not over changes that are nowhere else without a question."""
    if draft.unsaved():
        st.session_state["waiting-study"] = study
        st.session_state["waiting-short"] = short
    else:
        _open(study, short=short)


def _open(study: Study, *, short: bool) -> None:
    draft.begin_study(study)
    first_study.use_short_form(on=short)


def ask() -> None:
    """The question whether the study under edit may be replaced, until it is answered."""
    study: Study | None = st.session_state.get("waiting-study")
    if study is None:
        return
    with st.container(border=True):
        st.markdown(
            f"**{markdown(str(draft.current()['title']))}** has changes that are in no file. Open "
            f"**{markdown(study.title)}** instead? Undo brings the changes back."
        )
        yes, no, _ = st.columns([1, 1, 2])
        yes.button("Open it", key="replace", type="primary", on_click=_replace, width="stretch")
        no.button("Keep editing", key="keep-editing", on_click=_keep, width="stretch")


def _replace() -> None:
    _open(_answered(), short=st.session_state["waiting-short"])


def _keep() -> None:
    _answered()


def _answered() -> Study:
    study: Study = st.session_state.pop("waiting-study")
    draft.restart()  # the menu forgets what was chosen in it, the file what was opened
    return study


def choose_study() -> None:
    """Start from a shipped scenario or from nothing."""
    titles = _shipped() | {EMPTY: EMPTY}
    key = draft.key("start")
    st.selectbox(
        "Start from",
        [*titles],
        index=None,
        format_func=lambda name: titles[name],
        placeholder="Choose a shipped study, or an empty one",
        key=key,
        on_change=_open_chosen,
        args=(key,),
    )


def upload() -> None:
    """Open a study file; what is wrong with it is said in words."""
    menu = st.popover(
        "Open a file",
        icon=":material/upload:",
        width="stretch",
        on_change="rerun",
        key=draft.key("open"),
    )
    if menu.open:
        with menu:
            _upload()


def _upload() -> None:
    file = st.file_uploader(
        f"A study file (TOML, at most {UPLOAD_BYTES // 1000} kB)",
        type="toml",
        key=draft.key("upload"),
    )
    if file is None:
        return
    try:
        study = _parsed(file.name, file.getvalue())
    except InputError as error:
        lines = "\n".join(f"- {markdown(sentence)}" for sentence in error.sentences())
        st.error(f"This file is not a study:\n{lines}", icon=":material/error:")
        return
    open_or_ask(study)
    if "waiting-study" in st.session_state:
        draft.restart()  # the file is read; what remains is the question
    st.rerun()


def _parsed(name: str, content: bytes) -> Study:
    if len(content) > UPLOAD_BYTES:
        raise InputError(f"must have at most {UPLOAD_BYTES:,} bytes", source=name)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("must be a text file in UTF-8", source=name) from None
    return parse_study(text, name)

"""What stays in view above every page: the study, what of it is saved, undo, Run or progress."""

import streamlit as st

from gai_app import draft, session, studies, widgets
from gai_app.budget import cheap, refusal
from gai_app.editor import start
from gai_app.editor.sheet import after_typing
from gai_app.escaping import markdown
from gai_app.taking import take
from gai_core import Study
from gai_core.engine import patients_at_most

STYLE = """<style>
.stMainBlockContainer {padding-top: 3.4rem; padding-bottom: 4rem; max-width: 1680px}
[data-testid=stLayoutWrapper]:has(> .st-key-header) {position: sticky; top: 3.2rem; z-index: 90;
  padding: .5rem 0 .4rem; background: var(--st-background-color);
  border-bottom: 1px solid var(--st-border-color)}
</style>"""
RUN_KEYS = "Ctrl+Enter"


def header() -> None:
    """One line: which study this is, and what can be done with it now."""
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap=None, width="stretch"):
            _which()
        start.menu()
        for label, change, icon, keys, possible in (
            ("Undo", draft.undo, "undo", "Ctrl+Z", draft.history().past),
            ("Redo", draft.redo, "redo", "Ctrl+Shift+Z", draft.history().future),
        ):
            st.button(
                label,
                key=icon,
                icon=f":material/{icon}:",
                on_click=after_typing(change),
                disabled=not possible,
                help=f"The whole study, step by step ({keys}).",
            )
        with st.container(width=170, horizontal_alignment="right"):
            _offer()
    kind, progress = _under_way(), st.container()
    if kind is not None:
        widgets.watch(kind, progress, stay=True)


def _which() -> None:
    """The study under edit, to be changed for another of the session."""
    titles = studies.titles()
    if len(titles) == 1:
        st.markdown(f"**{markdown(titles[studies.current()])}**")
    else:
        key = draft.key("which-study")
        st.selectbox(
            "Study",
            list(titles),
            index=list(titles).index(studies.current()),
            format_func=titles.__getitem__,
            key=key,
            on_change=after_typing(lambda: studies.switch(st.session_state[key])),
            label_visibility="collapsed",
        )
    st.caption(saved_state())


def saved_state() -> str:
    """Where the study under edit is kept."""
    if studies.is_example():
        return "An example, not changed"
    if not isinstance(draft.checked(), Study):
        return "Has errors; kept in this tab of the browser"
    if draft.unsaved():
        return "Changed; kept in the address of this page, not yet in a file"
    return "As opened or saved; kept in the address of this page"


def _under_way() -> str | None:
    """The kind of the run under way, if there is one."""
    for kind in ("run", "recall"):
        job = session.job(kind)
        if job is not None and not job.ended:
            return kind
    return None


def _offer() -> None:
    """Run, or why there is nothing to run."""
    study = draft.checked()
    if _under_way():
        st.caption("Running …", width="content")
    elif not isinstance(study, Study):
        st.caption("Mend the errors to run it.", width="content")
    elif session.results_of_draft() is not None:
        st.caption(":material/check: Results are up to date", width="content")
    elif refusal(study) is None:
        size = study.simulation
        st.button(
            "Run",
            type="primary",
            icon=":material/play_arrow:",
            on_click=after_typing(_ask_for_run),
            width="stretch",
            shortcut=RUN_KEYS,
            help=f"{size.runs:,} trials × {len(study.designs)} designs × {len(study.truths)} "
            f"assumed dose-responses: at most {patients_at_most(study):,} simulated patients.",
        )


def _ask_for_run() -> None:
    """A click on Run: the run begins before the page is drawn, which then need not be twice."""
    st.session_state["run-clicked"] = True


def run_asked() -> bool:
    """Whether somebody clicked on Run just now; asked once in a pass."""
    return bool(take("run-clicked"))


def messages(*, asked: bool) -> None:
    """What went wrong, or what is too much; `asked` as in `run_now`."""
    if session.has_news():
        st.rerun()
    widgets.ended_badly("run")
    study = draft.checked()
    too_much = refusal(study) if isinstance(study, Study) else None
    if too_much:
        st.error(too_much, icon=":material/block:")
    elif run_now(asked=asked):  # a menu of the page has changed the study
        st.rerun()


def run_now(*, asked: bool) -> bool:
    """Run the study that was asked for by a click; else a small one after every change, and one
    that was run already where it was opened.

    What nobody asked for cancels no run that somebody did, and what was cancelled stays so. Says
    whether there was anything to do.
    """
    study = draft.checked()
    if not isinstance(study, Study) or session.is_run(study) or refusal(study):
        return False
    job = session.job()
    if not asked and job is not None and not job.ended and not session.is_unasked(job):
        return False
    if not (asked or cheap(study) or take("run-asked")):
        return False
    session.run(study, unasked=not asked)
    return True

"""Small things that several pages use."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from gai_app import session
from gai_app.escaping import markdown
from gai_app.jobs import Results
from gai_app.line import Job
from gai_app.pages import link_to
from gai_app.run_names import run_size
from gai_core.results import WordTable
from gai_core.study import Truth, assumption_cautions

Option = TypeVar("Option")
MOST_DESIGNS = 12
"""Designs in one figure."""


def choose(
    label: str, options: Sequence[Option], name: str, *, words: Callable[[Option], str] = str
) -> Option:
    """A select box that remembers its choice from page to page."""
    chosen = st.session_state.setdefault("chosen", {})
    before = chosen.get(name)
    index = list(options).index(before) if before in options else 0
    picked = st.selectbox(label, options, index=index, format_func=words, key=f"choose-{name}")
    chosen[name] = picked
    return picked


def choose_truth(results: Results) -> Truth:
    """Under which assumed dose-response to look at the results."""
    truths = results.study.truths
    name = choose("Assumed dose-response", [truth.name for truth in truths], "truth")
    truth = results.study.truth(name)
    if truth.note:
        st.caption(markdown(truth.note))
    for caution in assumption_cautions(results.study, truth):
        st.caption(f":material/warning: {markdown(caution)}")
    return truth


def few_designs(results: Results) -> Results:
    """The results of so many designs as a page can hold; which ones is the reader's choice."""
    names = [design.name for design in results.study.designs]
    if len(names) <= MOST_DESIGNS:
        return results
    picked = st.multiselect(
        "Designs shown", names, default=names[:MOST_DESIGNS], max_selections=MOST_DESIGNS,
        key=f"few-{results.key}",
    )  # fmt: skip
    return results.only(picked or names[:1])


def word_table(table: WordTable) -> None:
    """A table of words. Its columns may have any names, also the same one twice."""
    names: dict[str, Any] = {str(i): name for i, name in enumerate(table.columns)}
    frame = pd.DataFrame(table.rows, columns=list(names))
    st.dataframe(frame, column_config=names, hide_index=True, width="stretch")


def with_results(page: Callable[[Results], None]) -> None:
    """Draw a page about the run to be shown; without one, say how to get one."""
    found = session.shown()
    job = session.job()
    if found is not None:
        _pick_run(found)
        page(found)
    elif job is not None and not job.ended:
        st.info("The first results are on their way.", icon=":material/hourglass_top:")
    else:
        st.info("Nothing has been simulated yet.", icon=":material/science:")
        link_to("plan", "Go to the plan")


def _pick_run(found: Results) -> None:
    """Which of the last runs is shown, and whether the plan has changed since."""
    mine = {results.key: session.name(results) for results in session.results()}
    if len(mine) > 1:
        menu, pin = st.columns([5, 1], vertical_alignment="bottom")
        picked = menu.selectbox(
            "Shown run",
            list(mine),
            index=list(mine).index(found.key),
            format_func=mine.__getitem__,
            key=f"shown-{found.key}",
            help="Every run is named by what changed against the one before it.",
        )
        if picked != found.key:
            session.show(picked)
            st.rerun()
        stays = pin.checkbox(
            "Pinned",
            value=found.key in session.pinned(),
            disabled=not session.may_pin(found.key),
            key=f"pin-{found.key}",
            help="A pinned run stays here when others come.",
        )
        session.pin(found.key, stays=stays)
    st.caption(markdown(run_size(found.study)))
    newest = session.results_of_draft()
    if newest is None or newest.key != found.key:
        st.warning(
            "The plan is not the one shown here: it was changed, or another run was chosen.",
            icon=":material/edit_note:",
        )


def watch(kind: str) -> None:
    """Progress of a job with a cancel button; the page is drawn again when it ends."""
    job = session.job(kind)
    if job is None or job.ended:
        st.rerun()
    # A fragment of its own: only the bar is drawn again, often where the end is near and few wait.
    pause = OFTEN + PER_WAITING * session.line().ahead(job) if job.short else SELDOM
    st.fragment(_progress, run_every=min(pause, LONGEST_PAUSE))(kind)


OFTEN, SELDOM = 0.3, 1.0
"""Seconds between two looks at a job that is short, and at one that is long."""
PER_WAITING, LONGEST_PAUSE = 0.1, 2.0
"""What every job before it adds, and the longest pause."""


def _progress(kind: str) -> None:
    job = session.job(kind)
    if job is None or job.ended:
        st.rerun()
    bar, button = st.columns([5, 1], vertical_alignment="center")
    bar.progress(job.share, text=_pace(job))
    if button.button("Cancel", key=f"cancel-{kind}", width="stretch"):
        session.cancel(kind)
        st.rerun()


def _pace(job: Job) -> str:
    label = markdown(job.label)
    if job.started is None:
        return f"{label}: {_turn(session.line().ahead(job))}"
    left = job.seconds_left
    rest = "getting ready" if left is None else f"about {duration(left)} left"
    return f"{label}: {100 * job.share:.0f}%, {duration(job.seconds)} so far, {rest}"


def _turn(ahead: int) -> str:
    """A place in the line, in words."""
    if ahead == 0:
        return "next in line, begins when another run ends"
    return f"waiting, {ahead} {'run is' if ahead == 1 else 'runs are'} before it"


def duration(seconds: float) -> str:
    """Seconds, or minutes and seconds."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def ended_badly(kind: str) -> None:
    """Say that a job was cancelled or failed, until the page is left or another begins."""
    job = session.job(kind)
    if job is None or not job.ended:
        return
    if job.problem:
        st.error(f"{markdown(job.label)} stopped: {markdown(job.problem)}", icon=":material/error:")
    elif job.cancelled:
        st.info("Cancelled. What was there before is still there.", icon=":material/cancel:")

"""Small things that several pages use."""

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd
import streamlit as st

from gai_app import session
from gai_app.clicks import clicked
from gai_app.escaping import markdown
from gai_app.given_up import void_if_given_up
from gai_app.jobs import Results
from gai_app.line import Job
from gai_app.pages import link_to
from gai_app.plots.still import show_still, svg
from gai_app.plots.style import Clicked, draw
from gai_app.recipes import Recipe
from gai_app.run_names import run_size
from gai_core.results import WordTable
from gai_core.study import Truth, assumption_cautions

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from streamlit.delta_generator import DeltaGenerator

    from gai_app.plots.sketch import Sketch

Option = TypeVar("Option")
MOST_DESIGNS = 12
"""Designs in one figure."""
MOST_ROWS, MOST_SCROLLED = 60, 500
"""Rows of a table that is shown whole; of one that scrolls, and is printed whole."""


def choose(
    label: str,
    options: Sequence[Option],
    name: str,
    *,
    words: Callable[[Option], str] = str,
    first: Option | None = None,
) -> Option:
    """A select box that remembers its choice from page to page; `first` is what it opens on."""
    chosen = st.session_state.setdefault("chosen", {})
    before = chosen.get(name, first)
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
        "Designs shown",
        names,
        default=names[:MOST_DESIGNS],
        max_selections=MOST_DESIGNS,
        key=f"few-{results.key}",
    )
    return results.only(picked or names[:1])


def word_table(table: WordTable) -> None:
    """A table of words. Its columns may have any names, also the same one twice.

    Its cells break into lines where the window is narrow, and it is printed whole; a long one
    scrolls, and only a very long one is a grid, of which a printer sees the beginning.
    """
    if len(table.rows) > MOST_SCROLLED:
        _grid(table)
    elif len(table.rows) > MOST_ROWS:
        with st.container(height=420):
            _whole(table)
    else:
        _whole(table)


def _whole(table: WordTable) -> None:
    cells = [[markdown(cell) for cell in row] for row in table.rows]
    heads = [f"{markdown(name)}{_APART * i}" for i, name in enumerate(table.columns)]
    st.table(pd.DataFrame(cells, columns=heads), hide_index=True, alt=table.title)


_APART = "\u200b"
"""Invisible: columns of the same name need different ones here."""


def _grid(table: WordTable) -> None:
    names: dict[str, Any] = {str(i): name for i, name in enumerate(table.columns)}
    frame = pd.DataFrame(table.rows, columns=list(names))
    st.dataframe(frame, column_config=names, hide_index=True, width="stretch", alt=table.title)


def figure(
    drawn: "go.Figure",
    name: str,
    title: str,
    table: Callable[[], WordTable],
    *notes: str,
    on_click: Clicked | None = None,
) -> None:
    """A figure with notes, and folded below it the same data as a table, made when it is opened."""
    draw(drawn, name, title, on_click)
    for note in notes:
        st.caption(note)
    _as_table(name, title, table)


def still_figure(
    drawing: Callable[[], "go.Figure | Sketch"],
    of: Hashable,
    name: str,
    title: str,
    table: Callable[[], WordTable],
) -> None:
    """A figure that is there at once, but cannot be zoomed; drawn anew when `of` has changed.

    Most passes of a page change nothing in it, and drawing is most of what a pass takes.
    """
    kept: dict[str, tuple[Hashable, str]] = st.session_state.setdefault("still-figures", {})
    if name not in kept or kept[name][0] != (of, title):
        kept[name] = (of, title), svg(drawing(), title)
    show_still(kept[name][1], name)
    _as_table(name, title, table)


def _as_table(name: str, title: str, table: Callable[[], WordTable]) -> None:
    with folded(f"As a table: {markdown(title)}", f"table-of-{name}") as is_open:
        if is_open:
            word_table(table())


def tabs(names: Sequence[str], key: str) -> tuple[str, "DeltaGenerator"]:
    """The open one of several tabs, which alone is drawn, and its place on the page."""
    chosen = st.session_state.setdefault("chosen", {})
    st.session_state.setdefault(key, chosen.get(key, names[0]))  # a default that changes resets it
    places = st.tabs(names, on_change="rerun", key=key)
    for name, place in zip(names, places, strict=True):
        if place.open:
            chosen[key] = name
            return name, place
    return names[0], places[0]


@contextmanager
def folded(label: str, name: str) -> Iterator[bool]:
    """A part of the page that is drawn only while it is open."""
    box = st.expander(label, on_change="rerun", key=name)
    with box:
        yield bool(box.open)


def code(recipe: Callable[[], Recipe], name: str = "code") -> None:
    """What is on screen as text to type elsewhere, folded."""
    with folded("The same in Python and on the command line", name) as is_open:
        if not is_open:
            return
        written = recipe()
        st.markdown("Python")
        st.code(written.python, language="python")
        if written.command:
            st.markdown("Command line")
            st.code(written.command, language="bash")
        if written.file:
            st.caption(
                f"{markdown(written.file)} is the file of “Download study” on the plan page."
            )


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


def watch(kind: str, place: "DeltaGenerator", *, stay: bool = False) -> None:
    """Progress of a job with a cancel button; the page is drawn again when it ends.

    The place is a container that the page always has and that holds nothing else: the bar is drawn
    again by itself, also while somebody types and another pass begins, and where that had put
    something else in the bar's place, the browser could not take it. `stay` is for the end of a
    page, when all else is drawn: there it can wait for a short job.
    """
    job = session.job(kind)
    if job is None or job.ended:
        st.rerun()
    with place:
        waiting, bar = st.container(), st.container()
    with waiting:
        if stay and job.short and _is_soon_over(job):
            st.rerun()
    # A fragment of its own: only the bar is drawn again. Not often: who asks just when a page is
    # done may make Streamlit drop the page's last parts.
    pause = (OFTEN if job.short else SELDOM) + PER_WAITING * session.line().ahead(job)
    with bar:
        st.fragment(void_if_given_up()(_progress), run_every=min(pause, LONGEST_PAUSE))(kind)


PATIENCE = 5.0
"""Seconds for which a page stays with a short job: nobody has to ask when it ends."""
OFTEN, SELDOM = 0.7, 1.0
"""Seconds between two looks at a job that is short, and at one that is long."""
PER_WAITING, LONGEST_PAUSE = 0.1, 2.0
"""What every job before it adds, and the longest pause."""


def _is_soon_over(job: Job) -> bool:
    """Wait for the job, with its progress on the page; a click on anything ends the wait."""
    place, end = st.empty(), time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if job.wait(OFTEN):
            return True
        place.progress(job.share, text=_pace(job))
    place.empty()
    return False


def _progress(kind: str) -> None:
    job = session.job(kind)
    if job is None or job.ended:
        st.rerun()
    bar, button = st.columns([5, 1], vertical_alignment="center")
    bar.progress(job.share, text=_pace(job))
    if clicked("Cancel", key=f"cancel-{kind}", place=button, width="stretch"):
        session.cancel(kind)
        st.rerun()


def _pace(job: Job) -> str:
    label = markdown(job.label)
    if job.pausing:
        return f"{label}: begins in a moment"
    if job.started is None:
        return f"{label}: {_turn(session.line().ahead(job))}"
    left = job.seconds_left
    rest = "getting ready" if left is None else f"about {duration(left)} left"
    news = f"; {markdown(job.news)}" if job.news else ""
    return f"{label}: {100 * job.share:.0f}%, {duration(job.seconds)} so far, {rest}{news}"


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

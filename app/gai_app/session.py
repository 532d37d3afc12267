"""What one session has: its jobs under way, its answers, and the results of its last runs.

Everything is the session's own: a result is taken over from the job that made it, whatever
becomes of those that are shared.
"""

import time
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from gai_app import draft
from gai_app.budget import effort, small
from gai_app.jobs import Results, question, simulation
from gai_app.line import UNKNOWN, Job, Line, Task
from gai_app.run_names import run_name
from gai_app.settings import RUNS_PER_SESSION
from gai_app.taking import take
from gai_app.turns import drawing
from gai_core import Study

A_MOMENT = 0.15
"""Seconds that a page waits for a job it has just begun: a small one is done by then."""
WITH_PATIENCE = 0.45
"""The same while older results are seen, however long the line is: who waits is not drawn twice."""
A_GLANCE = 0.05
"""Seconds after which who waits looks whether the page was asked for again."""
LONGEST_MOMENT = 2.0
"""The same where others are before it: who comes late would only be drawn twice."""
A_WHILE = 1.0
"""Seconds without an edit after which a comparison of designs begins that nobody asked for."""


@st.cache_resource
def line() -> Line:
    """The jobs of this server."""
    return Line()


BEGUN = "run-begun"
SEARCH = "answer"
"""The search for the patients that the usual chance takes, a job of its own."""


def job(kind: str = "run") -> Job | None:
    """The session's job of a kind, waiting, under way or ended."""
    found: Job | None = st.session_state.get(f"job-{kind}")
    return found


def start(
    kind: str,
    key: str,
    label: str,
    task: Task,
    *,
    effort: float = UNKNOWN,
    shared: bool = True,
    waits: bool = True,
    unasked: bool = False,
) -> None:
    """Begin a job; one of the same kind that is still under way is cancelled.

    A page that `waits` has a small one's result at once. What nobody asked for lets others pass,
    and begins when the visitor has been still for a while.
    """
    cancel(kind)
    pause = A_WHILE if unasked else 0.0
    asked = Job(key, label, task, effort, _presence(), shared=shared, yields=unasked, pause=pause)
    begun = line().add(asked)
    st.session_state[f"job-{kind}"] = begun
    if waits:
        _wait_in_line(begun)


def _wait_in_line(begun: Job) -> None:
    """A moment for it and one for each job before it."""
    _wait(begun, min(A_MOMENT * (1 + line().ahead(begun)), LONGEST_MOMENT))


def _wait(begun: Job, seconds: float) -> None:
    end = time.monotonic() + seconds
    with drawing.let_others():
        while not begun.wait(max(0.0, min(A_GLANCE, end - time.monotonic()))):
            if time.monotonic() >= end:
                return
            st.session_state.get(BEGUN)  # here Streamlit gives up a pass that is out of date


def cancel(kind: str) -> None:
    """The session does not want its job any more."""
    found = job(kind)
    if found is not None and not found.ended:
        st.session_state[f"job-{kind}"] = found.leave(_presence())


def _presence() -> "_Presence":
    """The same one for all jobs of the session."""
    found: _Presence = st.session_state.setdefault("presence", _Presence())
    return found


class _Presence:
    """Whether this session has a browser."""

    def __init__(self) -> None:
        context = get_script_run_ctx()
        self._session = context.session_id if context else ""

    def __call__(self) -> bool:
        """Streamlit knows; without a server, as in a test, there is always somebody."""
        return not runtime.exists() or runtime.get_instance().is_active_session(self._session)


def forget_job(kind: str = "run") -> None:
    """The job has ended and its end was shown."""
    take(f"job-{kind}")


def forget_failed_jobs() -> None:
    """On another page: that an earlier job was cancelled or failed was said."""
    for name in list(st.session_state):
        if str(name).startswith("job-"):
            found: Job | None = st.session_state[name]
            if found is not None and found.ended and not found.succeeded:
                take(str(name))


def run(study: Study, *, unasked: bool = False) -> None:
    """Simulate the study, unless that was done before."""
    cancel(SEARCH)  # it is about another study, and would only be in the way
    forget_job(SEARCH)
    key, task = simulation(study)
    st.session_state["unasked-run"] = key if unasked else None
    found = own_runs().get(key) or line().answer(key)
    if found is not None:
        _keep(found)
    else:
        shared = small(study)
        start("run", key, study.title, task, effort=effort(study), shared=shared, waits=False)
        st.session_state[BEGUN] = True


def _meet_run() -> None:
    """Once after a run was begun, by who asks for results first: a small one is done in a moment.

    What does not depend on results is drawn before, so that nobody waits for it.
    """
    begun = job()
    if not st.session_state.get(BEGUN) or begun is None:
        return
    if begun.short and own_runs():
        _wait(begun, WITH_PATIENCE)
    else:
        _wait_in_line(begun)
    st.session_state[BEGUN] = False
    collect()


def own_runs() -> dict[str, Results]:
    """The session's runs by their keys."""
    mine: dict[str, Results] = st.session_state.setdefault("results", {})
    return mine


def _forget_superseded(key: str) -> None:
    """While somebody types, every pause runs the study: only the last of these runs is kept."""
    mark = (st.session_state.get("study-number"), len(draft.history().past))
    before, key_before = st.session_state.get("unasked-step", (None, None))
    if mark == before and key_before in run_names() and key_before not in pinned():
        run_order().remove(key_before)
        del run_names()[key_before]
        own_runs().pop(key_before, None)
        st.session_state["runs-so-far"] -= 1
    unasked = key == st.session_state.get("unasked-run")
    st.session_state["unasked-step"] = (mark, key) if unasked else (None, None)


def is_unasked(job: Job) -> bool:
    """Whether nobody has clicked on Run for this job."""
    return bool(job.key == st.session_state.get("unasked-run"))


def is_run(study: Study) -> bool:
    """Whether the study has results, or will have them when its job ends."""
    key, under_way = question("run", study), job()
    return key in own_runs() or (under_way is not None and under_way.key == key)


def run_order() -> list[str]:
    """The keys of all runs, newest first; of some the results are still on their way."""
    keys: list[str] = st.session_state.setdefault("run-order", [])
    return keys


def run_names() -> dict[str, str]:
    """What every run is called."""
    names: dict[str, str] = st.session_state.setdefault("run-names", {})
    return names


def _keep(found: Results) -> None:
    """Put a run before the session's others, and show it; the oldest that is not pinned goes."""
    order, names = run_order(), run_names()
    if found.key not in names:
        _forget_superseded(found.key)
        before = _run_before()
        number = st.session_state["runs-so-far"] = st.session_state.get("runs-so-far", 0) + 1
        names[found.key] = run_name(number, found.study, before.study if before else None)
        st.session_state["study-of-run"][found.key] = st.session_state.get("study-number", 1)
    order[:] = [found.key, *(key for key in order if key != found.key)]
    own_runs()[found.key] = found
    for key in [key for key in order if key not in pinned()][RUNS_PER_SESSION:]:
        order.remove(key)
        del names[key]
        own_runs().pop(key, None)
    st.session_state.shown = found.key


def _run_before() -> Results | None:
    """The last run of the study under edit: another study's is nothing to be compared with."""
    own: dict[str, int] = st.session_state.setdefault("study-of-run", {})
    number = st.session_state.get("study-number", 1)
    return next((one for one in results() if own.get(one.key, number) == number), None)


def collect() -> None:
    """Take over the result of a run that has ended."""
    found = job()
    if found is not None and found.succeeded:
        _keep(found.result)
        forget_job()


def results() -> list[Results]:
    """The session's last runs, newest first."""
    _meet_run()
    return [own_runs()[key] for key in run_order() if key in own_runs()]


def name(results: Results) -> str:
    """What a run is called: what changed against the one before it."""
    return run_names()[results.key]


def pinned() -> set[str]:
    """The runs that stay."""
    keys: set[str] = st.session_state.setdefault("pinned", set())
    return keys


def may_pin(key: str) -> bool:
    """Whether a run can be pinned, or is."""
    return key in pinned() or len(pinned()) < RUNS_PER_SESSION


def pin(key: str, *, stays: bool) -> None:
    """Let a run stay when others come, or let it go in its turn."""
    if stays and may_pin(key):
        pinned().add(key)
    else:
        pinned().discard(key)


def shown() -> Results | None:
    """The run that the pages show: the chosen one, else the newest."""
    _meet_run()
    return own_runs().get(st.session_state.get("shown", ""), next(iter(results()), None))


def show(key: str) -> None:
    """Let the pages show this run."""
    st.session_state.shown = key


def results_of_draft() -> Results | None:
    """The results of the study as it stands, if it was run."""
    _meet_run()
    study = draft.checked()
    return own_runs().get(question("run", study)) if isinstance(study, Study) else None


def answer(kind: str, key: str) -> Any | None:
    """The answer to a question other than a run; the session keeps the last of every kind."""
    answers: dict[str, tuple[str, Any]] = st.session_state.setdefault("answers", {})
    ended = job(kind)
    if ended is not None and ended.succeeded:
        answers[kind] = ended.key, ended.result
        forget_job(kind)
    elif ended is not None:
        _awaited().add(kind)
    of, found = answers.get(kind, ("", None))
    return found if of == key else line().answer(key)


def _awaited() -> set[str]:
    """The kinds of jobs whose answer this pass has looked for, and that were not done."""
    kinds: set[str] = st.session_state.setdefault("awaited", set())
    return kinds


def has_news() -> bool:
    """At the end of a pass: whether a job has ended since the page looked for its result.

    The page shows neither its progress nor its answer, and nobody would ask again.
    """
    awaited = {"run", *_awaited()}
    _awaited().clear()
    return any(found is not None and found.succeeded for found in map(job, awaited))

"""What one session has: its jobs under way, its answers, and the results of its last runs.

Everything is the session's own: a result is taken over from the job that made it, whatever
becomes of those that are shared.
"""

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
from gai_core import Study

A_MOMENT = 0.3
"""Seconds that a page waits for a job it has just begun: a small one is done by then."""


@st.cache_resource
def line() -> Line:
    """The jobs of this server."""
    return Line()


def job(kind: str = "run") -> Job | None:
    """The session's job of a kind, waiting, under way or ended."""
    found: Job | None = st.session_state.get(f"job-{kind}")
    return found


def start(
    kind: str, key: str, label: str, task: Task, *, effort: float = UNKNOWN, shared: bool = True
) -> None:
    """Begin a job; one of the same kind that is still under way is cancelled."""
    before = job(kind)
    if before is not None and not before.ended:
        before.stop()
    begun = Job(key, label, task, effort, _Presence(), shared)
    st.session_state[f"job-{kind}"] = line().add(begun)
    begun.wait(A_MOMENT)


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
    st.session_state.pop(f"job-{kind}", None)


def forget_failed_jobs() -> None:
    """On another page: that an earlier job was cancelled or failed was said."""
    for name in list(st.session_state):
        if str(name).startswith("job-"):
            found: Job = st.session_state[name]
            if found.ended and not found.succeeded:
                del st.session_state[name]


def run(study: Study) -> None:
    """Simulate the study, unless that was done before."""
    key, task = simulation(study)
    found = _own().get(key) or line().answer(key)
    if found is not None:
        _keep(found)
    else:
        start("run", key, study.title, task, effort=effort(study), shared=small(study))


def _own() -> dict[str, Results]:
    """The session's runs, newest first."""
    mine: dict[str, Results] = st.session_state.setdefault("results", {})
    return mine


def _keep(found: Results) -> None:
    """Put a run before the session's others, and show it; the oldest that is not pinned goes."""
    mine = _own()
    names: dict[str, str] = st.session_state.setdefault("run-names", {})
    if found.key not in mine:
        before = next(iter(mine.values()), None)
        number = st.session_state["runs-so-far"] = st.session_state.get("runs-so-far", 0) + 1
        names[found.key] = run_name(number, found.study, before.study if before else None)
    mine = {found.key: found} | {key: kept for key, kept in mine.items() if key != found.key}
    loose = [key for key in mine if key not in pinned()]
    for key in loose[RUNS_PER_SESSION:]:
        del mine[key], names[key]
    st.session_state.results = mine
    st.session_state.shown = found.key


def collect() -> None:
    """Take over the result of a run that has ended."""
    found = job()
    if found is not None and found.succeeded:
        _keep(found.result)
        forget_job()


def results() -> list[Results]:
    """The session's last runs, newest first."""
    return list(_own().values())


def name(results: Results) -> str:
    """What a run is called: what changed against the one before it."""
    found: str = st.session_state["run-names"][results.key]
    return found


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
    mine = _own()
    return mine.get(st.session_state.get("shown", ""), next(iter(mine.values()), None))


def show(key: str) -> None:
    """Let the pages show this run."""
    st.session_state.shown = key


def results_of_draft() -> Results | None:
    """The results of the study as it stands, if it was run."""
    study = draft.checked()
    return _own().get(question("run", study)) if isinstance(study, Study) else None


def answer(kind: str, key: str) -> Any | None:
    """The answer to a question other than a run; the session keeps the last of every kind."""
    answers: dict[str, tuple[str, Any]] = st.session_state.setdefault("answers", {})
    ended = job(kind)
    if ended is not None and ended.succeeded:
        answers[kind] = ended.key, ended.result
        forget_job(kind)
    of, found = answers.get(kind, ("", None))
    return found if of == key else line().answer(key)

"""What one session has: its job under way and the results of its last runs."""

from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.jobs import Board, Job, Results, Task, question, simulation
from gai_app.settings import RUNS_PER_SESSION
from gai_core import Study


@st.cache_resource
def board(kind: str) -> Board:
    """The finished results of this server, of one kind of job."""
    del kind
    return Board()


def job(kind: str = "run") -> Job | None:
    """The session's job of a kind, under way or ended."""
    found: Job | None = st.session_state.get(f"job-{kind}")
    return found


def start(kind: str, key: str, label: str, task: Task) -> None:
    """Begin a job; one of the same kind that is still under way is cancelled."""
    before = job(kind)
    if before is not None and not before.ended:
        before.stop()
    st.session_state[f"job-{kind}"] = board(kind).start(key, label, task)


def forget_job(kind: str = "run") -> None:
    """The job has ended and its end was shown."""
    st.session_state.pop(f"job-{kind}", None)


def forget_ended_jobs() -> None:
    """On another page: what became of an earlier job was said."""
    for name in list(st.session_state):
        if str(name).startswith("job-") and st.session_state[name].ended:
            del st.session_state[name]


def run(study: Study) -> None:
    """Simulate the study, unless that was done before."""
    key, task = simulation(study)
    if not _take(key):
        start("run", key, study.title, task)


def _take(key: str) -> bool:
    """Move a finished run to the front of the session's own; whether there is one."""
    mine: dict[str, Results] = st.session_state.setdefault("results", {})
    found = mine.pop(key, None) or board("run").result(key)
    if found is None:
        return False
    st.session_state.results = dict([(key, found), *list(mine.items())[: RUNS_PER_SESSION - 1]])
    st.session_state.shown = key
    return True


def collect() -> None:
    """Take over the result of a run that has ended."""
    found = job()
    if found is not None and found.succeeded:
        _take(found.key)
        forget_job()


def results() -> list[Results]:
    """The session's last runs, newest first."""
    return list(st.session_state.get("results", {}).values())


def shown() -> Results | None:
    """The run that the pages show: the chosen one, else the newest."""
    mine: dict[str, Results] = st.session_state.get("results", {})
    return mine.get(st.session_state.get("shown", ""), next(iter(mine.values()), None))


def show(key: str) -> None:
    """Let the pages show this run."""
    st.session_state.shown = key


def results_of_draft() -> Results | None:
    """The results of the study as it stands, if it was run."""
    study = draft.checked()
    if not isinstance(study, Study):
        return None
    mine: dict[str, Results] = st.session_state.get("results", {})
    return mine.get(question("run", study))


def answer(kind: str, key: str) -> Any | None:
    """The finished answer to a question other than a run."""
    found = board(kind).result(key)
    ended = job(kind)
    if found is not None and ended is not None and ended.key == key:
        forget_job(kind)
    return found

"""Runs that a session has again after a reload: the same study brings the same results.

They come back in their order and with their names, simulated one after the other where the
server does not have them any more.
"""

from typing import NamedTuple

import streamlit as st

from gai_app import session
from gai_app.budget import effort, refusal
from gai_app.jobs import question, simulation
from gai_app.links import encoded, own
from gai_core import InputError, Study


class Remembered(NamedTuple):
    """A run without its results."""

    study: str
    """As in a link."""
    name: str
    pinned: bool
    shown: bool


def remembered() -> list[Remembered]:
    """The session's runs, newest first, to be had again by `recall`."""
    texts = _texts()
    for key, results in session.own_runs().items():
        if key not in texts:
            texts[key] = encoded(results.study)
    return [
        Remembered(
            texts[key],
            session.run_names()[key],
            key in session.pinned(),
            key == st.session_state.get("shown"),
        )
        for key in session.run_order()
    ]


def recall(runs: list[Remembered]) -> None:
    """Have these runs again; the one that was shown comes first."""
    wanted: list[Study] = st.session_state.setdefault("to-recall", [])
    for run in runs:
        try:
            study = own(run.study)
        except InputError:
            continue
        key = question("run", study)
        if key in session.run_order():
            session.run_order().remove(key)
        session.run_order().append(key)
        session.run_names()[key] = run.name
        _texts()[key] = run.study
        wanted.insert(0 if run.shown else len(wanted), study)
        if run.shown:
            session.show(key)
        if run.pinned:
            session.pin(key, stays=True)


def go_on() -> None:
    """In every pass: take over what has come back, and ask for the next."""
    ended = session.job("recall")
    if ended is not None and ended.ended:
        if ended.succeeded:
            session.own_runs()[ended.key] = ended.result
        session.forget_job("recall")
    wanted: list[Study] = st.session_state.get("to-recall", [])
    while wanted and session.job("recall") is None:
        _begin(wanted.pop(0))


def _begin(study: Study) -> None:
    key, task = simulation(study)
    found = session.line().answer(key)
    if found is not None:
        session.own_runs()[key] = found
    elif not session.is_run(study) and refusal(study) is None:
        session.start("recall", key, study.title, task, effort=effort(study), waits=False)


def _texts() -> dict[str, str]:
    """The study of every run as in a link, by the key of the run."""
    found: dict[str, str] = st.session_state.setdefault("run-studies", {})
    return found

"""The bar above the pages: run the study, see how far it is, cancel it."""

import streamlit as st

from gai_app import session, widgets
from gai_app.budget import cheap, refusal
from gai_core import Study
from gai_core.engine import patients_at_most


def run_bar(study: Study | None) -> None:
    """One line that says what can be done now; `study` is None while the plan has errors."""
    job = session.job()
    if job is not None and not job.ended:
        widgets.watch("run")
        return
    if job is not None and job.succeeded:
        st.rerun()  # it ended while this page was drawn
    widgets.ended_badly("run")
    if study is None:
        st.warning("The plan has errors: mend them to run it.", icon=":material/error:")
        return
    if session.results_of_draft() is not None:
        return
    too_much = refusal(study)
    if too_much:
        st.error(too_much, icon=":material/block:")
        return
    if st.session_state.get("run-unasked"):
        quick = cheap(study)
        if quick:
            session.run(study)
        st.session_state["run-unasked"] = False  # only now: the lines above may be interrupted
        if quick:
            st.rerun()
    _offer(study)


def _offer(study: Study) -> None:
    size, button = st.columns([4, 1], vertical_alignment="center")
    settings = study.simulation
    size.markdown(
        f"{settings.runs:,} trials × {len(study.designs)} designs × {len(study.truths)} assumed "
        f"dose-responses: at most {patients_at_most(study):,} simulated patients."
    )
    if button.button("Run", type="primary", icon=":material/play_arrow:", width="stretch"):
        session.run(study)
        st.rerun()

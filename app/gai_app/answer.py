"""The answer above everything else: which design to use, and how many patients it takes."""

import streamlit as st

from gai_app import session, widgets
from gai_app.escaping import markdown
from gai_app.explore.jobs import PlanAsked, begin
from gai_app.jobs import Results
from gai_app.settings import PATIENTS_SEARCHED_UNASKED
from gai_core.engine import patients_at_most
from gai_core.questions import USUAL_WISH, Plan, answer, answer_sentences
from gai_core.study import changed, narrowed

KIND = session.SEARCH
LATER = "search-later"
TRIES = 25
"""Sample sizes that a search usually simulates per design, most of them larger than the study's."""
OLD = "Of the last run; the study has changed since, and a new run replaces this."
CURRENT = "From simulated trials of the study as it stands."
OTHER = "Of a run of the study as it was then."
STYLE = """<style>
.st-key-answer, .st-key-old-answer {border-left: 4px solid var(--st-primary-color);
  padding: .5rem 1rem; background: var(--st-secondary-background-color)}
.st-key-answer .stMarkdown p {font-size: 1.12rem; line-height: 1.5}
.st-key-old-answer, .st-key-old-results {opacity: .8; border-left-color: var(--st-border-color)}
</style>"""


def draw_answer(chosen: Results | None = None) -> None:
    """Of a chosen run, else of the study as it stands; until there is one, of the last, marked."""
    st.html(STYLE)
    st.session_state.pop(LATER, None)
    current = session.results_of_draft()
    results = chosen or current or session.shown()
    if results is None:
        return
    is_current = current is not None and current.key == results.key
    with st.container(key="answer" if is_current else "old-answer", gap="small"):
        # Always a line: one that came and went would move the fields below under the mouse.
        st.caption(CURRENT if is_current else OLD if current is None else OTHER)
        asked = _question(results)
        plans: list[Plan] = [] if asked is None else session.answer(KIND, asked.key) or []
        first, *others = answer_sentences(results, plans)
        st.markdown(f"**{markdown(first)}** {markdown(' '.join(others))}")
        if asked is not None and not plans and is_current:
            _search(asked)


def _question(results: Results) -> PlanAsked | None:
    """How many patients the usual chance takes, with the design to use and the fixed one."""
    found, study = answer(results), results.study
    if found is None:
        return None
    truths = (found.truth,)
    return PlanAsked(study, USUAL_WISH, "n_max", truths, found.designs, study.simulation.runs)


def _search(asked: PlanAsked) -> None:
    """Begin it where that takes no time, else offer it; or say how far it is."""
    job = session.job(KIND)
    if job is not None and not job.ended and job.key == asked.key:
        widgets.watch(KIND)
        return
    stopped = job is not None and job.ended and job.key == asked.key
    if stopped:
        widgets.ended_badly(KIND)
    elif _patients(asked) <= PATIENTS_SEARCHED_UNASKED:
        st.session_state[LATER] = asked, st.container()
        return
    wish = f"{100 * asked.wish.chance:g}%"
    if st.button(f"How many patients does {wish} take?", key="search-answer"):
        begin(KIND, asked)


def begin_search() -> None:
    """When all else is drawn, so that nobody waits for it: the search that nobody asked for."""
    asked, place = st.session_state.pop(LATER, (None, None))
    if asked is not None:
        session.start(KIND, asked.key, asked.label, asked.work, patience=0.0)
        with place:
            widgets.watch(KIND)


def _patients(asked: PlanAsked) -> int:
    """About how many patients the search simulates."""
    study = narrowed(changed(asked.study, runs=asked.runs), asked.truths, asked.designs)
    return TRIES * patients_at_most(study)

"""The answer above everything else: which design to use, and how many patients it takes."""

from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gai_app import draft, session, widgets
from gai_app.clicks import clicked
from gai_app.editor.sheet import after_typing
from gai_app.escaping import markdown
from gai_app.explore.jobs import AdviceAsked, begin
from gai_app.jobs import Results
from gai_app.places import sentences
from gai_app.settings import PATIENTS_SEARCHED_UNASKED
from gai_app.taking import take
from gai_app.turns import drawing
from gai_core import InputError, Study
from gai_core.engine import patients_at_most
from gai_core.questions import (
    USUAL_POWER,
    Advice,
    answer_sentences,
    judged_truths,
    quick_to_advise,
    unasked_advice,
    with_benchmarks,
)
from gai_core.study import Design

KIND = session.SEARCH
LATER = "search-later"
Advising = Callable[[], Advice | None]
TRIES = 25
"""Sample sizes that a search usually simulates per design, most of them larger than the study's."""
QUESTION = f"Which design to use, and how many patients does {100 * USUAL_POWER.chance:g}% take?"
OLD = "Of the last run; the study has changed since, and a new run replaces this."
CURRENT = "From simulated trials of the study as it stands."
OTHER = "Of a run of the study as it was then."
STYLE = """<style>
.st-key-answer, .st-key-old-answer {border-left: 4px solid var(--st-primary-color);
  padding: .5rem 1rem; background: var(--st-secondary-background-color)}
.st-key-answer .stMarkdown p {font-size: 1.12rem; line-height: 1.5}
.st-key-answer [data-testid=stCaptionContainer] p {font-size: .875rem}
.st-key-old-answer, .st-key-old-results {opacity: .8; border-left-color: var(--st-border-color)}
</style>"""


def draw_answer(chosen: Results | None = None) -> None:
    """Of a chosen run, else of the study as it stands; until there is one, of the last, marked."""
    st.html(STYLE)
    current = session.results_of_draft()
    results = chosen or current or session.shown()
    if results is None:
        return
    is_current = current is not None and current.key == results.key
    with st.container(key="answer" if is_current else "old-answer", gap="small"):
        # Always a line: one that came and went would move the fields below under the mouse.
        st.caption(CURRENT if is_current else OLD if current is None else OTHER)
        advice = advice_on_run(results)
        first, *others = answer_sentences(results, advice)
        st.markdown(f"**{markdown(first)}** {markdown(' '.join(others))}")
        progress = st.container()
        if is_current and advice is not None:
            _offer_design(advice, results.study)
        elif is_current:
            _search(results.study, progress)


def advice_on_run(results: Results) -> Advice | None:
    """Which design to use by this run, if designs were compared at equal power; kept with it."""
    kept: dict[str, Advice] = st.session_state.setdefault("advice", {})
    if results.key not in kept:
        found = session.answer(KIND, AdviceAsked(_whole(results)).key)
        if found is None:
            return None
        kept[results.key] = found
        for key in [key for key in kept if key not in session.run_order()]:
            del kept[key]
    return kept.get(results.key)


def _whole(results: Results) -> Study:
    """The study of a run with all its designs, also where a page shows some of them."""
    return session.own_runs().get(results.key, results).study


def advice_at_the_click(results: Results) -> Advising:
    """For a report: what is known, or else the recommendation if it takes seconds."""
    known, study = advice_on_run(results), _whole(results)
    return lambda: known or unasked_advice(study)


def _offer_design(advice: Advice, study: Study) -> None:
    """A design to use that the study does not have is added by a click."""
    if not advice.recommended or advice.recommended in {d.name for d in study.designs}:
        return
    design = advice.found.study.design(advice.recommended)
    st.button(
        f"Add {markdown(advice.recommended)} to the study",
        icon=":material/add:",
        key="add-recommended",
        on_click=after_typing(partial(_add, design)),
    )


def _add(design: Design) -> None:
    """To the study as it is at the click."""
    data = draft.current()
    draft.change(data | {"designs": [*data["designs"], design.model_dump(mode="json")]})
    draft.restart()


def _search(study: Study, progress: DeltaGenerator) -> None:
    """Say how far it is; or keep a place for it, which `begin_search` fills."""
    asked, job = AdviceAsked(study), session.job(KIND)
    if job is not None and not job.ended and job.key == asked.key:
        widgets.watch(KIND, progress)
    else:
        st.session_state[LATER] = asked, st.container(), progress


def forget_search() -> None:
    """At the beginning of a pass: one that was given up has left its own places, which are gone."""
    take(LATER)


def begin_search(*, newcomer: bool) -> None:
    """When all else is drawn, so that nobody waits for it: the search that nobody asked for.

    Who works is not drawn to the end before that, and waits for no crowd.
    """
    asked, place, progress = take(LATER, (None, None, None))
    if asked is not None:
        with drawing.turn(newcomer=newcomer), place:
            _begin_or_offer(asked, progress)


def _begin_or_offer(asked: AdviceAsked, progress: DeltaGenerator) -> None:
    """Begin it where that takes no time, else offer it; or say why there is none."""
    study, job, why_not = asked.study, session.job(KIND), _why_not(asked)
    if why_not:
        if judged_truths(study):
            st.caption(markdown(why_not))
        return
    if job is not None and job.ended and job.key == asked.key:
        widgets.ended_badly(KIND)
    elif quick_to_advise(study) and _patients(study) <= PATIENTS_SEARCHED_UNASKED:
        session.start(KIND, asked.key, asked.label, asked.work, waits=False, unasked=True)
        widgets.watch(KIND, progress)
        return
    if clicked(QUESTION, key="search-answer"):
        begin(KIND, asked)


def _why_not(asked: AdviceAsked) -> str:
    """What keeps it from being searched for; looked up once, as that takes a tenth of a second."""
    of, found = st.session_state.get("search-refused", ("", ""))
    if of != asked.key:
        try:
            asked.check()
            found = ""
        except InputError as error:
            found = sentences(error)[0]
        st.session_state["search-refused"] = asked.key, found
    return str(found)


def _patients(study: Study) -> int:
    """About how many patients the search simulates."""
    return TRIES * patients_at_most(with_benchmarks(study)) // len(study.truths)

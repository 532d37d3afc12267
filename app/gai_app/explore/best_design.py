"""Find the best design: a search among all that the registries can make, judged afresh."""

from typing import Any

import streamlit as st

from gai_app import recipes, studies
from gai_app.editor.sheet import after_typing
from gai_app.explore import at_a_chance
from gai_app.explore.best_design_job import OptimiseAsked, OptimiseFound
from gai_app.explore.parts import WishLabels, number_field, refused
from gai_app.pages import PAGES
from gai_app.plots.frontier import draw_frontier
from gai_app.taking import take
from gai_app.widgets import figure, folded
from gai_core import InputError, Study
from gai_core.basics import with_error
from gai_core.questions import EFFORTS, FrontierPoint, Minimise, Wish
from gai_core.results import WordTable

KIND = "best-design"
GOALS: dict[Minimise, str] = {
    "enrolled": "patients on average",
    "largest": "the largest sample size",
    "months": "months on average",
}


def section(study: Study) -> None:
    """The question, and its answer as soon as there is one."""
    at_a_chance.section(QUESTION, study)


def _asked(study: Study, wish: Wish | None, under: str) -> OptimiseAsked | None:
    few, most, long = st.columns([3, 1.4, 3])
    with few:
        goals = [key for key in GOALS if study.conduct or key != "months"]
        minimise = st.selectbox(
            "With the fewest",
            goals,
            format_func=lambda key: GOALS[key],
            key=f"{KIND}-minimise",
            persist_state="session",
        )
    with most:
        n_max = number_field(
            "Largest sample size",
            study.simulation.n_max,
            f"{KIND}-n-max-{study.simulation.n_max}",
            "whole",
            "No design may need more patients than this.",
        )
    with long:
        effort = st.selectbox(
            "How long to search",
            list(EFFORTS),
            index=list(EFFORTS).index("usual"),
            key=f"{KIND}-effort",
            persist_state="session",
        )
    if wish is None or n_max is None:
        return None
    return OptimiseAsked(study, wish, under, minimise, n_max, effort)


def _answer(found: OptimiseFound) -> None:
    if found.studies:
        _choose(found)
    at_a_chance.show_tables(found.tables[:2])
    with folded("Under every assumption", f"{KIND}-truths") as is_open:
        at_a_chance.show_tables(found.tables[2:] if is_open else [])


def _recipe(asked: OptimiseAsked) -> recipes.Recipe:
    wish = asked.wish.quantity, asked.wish.chance
    return recipes.of_optimise(asked.study, wish, asked.asked)


def _choose(found: OptimiseFound) -> None:
    """The frontier, a design of it, and a button that opens it as a study beside the others.

    A design is chosen by a click on its point, or from the menu beside it.
    """
    names, key = list(found.studies), f"{KIND}-chosen-{'|'.join(found.studies)}"
    st.header("Average against largest enrolment", anchor=False)
    menu, button = st.columns([3, 2], vertical_alignment="bottom")
    with menu:
        chosen = st.selectbox("Design", names, key=key, persist_state="session")
    with button:
        st.button(
            "Open it as a study",
            icon=":material/open_in_new:",
            key=f"{KIND}-open",
            on_click=after_typing(lambda: _open(found.studies[chosen])),
            width="stretch",
        )
    if take(f"{KIND}-opened"):
        st.switch_page(str(PAGES["plan"].draws))
    if problem := take(f"{KIND}-problem"):
        refused(problem)

    def choose(data: Any) -> None:
        if data[0] in names:
            st.session_state[key] = data[0]

    figure(
        draw_frontier(found.points, chosen),
        "frontier",
        "Average against largest enrolment",
        lambda: _as_table(found.points),
        "The line joins designs that no other beats in both numbers; the chosen design is larger. "
        "Click on a point to choose it, or choose a design from the menu.",
        on_click=after_typing(choose),
    )


def _open(study: Study) -> None:
    try:
        studies.open_study(study)
        st.session_state[f"{KIND}-opened"] = True
    except InputError as error:
        st.session_state[f"{KIND}-problem"] = error


def _as_table(points: list[FrontierPoint]) -> WordTable:
    rows = [
        [p.name, f"{p.n_max:,}", with_error(p.enrolled, p.error), "yes" if p.on_frontier else "no"]
        for p in points
    ]
    columns = ["design", "n_max", "enrolled on average", "on the frontier"]
    return WordTable("Average against largest enrolment", columns, rows)


QUESTION = at_a_chance.Question(
    KIND,
    "Find the best design",
    WishLabels(
        "It shall reach that",
        "Chance, at least",
        "want",
        "The dose-response under which the chance is reached. Patients are averaged over this one "
        "and the one in which doses do least, half each.",
    ),
    "there is nothing to find",
    "Allocation rules, decision rules with a guarantee, looks, futility, burn-in and their "
    "parameters are searched together with the sample size, on the same simulated patients. What "
    "is found is set beside the fixed and the group-sequential trial at the same error and "
    "chance, on fresh trials. It takes about a minute; how far it is, and the best so far, is "
    "shown.",
    _asked,
    _answer,
    "the answer",
    _recipe,
)

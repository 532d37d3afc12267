"""Explore: how many patients are needed, what becomes of varied fields, the best design."""

import streamlit as st

from gai_app import draft
from gai_app.escaping import markdown
from gai_app.explore import best_design, plan_question, vary
from gai_app.pages import PAGES, link_to
from gai_core import Study

QUESTIONS = {
    "How many patients do I need?": plan_question.section,
    "What if the study were different?": vary.section,
    "Find the best design": best_design.section,
}

st.title(PAGES["explore"].heading)
found = draft.checked()
if isinstance(found, Study):
    st.caption(markdown(found.title))
    asked = st.segmented_control(
        "Question",
        list(QUESTIONS),
        default=next(iter(QUESTIONS)),
        required=True,
        key="explore-question",
        persist_state="session",
        label_visibility="collapsed",
    )
    QUESTIONS[asked](found)
else:
    st.info("The plan has errors: mend them to explore it.", icon=":material/info:")
    link_to("plan", "Go to the plan")

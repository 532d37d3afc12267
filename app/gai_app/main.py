"""The planner in the browser: navigation, and what every page has above it."""

import streamlit as st

from gai_app import draft, session, start_up
from gai_app.editor.sheet import take_edits
from gai_app.escaping import markdown
from gai_app.links import PAGE, PARAMETER
from gai_app.pages import navigation
from gai_app.plots.looks import meet
from gai_app.run_bar import run_bar
from gai_app.turns import drawing
from gai_app.warm import begin_warm_up
from gai_core import InputError, Study

st.set_page_config(page_title="Dose-finding planner", page_icon="💊", layout="wide")
st.html("<style>.stMainBlockContainer {padding-top: 4rem; max-width: 1680px}</style>")
begin_warm_up()
start_up.open_study(st.query_params.get(PARAMETER))
take_edits()
session.collect()

pages = navigation()
page = st.navigation(list(pages.values()), position="top")
wanted = start_up.wanted_page(st.query_params.get(PAGE))
if wanted in pages:
    st.switch_page(pages[wanted])
if st.session_state.get("page") != page.title:
    st.session_state.page = page.title
    draft.restart()
    session.forget_failed_jobs()

start_up.show_bad_link()
bar = st.container()
try:
    with drawing.turn():
        page.run()
except InputError as error:
    st.error(markdown(str(error)), icon=":material/error:")
if not st.session_state.get("pictures"):
    start_up.pictures_later()
with bar:
    found = draft.checked()
    if isinstance(found, Study):
        meet(found)
    run_bar(found if isinstance(found, Study) else None)

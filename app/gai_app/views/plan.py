"""Plan: describe the study; see at once what it asks for."""

import streamlit as st

from gai_app import draft, export, session
from gai_app.editor import conduct, designs, doses, first_study, guided, size, start, target
from gai_app.editor.editing import Editing
from gai_app.escaping import markdown
from gai_app.pages import link_to
from gai_app.plots.study import draw_dose_response
from gai_app.plots.style import draw
from gai_app.widgets import choose, word_table
from gai_core import Study
from gai_core.basics import number
from gai_core.results import dose_response, headline, quantities_of
from gai_core.study import Truth
from gai_core.theory import design_cautions, sharper_bounds, truth_cautions


def edit() -> Study | None:
    """All parts of the study, one after the other."""
    page = Editing()
    if first_study.short_form():
        return guided.edit(page)
    with st.container(border=True):
        st.subheader("Target")
        data = page.base | target.edit(page)
    with st.container(border=True):
        st.subheader("Doses")
        absolute = target.meant(draft.current() | data)
        kind = data["outcome"]["kind"]
        data |= doses.edit(page, absolute, kind, in_time=conduct.is_on(page))
    with st.container(border=True):
        st.subheader("Designs")
        data["designs"] = designs.edit(page, kind)
    with st.container(border=True):
        st.subheader("Size")
        data["simulation"] = size.edit(page)
    with st.container(border=True):
        st.subheader("Conduct")
        data["conduct"] = conduct.edit(page, data)
    return page.finish(data)


def preview(study: Study) -> None:
    """What the study assumes and asks for, before it is run."""
    st.subheader("What is assumed")
    name = choose("Assumed dose-response", [truth.name for truth in study.truths], "truth")
    truth = study.truth(name)
    draw(draw_dose_response(study, dose_response(study, truth)), "dose-response")
    _against_control(study, truth)
    _bounds(study, truth)
    for caution in (*truth_cautions(study, truth), *design_cautions(study)):
        st.warning(markdown(caution), icon=":material/warning:")


def _against_control(study: Study, truth: Truth) -> None:
    if study.control is None:
        st.caption("No arm is marked as control, so there is no difference from it to show.")
        return
    effects = dose_response(study, truth).effects or []
    label = markdown(study.arms[study.control].label)
    implied = study.threshold - study.expected(truth)[study.control]
    best = max(effect for i, effect in enumerate(effects) if i != study.control)
    st.markdown(
        f"The target of {study.threshold:g} is **{label} {implied:+.3g}**; "
        f"the best dose is assumed to reach {label} {best:+.3g}."
    )


def _bounds(study: Study, truth: Truth) -> None:
    """The lower bounds of a truth, in patients."""
    known = quantities_of(study)
    rows = [
        {"on average": known[key].label, "at least": number(bound.value)}
        for key, bound in sharper_bounds(study, truth)
    ]
    st.markdown("**What no design that always decides can beat**")
    st.dataframe(rows, hide_index=True, width="stretch")
    st.caption(
        "For designs that always decide with this error rate. A design that stops at the largest "
        "sample size may use fewer by leaving doses undecided."
    )


def glance() -> None:
    """The first answer, as soon as there is one."""
    results = session.results_of_draft()
    if results is None:
        return
    with st.container(border=True):
        truth = results.study.truths[0]
        title, link = st.columns([4, 1], vertical_alignment="center")
        title.subheader("Results at a glance")
        with link:
            link_to("results", "All results")
        word_table(headline(results.study, truth, results.values))
        st.caption(
            f"If {markdown(truth.name)} is true; {results.study.simulation.runs:,} simulated trials"
            " of at most "
            f"{results.study.simulation.n_max:,} patients. ± is the Monte Carlo standard error."
        )


st.title("Plan a dose-finding trial")
menu, upload, back, forth, share, download = st.columns(
    [4, 1.7, 1.2, 1.2, 1.4, 2], vertical_alignment="bottom"
)
with menu:
    start.choose_study()
with upload:
    start.upload()
start.ask()
overview = st.container()
editor, side = st.columns([3, 2], gap="large")
with editor:
    study = edit()
for column, label, change, icon, keys, possible in (
    (back, "Undo", draft.undo, "undo", "Ctrl+Z", draft.history().past),
    (forth, "Redo", draft.redo, "redo", "Ctrl+Shift+Z", draft.history().future),
):
    column.button(
        label, key=icon, icon=f":material/{icon}:", on_click=change, disabled=not possible,
        help=f"The whole study, step by step ({keys}).", width="stretch",
    )  # fmt: skip
with overview:
    glance()
if study is None:
    share.button("Share", icon=":material/link:", disabled=True, width="stretch")
    with download:
        export.no_download()
    with side:
        st.info("The picture comes back when the errors are mended.", icon=":material/info:")
else:
    with share:
        export.share(study, "")
    with download:
        export.download(study)
    with side:
        preview(study)

"""Plan: describe the study; see at once what it asks for."""

from itertools import islice

import streamlit as st

from gai_app import draft, export, session, studies
from gai_app.answer import draw_answer
from gai_app.editor import conduct, designs, doses, first_study, guided, size, start, target
from gai_app.editor.editing import Editing
from gai_app.editor.sheet import after_typing
from gai_app.escaping import markdown
from gai_app.jobs import Results, at_a_glance, question
from gai_app.pages import PAGES, link_to
from gai_app.plots.results import draw_declarations
from gai_app.plots.sketch import Sketch
from gai_app.plots.study import draw_dose_response
from gai_app.widgets import choose, still_figure, word_table
from gai_core import Study
from gai_core.basics import number
from gai_core.evidence import model_of
from gai_core.results import (
    DeclarationCurve,
    WordTable,
    declaration_curves,
    declaration_table,
    dose_response,
    first_bound_lines,
    headline,
    quantities_of,
    response_table,
)
from gai_core.study import Truth, good_dose_in_words
from gai_core.theory import design_cautions, sharper_bounds, truth_cautions, within_rates

NARROW = """<style>@media (max-width: 1000px) {
.st-key-plan > * > [data-testid=stHorizontalBlock] > [data-testid=stColumn] {min-width: 100%}
}</style>"""
"""In a narrow window the pictures stand below the fields."""


def edit() -> Study | None:
    """All parts of the study, one after the other."""
    page = Editing()
    if first_study.short_form():
        return guided.edit(page)
    with st.container(border=True):
        st.header("Target")
        data = page.base | target.edit(page)
    with st.container(border=True):
        st.header("Doses")
        absolute = target.meant(draft.current() | data)
        kind = model_of(data["outcome"])
        data |= doses.edit(page, absolute, kind, in_time=conduct.is_on(page))
    with st.container(border=True):
        st.header("Designs")
        data["designs"] = designs.edit(page, kind)
    with st.container(border=True):
        st.header("Size and end")
        data |= size.edit(page)
    with st.container(border=True):
        st.header("Conduct")
        data["conduct"] = conduct.edit(page, data)
    return page.finish(data)


def preview(study: Study) -> None:
    """What the study assumes and asks for, before it is run."""
    st.header("What is assumed")
    name = choose("Assumed dose-response", [truth.name for truth in study.truths], "truth")
    truth = study.truth(name)
    response = dose_response(study, truth)
    still_figure(
        lambda: draw_dose_response(study, response, Sketch),
        question("dose-response", study),
        "dose-response",
        f"assumed mean of each dose, {name}",
        lambda: response_table(response),
    )
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
    best = max(effect for i, effect in enumerate(effects) if i != study.control)
    if study.target is not None:
        st.markdown(
            f"A good dose has {markdown(good_dose_in_words(study))}; the best dose is assumed to "
            f"reach {label} {best:+.3g}."
        )
        return
    implied = study.target_under(truth) - study.expected(truth)[study.control]
    st.markdown(
        f"The target of {study.target_under(truth):g} is **{label} {implied:+.3g}**; "
        f"the best dose is assumed to reach {label} {best:+.3g}."
    )


def _bounds(study: Study, truth: Truth) -> None:
    """The lower bounds of a truth, in patients, as far as the trial goes."""
    known, bounds = quantities_of(study), islice(sharper_bounds(study, truth), study.doses_wanted)
    rows = [[known[key].label, number(bound.value)] for key, bound in bounds]
    title = "What no design that always decides can beat"
    st.subheader(title, anchor=False)
    word_table(WordTable(title, ["on average", "at least"], rows))
    st.caption(
        f"For designs that always decide {within_rates(study, 'their')}. A design that stops at "
        "the largest sample size may use fewer by leaving doses undecided."
    )


def why() -> None:
    """Behind the answer: the chance by patients, and all designs at a glance."""
    results = session.results_of_draft() or session.shown()
    if results is None:
        return
    study = results.study
    old = session.results_of_draft() is None
    with st.container(key="old-results" if old else "results-at-a-glance"):
        truth = at_a_glance(study)
        title, link = st.columns([2, 1], vertical_alignment="center")
        title.header("Results at a glance")
        with link:
            link_to("results", "All results")
        still_figure(
            lambda: draw_declarations(
                study, 1, _curves(results, truth), first_bound_lines(study, truth, 1), Sketch
            ),
            (results.key, truth.name),
            "chance-of-declaration",
            "chance of having declared a dose, by number of patients",
            lambda: declaration_table(_curves(results, truth)),
        )
        word_table(headline(study, truth, results.values))
        size = study.simulation
        st.caption(
            f"{'Before the last change. ' if old else ''}Assuming “{markdown(truth.name)}”: "
            f"{size.runs:,} simulated trials of at most {size.n_max:,} patients, which count "
            "where no dose is declared. ± is the Monte Carlo standard error."
        )


def _curves(results: Results, truth: Truth) -> list[DeclarationCurve]:
    return declaration_curves(results.runs, truth.name, 1)


def first_words() -> None:
    """What this is and how to begin, while the example is as it was shipped."""
    if not studies.is_example():
        return
    with st.container(border=True, key="first-words"):
        words, own = st.columns([5, 1.4], vertical_alignment="center")
        words.markdown(
            "Say which doses there are, what a good one must show and what you hope for. The "
            "planner simulates adaptive trials, says which design to use and how many patients it "
            "takes, and writes the report. **This is an example**: change anything, or begin your "
            "own."
        )
        own.button(
            "New study",
            type="primary",
            icon=":material/add:",
            on_click=after_typing(start.begin_new),
            key="first-study",
            width="stretch",
        )


title, share, download = st.columns([6, 1.3, 1.9], vertical_alignment="center")
title.title(PAGES["plan"].heading)
# What comes and goes has a place of its own: else all below would be made anew, and a field in
# which somebody types would lose the keyboard.
with st.container():
    first_words()
answer = st.container()
st.html(NARROW)
with st.container(key="plan"):
    editor, side = st.columns([3, 2], gap="large")
with side:
    glance, assumed = st.container(), st.container()
# What follows from an edit at once comes first: all below takes longer, and waits for the run.
found = draft.checked() if draft.is_news() else None
early = found if isinstance(found, Study) else None
if early is not None:
    with assumed:
        preview(early)
with answer:
    draw_answer()
with editor:
    study = edit()
with glance:
    why()
if early is not None and study != early:  # typed, and chosen from a menu, at once
    st.rerun()
if study is None:
    with assumed:
        st.info("The picture comes back when the errors are mended.", icon=":material/info:")
    share.button("Share", icon=":material/link:", disabled=True, width="stretch")
    with download:
        export.no_download()
else:
    if early is None:
        with assumed:
            preview(study)
    with share:
        export.share(study, "")
    with download:
        export.download(study)

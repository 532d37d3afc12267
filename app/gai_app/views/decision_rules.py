"""Decision rules: when each design declares or drops a dose, and how often it errs, exactly."""

from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from gai_app import draft, recipes, session, widgets
from gai_app.answer import advice_on_run
from gai_app.clicks import clicked
from gai_app.escaping import file_name, markdown
from gai_app.jobs import question
from gai_app.line import Task
from gai_app.pages import PAGES, link_to
from gai_app.plots.rules import draw_limits
from gai_app.settings import EXACT_COUNTS
from gai_app.widgets import choose, code, figure, word_table
from gai_core import Cancelled, Study
from gai_core.engine import CancelFlag, Progress
from gai_core.results import (
    Limits,
    WordTable,
    decision_table,
    decisions_in_words,
    exact_errors_table,
    limits,
    shown_rows,
    verdicts_in_words,
)
from gai_core.study import WHY_KEPT, assumption_cautions, conduct_cautions, promise_of, which_rules
from gai_core.theory import worst_cases

if TYPE_CHECKING:
    from gai_core.study import Design

KIND = "exact"
FEW = 12  # rows of every design in the table of the figure
ROWS = 200  # of a decision table on the page; a bare text here would be shown by Streamlit


def curves(study: Study) -> None:
    """The limits of the chosen designs in one picture."""
    names = [design.name for design in study.designs]
    picked = st.multiselect("Designs", names, default=names, key=draft.key("limits"))
    if not picked:
        st.info("Choose at least one design.", icon=":material/info:")
        return
    chosen = [
        limits_of(study, question(design.name, study), design.name)
        for design in study.designs
        if design.name in picked
    ]
    what = study.stream.outcome.path_name
    figure(
        draw_limits(study, chosen),
        "limits",
        f"the {what} from which on a dose is declared, and up to which it is dropped",
        lambda: limits_table(study, picked),
        f"A dose whose {what} lies on or above a design's upper line is declared; on or below its "
        "lower line it is dropped. Single marks are looks: between them nothing is decided.",
    )


def limits_table(study: Study, designs: list[str]) -> WordTable:
    """The decision tables of several designs, a few rows of each."""
    rows = []
    for name in designs:
        values = table_of(study, question(name, study), name)
        few = decisions_in_words(study, shown_rows(values, FEW))
        rows += [[name, *row] for row in few.rows]
    return WordTable("limits of the designs", ["design", *few.columns], rows)


def in_time(study: Study) -> None:
    """How the limits are used where patients wait for their outcome, and what breaks them."""
    counted = (
        "a dose's pairs are those of which both outcomes are known"
        if study.stream.paired
        else "a dose's patients are those whose outcome is known"
    )
    st.markdown(
        f"In this study {counted}, and a dose that has crossed a limit gets its verdict at the "
        f"next look. {WHY_KEPT['delay']}"
    )
    cautions = [
        *conduct_cautions(study),
        *(text for truth in study.truths for text in assumption_cautions(study, truth)),
    ]
    for caution in cautions:
        st.warning(markdown(caution), icon=":material/warning:")


def table(study: Study) -> str:
    """The decision table of one design, as a protocol prints it; gives the design's name."""
    names = [design.name for design in study.designs]
    first = recommended(study)
    design = study.design(choose("Design", names, "rules-design", first=first))
    if design.name == first:
        st.caption("The design to use, as the comparison at equal error and power has it.")
    label = design.identification[0].label
    st.markdown(f"{markdown(label)}. {markdown(promise_of(study, design))}")
    key = question(design.name, study)
    if limits_of(study, key, design.name).only_at_end:
        some = study.stream.outcome.some_count
        st.caption(
            f"{'Only discordant pairs count' if some else 'Dropouts are left out'}, so every dose "
            f"is judged once, at the end, by the row of the {'pairs' if some else 'outcomes'} that "
            "it has then."
        )
    if study.stream.paired:
        st.markdown(markdown(verdicts_in_words(study, design)))
    values = table_of(study, key, design.name)
    shown = shown_rows(values, ROWS)
    word_table(decisions_in_words(study, shown))
    if len(shown) < len(values):
        st.caption(f"{len(shown)} of {len(values):,} rows; the file has all of them.")
    st.download_button(
        "Download the table (CSV)",
        lambda: values.to_csv(index=False, lineterminator="\n"),
        file_name=file_name(design.name, "-decisions.csv"),
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
    return design.name


def recommended(study: Study) -> str | None:
    """The design to use by the run that is shown, if it is of these designs and knows one."""
    found = session.shown()
    if found is None or found.study.designs != study.designs:
        return None
    told = advice_on_run(found)
    own = {design.name for design in study.designs}
    return told.recommended if told is not None and told.recommended in own else None


@st.cache_data(max_entries=64, show_spinner="Computing the limits")
def limits_of(_study: Study, key: str, design: str) -> Limits:
    """The limits, kept; the key names the study, which Streamlit cannot hash."""
    del key
    return limits(_study, _study.design(design))


@st.cache_data(max_entries=64, show_spinner="Computing the decision table")
def table_of(_study: Study, key: str, design: str) -> pd.DataFrame:
    """The decision table, kept likewise."""
    del key
    return decision_table(_study, _study.design(design))


def exact_errors(study: Study) -> None:
    """Promised and exact error, computed when it is cheap, else on demand."""
    key = question(KIND, study)
    found = session.answer(KIND, key)
    job, progress = session.job(KIND), st.container()
    if found is not None:
        word_table(exact_errors_table(study, found))
        st.caption(
            "Computed without simulation for doses exactly at the target, the worst case. The "
            "exact error of the list is at most what is shown, under "
            f"{markdown(which_rules(study))}."
        )
    elif job is not None and job.key == key and not job.ended:
        widgets.watch(KIND, progress)
    else:
        if job is not None and job.key == key:
            widgets.ended_badly(KIND)
        elif study.simulation.n_max <= EXACT_COUNTS:
            session.start(KIND, key, "Exact errors", task(study))
            st.rerun()
        icon = ":material/calculate:"
        if clicked("Compute the exact errors", key="exact-errors", icon=icon):
            session.start(KIND, key, "Exact errors", task(study))
            st.rerun()


def task(study: Study) -> Task:
    """The exact errors design by design, so that it can be watched and cancelled."""

    def compute(report: Progress, cancel: CancelFlag) -> pd.DataFrame:
        parts = []
        for i, design in enumerate(study.designs):
            if cancel.is_set():
                raise Cancelled
            report(i, len(study.designs))
            parts.append(worst_cases(_only(study, design)))
        return pd.concat(parts, ignore_index=True)

    return compute


def _only(study: Study, design: "Design") -> Study:
    return study.model_copy(update={"designs": (design,)})


st.title(PAGES["decision_rules"].heading)
found = draft.checked()
if isinstance(found, Study):
    st.caption(markdown(found.title))
    st.header("When is a dose declared or dropped?", anchor=False)
    if found.conduct is not None:
        in_time(found)
    curves(found)
    st.header("Decision table", anchor=False)
    chosen = table(found)
    st.header("Exact error beside the promised one", anchor=False)
    exact_errors(found)
    code(partial(recipes.of_rules, found, chosen))
else:
    st.info("The plan has errors: mend them to see its decision rules.", icon=":material/info:")
    link_to("plan", "Go to the plan")

"""Results: what trialists ask first, then everything else."""

import streamlit as st

from gai_app import export
from gai_app.escaping import file_name, markdown
from gai_app.jobs import Results
from gai_app.plots.months import draw_course, draw_month_declarations, draw_month_times
from gai_app.plots.results import draw_declarations, draw_patients, draw_times, draw_verdicts
from gai_app.plots.style import draw
from gai_app.widgets import choose, choose_truth, few_designs, with_results, word_table
from gai_core.results import (
    LOWER_BOUNDS,
    bound_lines,
    chances_of,
    declaration_curves,
    declaration_table,
    dose_patients,
    enrolment_curves,
    last_end,
    least_error,
    month_curves,
    month_table,
    most_uncertain_chance,
    reading_note,
    runs_for,
    time_boxes,
    truth_tables,
    verdict_shares,
)
from gai_core.study import Truth


def choose_doses(results: Results, truth: Truth) -> int:
    """How many declared doses the first figure is about."""
    good = max(1, sum(results.study.good(truth)))
    return choose("Doses declared, at least", list(range(1, good + 1)), "doses")


def declarations(results: Results, truth: Truth, wanted: int) -> None:
    """The chance of having declared at least so many doses by N patients."""
    st.subheader("How soon is a dose declared?")
    curves = declaration_curves(results.runs, truth.name, wanted)
    lines = bound_lines(results.bounds, truth.name)
    draw(draw_declarations(results.study, wanted, curves, lines), "chance-of-declaration")
    if not any(results.study.good(truth)):
        st.caption("No dose meets the target here: every declaration is a false one.")
    st.caption(
        "Shaded: 95% Monte Carlo interval at each number of patients. The dashed line is a lower "
        "bound on the mean number for designs that always decide, not on a single trial."
    )
    with st.expander("The same as a table"):
        word_table(declaration_table(curves))
    if results.study.conduct is not None:
        _by_month(results, truth, wanted)


def _by_month(results: Results, truth: Truth, wanted: int) -> None:
    st.subheader("By which month is a dose declared?")
    curves = month_curves(results.runs, truth.name, wanted)
    draw(draw_month_declarations(curves, wanted), "chance-by-month")
    st.caption(
        "The same trials over time, with what accrual and delay add: a verdict waits for outcomes "
        "and for the next look."
    )
    with st.expander("The same as a table"):
        word_table(month_table(curves))


def times(results: Results, truth: Truth) -> None:
    """The distributions of tau_1, tau_2, ... and tau_stop beside the bounds."""
    st.subheader("How many patients until each verdict?")
    boxes = time_boxes(results.study, truth, results.values)
    lines = bound_lines(results.bounds, truth.name)
    draw(draw_times(results.study, boxes, lines), "patients-until-verdicts")
    with st.expander("How to read this figure, and what the bounds say"):
        st.markdown(
            "Boxes hold the middle half of the trials, whiskers the middle 80%. Trials that did "
            "not get there by the largest sample size count as longer than all others: boxes end "
            "at it, and the share that gets there stands at the right. A declaration that never "
            "comes because every dose has a verdict counts from the end of the trial, as in the "
            "paper.\n\n" + "\n".join(f"- {text}" for text in LOWER_BOUNDS.values())
        )


def months(results: Results, truth: Truth) -> None:
    """Conducted trials over time: verdicts in months, enrolment and verdicts month by month."""
    st.subheader("How many months until each verdict?")
    boxes = time_boxes(results.study, truth, results.values, months=True)
    last = last_end(results.study, truth, results.values)
    draw(draw_month_times(results.study, boxes, last), "months-until-verdicts")
    st.caption(
        "Boxes as above. A verdict that did not come by the end of its trial counts as later than "
        "all others."
    )
    st.subheader("Enrolment and verdicts, month by month")
    draw(draw_course(enrolment_curves(results.runs, truth.name)), "course-of-the-trial")
    st.caption(
        "Shaded: the middle 80% of the trials. Below, thick lines are declared doses, thin ones "
        "dropped doses."
    )


def doses(results: Results, truth: Truth) -> None:
    """Verdicts and patients per dose."""
    st.subheader("Which verdict does each dose get?")
    draw(draw_verdicts(verdict_shares(results.study, truth, results.values)), "verdicts")
    st.subheader("How many patients does each dose get?")
    series = dose_patients(results.study, truth, results.values)
    draw(draw_patients(results.study, series), "patients-per-dose")
    st.caption("Mean number of patients; lines hold the middle 80% of the trials.")
    apart = results.study.set_apart
    if apart is not None:
        label = markdown(results.study.arms[apart].label)
        st.caption(f"{label} is set apart: it has its share of the patients and gets no verdict.")


def tables(results: Results, truth: Truth) -> None:
    """All operating characteristics with their standard errors, to read and to take away."""
    st.subheader("Operating characteristics")
    study = results.study
    for table in truth_tables(study, truth, results.values, results.bounds):
        st.markdown(f"**{markdown(table.title)}**")
        word_table(table)
    st.caption(reading_note(study))
    precision(results)
    st.download_button(
        "Download all characteristics (CSV)",
        lambda: results.table.to_csv(index=False, lineterminator="\n"),
        file_name=file_name(study.title, "-characteristics.csv"),
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        help="One tidy table: truth, design, quantity, arm, statistic, value, standard error.",
    )


def precision(results: Results) -> None:
    """How many trials would make the chances as precise as wanted."""
    runs = results.study.simulation.runs
    least = most_uncertain_chance(results.study, results.values)
    if least is None:
        st.caption("With one trial there is no standard error; simulate more.")
        return
    wanted = st.select_slider(
        "Wanted standard error of every chance, in percentage points",
        [0.1, 0.2, 0.25, 0.5, 1.0, 2.0],
        value=0.5,
        key="wanted-precision",
    )
    error = max(least.mcse, least_error(runs))
    needed = runs_for(error, runs, wanted / 100)
    label = chances_of(results.study)[least.quantity].label
    what = f"{label}, {markdown(least.design)}, {markdown(least.truth)}"
    now = f"The least certain chance now has ±{100 * error:.2g} ({what})."
    if needed <= runs:
        st.markdown(f"{now} These {runs:,} trials are enough for ±{wanted:g}.")
    else:
        st.markdown(f"{now} For ±{wanted:g} simulate **{needed:,} trials** (now {runs:,}).")


def page(results: Results) -> None:
    """All figures and tables under one truth."""
    results = few_designs(results)
    left, right, share = st.columns([3, 3, 1], vertical_alignment="top")
    with left:
        truth = choose_truth(results)
    with right:
        wanted = choose_doses(results, truth)
    with share:
        st.space("small")
        export.share(results.study, "results")
    export.reports(results)
    declarations(results, truth, wanted)
    times(results, truth)
    if results.study.conduct is not None:
        months(results, truth)
    doses(results, truth)
    tables(results, truth)


st.title("Results")
with_results(page)

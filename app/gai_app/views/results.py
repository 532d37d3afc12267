"""Results in tabs: the chance of a declaration, times, doses, tables, and what to take away."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import streamlit as st

from gai_app import export, recipes
from gai_app.answer import draw_answer
from gai_app.escaping import file_name, markdown
from gai_app.jobs import Results
from gai_app.pages import PAGES
from gai_app.plots.months import draw_course, draw_month_declarations, draw_month_times
from gai_app.plots.results import draw_declarations, draw_patients, draw_times, draw_verdicts
from gai_app.widgets import (
    choose,
    choose_truth,
    code,
    few_designs,
    figure,
    folded,
    tabs,
    with_results,
    word_table,
)
from gai_core.results import (
    LOWER_BOUNDS,
    BoundLine,
    WordTable,
    bound_lines,
    bounds_beyond,
    boxes_table,
    chances_of,
    course_table,
    declaration_curves,
    declaration_table,
    dose_patients,
    enrolment_curves,
    estimation_note,
    estimation_tables,
    largest_error,
    last_end,
    month_curves,
    month_table,
    most_uncertain_chance,
    never_reached,
    overestimation_in_words,
    patients_table,
    quantities_of,
    reached_boxes,
    reading_note,
    runs_for,
    time_boxes,
    times_of_one_look,
    truth_tables,
    verdict_shares,
    verdicts_table,
)
from gai_core.study import Study, Truth

if TYPE_CHECKING:
    import plotly.graph_objects as go

NO_GOOD_DOSE = "No dose meets the target here: every declaration is a false one."
READING = (
    "Boxes hold the middle half of the trials, whiskers the middle 80%. Trials that did not get "
    "there by the largest sample size count as longer than all others: boxes end at it, and the "
    "share that gets there stands at the right. A declaration that never comes because every dose "
    "has a verdict counts from the end of the trial, as in the paper.\n"
)


def chance(results: Results, truth: Truth) -> None:
    """The chance of having declared at least so many doses by N patients, and by month."""
    good = max(1, sum(results.study.good(truth)))
    wanted = 1
    if good > 1:
        menu, _ = st.columns([1, 2])
        with menu:
            wanted = choose("Doses declared, at least", list(range(1, good + 1)), "doses")
    what = "a dose" if wanted == 1 else f"{wanted} doses"
    st.header(f"How soon {'is' if wanted == 1 else 'are'} {what} declared?", anchor=False)
    curves = declaration_curves(results.runs, truth.name, wanted)
    lines = bound_lines(results.bounds, truth.name)
    figure(
        draw_declarations(results.study, wanted, curves, lines),
        "chance-of-declaration",
        f"chance of having declared {what}, by number of patients",
        lambda: declaration_table(curves),
        *([] if any(results.study.good(truth)) else [NO_GOOD_DOSE]),
        "Shaded: 95% Monte Carlo interval at each number of patients. The dashed line is a lower "
        "bound on the mean number for designs that always decide within their error rates, not on "
        "a single trial.",
        *beyond(results, lines, {f"tau_{wanted}"}),
    )
    if results.study.conduct is not None:
        _by_month(results, truth, wanted, what)
    code(lambda: recipes.of_results(results.study, truth.name, wanted))


def beyond(results: Results, lines: list[BoundLine], quantities: set[str]) -> Iterator[str]:
    """Bounds that lie to the right of a figure, in words."""
    known = quantities_of(results.study)
    labels = {key: known[key].label for key in known if key in quantities}
    return bounds_beyond(lines, results.study.simulation.n_max, labels)


def _by_month(results: Results, truth: Truth, wanted: int, what: str) -> None:
    st.header("By which month is a dose declared?", anchor=False)
    curves = month_curves(results.runs, truth.name, wanted)
    figure(
        draw_month_declarations(curves, wanted),
        "chance-by-month",
        f"chance of having declared {what}, by month",
        lambda: month_table(curves),
        "The same trials over time, with what accrual and delay add: a verdict waits for outcomes "
        "and for the next look.",
    )


def time(results: Results, truth: Truth) -> None:
    """Patients, and months, until every verdict, beside the bounds."""
    st.header("How many patients until each verdict?", anchor=False)
    boxes = time_boxes(results.study, truth, results.values)
    lines, drawn = bound_lines(results.bounds, truth.name), reached_boxes(boxes)
    in_words = [
        never_reached(boxes),
        markdown(times_of_one_look(results.study)),
        *beyond(results, lines, {box.quantity for box in boxes}),
    ]
    _boxes(
        draw_times(results.study, drawn, lines) if drawn else None,
        "patients-until-verdicts",
        "patients until each verdict",
        boxes_table(drawn),
        in_words,
    )
    with folded("How to read this figure, and what the bounds say", "reading") as is_open:
        if is_open:
            st.markdown("\n- ".join([READING, *LOWER_BOUNDS.values()]))
    if results.study.conduct is not None:
        months(results, truth)


def _boxes(
    drawn: "go.Figure | None", name: str, title: str, table: WordTable, notes: list[str]
) -> None:
    """Boxes where a trial of some design got there, and words for what is not drawn."""
    said = [note for note in notes if note]
    if drawn is not None:
        figure(drawn, name, title, lambda: table, *said)
        return
    for note in said:
        st.markdown(note)


def months(results: Results, truth: Truth) -> None:
    """Conducted trials over time: verdicts in months, enrolment and verdicts month by month."""
    st.header("How many months until each verdict?", anchor=False)
    boxes = time_boxes(results.study, truth, results.values, months=True)
    last, drawn = last_end(results.study, truth, results.values), reached_boxes(boxes)
    _boxes(
        draw_month_times(results.study, drawn, last) if drawn else None,
        "months-until-verdicts",
        "months until each verdict",
        boxes_table(drawn),
        [
            never_reached(boxes),
            "Boxes as above. A verdict that did not come by the end of its trial counts as later "
            "than all others.",
        ],
    )
    st.header("Enrolment and verdicts, month by month", anchor=False)
    curves = enrolment_curves(results.runs, truth.name)
    figure(
        draw_course(curves),
        "course-of-the-trial",
        "patients enrolled and doses with a verdict, month by month",
        lambda: course_table(curves),
        "Shaded: the middle 80% of the trials. Below, thick lines are declared doses, thin ones "
        "dropped doses.",
    )


def doses(results: Results, truth: Truth) -> None:
    """Verdicts and patients per dose."""
    st.header("Which verdict does each dose get?", anchor=False)
    shares = verdict_shares(results.study, truth, results.values)
    figure(
        draw_verdicts(shares), "verdicts", "verdicts of each dose", lambda: verdicts_table(shares)
    )
    st.header("How many patients does each dose get?", anchor=False)
    series = dose_patients(results.study, truth, results.values)
    figure(
        draw_patients(results.study, series),
        "patients-per-dose",
        "patients on each dose",
        lambda: patients_table(series),
        "Mean number of patients; lines hold the middle 80% of the trials.",
        *_set_apart(results.study),
    )


def _set_apart(study: Study) -> Iterator[str]:
    if study.set_apart is not None:
        label = markdown(study.arms[study.set_apart].label)
        gets = "has its share of the" if study.control_has_patients else "gets no"
        yield f"{label} is set apart: it {gets} patients and gets no verdict."


def estimates(results: Results, truth: Truth) -> None:
    """How far off the estimates are when the trial ends, and what intervals around them cover."""
    st.header("Can the estimates be trusted?", anchor=False)
    st.markdown(markdown(overestimation_in_words(results, truth)))
    for table in estimation_tables(results, truth):
        st.subheader(markdown(table.title), anchor=False)
        word_table(table)
    st.caption(markdown(estimation_note(results.study)))


def tables(results: Results, truth: Truth) -> None:
    """All operating characteristics with their standard errors, to read and to take away."""
    st.header("Operating characteristics", anchor=False)
    study = results.study
    for table in truth_tables(study, truth, results.values, results.bounds):
        symbols = f"In the paper: {markdown(table.symbols)}." if table.symbols else None
        st.subheader(markdown(table.title), anchor=False, help=symbols)
        word_table(table)
    st.caption(markdown(reading_note(study)))
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
    error = largest_error(least, runs)
    needed = runs_for(error, runs, wanted / 100)
    label = chances_of(results.study)[least.quantity].label
    what = f"{label}, {markdown(least.design)}, {markdown(least.truth)}"
    now = f"The least certain chance now has ±{100 * error:.2g} ({what})."
    if needed <= runs:
        st.markdown(f"{now} These {runs:,} trials are enough for ±{wanted:g}.")
    else:
        st.markdown(f"{now} For ±{wanted:g} simulate **{needed:,} trials** (now {runs:,}).")


def report(results: Results, _truth: Truth) -> None:
    """Files: the report in every format, all data."""
    st.header("Report and data", anchor=False)
    st.markdown(
        "The report begins with one page: the design to use beside the usual one, what happens if "
        "the drug is inert, and a sample-size paragraph for the protocol. Objectives, estimand, "
        "decision rules, error, power, sensitivity and a checklist follow. Each file is made when "
        "it is asked for."
    )
    export.reports(results)


TABS = {
    "Chance": chance,
    "Time": time,
    "Doses": doses,
    "Estimates": estimates,
    "Tables": tables,
    "Report": report,
}


def page(results: Results) -> None:
    """A tab at a time, under one truth."""
    draw_answer(results)
    results = few_designs(results)
    left, share = st.columns([6, 1], vertical_alignment="top")
    with left:
        truth = choose_truth(results)
    with share:
        st.space("small")
        export.share(results.study, "results")
    shown, place = tabs(list(TABS), "results-tab")
    with place:
        TABS[shown](results, truth)


st.title(PAGES["results"].heading)
with_results(page)

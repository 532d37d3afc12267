"""Compare: designs against a baseline on the same patients, under all truths at once."""

import streamlit as st

from gai_app.escaping import markdown
from gai_app.jobs import Results
from gai_app.plots.compare import draw_differences
from gai_app.plots.style import draw
from gai_app.widgets import choose, with_results, word_table
from gai_core.results import (
    LABELS,
    benchmark_of,
    comparable,
    compare,
    comparison_table,
    difference_in_words,
    extremes_table,
)
from gai_core.study import Study


def choices(study: Study) -> tuple[str, str]:
    """The baseline and what is compared."""
    left, right = st.columns(2)
    names = [design.name for design in study.designs]
    fixed = benchmark_of(study)
    if fixed is not None:
        names = [fixed, *(name for name in names if name != fixed)]
    with left:
        baseline = choose("Baseline", names, "baseline")
    with right:
        quantity = choose(
            "Compare by", list(comparable(study)), "quantity", words=lambda key: LABELS[key]
        )
    if fixed is None:
        st.info(
            "The study has no fixed design, the usual benchmark: add it on the plan page.",
            icon=":material/info:",
        )
    return baseline, quantity


def page(results: Results) -> None:
    """A heat map, the table behind it, and each design at its best and worst."""
    study = results.study
    baseline, quantity = choices(study)
    compared = compare(results.runs, results.values, baseline, quantity)
    title = f"{LABELS[quantity].capitalize()}, against {markdown(baseline)}"
    st.subheader(title, anchor=False)
    words = [
        [difference_in_words(row, quantity) for row in block.itertuples()]
        for _, block in compared.groupby("design", sort=False)
    ]
    figure = draw_differences(compared, words, less_is_better=comparable(study)[quantity])
    draw(figure, "differences")
    until = "the end of the trial" if quantity.startswith("months") else "the largest sample size"
    st.caption(
        "Difference on the same simulated patients with its 95% interval; blue is better than "
        f"the baseline, orange worse. Times count up to {until}."
    )
    st.subheader("All designs under all assumptions")
    word_table(comparison_table(study, compared, quantity))
    st.subheader("Best and worst case")
    word_table(extremes_table(study, compared, quantity))


st.title("Compare designs")
with_results(page)

"""Compare: designs against a baseline on the same patients, under all truths at once."""

import streamlit as st

from gai_app.escaping import markdown
from gai_app.jobs import Results
from gai_app.plots.compare import draw_differences
from gai_app.plots.style import draw
from gai_app.widgets import choose, with_results, word_table
from gai_core.results import (
    benchmark_of,
    comparable,
    comparison_table,
    difference_in_words,
    extremes_table,
)
from gai_core.study import Study


def choices(study: Study) -> tuple[str, str]:
    """The baseline and what is compared."""
    left, right = st.columns(2)
    known = comparable(study)
    names = [design.name for design in study.designs]
    fixed = benchmark_of(study)
    if fixed is not None:
        names = [fixed, *(name for name in names if name != fixed)]
    with left:
        baseline = choose("Baseline", names, "baseline")
    with right:
        quantity = choose(
            "Compare by", list(known), "quantity", words=lambda key: known[key].compared_label
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
    baseline, key = choices(study)
    quantity = comparable(study)[key]
    compared = results.comparison(key, baseline)
    label = quantity.compared_label
    title = f"{label[0].upper()}{label[1:]}, against {markdown(baseline)}"
    st.subheader(title, anchor=False)
    words = [
        [difference_in_words(row, quantity) for row in block.itertuples()]
        for _, block in compared.groupby("design", sort=False)
    ]
    figure = draw_differences(compared, words, less_is_better=quantity.better == "less")
    draw(figure, "differences")
    until = f" Times count up to {quantity.otherwise}." if quantity.otherwise else ""
    st.caption(
        "Difference on the same simulated patients with its 95% interval; blue is better than "
        f"the baseline, orange worse.{until}"
    )
    st.subheader("All designs under all assumptions")
    word_table(comparison_table(study, compared, key))
    st.subheader("Best and worst case")
    word_table(extremes_table(study, compared, key))


st.title("Compare designs")
with_results(page)

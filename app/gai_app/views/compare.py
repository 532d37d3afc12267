"""Compare: designs against a baseline on the same patients, under all truths at once."""

import streamlit as st

from gai_app import recipes, session
from gai_app.answer import advice_on_run
from gai_app.escaping import markdown
from gai_app.explore import equal_power, mcp_mod
from gai_app.jobs import Results
from gai_app.pages import PAGES
from gai_app.plots.compare import draw_differences
from gai_app.widgets import choose, code, figure, with_results, word_table
from gai_core.questions import side_by_side
from gai_core.results import (
    benchmark_of,
    comparable,
    differences_table,
    set_against,
    values_table,
)
from gai_core.study import Study


def choices(study: Study) -> tuple[str, str]:
    """The baseline and what is compared."""
    left, right = st.columns([1, 2])
    known = comparable(study)
    names = [design.name for design in study.designs]
    benchmark = benchmark_of(study)
    if benchmark is not None:
        names = [benchmark, *(name for name in names if name != benchmark)]
    with left:
        baseline = choose("Baseline", names, "baseline")
    with right:
        quantity = choose(
            "Compare by", list(known), "quantity", words=lambda key: known[key].compared_label
        )
    if benchmark is None:
        st.info(
            "The study has neither a group-sequential nor a fixed design, the usual benchmarks: "
            "add one on the plan page.",
            icon=":material/info:",
        )
    return baseline, quantity


def page(results: Results) -> None:
    """A heat map of differences, and the values themselves."""
    study = results.study
    baseline, key = choices(study)
    quantity = comparable(study)[key]
    compared = results.comparison(key, baseline)
    label = quantity.compared_label
    words = differences_table(study, compared, key)
    st.header(f"Difference from {markdown(baseline)}", anchor=False)
    against = markdown(set_against(study, baseline))
    st.markdown(f"{label[0].upper()}{label[1:]}. {against} At equal power they stand further down.")
    figure(
        draw_differences(
            compared, [row[1:] for row in words.rows], less_is_better=quantity.better == "less"
        ),
        "differences",
        f"difference of every design from {baseline} under every assumed dose-response",
        lambda: words,
        "Difference on the same simulated patients with its 95% interval; blue is better than "
        "the baseline, orange worse.",
    )
    st.header("The values themselves", anchor=False)
    word_table(values_table(study, compared, key))
    st.caption("± is the Monte Carlo standard error.")
    code(lambda: recipes.of_comparison(study, key, baseline))
    equal_power.section(study)
    mcp_mod.section(results)


def runs() -> None:
    """The session's runs beside one another, those of other studies too."""
    kept = session.results()
    if len(kept) > 1:
        st.header("Runs side by side", anchor=False)
        word_table(side_by_side((session.name(one), one, advice_on_run(one)) for one in kept))
        st.caption(
            "Every run in its own study: the least and the most over its designs with its own "
            "largest sample size, then the design to use, where they were compared at equal power."
        )


st.title(PAGES["compare"].heading)
with_results(page)
runs()

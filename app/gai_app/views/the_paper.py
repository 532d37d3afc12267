"""The paper: its tables and its figure, recomputed beside the published numbers."""

from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import NamedTuple

import pandas as pd
import streamlit as st

from gai_app import session, widgets
from gai_app.clicks import clicked
from gai_app.escaping import markdown
from gai_app.jobs import server_work
from gai_app.pages import PAGES, link_to
from gai_app.plots.paper import RULES, TIMES, draw_figure
from gai_app.widgets import figure, word_table
from gai_core import __version__
from gai_core.basics import PAPER, number, with_error
from gai_core.engine import CancelFlag, Progress
from gai_core.paper import (
    FIGURE_N_MAX,
    FIGURE_TIMES,
    N_MAX,
    PUBLISHED_RUNS,
    SEED,
    paper_blocks,
    published,
    reproduce_figure,
    reproduce_tables,
    with_sd,
)
from gai_core.results import WordTable

KIND = "paper"
KEY = f"paper {__version__}"
TITLES = {"table1": "Table 1", "table2": "Table 2"}


class Reproduction(NamedTuple):
    """The recomputed tables and figure."""

    tables: pd.DataFrame
    figure: pd.DataFrame


def task(report: Progress, cancel: CancelFlag) -> Reproduction:
    """Tables, then the figure; about equal parts of the progress bar."""
    with server_work(report, cancel) as work:
        first = replace(work, progress=lambda done, total: report(done, 2 * total))
        second = replace(work, progress=lambda done, total: report(total + done, 2 * total))
        return Reproduction(reproduce_tables(work=first), reproduce_figure(work=second))


def show_published() -> None:
    """The numbers as printed, until they are recomputed."""
    for table, block in published().groupby("table", sort=False):
        st.header(TITLES[str(table)], anchor=False)
        printed = [with_sd(mean, sd) for mean, sd in zip(block["mean"], block.sd, strict=True)]
        frame = block[["setting", "delta", "rule", "quantity"]].assign(published=printed)
        heads = ["setting", "error rate (delta)", "allocation rule", "time", "published"]
        word_table(WordTable(TITLES[str(table)], heads, frame.astype(str).values.tolist()))


def show_tables(values: pd.DataFrame) -> None:
    """Published beside computed, with the reason where they do not agree."""
    for name, blocks in groupby(paper_blocks(values), lambda block: block.name):
        st.header(TITLES[name], anchor=False)
        for block in blocks:
            st.subheader(markdown(block.words.title), anchor=False)
            word_table(block.words)
            for text in block.reasons:
                st.warning(markdown(text), icon=":material/compare_arrows:")


def show_figure(values: pd.DataFrame) -> None:
    """The paper's figure, one panel per time."""
    st.header("Figure: patients against the asymptotic bound (Medical 2)", anchor=False)
    for column, quantity in zip(st.columns(len(FIGURE_TIMES)), FIGURE_TIMES, strict=True):
        with column:
            figure(
                draw_figure(values, quantity),
                f"paper-{quantity}",
                f"{TIMES[quantity]}, as the error rate falls",
                partial(figure_table, values, quantity),
            )
    st.caption("Bars are two Monte Carlo standard errors. The paper prints no numbers with it.")


def figure_table(values: pd.DataFrame, quantity: str) -> WordTable:
    """The points of the figure."""
    here = values[values.quantity == quantity]
    rows = [
        [
            f"{row.log_1_over_delta:g}",
            RULES[row.rule],
            with_error(row.mean, row.mcse),
            number(row.asymptotic_bound),
        ]
        for row in here.itertuples()
    ]
    heads = ["log(1/delta)", "allocation rule", "patients", "asymptotic bound"]
    return WordTable(TIMES[quantity], heads, rows)


st.title(PAGES["the_paper"].heading)
link_to("help", "Back to Help")
st.markdown(
    f"The method is from {markdown(PAPER)}. Every number of its two tables and its figure can be "
    f"computed again here: {PUBLISHED_RUNS:,} trials a row or point, seed {SEED}, up to {N_MAX:,} "
    f"patients a trial in the tables and {FIGURE_N_MAX:,} in the figure."
)
answer = session.answer(KIND, KEY)
job, progress = session.job(KIND), st.container()
if answer is not None:
    show_tables(answer.tables)
    show_figure(answer.figure)
elif job is not None and not job.ended:
    widgets.watch(KIND, progress)
    show_published()
else:
    widgets.ended_badly(KIND)
    if clicked(
        "Recompute all of it",
        key="recompute",
        type="primary",
        icon=":material/play_arrow:",
    ):
        session.start(KIND, KEY, "Recomputing the paper", task)
        st.rerun()
    show_published()

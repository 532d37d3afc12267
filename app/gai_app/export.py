"""Where a study and its results go: files, reports, a link for a colleague."""

from functools import partial

import streamlit as st

from gai_app.answer import Advising, advice_at_the_click
from gai_app.editor.sheet import draw_download
from gai_app.escaping import file_name
from gai_app.jobs import Results
from gai_app.links import file_text, link
from gai_core import Study
from gai_core.report import FORMATS, PAPERS, Format, Layout, build_report
from gai_core.results import saved_zip

AT_THE_CLICK = "built-at-the-click"
"""A click in here waits until all that was typed has arrived (`sheet.js`)."""


def download(study: Study) -> None:
    """The study file, as the command line reads it."""
    with st.container(key=AT_THE_CLICK):
        draw_download(
            "Download study",
            file_name(study.title, ".toml"),
            file_text(study),
            "A TOML file: gai run FILE reads it, and so does this page.",
        )


def no_download() -> None:
    """The same place while the study has errors."""
    st.container(key=AT_THE_CLICK).button(
        "Download study", icon=":material/download:", disabled=True, width="stretch"
    )


def share(study: Study, page: str) -> None:
    """A link that carries the whole study and opens this page."""
    menu = st.popover(
        "Share", icon=":material/link:", width="stretch", on_change="rerun", key="share"
    )
    if not menu.open:
        return
    with menu:
        address = link(study, st.context.url or "", page)
        if address is None:
            st.write("This study is too long for a link: send the study file instead.")
            return
        st.write("This link carries the whole study; nothing is stored on the server.")
        st.code(address, language=None, wrap_lines=True)


def _written(
    results: Results, advise: Advising, form: Format, layout: Layout, *, full: bool
) -> bytes:
    return form.write(build_report(results, advice=advise(), layout=layout, full=full))


def reports(results: Results) -> None:
    """The report in every format and all data; each is made when it is asked for."""
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    paper = left.radio(
        "Paper",
        list(PAPERS),
        format_func=lambda key: PAPERS[key].label,
        horizontal=True,
        key="report-paper",
    )
    full = right.toggle(
        "With the appendix",
        key="report-full",
        help="All decision tables, operating characteristics, figures and comparisons, and the "
        "study file. Without it the report has its first page and the body.",
    )
    layout = Layout(paper or next(iter(PAPERS)))
    advise = advice_at_the_click(results)
    title, columns = results.study.title, st.columns(len(FORMATS) + 1)
    for column, form in zip(columns, FORMATS.values(), strict=False):
        column.download_button(
            f"Report ({form.label})",
            partial(_written, results, advise, form, layout, full=full),
            file_name=file_name(title, f"-report{form.key}"),
            mime=form.mime,
            icon=":material/description:",
            on_click="ignore",
            width="stretch",
        )
    columns[-1].download_button(
        "All data (ZIP)",
        lambda: saved_zip(results.runs, results.table),
        file_name=file_name(title, ".zip"),
        icon=":material/folder_zip:",
        help="Study, tidy table (CSV and Parquet), every simulated trial, and a manifest.",
        on_click="ignore",
        width="stretch",
    )

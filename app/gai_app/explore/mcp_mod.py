"""Compare: MCP-Mod, the usual analysis of a dose-finding trial, on the same patients."""

from dataclasses import dataclass

import streamlit as st

from gai_app import recipes
from gai_app.escaping import file_name, markdown
from gai_app.explore.jobs import answered, offer
from gai_app.explore.parts import warn_if_changed
from gai_app.jobs import Results, question, server_work
from gai_app.places import sentences
from gai_app.settings import MCP_MOD_TRIALS
from gai_app.widgets import code, word_table
from gai_core import InputError, Study
from gai_core.engine import CancelFlag, Progress
from gai_core.mcp_mod import (
    mcp_mod,
    mcp_mod_sentences,
    mcp_mod_table,
    mcp_mod_tables,
    why_not,
)
from gai_core.results import Values, WordTable
from gai_core.study import changed

KIND = "mcp-mod"


@dataclass(frozen=True)
class McpModFound:
    """What is shown of MCP-Mod, without the trials behind it."""

    sentences: list[str]
    tables: list[WordTable]
    csv: str


@dataclass(frozen=True)
class McpModAsked:
    """What would MCP-Mod find in the same patients?"""

    study: Study
    values: Values
    """What is known of its designs."""

    @property
    def key(self) -> str:
        """Its name."""
        return question("MCP-Mod", self.study)

    @property
    def label(self) -> str:
        """The work in a few words."""
        return "MCP-Mod on the same patients"

    def work(self, report: Progress, cancel: CancelFlag) -> McpModFound:
        """Every trial analysed, up to so many as the server allows."""
        study = changed(self.study, runs=min(self.study.simulation.runs, MCP_MOD_TRIALS))
        with server_work(report, cancel) as work:
            found = mcp_mod(study, work=work)
        return McpModFound(
            list(mcp_mod_sentences(found)),
            mcp_mod_tables(found, self.study, self.values),
            mcp_mod_table(found).to_csv(index=False, lineterminator="\n"),
        )


def section(results: Results) -> None:
    """The question, and its answer as soon as there is one."""
    st.header("MCP-Mod on the same patients", anchor=False)
    problem = why_not(results.study)
    if problem is not None:
        st.caption(markdown(f"Not for this study. {sentences(InputError(problem))[0]}"))
        return
    with st.container(border=True):
        offer(KIND, "Set MCP-Mod beside the designs", McpModAsked(results.study, results.values))
    kept = answered(KIND)
    if kept is None:
        st.caption(
            "MCP-Mod is what dose-finding trials of a fixed size are usually analysed by: "
            "candidate curves, a test for a dose-response, and the dose that the best curve "
            "chooses."
        )
        return
    warn_if_changed(kept[0].study, results.study)
    _answer(*kept)


def _answer(asked: McpModAsked, found: McpModFound) -> None:
    first, *others = found.sentences
    st.markdown(f"**{markdown(first)}**")
    st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in others))
    for words in found.tables:
        st.subheader(markdown(words.title), anchor=False)
        word_table(words)
    st.caption("± is the Monte Carlo standard error.")
    st.download_button(
        "Download MCP-Mod (CSV)",
        found.csv,
        file_name=file_name(asked.study.title, "-mcp-mod.csv"),
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
    code(lambda: recipes.of_mcp_mod(asked.study), f"code-{KIND}")

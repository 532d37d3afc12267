"""Where a study goes: a file for the command line, a link for a colleague."""

import streamlit as st

from app.links import link
from app.plain import file_name
from gai_core import Study, dump_study


def download(study: Study) -> None:
    """The study file, as the command line reads it."""
    st.download_button(
        "Download study",
        dump_study(study),
        file_name=file_name(study.title, ".toml"),
        mime="application/toml",
        icon=":material/download:",
        help="A TOML file: `gai run FILE` reads it, and so does this page.",
        on_click="ignore",
        width="stretch",
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

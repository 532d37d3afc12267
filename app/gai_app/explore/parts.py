"""Widgets that both questions have: under which assumptions, which designs, how many trials."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from gai_app.escaping import markdown
from gai_app.places import sentences
from gai_core import InputError, Study


class Scope(NamedTuple):
    """What of the study is simulated."""

    truths: tuple[str, ...]
    designs: tuple[str, ...]
    runs: int


def choose_scope(study: Study, kind: str, truths: Sequence[str]) -> Scope | None:
    """Truths, designs and trials; None, with the reason shown, where one is missing."""
    left, middle, right = st.columns([3, 3, 1.4])
    with left:
        names = [truth.name for truth in study.truths]
        chosen = _several(
            "Assumed dose-responses", names, truths, f"{kind}-truths",
            "It must hold under every one of them." if kind == "plan" else None,
        )  # fmt: skip
    with middle:
        names = [design.name for design in study.designs]
        designs = _several("Designs", names, names, f"{kind}-designs", None)
    with right:
        runs = st.number_input(
            "Simulated trials",
            value=study.simulation.runs,
            min_value=1,
            step=500,
            key=f"{kind}-runs-{study.simulation.runs}",
            persist_state="session",
            help="For every value, design and assumption. Four times as many, half the error.",
        )
    return Scope(chosen, designs, int(runs)) if chosen and designs and runs else None


def _several(
    label: str, names: Sequence[str], default: Sequence[str], name: str, help_text: str | None
) -> tuple[str, ...]:
    """At least one of the names; the choice is kept while these are the names."""
    picked = st.multiselect(
        label,
        names,
        default=list(default),
        key=f"{name}-{'|'.join(names)}-{'|'.join(default)}",
        persist_state="session",
        help=help_text,
    )
    if not picked:
        st.error(f"{label}: choose at least one.", icon=":material/error:")
    return tuple(entry for entry in names if entry in picked)


def refused(error: InputError) -> None:
    """The first problem, in the words of this page."""
    st.error(markdown(sentences(error)[0]), icon=":material/error:")


def warn_if_changed(asked: Study, study: Study) -> None:
    """An answer stays on the page when the plan is changed, but says so."""
    if asked != study:
        st.warning(
            "The plan was changed since: this answer is for the study as it was then.",
            icon=":material/edit_note:",
        )

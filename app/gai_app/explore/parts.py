"""Widgets that both questions have: under which assumptions, which designs, how many trials."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import streamlit as st

from gai_app.editor.parsing import READERS
from gai_app.escaping import markdown
from gai_app.places import sentences
from gai_core import InputError, Study
from gai_core.questions import USUAL_POWER, Wish, parse_wish
from gai_core.results import wishes_of


class Scope(NamedTuple):
    """What of the study is simulated."""

    truths: tuple[str, ...]
    designs: tuple[str, ...]
    runs: int


def choose_scope(study: Study, kind: str, truths: Sequence[str]) -> Scope | None:
    """Truths, designs and trials; None, with the reason shown, where one is missing."""
    left, right = st.columns([6, 1.4])
    with left:
        names = [truth.name for truth in study.truths]
        chosen = _several(
            "Assumed dose-responses",
            names,
            truths,
            f"{kind}-truths",
            "It must hold under every one of them." if kind == "plan" else None,
        )
    with right:
        runs = _runs(study, f"{kind}-runs-{study.simulation.runs}")
    names = [design.name for design in study.designs]
    designs = _several("Designs", names, names, f"{kind}-designs", None)
    return Scope(chosen, designs, runs) if chosen and designs and runs else None


def _runs(study: Study, key: str) -> int | None:
    label, help_text = "Simulated trials", "Four times as many, half the error."
    found = number_field(label, study.simulation.runs, key, "whole", help_text)
    if isinstance(found, int) and found >= 1:
        return found
    if found is not None:
        st.error(f"{label}: must be a whole number of at least 1.", icon=":material/error:")
    return None


def number_field(label: str, usual: float, key: str, reads: str, help_text: str) -> Any | None:
    """A number typed in any style, or the text that is none; None where it was refused in words."""
    typed = st.text_input(label, f"{usual:.15g}", key=key, persist_state="session", help=help_text)
    found = READERS[reads](typed)
    if found.why:
        st.error(markdown(f"{label}: {found.why}"), icon=":material/error:")
        return None
    return typed if found.value is None else found.value


def wish_field(label: str, quantity: str, argument: str, usual: float, key: str) -> Wish | None:
    """The chance of what is wished for: 0.8, 0,8 or 80%; `argument` is its name in errors."""
    help_text = f"The chance, at least: {usual:g} is {100 * usual:g}%, a usual power."
    chance = number_field(label, usual, key, "share", help_text)
    if chance is None:
        return None
    try:
        return parse_wish(f"{quantity}={chance}", argument)
    except InputError as error:
        refused(error)
        return None


class WishLabels(NamedTuple):
    """How a question asks for a chance under an assumption."""

    goal: str
    chance: str
    argument: str
    """The name of the chance in errors."""
    about_truth: str


def usual_power_under(
    study: Study, kind: str, truths: Sequence[str], labels: WishLabels
) -> tuple[Wish | None, str]:
    """What shall be reached with which chance, the usual power unless another is typed; where."""
    goal, chance, truth = st.columns([3, 1.4, 3])
    known = wishes_of(study)
    with goal:
        quantity = st.selectbox(
            labels.goal,
            list(known),
            index=list(known).index(USUAL_POWER.quantity),
            format_func=lambda key: known[key].wish,
            key=f"{kind}-quantity",
            persist_state="session",
        )
    with chance:
        usual = USUAL_POWER.chance
        wish = wish_field(labels.chance, quantity, labels.argument, usual, f"{kind}-chance")
    with truth:
        under = st.selectbox(
            "Assuming",
            truths,
            key=f"{kind}-under-{'|'.join(truths)}",
            persist_state="session",
            help=labels.about_truth,
        )
    return wish, under


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

"""What questions about a wished chance have in common: asked, refused, answered, taken along."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import streamlit as st

from gai_app.escaping import file_name, markdown
from gai_app.explore.jobs import Asked, answered, offer
from gai_app.explore.parts import WishLabels, refused, usual_power_under, warn_if_changed
from gai_app.recipes import Recipe
from gai_app.widgets import code, word_table
from gai_core import InputError, Study
from gai_core.questions import Wish
from gai_core.results import WordTable


class Checked(Asked, Protocol):
    """A question that can say why it cannot be asked."""

    def check(self) -> None:
        """Refuse what cannot be answered."""


@dataclass(frozen=True)
class Question:
    """One such question: its words, its further fields, and what is shown of the answer."""

    kind: str
    button: str
    wished: WishLabels
    nothing: str
    """Said where no assumption has a dose above the target."""
    about: str
    """Said while there is no answer."""
    asked: Callable[[Study, Wish | None, str], Checked | None]
    """Draws what is asked beside the wish, and puts all together if it can."""
    answer: Callable[[Any], None]
    """Draws an answer below its sentences."""
    download: str
    """What a table of the answer is called on its button."""
    recipe: Callable[[Any], Recipe]


def section(question: Question, study: Study) -> None:
    """The question, and its answer as soon as there is one."""
    able = [truth.name for truth in study.truths if study.above(truth)]
    if not able:
        st.caption(f"Under no assumption is a dose above the target: {question.nothing}.")
        return
    with st.container(border=True):
        offer(question.kind, question.button, _asked(question, study, able))
    kept = answered(question.kind)
    if kept is None:
        st.caption(question.about)
        return
    asked, found = kept
    warn_if_changed(asked.study, study)
    first, *others = found.sentences
    st.markdown(f"**{markdown(first)}**")
    st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in others))
    question.answer(found)
    st.download_button(
        f"Download {question.download} (CSV)",
        found.csv,
        file_name=file_name(asked.study.title, f"-{question.kind}.csv"),
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
    code(lambda: question.recipe(asked), f"code-{question.kind}")


def _asked(question: Question, study: Study, able: list[str]) -> Checked | None:
    """What is asked; None, with the reason shown, where it cannot be."""
    wish, under = usual_power_under(study, question.kind, able, question.wished)
    asked = question.asked(study, wish, under)
    try:
        if asked is not None:
            asked.check()
    except InputError as error:
        refused(error)
        return None
    return asked


def show_tables(tables: Sequence[WordTable]) -> None:
    """Each below its title."""
    for words in tables:
        st.subheader(markdown(words.title), anchor=False)
        word_table(words)

"""Compare at equal power: what designs need and save when all are equally likely to work."""

import streamlit as st

from gai_app import recipes
from gai_app.escaping import file_name, markdown
from gai_app.explore.jobs import EqualPowerAsked, EqualPowerFound, answered, offer
from gai_app.explore.parts import WishLabels, refused, usual_power_under, warn_if_changed
from gai_app.widgets import code, word_table
from gai_core import InputError, Study

KIND = "equal-power"
WISHED = WishLabels(
    "All designs shall reach that",
    "Power",
    "at",
    "The dose-response under which the chance is reached; all are shown.",
)


def section(study: Study) -> None:
    """The question, and its answer as soon as there is one."""
    st.header("At equal power", anchor=False)
    able = [truth.name for truth in study.truths if study.above(truth)]
    if not able:
        st.caption("Under no assumption is a dose above the target: there is no power to compare.")
        return
    with st.container(border=True):
        offer(KIND, "Compare at equal power", _question(study, able))
    kept = answered(KIND)
    if kept is None:
        st.caption(
            "Above, all designs have the same largest sample size. Here each gets the smallest one "
            "that reaches the chance, so that patients are compared between trials that are "
            "equally likely to succeed. A group-sequential trial and the fixed design are always "
            "among them."
        )
        return
    warn_if_changed(kept[0].study, study)
    _answer(*kept)


def _question(study: Study, able: list[str]) -> EqualPowerAsked | None:
    wish, under = usual_power_under(study, KIND, able, WISHED)
    if wish is None:
        return None
    try:
        asked = EqualPowerAsked(study, wish, under)
        asked.check()
    except InputError as error:
        refused(error)
        return None
    return asked


def _answer(asked: EqualPowerAsked, found: EqualPowerFound) -> None:
    first, *others = found.sentences
    st.markdown(f"**{markdown(first)}**")
    st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in others))
    for words in found.tables:
        st.subheader(markdown(words.title), anchor=False)
        word_table(words)
    st.download_button(
        "Download the comparison (CSV)",
        found.csv,
        file_name=file_name(asked.study.title, "-equal-power.csv"),
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
    wish = asked.wish.quantity, asked.wish.chance
    code(lambda: recipes.of_equal_power(asked.study, wish, asked.under), f"code-{KIND}")

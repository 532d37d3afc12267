"""Compare at equal power: what designs need and save when all are equally likely to work."""

import streamlit as st

from gai_app import recipes
from gai_app.explore import at_a_chance
from gai_app.explore.jobs import EqualPowerAsked, EqualPowerFound
from gai_app.explore.parts import WishLabels
from gai_core import Study
from gai_core.questions import Wish


def section(study: Study) -> None:
    """The question, and its answer as soon as there is one."""
    st.header("At equal power", anchor=False)
    at_a_chance.section(QUESTION, study)


def _asked(study: Study, wish: Wish | None, under: str) -> EqualPowerAsked | None:
    return None if wish is None else EqualPowerAsked(study, wish, under)


def _answer(found: EqualPowerFound) -> None:
    at_a_chance.show_tables(found.tables)


def _recipe(asked: EqualPowerAsked) -> recipes.Recipe:
    wish = asked.wish.quantity, asked.wish.chance
    return recipes.of_equal_power(asked.study, wish, asked.under)


QUESTION = at_a_chance.Question(
    "equal-power",
    "Compare at equal power",
    WishLabels(
        "All designs shall reach that",
        "Power",
        "at",
        "The dose-response under which the chance is reached; all are shown.",
    ),
    "there is no power to compare",
    "Above, all designs have the same largest sample size. Here each gets the smallest one that "
    "reaches the chance, so that patients are compared between trials that are equally likely to "
    "succeed. A group-sequential trial and the fixed design are always among them.",
    _asked,
    _answer,
    "the comparison",
    _recipe,
)

"""How many patients do I need? The smallest value that reaches a wished chance."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from gai_app import draft, recipes
from gai_app.clicks import clicked
from gai_app.escaping import file_name, markdown
from gai_app.explore.jobs import PlanAsked, answered, offer
from gai_app.explore.parts import choose_scope, refused, warn_if_changed, wish_field
from gai_app.pages import PAGES
from gai_app.widgets import code, folded, word_table
from gai_core import InputError, Study
from gai_core.questions import (
    SOLVABLE,
    USUAL_POWER,
    Plan,
    best_plan,
    how_sure,
    parse_among,
    plan_headline,
    plan_sentences,
    plan_table,
    plan_words,
    solvable,
    with_answer,
)
from gai_core.results import wishes_of

if TYPE_CHECKING:
    from gai_core.study import Number

KIND = "plan"
HELPS = {
    "n_max": "The trial ends with so many patients at the latest.",
    "delta": "The strictest error rate that still reaches it with the study's largest sample size.",
    "burn_in": "Outcomes of every dose before the allocation rule begins.",
    "looks": "For designs that look after every so many patients of a dose.",
}


def section(study: Study) -> None:
    """The question, and its answer as soon as there is one."""
    kept = answered(KIND)
    with st.container(border=True):
        asked = _question(study)
        offer(KIND, "Find it", asked)
    if kept is None:
        st.caption(
            "Every candidate value is simulated on the same patients, so the answer comes with its "
            "Monte Carlo confidence. What no design can reach is said at once."
        )
        return
    warn_if_changed(kept[0].study, study)
    _answer(kept[0], kept[1], study)


def _question(study: Study) -> PlanAsked | None:
    """What is wished for; None, with the reason at its field, where it cannot be asked."""
    goal, chance, find = st.columns([3, 1.4, 3])
    known = wishes_of(study)
    with goal:
        quantity = st.selectbox(
            "I want that",
            list(known),
            index=list(known).index(USUAL_POWER.quantity),
            format_func=lambda key: known[key].wish,
            key="plan-quantity",
            persist_state="session",
        )
    with chance:
        wish = wish_field("Chance, at least", quantity, "want", USUAL_POWER.chance, "plan-chance")
    with find:
        field = st.selectbox(
            "Find",
            list(SOLVABLE),
            format_func=lambda key: SOLVABLE[key].words,
            key="plan-field",
            persist_state="session",
            help=" ".join(
                f"**{SOLVABLE[key].head}** ({key} in a study file): {text}"
                for key, text in HELPS.items()
            ),
        )
    able = [truth.name for truth in study.truths if study.above(truth)]
    scope = choose_scope(study, KIND, able)
    if not able:
        st.caption("Under no assumption is a dose above the target: none can be planned for.")
    text, largest = _range(field)
    if wish is None or scope is None:
        return None
    try:
        among = parse_among(study, field, text) if text.strip() else None
        asked = PlanAsked(study, wish, field, *scope, among=among, largest=largest)
        asked.check()
    except InputError as error:
        refused(error)
        return None
    return asked


def _range(field: str) -> tuple[str, bool]:
    """Where to search, and from which end."""
    left, right = st.columns([3, 4.4], vertical_alignment="bottom")
    with left:
        text = st.text_input(
            "Search range (optional)",
            key=f"plan-among-{field}",
            placeholder="all values, or for example "
            f"{'0.01:0.2' if field == 'delta' else '100:2000'}",
            persist_state="session",
            help="Lowest and highest value to try, with a colon between them.",
        )
    if solvable(field).helps:
        return text, False
    with right:
        largest = st.toggle(
            "The largest value that still reaches it",
            key="plan-largest",
            persist_state="session",
            help="The longest equal start, or the fewest looks, instead of the smallest value.",
        )
    return text, largest


def _answer(asked: PlanAsked, plans: Sequence[Plan], study: Study) -> None:
    """The answer in words first, then everything behind it."""
    best = best_plan(asked.study, plans, asked.largest)
    if best is not None:
        st.header(markdown(plan_headline(best)), anchor=False)
        st.markdown(markdown(how_sure(best, asked.runs)))
    elif any(found.applies for found in plans):
        st.header("Not reached", anchor=False)
        st.markdown("Lower the wish, leave out an assumption, or search farther.")
    else:
        st.header("It does not matter to these designs", anchor=False)
    for found in plans:
        if found.value is None:
            st.warning(markdown(plan_sentences(found, asked.runs)[0]), icon=":material/block:")
    if best is not None:
        word_table(plan_words(plans, asked.truths))
        st.caption(
            f"{asked.runs:,} trials per value and assumption, on the same patients; intervals are "
            "Wilson's, 95% for each assumption."
        )
        with folded("Every design in words", "plan-sentences") as is_open:
            if is_open:
                _sentences(asked, plans)
    download, take, _ = st.columns([2, 2, 3])
    if best is not None and asked.study == study:
        with take:
            _take(study, [found for found in plans if found.value is not None], best)
    download.download_button(
        "Download the answer (CSV)",
        lambda: plan_table(plans).to_csv(index=False, lineterminator="\n"),
        file_name=file_name(asked.study.title, "-plan.csv"),
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        width="stretch",
    )
    wish = asked.wish.quantity, asked.wish.chance
    scope = asked.truths, asked.designs, asked.runs
    code(lambda: recipes.of_plan(asked.study, wish, asked.field, scope, asked.among, asked.largest))


def _sentences(asked: PlanAsked, plans: Sequence[Plan]) -> None:
    for found in plans:
        if found.value is not None:
            answer, *details = plan_sentences(found, asked.runs)
            lines = "\n".join(f"- {markdown(sentence)}" for sentence in details)
            st.markdown(f"**{markdown(answer)}**\n\n{lines}")


def _take(study: Study, reached: Sequence[Plan], best: Plan) -> None:
    """Put an answer into the study, and go there."""
    menu = st.popover("Put it into the study", icon=":material/edit_note:", width="stretch")
    with menu:
        names = [found.design for found in reached]
        name = st.selectbox("Of the design", names, index=names.index(best.design))
        found = reached[names.index(name)]
        choices: dict[str, Number | None] = {
            "reaches it in the simulation": found.value,
            "reaches it at 95% confidence": found.sure,
        }
        for words, value in choices.items():
            if value is None or (words.endswith("confidence") and value == found.value):
                continue
            of = SOLVABLE[found.field].head
            label = f"{of} {value:,}, which {words}"
            if clicked(label, key=f"put-{label}", width="stretch"):
                _put(study, found, value)


def _put(study: Study, found: Plan, value: "Number") -> None:
    try:
        draft.take_over(with_answer(study, found, value))
    except InputError as error:
        refused(error)
        return
    st.switch_page(str(PAGES["plan"].draws))

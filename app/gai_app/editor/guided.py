"""The short form of a first study: five questions; all else has usual values and is folded away."""

import streamlit as st

from gai_app import draft
from gai_app.editor import doses, first_study, kinds, target
from gai_app.editor.editing import Editing
from gai_app.editor.sheet import after_typing
from gai_core import Study
from gai_core.evidence import model_of, named_outcomes


def edit(page: Editing) -> Study | None:
    """Kind of outcome, endpoint, target, doses, and what is hoped for of each."""
    data = dict(page.current)
    with st.container(border=True):
        st.header("What is measured, and what is good enough?")
        data["outcome"] = target.outcome(page, switch=_fit)
        page.errors_here("outcome")
        kind = model_of(data["outcome"])
        kinds.offer(page, kind)
        data |= target.good(page, kind)
    with st.container(border=True):
        st.header("Which doses, and what is hoped for of each?")
        doses.hoped_for(page, kind)
        page.errors_here("arms", "truths")
    st.button(
        "More: title, designs, error rates, size, conduct",
        key="all-fields",
        icon=":material/tune:",
        on_click=after_typing(_all_fields),
    )
    page.say_later(_say_usual)
    return page.finish(first_study.filled(data))


def _say_usual(study: Study) -> None:
    """What a first study takes as usual, as it stands now."""
    rates, wanted = study.error_rates, study.doses_wanted
    end = "" if wanted != 1 else " The trial ends when one dose is declared."
    st.caption(
        f"Taken as usual until you change it: at most {study.simulation.n_max:,} patients; any "
        f"false declaration in at most {100 * rates.declare:g}% of the trials, any good dose "
        f"dropped in at most {100 * rates.drop:g}%; {len(study.designs)} designs.{end} Beside the "
        "hoped-for responses an inert drug is simulated, every dose of which is like the control."
    )


def _fit() -> None:
    """Another kind of outcome: the examples of a new study become examples of that kind."""
    chosen, now = named_outcomes()[st.session_state[draft.key("kind")]], draft.current()
    other = chosen.key != now["outcome"]["kind"]
    fitting = kinds.fitted(now, chosen) if other and first_study.untouched(now) else None
    if fitting is not None:
        draft.change(now | fitting)
        draft.restart()
    else:
        kinds.switch_model()


def _all_fields() -> None:
    first_study.use_short_form(on=False)
    draft.restart()

"""What drops a dose: the decision rule itself, something else, or nothing."""

import streamlit as st
from pydantic import ValidationError

from gai_app import draft, session
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.editor.parameters import parameters, sources
from gai_app.escaping import markdown
from gai_core import CRITERIA, Study
from gai_core.basics import percent
from gai_core.criteria import futilities
from gai_core.evidence import Outcome
from gai_core.questions import judged_truths
from gai_core.study import NOT_BINDING, Design

OWN = ""
"""No futility of its own; in words: the decision rule's own lower limit."""
NONE = "none"
DROPPED = "missed_dose"


def edit(page: Editing, i: int, design: Data, kind: type[Outcome]) -> tuple[str | None, Data]:
    """A menu of the ways that fit the design, and the parameters of the chosen one."""
    known, now = futilities(), design.get("futility")
    menu, options = draft.key(f"futility-{i}"), [OWN, *_fitting(design, kind)]
    chosen = st.session_state.get(menu, now)
    key = st.selectbox(
        "What drops a dose",
        options,
        index=options.index(now or OWN),
        format_func=_words,
        key=menu,
        help=sources(known[chosen]) if chosen in known else "`futility` in study files.",
    )
    if key == OWN:
        return None, {}
    given = design["futility_parameters"] if key == now else {}
    place = f"designs.{i}.futility_parameters"
    found = parameters(page, place, known[key], given, only_drops=True)
    page.say_later(lambda study: _say_cost(study, i))
    return key, found


def _fitting(design: Data, kind: type[Outcome]) -> list[str]:
    """Nothing can be dropped before the end where every dose is judged once, at the end."""
    known, now = futilities(), design.get("futility")
    if _judged_at_end(design):
        fitting = [NONE]
    else:
        own = (NONE, *(key for key in known if key not in CRITERIA and key != NONE))
        fitting = [*own, *(key for key in CRITERIA if CRITERIA[key].suits(kind))]
    return [key for key in known if key in fitting or key == now]


def _judged_at_end(design: Data) -> bool:
    try:
        return Design.model_validate(design | {"futility": None}).once_at_end
    except (ValidationError, LookupError):
        return False


def _words(key: str) -> str:
    if key == OWN:
        return "The decision rule's own lower limit"
    label = futilities()[key].label
    return f"The lower limit of: {label}" if key in CRITERIA else label


def _say_cost(study: Study, i: int) -> None:
    """That dropping is not binding, and how often it hits a good dose, once that is known."""
    design = study.designs[i] if i < len(study.designs) else None
    if design is None or design.decision.dropping is None:
        return
    dropping = design.decision.dropping
    promise = "" if dropping.key in CRITERIA else f"{dropping.guarantee_text} "
    st.caption(markdown(f"{promise}{NOT_BINDING}{_cost(study, design.name)}"))


def _cost(study: Study, design: str) -> str:
    results, truths = session.results_of_draft(), judged_truths(study)
    if results is None or not truths:
        return ""
    value = results.values(truths[0], design, DROPPED, "probability")
    chance = percent(*value, study.simulation.runs)
    return (
        f" In this study, assuming “{truths[0]}”, a good dose is dropped in {chance} of the trials."
    )

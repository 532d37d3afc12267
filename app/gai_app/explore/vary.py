"""What becomes of the study when one or two of its fields vary?"""

import streamlit as st

from gai_app import session
from gai_app.clicks import clicked
from gai_app.explore import fields, swept
from gai_app.explore.jobs import SweepAsked, answered, begin, offer
from gai_app.explore.parts import choose_scope, refused, warn_if_changed
from gai_core import InputError, Study
from gai_core.paper import figure_sweep
from gai_core.study import Variation, parse_variation

KIND = "sweep"
NOTHING, OTHER = "", "…"
WORDS = {NOTHING: "nothing else", OTHER: "another field, by its name"}
EXAMPLES = "0.2, 0.1, 0.05 or 100:600:50"


def section(study: Study) -> None:
    """The grid, and what was found on the last one."""
    kept = answered(KIND)
    with st.container(border=True):
        asked = _question(study)
        offer(KIND, "Vary it", asked)
    job = session.job(KIND)
    if kept is None and (job is None or job.ended):
        st.caption(
            "Every point of the grid is a study of its own; all see the same simulated patients. "
            "One field gives curves, two give heat maps."
        )
        _example()
    if kept is None:
        return
    own, example = kept[0].study, _paper().study
    if own == example:
        st.info(
            "The paper's figure as an example: Medical 2, with the error rate varied. Your own "
            "study is as it was. The page “The paper” has it beside the bound.",
            icon=":material/article:",
        )
    else:
        warn_if_changed(own, study)
    swept.show(kept[0], kept[1])


def _question(study: Study) -> SweepAsked | None:
    """The grid; None, with the reason at its field, where it cannot be swept."""
    first = _variation(study, 1, "Vary", first=True)
    second = _variation(study, 2, "And vary", first=False)
    scope = choose_scope(study, KIND, [truth.name for truth in study.truths])
    if first is None or second is None or scope is None:
        return None
    asked = SweepAsked(study, (*first, *second), *scope)
    try:
        asked.check()
    except InputError as error:
        refused(error)
        return None
    cells = len(scope.truths) * len(scope.designs)
    points = "1 point" if asked.points == 1 else f"{asked.points:,} points"
    st.caption(
        f"{points} × {scope.runs:,} trials × {len(scope.designs)} designs × {len(scope.truths)} "
        f"assumed dose-responses: {asked.points * scope.runs * cells:,} simulated trials."
    )
    return asked


def _variation(study: Study, slot: int, label: str, *, first: bool) -> tuple[Variation, ...] | None:
    """A field and its values, nothing, or None where what was typed makes no sense."""
    menu = fields.menu(study) | {OTHER: WORDS[OTHER]}
    if not first:
        menu = {NOTHING: WORDS[NOTHING]} | menu
    left, right = st.columns([3, 4.4])
    with left:
        field = st.selectbox(
            label,
            list(menu),
            format_func=menu.__getitem__,
            key=f"vary-{slot}-{'|'.join(menu)}",
            persist_state="session",
            help=fields.HELPS.get(st.session_state.get(f"vary-{slot}-{'|'.join(menu)}", "")),
        )
    if field == NOTHING:
        return ()
    with right:
        if field == OTHER:
            named, right = st.columns(2)
            field = named.text_input(
                "Name of the field",
                key=f"name-{slot}",
                placeholder="designs[0].burn_in",
                persist_state="session",
                help="As in the study file: simulation.runs, truths[published].means[2], looks, …",
            )
            start = ""
        else:
            start = fields.suggested(study, field)
        typed = right.text_input(
            "Values",
            start,
            key=f"values-{slot}-{field if start else OTHER}-{start}",
            placeholder=EXAMPLES,
            persist_state="session",
            help=f"Values with commas between them, or start:stop:step; for example {EXAMPLES}.",
        )
        return _parsed(study, field, typed)


def _parsed(study: Study, field: str, values: str) -> tuple[Variation, ...] | None:
    if not field.strip() or not values.strip():
        st.caption("Give the field and its values.")
        return None
    try:
        return (parse_variation(study, f"{field}={values}"),)
    except InputError as error:
        refused(error)
        return None


def _paper() -> SweepAsked:
    study, variation = figure_sweep()
    names = tuple(design.name for design in study.designs)
    runs = study.simulation.runs
    return SweepAsked(study, (variation,), (study.truths[0].name,), names, runs)


def _example() -> None:
    if clicked(
        "Show the paper's figure as an example",
        key="paper-example",
        icon=":material/article:",
        help="Medical 2: patients until a declaration as the error rate falls; a few seconds.",
    ):
        st.session_state.setdefault("chosen", {})["swept"] = "tau_1"
        begin(KIND, _paper())

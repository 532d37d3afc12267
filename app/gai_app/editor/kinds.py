"""Another kind of outcome: means and target of the old one hardly fit, so others are offered."""

import copy
import math
from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.editor.parsing import is_number
from gai_app.editor.sheet import after_typing
from gai_core.evidence import OUTCOMES, Outcome

EDGE = 0.01
"""How far offered rates stay from 0 and 1."""


def offer(page: Editing, kind: str) -> None:
    """After a switch: one button that takes fitting values; Undo brings the old ones back."""
    with st.container():  # there or not, the fields below keep their places
        _offer(page, kind)


def _offer(page: Editing, kind: str) -> None:
    before = page.current["outcome"]["kind"]
    if before != kind:
        st.session_state["switched"] = {"kind": kind, "study": page.current}
    switched = st.session_state.get("switched")
    if not switched or switched["kind"] != kind:
        return
    if switched["study"]["arms"] != page.current["arms"]:  # another study, or worked on since
        del st.session_state["switched"]
        return
    fitting = fitted(switched["study"], kind)
    if fitting is None:
        return
    words, button = st.columns([3, 2], vertical_alignment="center")
    old = OUTCOMES[switched["study"]["outcome"]["kind"]]
    words.info(
        f"Target and means are still those of {old.plural}. Values that fit "
        f"{OUTCOMES[kind].plural}: a target of {fitting['threshold']:g}, and every dose as many "
        "standard deviations from it as before.",
        icon=":material/swap_horiz:",
    )
    button.button(
        "Take fitting values",
        key=draft.key("fitting"),
        on_click=after_typing(_take),
        args=(fitting,),
        width="stretch",
    )


def _take(fitting: Data) -> None:
    del st.session_state["switched"]
    draft.change(draft.current() | fitting)
    draft.restart()


def fitted(study: Data, kind: str) -> Data | None:
    """The parts of a study that fit another kind of outcome; None if its numbers are not all there.

    Target and own numbers are the usual ones of the kind. A mean keeps its distance from the
    target in standard deviations of one outcome at the target.
    """
    old, new = OUTCOMES[study["outcome"]["kind"]], OUTCOMES[kind]
    target: Any = study.get("threshold")
    means = [mean for truth in study["truths"] for mean in truth["means"]]
    if not is_number(target) or not all(map(is_number, means)):
        return None
    given = study["outcome"]
    own = {
        name: given[name] if is_number(given.get(name)) else field.usual
        for name, field in old.numbers.items()
    }
    usual = {name: field.usual for name, field in new.numbers.items()}
    xi = next(iter(new.usual_targets.values()))
    spread = _spread(old, own, target)
    if not spread > 0:
        return None
    scale = _spread(new, usual, xi) / spread
    low, high = new.mean_range
    truths = copy.deepcopy(study["truths"])
    for truth in truths:
        moved = [xi + (mean - target) * scale for mean in truth["means"]]
        truth["means"] = [round(min(max(mean, low + EDGE), high - EDGE), 3) for mean in moved]
    outcome = {"kind": kind, "endpoint": "", **usual}
    return {"outcome": outcome, "threshold": xi, "margin": None, "truths": truths}


def _spread(kind: type[Outcome], own: dict[str, Any], mean: float) -> float:
    """Standard deviation of one outcome with this mean."""
    return math.sqrt(kind.model_validate({"kind": kind.key, **own}).variance_at(mean))

"""Another kind of outcome: means and target of the old one hardly fit, so others are offered.

Another model of the same kind, a score whose spread is known or is not, keeps both; only the spread
goes from the study to its assumptions, or back.
"""

import copy
import math
from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.editor.parsing import is_number
from gai_app.editor.sheet import after_typing
from gai_app.taking import take
from gai_core.evidence import Outcome, model_of, name_of, named_outcomes

EDGE = 0.01
"""How far offered rates stay from 0 and 1."""


Model = type[Outcome]


def switch_model() -> None:
    """When another model is chosen: what it asks for is where the old one had it."""
    now = draft.current()
    before, chosen = model_of(now["outcome"]), named_outcomes()[st.session_state[draft.key("kind")]]
    if chosen is not before and chosen.key == before.key:
        draft.change(now | _restated(now, before, chosen))
        draft.restart()


def _restated(study: Data, before: Model, chosen: Model) -> Data:
    """Outcome and truths with the spread where the model has it: with the outcome, or the truths.

    Truths that said none have the one that the study knew; the study takes that of its first truth.
    """
    truths = copy.deepcopy(study["truths"])
    outcome = {"endpoint": study["outcome"].get("endpoint", ""), **chosen.example()}
    if before.knows_variance and not chosen.knows_variance:
        for truth in truths:
            if truth.get("variance") is None:
                truth["variance"] = study["outcome"].get("variance")
    elif chosen.knows_variance and not before.knows_variance:
        known = truths[0].get("variance")
        outcome["variance"] = known if known is not None else outcome["variance"]
        for truth in truths:
            truth["variance"] = None if truth.get("variance") == known else truth.get("variance")
    return {"outcome": outcome, "truths": truths}


def offer(page: Editing, kind: Model) -> None:
    """After a switch: one button that takes fitting values; Undo brings the old ones back."""
    with st.container():  # there or not, the fields below keep their places
        _offer(page, kind)


def _offer(page: Editing, kind: Model) -> None:
    before = model_of(page.current["outcome"])
    if before.key != kind.key:
        st.session_state["switched"] = {"kind": name_of(kind), "study": page.current}
    switched = st.session_state.get("switched")
    if not switched or switched["kind"] != name_of(kind):
        return
    if switched["study"]["arms"] != page.current["arms"]:  # another study, or worked on since
        take("switched")
        return
    fitting = fitted(switched["study"], kind)
    if fitting is None:
        return
    words, button = st.columns([3, 2], vertical_alignment="center")
    old = model_of(switched["study"]["outcome"])
    words.info(
        f"Target and means are still those of {old.plural}. Values that fit "
        f"{kind.plural}: a target of {fitting['threshold']:g}, and every dose as many "
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
    take("switched")
    draft.change(draft.current() | fitting)
    draft.restart()


def fitted(study: Data, new: Model) -> Data | None:
    """The parts of a study that fit another kind of outcome; None if its numbers are not all there.

    Target and own numbers are the usual ones of the kind. A mean keeps its distance from the
    target in standard deviations of one outcome at the target.
    """
    old = model_of(study["outcome"])
    target: Any = study.get("threshold")
    means = [mean for truth in study["truths"] for mean in truth["means"]]
    if not is_number(target) or not all(map(is_number, means)):
        return None
    given, known = study["outcome"], study["truths"][0].get("variance")
    own = {
        name: given[name] if is_number(given.get(name)) else field.usual
        for name, field in old.numbers.items()
    }
    xi = next(iter(new.usual_targets.values()))
    spread = _spread(old, own, target, known if is_number(known) else None)
    if not spread > 0:
        return None
    scale = _spread(new, {}, xi) / spread
    low, high = new.mean_range
    truths = copy.deepcopy(study["truths"])
    for truth in truths:
        moved = [xi + (mean - target) * scale for mean in truth["means"]]
        truth["means"] = [round(min(max(mean, low + EDGE), high - EDGE), 3) for mean in moved]
        truth["variance"] = None if new.knows_variance else new.usual_variance
    outcome = {"endpoint": "", **new.example()}
    return {"outcome": outcome, "threshold": xi, "margin": None, "truths": truths}


def _spread(kind: Model, own: dict[str, Any], mean: float, stated: float | None = None) -> float:
    """Standard deviation of one outcome with this mean; `stated` is the variance of a truth."""
    outcome = kind.model_validate(kind.example() | own)
    if not kind.knows_variance:
        outcome = outcome.with_variance(kind.usual_variance if stated is None else stated)
    return math.sqrt(outcome.variance_at(mean))

"""What a good dose is better than: the control treated at the same time, or a fixed target."""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.editor.fields import pick
from gai_app.editor.sheet import after_typing
from gai_app.places import WORDS
from gai_core.evidence import model_of
from gai_core.study import SMALLEST_COHORT, USUAL_COHORT, Conduct

CONTROL, MEAN, MARGIN = "control", "a mean", "margin"
WAYS = {
    CONTROL: "better than the control treated at the same time",
    MEAN: "one that reaches a fixed mean",
    MARGIN: "a margin above an assumed control (a fixed mean)",
}
USUAL_MARGIN = 0.5
"""Above the control, where the kind of outcome has no usual one."""
RANGE = {"control_at_least": 0.0, "control_at_most": 1.0}
"""For which rates of the control differences of responses have limits, at first."""
WHY_RANGE = (
    "Limits are made for the worst rate of the control between these two. From 0 to 1 nothing is "
    "assumed; a narrower range is an assumption, which the report states."
)
DISCORDANT = "discordant"
DIFFERENCES = "differences"
EVIDENCE = {
    DISCORDANT: "discordant pairs",
    DIFFERENCES: "differences",
    "likelihood": "likelihood",
}
POOLED = "pooled"
VARIANCE = {DIFFERENCES: "the differences", POOLED: "both scores"}
WHICH_VARIANCE = (
    "Limits are on a t-statistic. The differences of n pairs tell the variance by n - 1 degrees of "
    "freedom; both scores of every pair, as a two-sample t-test takes them, by 2n - 2, so that "
    "fewer patients are needed. That assumes the same variance on every dose and the control; a "
    "trend that all arms share only makes errors rarer."
)
WHICH = (
    "At equal rates a pair in which one of the two responds is a fair coin, whatever the rate is. "
    "Differences need fewer pairs where more than half of all pairs are discordant. Likelihood: "
    "both responses of every pair, with limits that know how many controls respond; it mostly "
    "needs the fewest pairs, above all at low rates; benchmarks compare two samples there. "
    "Discordant pairs go with no margin only."
)
PROTECTS = {
    CONTROL: "Every patient on a dose has a partner on the control in the same cohort. Protects "
    "against another response of the control than was thought, and against a trend that all arms "
    "share (designs that compare two samples: not surely against a trend).",
    MEAN: "The error rate is about the stated mean; the control is not needed for a verdict. Does "
    "not protect against a trend, or against a control that does as much.",
    MARGIN: "A fixed target, from an assumed control: it does not protect against another response "
    "of the control than the assumed one, or against a trend.",
}
"""What each way protects against, or does not."""


def way_of(data: Data) -> str:
    """Which way a study under edit has."""
    if data.get("target") is not None:
        return CONTROL
    return MEAN if data.get("margin") is None else MARGIN


def choose(page: Editing, *, has_control: bool) -> str:
    """Asked where there is a control, or where the study needs one."""
    if way_of(page.base) == way_of(page.current) == MEAN and not has_control:
        return MEAN
    key, ways = draft.key("target-is"), list(WAYS)
    way: str = st.radio(
        "A good dose is",
        ways,
        index=ways.index(way_of(page.base)),
        format_func=WAYS.__getitem__,
        captions=[PROTECTS[way] for way in ways],
        key=key,
        on_change=after_typing(_switch),
        args=(key,),
    )
    return way


def margin_over_control(page: Editing) -> Data:
    """How much better, where doses are compared with the concurrent control."""
    given = page.current.get("target") or {"over": "control", "margin": 0.0}
    asked = "evidence", *RANGE
    target: Data = {name: value for name, value in given.items() if name not in asked}
    columns = st.columns([4, 5, 4, 4], vertical_alignment="bottom")
    with columns[0]:
        text = "How far the mean of a good dose lies above the control's."
        target["margin"] = page.field(
            "target.margin", WORDS["target.margin"], given["margin"], "response", help=text
        )
    if model_of(page.current["outcome"]).all_or_nothing:
        target |= _of_rates(page, given, target["margin"], columns[1:])
    elif not model_of(page.current["outcome"]).knows_variance:
        before = POOLED if given.get("evidence") == POOLED else DIFFERENCES
        with columns[1]:
            chosen = pick("Variance from", VARIANCE, before, "variance-of", WHICH_VARIANCE)
        target |= {"evidence": POOLED} if chosen == POOLED else {}
    return {"target": target, "threshold": None, "margin": None}


def _of_rates(page: Editing, given: Data, margin: Any, columns: Sequence[DeltaGenerator]) -> Data:
    """What pairs are counted by, and for which rates of the control differences have limits."""
    chosen: Data = {}
    usual = DISCORDANT if margin == 0 else DIFFERENCES
    ways = {key: words for key, words in EVIDENCE.items() if margin == 0 or key != DISCORDANT}
    before = given.get("evidence")
    label, first = WORDS["target.evidence"], before if before in ways else usual
    with columns[0]:  # another question where the choices are others
        evidence = pick(label, ways, first, f"evidence-{usual}", WHICH)
    if evidence == DISCORDANT:
        return chosen
    if evidence != usual or before == evidence:  # what goes without saying is not written
        chosen["evidence"] = evidence
    for name, column in zip(RANGE, columns[1:], strict=True):
        with column:
            chosen[name] = page.field(
                f"target.{name}",
                WORDS[f"target.{name}"],
                given.get(name, RANGE[name]),
                "response",
                help=WHY_RANGE,
            )
    return chosen


def _switch(key: str) -> None:
    """To the concurrent control, with cohorts if there are none, or back to a fixed target."""
    now, chosen = draft.current(), st.session_state[key]
    if CONTROL not in (chosen, way_of(now)) or chosen == way_of(now):
        return  # between fixed targets, the fields below do it
    kind = model_of(now["outcome"])
    if chosen == CONTROL:
        target = {"over": "control", "margin": 0.0}
        changes: Data = {"target": target, "threshold": None, "margin": None}
        changes["conduct"] = _with_cohorts(now.get("conduct"))
    elif chosen == MEAN:
        usual = next(iter(kind.usual_targets.values()))
        changes = {"target": None, "threshold": usual, "margin": None}
    else:
        changes = {"target": None, "threshold": None, "margin": kind.usual_margin or USUAL_MARGIN}
    draft.change(now | changes)
    draft.restart()


def _with_cohorts(conduct: Data | None) -> Data:
    """The conduct with what pairs need: cohorts in blocks, and no other share of controls."""
    usual = Conduct(cohort=USUAL_COHORT).model_dump(mode="json")
    if conduct is None:
        return usual
    cohort = conduct.get("cohort")
    enough = isinstance(cohort, int) and cohort >= SMALLEST_COHORT
    parts = {"control_share": None, "randomisation": usual["randomisation"]}
    return conduct | parts | {"cohort": cohort if enough else USUAL_COHORT}

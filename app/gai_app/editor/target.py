"""Outcome, target response and error rate."""

import math
from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.escaping import markdown
from gai_core import Study
from gai_core.study import with_threshold

KINDS = {
    "bernoulli": "Response, yes or no (ACR20)",
    "gaussian": "Score (DAS28 improvement)",
}
PRESETS = {
    "bernoulli": {"ACR20: 0.50": 0.5, "ACR20: 0.60": 0.6, "ACR50: 0.30": 0.3},
    "gaussian": {f"DAS28: {value:g}": value for value in (0.6, 1.0, 1.2, 1.8)},
}
OVER_CONTROL = {"bernoulli": 0.2}
"""A usual target as a difference from the control."""
USUAL_VARIANCE = 1.44


def edit(page: Editing) -> dict[str, Any]:
    """Widgets for the outcome, the target and delta."""
    base = page.base
    data: dict[str, Any] = {}
    data["title"] = st.text_input("Title of the study", base["title"], key=draft.key("title"))
    page.errors_here("title")
    box = st.expander("Source and notes", on_change="rerun", key=draft.key("about"))
    for name, label in (("source", "Where the figures come from"), ("notes", "Notes")):
        data[name] = draft.current().get(name, "")
        if box.open or draft.key(name) in st.session_state:
            data[name] = box.text_area(label, data[name], key=draft.key(name))
    data["outcome"] = _outcome(base["outcome"])
    page.errors_here("outcome")
    kind = data["outcome"]["kind"]
    relative = _is_relative(base)
    left, right = st.columns(2)
    with left:
        data |= _margin(base, kind) if relative else _threshold(base, kind)
    data["delta"] = right.number_input(
        "Error rate (delta)",
        value=float(base["delta"]),
        step=0.01,
        format="%g",
        key=draft.key("delta"),
        help=(
            "The chance allowed for any wrong verdict in the whole list: a declared dose that "
            "misses the target, or a dropped one that meets it."
        ),
    )
    page.errors_here("threshold", "margin", "delta")
    if relative:
        page.say_later(_say_target)
    else:
        _presets(kind)
    return data


def meant(data: Data) -> float | None:
    """The absolute target: the given one, or the one that the margin means if that is known."""
    try:
        absolute = data | {"threshold": None} if data.get("margin") is not None else data
        threshold: float | None = with_threshold(absolute)["threshold"]
    except ValueError:
        return None
    return threshold


def _is_relative(base: Data) -> bool:
    """Whether the target is a margin above the control; asked where there is a control."""
    before = base.get("margin") is not None
    if not before and _control(draft.current()) is None:
        return False
    ways = ("a mean", "a margin above the control")
    chosen = st.radio(
        "The target is", ways, index=int(before), horizontal=True, key=draft.key("target-is"),
        help=(
            "Verdicts are about a mean either way. A margin is added to the mean that the control "
            "is assumed to have."
        ),
    )  # fmt: skip
    return chosen == ways[1]


def _threshold(base: Data, kind: str) -> Data:
    # Without a mean of its own, it starts from the one that the margin meant.
    start = base["threshold"] if base.get("margin") is None else meant(draft.current())
    threshold = st.number_input(
        "Target response",
        value=None if start is None else float(start),
        step=0.05 if kind == "bernoulli" else 0.1,
        format="%g",
        key=draft.key("threshold"),
        help="The mean outcome that a good dose reaches (xi in the paper).",
    )
    return {"threshold": threshold, "margin": None}


def _margin(base: Data, kind: str) -> Data:
    start = base.get("margin")
    if start is None:
        mean, threshold = _control_mean(draft.current()), base["threshold"]
        above = mean is not None and threshold is not None and threshold > mean
        start = round(threshold - mean, 9) if above else OVER_CONTROL.get(kind, 0.5)
    margin = st.number_input(
        "Margin above the control",
        value=float(start),
        step=0.05 if kind == "bernoulli" else 0.1,
        format="%g",
        key=draft.key("margin"),
        help="How far the mean of a good dose lies above the control's.",
    )
    return {"threshold": None, "margin": margin}


def _say_target(study: Study) -> None:
    assert study.control is not None
    first = study.truths[0]
    st.caption(
        f"This means a target of **{study.threshold:g}**: "
        f"{markdown(study.arms[study.control].label)} is assumed to have "
        f"{study.expected(first)[study.control]:g} under {markdown(first.name)}, the first "
        "assumption."
    )


def _control(data: Data) -> int | None:
    """Position of the control in a study under edit."""
    return next((i for i, arm in enumerate(data["arms"]) if arm.get("control")), None)


def _control_mean(data: Data) -> float | None:
    """The control's mean under the first assumption, as far as it is filled in."""
    control = _control(data)
    means = data["truths"][0]["means"] if data["truths"] else []
    return means[control] if control is not None and control < len(means) else None


def _outcome(base: Data) -> Data:
    kinds = list(KINDS)
    kind = st.radio(
        "Outcome of one patient",
        kinds,
        index=kinds.index(base["kind"]),
        format_func=lambda key: KINDS[key],
        horizontal=True,
        key=draft.key("kind"),
    )
    left, right = st.columns([2, 1]) if kind == "gaussian" else (st.container(), st.container())
    endpoint = left.text_input(
        "Endpoint",
        base.get("endpoint", ""),
        placeholder="for example ACR20 response at week 12",
        key=draft.key("endpoint"),
    )
    outcome: Data = {"kind": kind, "endpoint": endpoint}
    if kind == "gaussian":
        outcome["variance"] = right.number_input(
            "Variance (sigma²)",
            value=float(base.get("variance", USUAL_VARIANCE)),
            step=0.1,
            format="%g",
            key=draft.key("variance"),
            help="Of one patient's outcome, taken as known.",
        )
        if outcome["variance"] > 0:
            right.caption(f"Standard deviation {math.sqrt(outcome['variance']):.4g}")
    return outcome


def _presets(kind: str) -> None:
    """Buttons with usual targets; one of them relative to the control."""
    choices = dict(PRESETS[kind])
    current = draft.current()
    control, mean = _control(current), _control_mean(current)
    if control is not None and mean is not None and kind in OVER_CONTROL:
        label = markdown(str(current["arms"][control]["label"]))
        value = round(float(mean) + OVER_CONTROL[kind], 6)
        if value < 1:
            choices[f"{label} + {OVER_CONTROL[kind]:.2f}: {value:g}"] = value
    st.pills(
        "Usual targets",
        list(choices),
        key=draft.key(f"preset-{kind}"),
        on_change=_take_preset,
        args=(kind, choices),
    )


def _take_preset(kind: str, choices: dict[str, float]) -> None:
    chosen = st.session_state[draft.key(f"preset-{kind}")]
    if chosen in choices:
        st.session_state[draft.key("threshold")] = choices[chosen]

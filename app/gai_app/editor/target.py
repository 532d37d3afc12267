"""Outcome, target response and error rate."""

from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.escaping import markdown
from gai_core import Study
from gai_core.evidence import OUTCOMES
from gai_core.study import with_threshold

MARGIN = 0.5
"""Above the control, where the kind of outcome has no usual one."""


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
        step=OUTCOMES[kind].target_step,
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
        start = round(threshold - mean, 9) if above else OUTCOMES[kind].usual_margin or MARGIN
    margin = st.number_input(
        "Margin above the control",
        value=float(start),
        step=OUTCOMES[kind].target_step,
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
    kinds = list(OUTCOMES)
    kind = st.radio(
        "Outcome of one patient",
        kinds,
        index=kinds.index(base["kind"]),
        format_func=lambda key: OUTCOMES[key].label,
        horizontal=True,
        key=draft.key("kind"),
    )
    chosen = OUTCOMES[kind]
    own = chosen.numbers
    left, *boxes = st.columns([2, *(1 for _ in own)]) if own else [st.container()]
    endpoint = left.text_input(
        "Endpoint",
        base.get("endpoint", ""),
        placeholder=f"for example {chosen.endpoint_example}",
        key=draft.key("endpoint"),
    )
    outcome: Data = {"kind": kind, "endpoint": endpoint}
    for (name, field), box in zip(own.items(), boxes, strict=True):
        outcome[name] = box.number_input(
            f"{field.label} ({field.symbol})",
            value=float(base.get(name, field.usual)),
            step=field.step,
            format="%g",
            key=draft.key(name),
            help=field.help,
        )
        caption = field.caption(outcome[name])
        if caption:
            box.caption(caption)
    return outcome


def _presets(kind: str) -> None:
    """Buttons with usual targets; one of them relative to the control."""
    outcome = OUTCOMES[kind]
    choices, margin = dict(outcome.usual_targets), outcome.usual_margin
    current = draft.current()
    control, mean = _control(current), _control_mean(current)
    if control is not None and mean is not None and margin is not None:
        label = markdown(str(current["arms"][control]["label"]))
        value = round(float(mean) + margin, 6)
        if value < outcome.mean_range[1]:
            choices[f"{label} + {margin:.2f}: {value:g}"] = value
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

"""Outcome and target response; the error rates stand below them."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor import error_rates, estimand, good_dose, kinds
from gai_app.editor.editing import Editing
from gai_app.editor.parsing import is_number
from gai_app.editor.sheet import after_typing
from gai_app.escaping import markdown
from gai_app.places import WORDS
from gai_core import Study
from gai_core.evidence import Outcome, model_of, name_of, named_outcomes
from gai_core.study import with_threshold


def edit(page: Editing) -> dict[str, Any]:
    """Widgets for the outcome, the target and the errors that are allowed."""
    now = page.current
    data: dict[str, Any] = {}
    data["title"] = page.field("title", "Title of the study", now["title"], "text")
    page.errors_here("title")
    box = st.expander("Source and notes", on_change="rerun", key=draft.key("about"))
    for name in ("source", "notes"):
        data[name] = now.get(name, "")
        if box.open:
            with box:
                page.field(name, WORDS[name], data[name], "text", lines=4)
    data["estimand"] = estimand.edit(page)
    data["outcome"] = outcome(page)
    page.errors_here("outcome")
    kind = model_of(data["outcome"])
    kinds.offer(page, kind)
    data |= good(page, kind)
    data |= error_rates.edit(page)
    return data


def good(page: Editing, kind: type[Outcome]) -> Data:
    """What a good dose is better than: the concurrent control first where there is a control."""
    way = good_dose.choose(page, has_control=_control(page.current) is not None)
    if way == good_dose.MEAN:
        data = threshold(page, kind)
    elif way == good_dose.CONTROL:
        data = good_dose.margin_over_control(page)
    else:
        left, _ = st.columns([1, 2])
        with left:
            data = _margin(page, kind)
        page.say_later(_say_target)
    page.errors_here("threshold", "margin", "target")
    return data


def meant(data: Data) -> float | None:
    """The absolute target: the given one, or the one that the margin means if that is known."""
    try:
        absolute = data | {"threshold": None} if data.get("margin") is not None else data
        threshold = with_threshold(absolute)["threshold"]
    except ValueError:
        return None
    return float(threshold) if is_number(threshold) else None


def threshold(page: Editing, kind: type[Outcome]) -> Data:
    """The target as a mean, and buttons with usual ones."""
    left, right = st.columns([2, 5], vertical_alignment="bottom")
    with left:
        data = _threshold(page, kind)
    with right:
        _presets(kind)
    return data


def _threshold(page: Editing, kind: type[Outcome]) -> Data:
    now = page.current
    # Without a mean of its own, it starts from the one that the margin meant.
    start = now["threshold"] if now.get("margin") is None else meant(now)
    unit = "A share of the patients: 0.5 or 50%." if _is_share(kind) else "In units of the score."
    text = f"The mean outcome that a good dose reaches (xi in the paper). {unit}"
    threshold = page.field("threshold", "Target response", start, "response", help=text)
    return {"threshold": threshold, "margin": None, "target": None}


def _is_share(kind: type[Outcome]) -> bool:
    return kind.mean_range == (0.0, 1.0)


def _margin(page: Editing, kind: type[Outcome]) -> Data:
    start = page.current.get("margin")
    if start is None and page.current["threshold"] is not None:  # just chosen
        mean, threshold = _control_mean(page.current), page.current["threshold"]
        above = mean is not None and is_number(threshold) and threshold > mean
        start = round(threshold - mean, 9) if above else kind.usual_margin or good_dose.USUAL_MARGIN
    text = "How far the mean of a good dose lies above the control's."
    margin = page.field("margin", "Margin above the control", start, "response", help=text)
    return {"threshold": None, "margin": margin, "target": None}


def _say_target(study: Study) -> None:
    assert study.control is not None
    first = study.truths[0]
    st.caption(
        f"This means a target of **{study.stream.target:g}**: "
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
    mean = means[control] if control is not None and control < len(means) else None
    return float(mean) if is_number(mean) else None


def outcome(page: Editing, switch: Callable[[], None] = kinds.switch_model) -> Data:
    """The kind of outcome, its endpoint and its own numbers."""
    models, now = named_outcomes(), page.current["outcome"]
    names = list(models)
    kind = st.radio(
        "Outcome of one patient",
        names,
        index=names.index(name_of(model_of(page.base["outcome"]))),
        format_func=lambda name: models[name].label,
        horizontal=True,
        key=draft.key("kind"),
        on_change=after_typing(switch),
    )
    chosen = models[kind]
    own = chosen.numbers
    left, *boxes = st.columns([2, *(1 for _ in own)]) if own else [st.container()]
    with left:
        endpoint = page.field(
            "outcome.endpoint",
            "Endpoint",
            now.get("endpoint", ""),
            "text",
            placeholder=f"for example {chosen.endpoint_example}",
        )
    data: Data = now if model_of(now) is chosen else chosen.example()
    data = data | {"endpoint": endpoint}
    for (name, field), box in zip(own.items(), boxes, strict=True):
        label = field.root or f"{field.label} ({field.symbol})"
        with box:
            data[name] = page.field(
                f"outcome.{name}",
                label,
                now.get(name, field.usual),
                "deviation" if field.root else "number",
                help=field.help,
            )
            caption = field.caption(data[name]) if is_number(data[name]) else ""
            if caption:
                st.caption(caption)
    return data


def _presets(kind: type[Outcome]) -> None:
    """Buttons with usual targets; one of them relative to the control."""
    choices, margin = dict(kind.usual_targets), kind.usual_margin
    current = draft.current()
    control, mean = _control(current), _control_mean(current)
    if control is not None and mean is not None and margin is not None:
        label = markdown(str(current["arms"][control]["label"]))
        value = round(mean + margin, 6)
        if value < kind.mean_range[1]:
            choices[f"{label} + {margin:.2f}: {value:g}"] = value
    key = draft.key(f"preset-{kind.key}")
    st.pills(
        "Usual targets",
        list(choices),
        key=key,
        on_change=after_typing(_take_preset),
        args=(key, choices),
    )


def _take_preset(key: str, choices: dict[str, float]) -> None:
    chosen = st.session_state[key]
    if chosen in choices:
        draft.write("threshold", choices[chosen])

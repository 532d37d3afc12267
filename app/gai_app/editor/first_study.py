"""A first study: what its short form does not ask for follows from what it asks."""

import copy
import re
from typing import Any

import streamlit as st

from gai_app import draft, studies
from gai_app.draft import Data
from gai_app.editor.nulls import just_below
from gai_app.editor.parsing import is_number, number
from gai_core import Study
from gai_core.evidence import model_of
from gai_core.study import validated

HOPED_FOR, INERT, BOUNDARY = "hoped for", "inert", "just below the target"
_DOSE = re.compile(r"(?P<dose>[\d.,]+)\s*(?P<unit>[^\d\s].*)?")
_NO_DOSE = re.compile(r"placebo|control|vehicle|sham", re.IGNORECASE)


def empty_study() -> Study:
    """A study to be filled in: placebo and one dose, hopes and two nulls, two designs."""
    return validated(
        {
            "title": "My dose-finding study",
            "threshold": 0.5,
            "errors": {"declare": 0.05, "drop": 0.1},
            "wanted": 1,
            "outcome": {"kind": "bernoulli", "endpoint": ""},
            "simulation": {"n_max": 300, "runs": 1000, "seed": 1},
            "arms": [
                {"label": "placebo", "dose": 0.0, "control": True},
                {"label": "low dose"},
            ],
            "truths": [
                {"name": HOPED_FOR, "means": [0.3, 0.6]},
                {"name": INERT, "means": [0.3, 0.3], "note": "every dose like the control"},
                {
                    "name": BOUNDARY,
                    "means": [0.3, 0.49],
                    "note": "where false declarations are likeliest",
                },
            ],
            "designs": [
                {
                    "name": "Fixed",
                    "rule": "equal",
                    "criterion": "exact",
                    "criterion_parameters": {"looks": "end"},
                    "burn_in": 1,
                },
                {"name": "Nearest finish, exact", "rule": "nearest-finish", "criterion": "exact"},
            ],
        },
        "empty study",
    )


def short_form() -> bool:
    """Whether the study under edit is asked for by the short form, and still can be."""
    names = [truth["name"] for truth in draft.current()["truths"]]
    return studies.current() in short_forms() and names == [HOPED_FOR, INERT, BOUNDARY]


def short_forms() -> set[int]:
    """The studies of the session that are asked for by the short form."""
    found: set[int] = st.session_state.setdefault("short-forms", set())
    return found


def use_short_form(*, on: bool) -> None:
    """Ask for the study under edit by the short form, or by all fields."""
    if on:
        short_forms().add(studies.current())
    else:
        short_forms().discard(studies.current())


def untouched(data: Data) -> bool:
    """Whether target and means are still the examples that a new study has."""
    fresh = empty_study().model_dump(mode="json")
    return all(data.get(part) == fresh[part] for part in ("threshold", "target", "arms", "truths"))


def filled(data: Data) -> Data:
    """The study with what follows: doses from their labels, nulls from control and target."""
    data = copy.deepcopy(data)
    for arm in data["arms"]:
        arm["dose"], arm["unit"] = dose_of(str(arm["label"] or ""))
    _, inert, boundary = data["truths"]
    control = _control_mean(data, inert)
    inert["means"] = [control] * len(data["arms"])
    below = _below(data, control, boundary)
    boundary["means"] = [control if arm["control"] else below for arm in data["arms"]]
    return data


def dose_of(label: str) -> tuple[float | None, str]:
    """The dose and its unit as a label names them: 10 mg, 0.3 mg/kg, placebo."""
    found = _DOSE.fullmatch(label.strip())
    dose = number(found["dose"]).value if found else None
    if found and is_number(dose):
        return dose, (found["unit"] or "").strip()
    return (0.0 if _NO_DOSE.match(label.strip()) else None), ""


def _below(data: Data, control: Any, boundary: Data) -> Any:
    """A little less than the target; what was there while that is no possible mean."""
    target, margin, kind = data.get("threshold"), data.get("margin"), model_of(data["outcome"])
    if data.get("target") is not None:
        margin = data["target"].get("margin")
    if is_number(margin):
        target = control + margin if is_number(control) else None
    low, high = kind.mean_range
    if is_number(target) and low < target <= high:
        return just_below(target, kind)
    return boundary["means"][-1] if boundary["means"] else None


def _control_mean(data: Data, inert: Data) -> Any:
    """The control's mean (the first arm's, without a control); what was there while it is none."""
    control = next((i for i, arm in enumerate(data["arms"]) if arm["control"]), 0)
    hoped = data["truths"][0]["means"]
    mean = hoped[control] if control < len(hoped) else None
    before = inert["means"][0] if inert["means"] else None
    return mean if is_number(mean) else before

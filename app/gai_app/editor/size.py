"""When a trial ends, how large it may get, and how many are simulated."""

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.escaping import markdown
from gai_app.places import WORDS
from gai_core import Study
from gai_core.study import WHY_KEPT, going_on_in_words


def edit(page: Editing) -> Data:
    """Fields for the doses wanted, n_max, runs and seed."""
    now = page.current["simulation"]
    until, largest, trials, start = st.columns(4)
    data: Data = dict(now)  # what has no field here stays
    with until:
        wanted = page.field(
            "wanted",
            WORDS["wanted"],
            page.current.get("wanted"),
            "whole or all",
            placeholder="all",
            help="The trial ends when so many doses are declared, or when every dose has its "
            f"verdict; empty, only then. {WHY_KEPT['stopping early']}",
        )
    with largest:
        data["n_max"] = page.field(
            "simulation.n_max",
            "Largest sample size",
            now["n_max"],
            "whole",
            help="Patients in all (n_max). Doses without a verdict by then stay undecided.",
        )
    with trials:
        data["runs"] = page.field(
            "simulation.runs",
            "Simulated trials",
            now["runs"],
            "whole",
            help="More trials give smaller Monte Carlo errors: four times as many, half the error.",
        )
    with start:
        data["seed"] = page.field(
            "simulation.seed",
            "Seed",
            now["seed"],
            "whole",
            help="The same seed gives the same simulated patients, bit by bit.",
        )
    judged = _judge_control(page.current)
    page.errors_here("wanted", "judge_control", "simulation")
    page.say_later(_say_end)
    return {"wanted": wanted, "simulation": data, "judge_control": judged}


def _judge_control(now: Data) -> bool | None:
    """Whether the control is a candidate, asked where it could be one; None is as usual, it is."""
    judged: bool | None = now.get("judge_control")
    share = (now.get("conduct") or {}).get("control_share")
    has_control = any(arm.get("control") for arm in now["arms"])
    if not has_control or now.get("target") is not None or share is not None:
        return judged
    chosen = st.checkbox(
        WORDS["judge_control"],
        value=judged is not False,
        key=draft.key("judge-control"),
        help="The control is judged by the target like a dose, and shares patients and error rate "
        "with the doses. Otherwise it gets neither patients nor a verdict.",
    )
    return judged if chosen == (judged is not False) else None if chosen else False


def _say_end(study: Study) -> None:
    wanted, n_max = study.doses_wanted, study.simulation.n_max
    if wanted is None:
        when = "every dose is declared or dropped"
    elif wanted == 1:
        when = "one dose is declared, or every dose is dropped"
    else:
        when = f"{wanted} doses are declared, or every dose has a verdict"
    ends = f"The trial ends when {when}, and at the latest with {n_max:,} patients."
    st.caption(markdown(" ".join([ends, *going_on_in_words(study)])))

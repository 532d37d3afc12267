"""How the trial is run: accrual, delay, cohorts, looks, and how the next dose is drawn."""

from typing import Any

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor import conduct_patients
from gai_app.editor.editing import Editing
from gai_app.editor.fields import chance, count, given_or, number, pick
from gai_app.editor.parsing import is_number
from gai_app.editor.sheet import after_typing
from gai_app.escaping import markdown
from gai_app.places import WORDS
from gai_core import Study
from gai_core.study import AT_ONCE, WHY_KEPT, Conduct, Delay, implied, timing_cautions

USUAL = Conduct(delay=Delay(weeks=12.0), cohort=8).model_dump(mode="json")
"""Where a conduct starts from: 20 patients a month, outcomes after 12 weeks, cohorts of 8."""
ARRIVALS = {"constant": "evenly", "poisson": "at random"}
DELAYS = {
    "fixed": "fixed",
    "uniform": "uniform",
    "exponential": "exponential",
    "lognormal": "lognormal",
}
SPREADS = {
    "uniform": "At most so many weeks sooner or later than the mean.",
    "lognormal": "Standard deviation of the time to the outcome.",
}
LOOKS = {
    "cohort": "by cohort",
    "outcomes": "by outcomes",
    "weeks": "by weeks",
    "at": "at numbers",
}
CHOICES = {
    "blocks": "the rule's choice, a cohort in random order",
    "rule": "the rule's choice, one after the other",
    "mixed": "that, but now and then any dose",
    "softened": "drawn with the rule's chances",
}


def is_on(page: Editing) -> bool:
    """Whether the study has a conduct, known before the section is drawn."""
    return bool(st.session_state.get(draft.key("conduct"), page.base.get("conduct") is not None))


def edit(page: Editing, data: Data) -> Data | None:
    """A switch, and behind it all parts of a conduct; None if the switch is off."""
    on = st.toggle(
        "Patients come month by month and wait for their outcome",
        value=page.base.get("conduct") is not None,
        key=draft.key("conduct"),
        on_change=after_typing(_remember),
        help="Adds months to every result. The guarantee of the designs stays; Help says why.",
    )
    if not on:
        st.caption(AT_ONCE)
        return None
    start = st.session_state.get(draft.key("conduct-before")) or page.base.get("conduct") or USUAL
    now = page.current.get("conduct") or start
    st.markdown("**Patients and outcomes**")
    conduct: Data = now | {  # what has no field here stays
        "accrual": _accrual(page, start["accrual"], now["accrual"]),
        "delay": _delay(page, start["delay"], now["delay"]),
    }
    page.say_later(_say_implied)
    st.markdown("**Allocation and verdicts**")
    conduct["cohort"], conduct["looks"] = _looks(page, start, now, data["simulation"]["n_max"])
    conduct["randomisation"] = _randomisation(page, start["randomisation"], now["randomisation"])
    conduct |= conduct_patients.edit(page, start, now, data)
    page.errors_here("conduct")
    return conduct


def _remember() -> None:
    """Switched off: what was typed comes back when it is switched on again."""
    before = draft.current().get("conduct")
    if before is not None:
        st.session_state[draft.key("conduct-before")] = before


def _accrual(page: Editing, start: Data, now: Data) -> Data:
    rate, pattern, ramp = st.columns(3, vertical_alignment="bottom")
    with rate:
        per_month = number(
            page,
            "accrual.per_month",
            now["per_month"],
            f"Once all centres recruit; 10 to 40 are usual. {WHY_KEPT['accrual']}",
        )
    with pattern:
        arrival = pick(
            WORDS["conduct.accrual.pattern"],
            ARRIVALS,
            start["pattern"],
            "arrival",
            "At even intervals, or at random: a Poisson process with the same rate.",
        )
    with ramp:
        ramp_up = number(
            page,
            "accrual.ramp_up",
            now["ramp_up"],
            "Months in which the rate rises evenly from zero, while centres open.",
        )
    page.errors_here("conduct.accrual")
    return now | {"per_month": per_month, "pattern": arrival, "ramp_up": ramp_up}


def _delay(page: Editing, start: Data, now: Data) -> Data:
    mean, pattern, room = st.columns(3, vertical_alignment="bottom")
    with mean:
        weeks = number(
            page,
            "delay.weeks",
            now["weeks"],
            f"From enrolment on, on average. It keeps the guarantee. {WHY_KEPT['delay']}",
        )
    with pattern:
        chosen = pick(
            WORDS["conduct.delay.pattern"],
            DELAYS,
            start["pattern"],
            "delay",
            "How the time to the outcome differs between patients.",
        )
    spread: float | None = 0.0
    with room:
        if chosen in SPREADS:
            before = now["spread"] if chosen == now["pattern"] else 2.0
            spread = number(page, "delay.spread", before, SPREADS[chosen])
    page.errors_here("conduct.delay")
    return now | {"weeks": weeks, "pattern": chosen, "spread": spread}


def _say_implied(study: Study) -> None:
    if study.conduct is not None:
        st.info(implied(study.conduct, study.simulation.n_max), icon=":material/calendar_month:")
        for caution in timing_cautions(study):
            st.warning(markdown(caution), icon=":material/warning:")


def _looks(page: Editing, start: Data, now: Data, n_max: Any) -> tuple[Any, Data]:
    looks = now["looks"]
    given = next((name for name, value in start["looks"].items() if value is not None), "cohort")
    size, when, room = st.columns(3, vertical_alignment="bottom")
    with size:
        cohort = count(
            page,
            "cohort",
            now["cohort"],
            f"Patients whose doses are chosen at a time, with what is known then. "
            f"It keeps the guarantee. {WHY_KEPT['cohorts']}",
        )
    with when:
        way = pick(
            "Verdicts are given",
            LOOKS,
            given,
            "looks",
            "At looks: whenever as many outcomes came in as a cohort has patients, after every so "
            "many outcomes, every so many weeks, or at given numbers of outcomes; and at the end. "
            f"{WHY_KEPT['looks']}",
        )
    found: Data = looks | {name: None for name in LOOKS if name in looks}
    with room:
        if way == "outcomes":
            before = given_or("conduct.looks.outcomes", looks["outcomes"], 20)
            found["outcomes"] = count(page, "looks.outcomes", before, "Of all arms.")
        elif way == "weeks":
            before = given_or("conduct.looks.weeks", looks["weeks"], 4.0)
            found["weeks"] = number(page, "looks.weeks", before, "Time between looks.")
        elif way == "at":
            quarters = [n_max * k // 4 for k in range(1, 5)] if is_number(n_max) else None
            found["at"] = number(
                page,
                "looks.at",
                looks["at"] or quarters,
                "Outcomes of all arms, with commas between them.",
                reads="list",
            )
    page.errors_here("conduct.cohort", "conduct.looks")
    return cohort, found


def _randomisation(page: Editing, start: Data, now: Data) -> Data:
    choice, room, parts = st.columns(3, vertical_alignment="bottom")
    with choice:
        kind = pick(
            "The next dose is",
            CHOICES,
            start["kind"],
            "randomisation",
            "The rule's choices for a cohort in random order, the control's places among them "
            "(permuted blocks); each choice as it is; that choice, but for a share of the patients "
            "any undecided dose; or every undecided dose with a chance that grows with its score. "
            f"{WHY_KEPT['randomisation']}",
        )
    found = now | {"kind": kind}
    with room:
        if kind == "mixed":
            found["share"] = chance(
                page,
                "randomisation.share",
                now["share"],
                "Share of the patients that get any undecided dose, each with the same chance.",
            )
        elif kind == "softened":
            found["softness"] = number(
                page,
                "randomisation.softness",
                now["softness"],
                "The dose with the lowest score has exp(-1/softness) times the chance of the one "
                "with the highest: 0.5 gives 0.14, 1 gives 0.37.",
            )
    with parts:
        found["ratio"] = number(
            page,
            "randomisation.ratio",
            now.get("ratio"),
            "2:1:1, for example: one whole number for every arm with a verdict, in their order. So "
            "equal allocation gives them patients, and every rule until the burn-in is over. "
            "Empty: all alike.",
            reads="ratio",
        )
    page.errors_here("conduct.randomisation")
    return found

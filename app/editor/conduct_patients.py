"""Who stays in the trial, who is a candidate and when enrolment ends."""

import streamlit as st

from app import draft
from app.draft import Data
from app.editor.editing import Editing
from app.editor.fields import count, number, pick
from app.places import WORDS
from app.plain import markdown
from gai_core import Study
from gai_core.conduct_words import WHY_KEPT, dropout_cautions

COUNTED = {
    "bernoulli": {"non-response": "as a non-responder", "left out": "not at all: left out"},
    "gaussian": {"baseline": "as no improvement", "left out": "not at all: left out"},
}
USUAL_DROPOUT = 0.05
IN_MEANS_HELP = (
    "Whether the means in the table were found with dropouts counted as zero, as published "
    "response rates usually are. Then they are not lowered once more."
)
ON_TARGET_HELP = (
    "Patients whose outcome would reach the target may stay more often, or less. If dropouts are "
    "left out, this breaks the guarantee: the outcomes that remain have another mean."
)


def edit(page: Editing, start: Data, data: Data) -> Data:
    """Dropout, the control's share and the wanted number of doses."""
    st.markdown("**Dropout, control and end**")
    dropout = _dropout(start["dropout"], data["outcome"]["kind"])
    page.errors_here("conduct.dropout")
    page.say_later(_cautions)
    control, wanted = st.columns([2, 1], vertical_alignment="bottom")
    with control:
        share = _control(start["control_share"], data["arms"])
    with wanted:
        doses = count(
            "wanted", start["wanted"],
            f"Enrolment ends when so many doses are declared. {WHY_KEPT['stopping early']}",
            placeholder="all",
        )  # fmt: skip
    page.errors_here("conduct.control_share", "conduct.wanted")
    return {"dropout": dropout, "control_share": share, "wanted": doses}


def _cautions(study: Study) -> None:
    for caution in dropout_cautions(study):
        st.warning(markdown(caution), icon=":material/warning:")


def _dropout(before: Data | None, kind: str) -> Data | None:
    on = st.toggle(
        "Some patients drop out", value=before is not None, key=draft.key("conduct-dropout"),
        help=(
            "If that has nothing to do with the outcome, the guarantee stays. "
            + WHY_KEPT["dropout unrelated to the outcome"]
        ),
    )  # fmt: skip
    if not on:
        return None
    start = before or {"probability": USUAL_DROPOUT, "counted": "", "in_means": True}
    chance, fate, other = st.columns(3)
    with chance:
        probability = number(
            "dropout.probability", start["probability"],
            "Chance that a patient has no outcome; up to 0.11 by week 16 is usual.", step=0.01,
        )  # fmt: skip
    with fate:
        counted = pick(
            WORDS["conduct.dropout.counted"], COUNTED[kind], start["counted"], f"counted-{kind}",
            "Trials with a response rate mostly count dropouts as non-responders.",
        )  # fmt: skip
    on_target = None
    with other:
        if kind == "bernoulli" or counted == "left out":
            on_target = number(
                "dropout.probability_on_target", start.get("probability_on_target"),
                ON_TARGET_HELP, step=0.01, placeholder="the same",
            )  # fmt: skip
    in_means = st.checkbox(
        WORDS["conduct.dropout.in_means"], value=start["in_means"],
        key=draft.key("conduct-in-means"), help=IN_MEANS_HELP,
    )  # fmt: skip
    return {
        "probability": probability,
        "probability_on_target": on_target,
        "counted": counted,
        "in_means": in_means,
    }


def _control(before: float | None, arms: list[Data]) -> float | None:
    """The control's share of the patients; None if it is a candidate like the others."""
    label = next((arm["label"] for arm in arms if arm.get("control")), None)
    if label is None:
        st.caption("Mark an arm as control to give it a fixed share of the patients.")
        return None
    switch, room = st.columns(2, vertical_alignment="bottom")
    on = switch.toggle(
        f"Set {markdown(label)} apart", value=before is not None, key=draft.key("conduct-apart"),
        help=f"It gets a fixed share of the patients. {WHY_KEPT['a control apart']}",
    )  # fmt: skip
    if not on:
        return None
    with room:
        return number(
            "control_share", round(1 / len(arms), 2) if before is None else before,
            "Of all patients; mostly as large as a dose's share, or larger.", step=0.05,
        )  # fmt: skip

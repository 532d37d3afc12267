"""Who stays in the trial, and who is a candidate."""

import streamlit as st

from gai_app import draft
from gai_app.draft import Data
from gai_app.editor.editing import Editing
from gai_app.editor.fields import chance, given_or, pick
from gai_app.escaping import markdown
from gai_app.places import WORDS
from gai_core import Study
from gai_core.evidence import Outcome, model_of
from gai_core.study import WHY_KEPT, dropout_cautions

LEFT_OUT = "left out"
USUAL_DROPOUT = 0.05
IN_MEANS_HELP = (
    "Whether the means in the table were found with dropouts counted as zero, as published "
    "response rates usually are. Then they are not lowered once more."
)
ON_TARGET_HELP = (
    "Patients whose outcome would reach the target may stay more often, or less. If dropouts are "
    "left out, this breaks the guarantee: the outcomes that remain have another mean."
)


def edit(page: Editing, start: Data, now: Data, data: Data) -> Data:
    """Dropout and the control's share."""
    st.markdown("**Dropout and control**")
    dropout = _dropout(page, start["dropout"], now["dropout"], model_of(data["outcome"]))
    page.errors_here("conduct.dropout")
    page.say_later(_cautions)
    apart = data.get("target") is None and _apart(start["control_share"], data["arms"])
    share = None
    control, _ = st.columns([1, 2])
    with control:
        if apart:
            usual = round(1 / max(len(data["arms"]), 1), 2)
            share = chance(
                page,
                "control_share",
                given_or("conduct.control_share", now["control_share"], usual),
                "Of all patients; mostly as large as a dose's share, or larger.",
            )
    page.errors_here("conduct.control_share")
    return {"dropout": dropout, "control_share": share, "wanted": None}  # it stands in the study


def _cautions(study: Study) -> None:
    for caution in dropout_cautions(study):
        st.warning(markdown(caution), icon=":material/warning:")


def _dropout(
    page: Editing, before: Data | None, now: Data | None, kind: type[Outcome]
) -> Data | None:
    on = st.toggle(
        "Some patients drop out",
        value=before is not None,
        key=draft.key("conduct-dropout"),
        help=(
            "If that has nothing to do with the outcome, the guarantee stays. "
            + WHY_KEPT["dropout unrelated to the outcome"]
        ),
    )
    if not on:
        return None
    ways = {kind.dropouts_count_as: kind.dropouts_in_words, LEFT_OUT: LEFT_OUT}
    start = before or {"probability": USUAL_DROPOUT, "counted": "", "in_means": True}
    now = now or start
    how_many, fate, other = st.columns([1, 1.2, 1], vertical_alignment="bottom")
    with how_many:
        probability = chance(
            page,
            "dropout.probability",
            now["probability"],
            "Chance that a patient has no outcome; up to 0.11 by week 16 is usual.",
        )
    with fate:
        counted = pick(
            WORDS["conduct.dropout.counted"],
            ways,
            start["counted"],
            f"counted-{kind.key}",
            "How they count: as non-responders (mostly so for response rates), as no improvement "
            "of a score, or not at all.",
        )
    on_target = None
    with other:
        if kind.all_or_nothing or counted == LEFT_OUT:
            on_target = chance(
                page,
                "dropout.probability_on_target",
                now.get("probability_on_target"),
                ON_TARGET_HELP,
                placeholder="same",
            )
    in_means = st.checkbox(
        WORDS["conduct.dropout.in_means"],
        value=start["in_means"],
        key=draft.key("conduct-in-means"),
        help=IN_MEANS_HELP,
    )
    return now | {
        "probability": probability,
        "probability_on_target": on_target,
        "counted": counted,
        "in_means": in_means,
    }


def _apart(before: float | None, arms: list[Data]) -> bool:
    """Whether the control has a share of its own and is no candidate."""
    label = next((arm["label"] for arm in arms if arm.get("control")), None)
    if label is None:
        st.caption("Mark an arm as control to give it a fixed share of the patients.")
        return False
    return st.toggle(
        f"Set {markdown(label)} apart",
        value=before is not None,
        key=draft.key("conduct-apart"),
        help=f"It gets a fixed share of the patients. {WHY_KEPT['a control apart']}",
    )

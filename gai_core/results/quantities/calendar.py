"""How long a conducted trial takes, and who waits for an outcome meanwhile."""

from gai_core.results.quantities.quantity import MEAN, TIME, Family, Quantity, ordinal


def _waiting(k: int) -> Quantity:
    key = f"waiting_{k}"
    return Quantity(
        key=key,
        label=f"patients waiting for their outcome at the {ordinal(k)} declaration",
        meaning=WAITING.meaning,
        kind=TIME,
        unit="patients",
        value=lambda trials: trials.waiting[key],
        conducted=True,
        shown=False,
        otherwise="0",
        nth=k,
    )


WAITING = Family(
    key="waiting_k",
    label="patients waiting for their outcome at the k-th declaration",
    meaning="Patients who are enrolled then but whose outcome is not known yet. With one look, at "
    "the end, a dose's declaration counts from its own last outcome.",
    member=_waiting,
)
MONTHS_ENROLMENT = Quantity(
    key="months_enrolment",
    label="months until the last enrolment",
    short="last enrolment",
    meaning="When the last patient of the trial came.",
    kind=MEAN,
    unit="months",
    value=lambda trials: trials.calendar.enrolment,
    better="less",
    conducted=True,
)
MONTHS_END = Quantity(
    key="months_end",
    label="months until the last outcome",
    short="end of the trial",
    meaning="When the last outcome came in, or the last verdict was given.",
    kind=MEAN,
    unit="months",
    value=lambda trials: trials.calendar.end,
    better="less",
    compared=True,
    prominent=True,
    glance=True,
    conducted=True,
)
PIPELINE = Quantity(
    key="pipeline",
    label="patients waiting for their outcome when enrolment ends",
    short="patients waiting when enrolment ends",
    meaning="Patients who are enrolled but whose outcome is not known yet.",
    kind=MEAN,
    unit="patients",
    value=lambda trials: trials.calendar.pipeline.astype(float),
    better="less",
    compared=True,
    conducted=True,
)

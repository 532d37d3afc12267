"""Patients and months until the k-th declaration, and until every dose has a verdict."""

from gai_core.results.quantities.quantity import TIME, Family, Quantity, ordinal

N_MAX, END = "the largest sample size", "the end of the trial"


def _tau(k: int) -> Quantity:
    key = f"tau_{k}"
    return Quantity(
        key=key,
        label=f"patients until the {ordinal(k)} declaration, or the last verdict",
        short=f"{ordinal(k)} declaration, or last verdict",
        symbol=key,
        meaning=TAU.meaning,
        kind=TIME,
        unit="patients",
        value=lambda trials: trials.times[key],
        better="less",
        compared=k == 1,
        otherwise=N_MAX,
        nth=k,
    )


TAU = Family(
    key="tau_k",
    label="patients until the k-th declaration, or the last verdict",
    meaning="Patients in the whole trial. If fewer doses are declared and every dose has a "
    "verdict, the last verdict counts. With one look, at the end, a dose's verdict counts from its "
    "own last outcome, though nobody knows it before the others are in.",
    member=_tau,
)
TAU_STOP = Quantity(
    key="tau_stop",
    label="patients until every dose has a verdict",
    short="last verdict",
    symbol="tau_stop",
    meaning="The end of a trial without a largest sample size.",
    kind=TIME,
    unit="patients",
    value=lambda trials: trials.times["tau_stop"],
    better="less",
    compared=True,
    otherwise=N_MAX,
)


def _months_tau(k: int) -> Quantity:
    key = f"months_tau_{k}"
    return Quantity(
        key=key,
        label=f"months until the {ordinal(k)} declaration, or the last verdict",
        short=f"{ordinal(k)} declaration, or last verdict",
        symbol=f"tau_{k}",
        meaning=MONTHS_TAU.meaning,
        kind=TIME,
        unit="months",
        value=lambda trials: trials.months[key],
        better="less",
        compared=k == 1,
        conducted=True,
        otherwise=END,
        nth=k,
    )


MONTHS_TAU = Family(
    key="months_tau_k",
    label="months until the k-th declaration, or the last verdict",
    meaning="The same event as tau_k in calendar time, since enrolment began.",
    member=_months_tau,
)
MONTHS_TAU_STOP = Quantity(
    key="months_tau_stop",
    label="months until every dose has a verdict",
    short="last verdict",
    symbol="tau_stop",
    meaning="The same event as tau_stop in calendar time.",
    kind=TIME,
    unit="months",
    value=lambda trials: trials.months["months_tau_stop"],
    better="less",
    compared=True,
    conducted=True,
    otherwise=END,
)

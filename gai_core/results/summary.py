"""The operating characteristics of a study as tables of words, for every reader.

The command line, the app and the report show the same cells; what differs is
how a table is drawn.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gai_core.basics import mean_share, number, percent, whole_percent, with_error
from gai_core.results.tidy import NORMAL_95, share_interval
from gai_core.study import Study, Truth

if TYPE_CHECKING:
    import pandas as pd

CHANCES = {
    "any_declared": "any dose declared",
    "correct_list": "exactly the good doses",
    "false_declaration": "false declaration",
    "missed_dose": "missed dose",
    "any_error": "any error",
}
CONDUCTED_QUANTITIES = {
    "months_tau_1": "months until the first declaration, or the last verdict",
    "months_tau_stop": "months until every dose has a verdict",
    "months_end": "months until the last outcome",
    "pipeline": "patients waiting for their outcome when enrolment ends",
    "share_on_good": "share of the patients on good doses",
}
"""What conducted trials are judged by, beside patients and chances."""
MOST_TIMES = 5
"""tau_1 to tau_5 fit on a screen; the CSV has them all."""
NO_DESIGN_CAN_BEAT = "lower bound, if always deciding"


CONDUCTED = (
    " Patients are those enrolled by the time of the event, also those who still wait for their "
    "outcome."
)


class WordTable(NamedTuple):
    """A table ready to be drawn: the first column names the row."""

    title: str
    columns: list[str]
    rows: list[list[str]]


class Values:
    """The tidy table of operating characteristics, looked up by name."""

    def __init__(self, values: "pd.DataFrame") -> None:
        keys = zip(
            values.truth, values.design, values.quantity, values.arm, values.statistic, strict=True
        )
        self._cells = dict(zip(keys, zip(values.value, values.mcse, strict=True), strict=True))

    def __call__(
        self, truth: str, design: str, quantity: str, statistic: str, arm: str = ""
    ) -> tuple[float, float]:
        """Value and Monte Carlo standard error."""
        return self._cells[truth, design, quantity, arm, statistic]


def shown_times(study: Study, truth: Truth) -> list[str]:
    """tau_1, ..., tau_m for the m good doses of a truth (one at least), and tau_stop."""
    most = min(max(sum(study.good(truth)), 1), MOST_TIMES)
    return [*(f"tau_{k}" for k in range(1, most + 1)), "tau_stop"]


def times_table(study: Study, truth: Truth, values: Values, limits: "pd.DataFrame") -> WordTable:
    """Patients until each declaration and the last verdict, and what no design can beat."""
    quantities = shown_times(study, truth)
    rows = [
        [
            design.name,
            *(_time(values, truth.name, design.name, quantity) for quantity in quantities),
            with_error(*values(truth.name, design.name, "n_patients", "mean")),
        ]
        for design in study.designs
    ]
    lower = limits[(limits.truth == truth.name) & (limits.bound == "sharper")]
    unbeaten = dict(zip(lower.quantity, lower.value, strict=True))
    bound = [number(unbeaten.get(quantity, math.nan)) for quantity in quantities]
    title = "patients until the k-th declaration (tau_k), the last verdict (tau_stop)"
    return WordTable(
        f"{truth.name}: {title}",
        ["design", *quantities, "n_patients"],
        [*rows, [NO_DESIGN_CAN_BEAT, *bound, ""]],
    )


def _time(values: Values, truth: str, design: str, quantity: str) -> str:
    reached = values(truth, design, quantity, "reached")[0]
    if reached == 0:
        return "not reached"
    mean = with_error(*values(truth, design, quantity, "mean"))
    return mean if reached == 1 else f"{mean} in {whole_percent(reached)}"


def months_table(study: Study, truth: Truth, values: Values) -> WordTable:
    """The same events in months, and how a conducted trial ends."""
    quantities = [f"months_{quantity}" for quantity in shown_times(study, truth)]
    rows = []
    for design in study.designs:
        place = truth.name, design.name
        rows.append(
            [
                design.name,
                *(_time(values, *place, quantity) for quantity in quantities),
                with_error(*values(*place, "months_enrolment", "mean")),
                with_error(*values(*place, "months_end", "mean")),
                with_error(*values(*place, "pipeline", "mean")),
                mean_share(*values(*place, "share_on_good", "mean")),
            ]
        )
    columns = [
        "design",
        *(quantity.removeprefix("months_") for quantity in quantities),
        "last enrolment",
        "end of the trial",
        "patients waiting when enrolment ends",
        "patients on good doses",
    ]
    title = "months until the k-th declaration (tau_k), the last verdict (tau_stop), the end"
    return WordTable(f"{truth.name}: {title}", columns, rows)


def truth_tables(
    study: Study, truth: Truth, values: Values, limits: "pd.DataFrame"
) -> list[WordTable]:
    """All tables of one truth, in the order in which they are shown."""
    in_months = [] if study.conduct is None else [months_table(study, truth, values)]
    return [
        times_table(study, truth, values, limits),
        *in_months,
        chances_table(study, truth, values),
        doses_table(study, truth, values),
    ]


def chances_table(study: Study, truth: Truth, values: Values) -> WordTable:
    """Chances of declaring, of the right list, and of each error."""
    runs = study.simulation.runs
    rows = [
        [
            design.name,
            *(
                percent(*values(truth.name, design.name, quantity, "probability"), runs)
                for quantity in CHANCES
            ),
        ]
        for design in study.designs
    ]
    return WordTable(f"{truth.name}: chances", ["design", *CHANCES.values()], rows)


def headline(study: Study, truth: Truth, values: Values) -> WordTable:
    """The answer to a trialist's first questions, a row per design."""
    runs, n_max = study.simulation.runs, study.simulation.n_max
    rows = []
    for design in study.designs:
        place = truth.name, design.name
        rows.append(
            [
                design.name,
                percent(*values(*place, "any_declared", "probability"), runs),
                _time(values, *place, "tau_1"),
                with_error(*values(*place, "n_patients", "mean")),
                percent(*values(*place, "any_error", "probability"), runs),
            ]
        )
        if study.conduct is not None:
            rows[-1][3:3] = [_time(values, *place, "months_tau_1")]
            rows[-1][5:5] = [with_error(*values(*place, "months_end", "mean"))]
    columns = [
        "design",
        f"a dose is declared by {n_max:,} patients",
        "patients until the first declaration, or the last verdict",
        "patients in the trial",
        "any wrong verdict",
    ]
    if study.conduct is not None:
        columns[3:3] = ["months until then"]
        columns[5:5] = ["months in the trial"]
    return WordTable(f"{truth.name}: at a glance", columns, rows)


def doses_table(study: Study, truth: Truth, values: Values) -> WordTable:
    """Per dose: how often each design declares it, and with how many patients."""
    rows = []
    for i, (arm, mean) in enumerate(zip(study.arms, study.expected(truth), strict=True)):
        row = [arm.label, f"{mean:.4g}" if study.dropout else f"{mean:g}"]
        for design in study.designs:
            patients = values(truth.name, design.name, "assigned", "mean", arm.label)[0]
            if i == study.set_apart:
                row.append(f"control, {number(patients)}")
                continue
            declared = values(truth.name, design.name, "good", "probability", arm.label)[0]
            row.append(f"{whole_percent(declared)}, {number(patients)}")
        rows.append(row)
    title = "share of trials that declare the dose, and its mean patients"
    columns = ["arm", "assumed", *(design.name for design in study.designs)]
    return WordTable(f"{truth.name}: {title}", columns, rows)


class Chance(NamedTuple):
    """One simulated chance with its standard error."""

    truth: str
    design: str
    quantity: str
    value: float
    mcse: float


def most_uncertain_chance(study: Study, values: Values) -> Chance | None:
    """The chance with the largest standard error; None where one trial gives no error."""
    chances = [
        Chance(truth.name, design.name, quantity, *values(*place, quantity, "probability"))
        for truth in study.truths
        for design in study.designs
        for place in [(truth.name, design.name)]
        for quantity in CHANCES
    ]
    known = [chance for chance in chances if not math.isnan(chance.mcse)]
    return max(known, key=lambda chance: chance.mcse, default=None)


def least_error(runs: int) -> float:
    """Standard error that any chance must be given: even one never seen may be about 3/runs."""
    low, high = share_interval(np.array([0]), runs)
    return float((high - low)[0] / (2 * NORMAL_95))


def reading_note(study: Study) -> str:
    """How to read the tables."""
    return (
        f"± is the Monte Carlo standard error over {study.simulation.runs:,} trials; (< …%) is a "
        "95% limit for what was never seen. A mean is over the trials that reached the time; where "
        "not all did, their share follows. The bounds are for designs that always decide: one that "
        "stops at n_max, or whose guarantee ends there, can lie below them."
        f"{'' if study.conduct is None else CONDUCTED}"
    )

"""Designs against a baseline on the same simulated patients, over all truths at once."""

import math
from typing import TYPE_CHECKING, Any

from gai_core.basics import mean_share, percent, with_error
from gai_core.engine import Runs
from gai_core.results.summary import CHANCES, CONDUCTED_QUANTITIES, Values, WordTable
from gai_core.results.tidy import NORMAL_95, paired_differences
from gai_core.study import Study

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["truth", "design", "value", "mcse", "difference", "difference_mcse", "low", "high"]
LESS_IS_BETTER = {
    "tau_1": True,
    "tau_stop": True,
    "n_patients": True,
    "any_declared": False,
    "correct_list": False,
    "false_declaration": True,
    "missed_dose": True,
    "any_error": True,
}
"""What designs are compared by."""
CONDUCTED_LESS_IS_BETTER = {
    "months_tau_1": True,
    "months_tau_stop": True,
    "months_end": True,
    "pipeline": True,
    "share_on_good": False,
}
"""What conducted trials are compared by, beside that."""
LABELS = {
    "tau_1": "patients until the first declaration, or the last verdict",
    "tau_stop": "patients until every dose has a verdict",
    "n_patients": "patients in the trial",
    **CHANCES,
    **CONDUCTED_QUANTITIES,
}


def comparable(study: Study) -> dict[str, bool]:
    """What the designs of a study are compared by, and whether less of it is better."""
    return LESS_IS_BETTER | (CONDUCTED_LESS_IS_BETTER if study.conduct else {})


def statistic_of(quantity: str) -> str:
    """Times are compared by E[min(tau, n_max)], the others by mean or probability."""
    if "tau_" in quantity:
        return "restricted_mean"
    return "probability" if quantity in CHANCES else "mean"


def compare(runs: Runs, values: Values, baseline: str, quantity: str) -> "pd.DataFrame":
    """Per truth and design: the value, and the paired difference with its 95% interval."""
    import pandas as pd

    rows = []
    for design in runs.study.designs:
        paired = paired_differences(runs, design.name, baseline)
        for row in paired[paired.quantity == quantity].itertuples():
            value, mcse = values(row.truth, design.name, quantity, statistic_of(quantity))
            half = NORMAL_95 * row.mcse
            rows.append(
                (row.truth, design.name, value, mcse, row.value, row.mcse,
                 row.value - half, row.value + half)
            )  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)


def best_and_worst(compared: "pd.DataFrame", quantity: str) -> "pd.DataFrame":
    """Per design the truths under which it does best and worst, with the values."""
    import pandas as pd

    rows = []
    for design, block in compared.groupby("design", sort=False):
        ascending = (LESS_IS_BETTER | CONDUCTED_LESS_IS_BETTER)[quantity]
        ordered = block.sort_values("value", ascending=ascending, kind="stable")
        best, worst = ordered.iloc[0], ordered.iloc[-1]
        rows.append(
            (design, best.truth, best.value, best.mcse, worst.truth, worst.value, worst.mcse)
        )
    columns = ["design", "best_truth", "best", "best_mcse", "worst_truth", "worst", "worst_mcse"]
    return pd.DataFrame(rows, columns=columns)


def benchmark_of(study: Study) -> str | None:
    """The fixed design of a study: equal allocation, judged once at the end."""
    for design in study.designs:
        if design.rule == "equal" and design.criterion_parameters.get("looks") == "end":
            return design.name
    return None


def value_in_words(value: float, mcse: float, quantity: str, runs: int) -> str:
    """A value with its standard error, as a share or as patients."""
    if quantity == "share_on_good":
        return mean_share(value, mcse)
    if quantity not in CHANCES:
        return with_error(value, mcse)
    return percent(value, mcse, runs)


def difference_in_words(row: Any, quantity: str) -> str:
    """A row of `compare`: the difference with its 95% interval, in points or patients."""
    scale = 100 if quantity in CHANCES or quantity == "share_on_good" else 1
    if row.difference_mcse == 0 and row.difference == 0:
        return "the same"
    values = [scale * value for value in (row.difference, row.low, row.high)]
    places = 1 if max(abs(value) for value in values) < 100 else 0
    shown = [f"{value:+,.{places}f}" for value in values if not math.isnan(value)]
    return shown[0] if len(shown) < 3 else f"{shown[0]} [{shown[1]}, {shown[2]}]"


def comparison_table(study: Study, compared: "pd.DataFrame", quantity: str) -> WordTable:
    """Designs down, truths across: value and difference in words."""
    rows = []
    for design, block in compared.groupby("design", sort=False):
        cells = (
            f"{value_in_words(row.value, row.mcse, quantity, study.simulation.runs)}; "
            f"{difference_in_words(row, quantity)}"
            for row in block.itertuples()
        )
        rows.append([str(design), *cells])
    columns = ["design", *(truth.name for truth in study.truths)]
    return WordTable(f"{LABELS[quantity]}; difference", columns, rows)


def extremes_table(study: Study, compared: "pd.DataFrame", quantity: str) -> WordTable:
    """Per design the truth under which it does best, and worst."""
    runs = study.simulation.runs
    rows = [
        [
            row.design,
            value_in_words(row.best, row.best_mcse, quantity, runs),
            row.best_truth,
            value_in_words(row.worst, row.worst_mcse, quantity, runs),
            row.worst_truth,
        ]
        for row in best_and_worst(compared, quantity).itertuples()
    ]
    columns = ["design", "best", "best under", "worst", "worst under"]
    return WordTable(f"{LABELS[quantity]}: best and worst case", columns, rows)

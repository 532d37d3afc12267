"""A recommendation: which of a short list of designs declares a good dose soonest.

Every design is simulated on all truths of the study, on the same patients. For a
truth with doses above the target it is judged by E[min(tau_1, n_max)] relative to the best design
there; the recommended one has the smallest average of these ratios.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gai_core.bounds import instance, sharper
from gai_core.characteristics import characteristics, paired_differences
from gai_core.designs import sensible
from gai_core.errors import InputError
from gai_core.simulate import Progress, Runs, simulate
from gai_core.study import Study, Truth

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = [
    "truth", "design", "tau_1", "tau_1_mcse", "any_declared", "n_patients", "false_declaration",
    "missed_dose", "difference", "difference_mcse", "lower_bound",
]  # fmt: skip
REFERENCE = "HDoC, the paper's"


@dataclass(frozen=True)
class Advice:
    """The recommended design, what speaks for it in words, and the table behind it."""

    recommended: str
    sentences: tuple[str, ...]
    table: "pd.DataFrame"
    runs: Runs


def advise(study: Study, *, threads: int | None = None, progress: Progress | None = None) -> Advice:
    """Simulate the sensible designs on all truths of the study and recommend one."""
    judged = [truth.name for truth in study.truths if max(truth.means) > study.threshold]
    if not judged:
        raise InputError("advise needs a truth in which at least one arm is above the threshold")
    candidates = study.model_copy(update={"designs": tuple(sensible(study))})
    runs = simulate(candidates, threads=threads, progress=progress)
    table = _table(runs)
    ratios = table[table.truth.isin(judged)]
    best = ratios.groupby("truth").tau_1.transform("min")
    score = (ratios.tau_1 / best).groupby(ratios.design, sort=False).mean()
    recommended = str(score.idxmin())
    return Advice(recommended, tuple(_sentences(candidates, table, recommended)), table, runs)


def _table(runs: Runs) -> "pd.DataFrame":
    import pandas as pd

    study = runs.study
    values = characteristics(runs)
    cells = {
        (row.truth, row.design, row.quantity, row.statistic): (row.value, row.mcse)
        for row in values[values.arm == ""].itertuples()
    }
    rows = []
    for design in study.designs:
        differences = paired_differences(runs, design.name, REFERENCE)
        tau_1 = differences[differences.quantity == "tau_1"].set_index("truth")
        for truth in study.truths:
            key = truth.name, design.name
            rows.append(
                (*key, *cells[(*key, "tau_1", "restricted_mean")],
                 cells[(*key, "any_declared", "probability")][0],
                 cells[(*key, "n_patients", "mean")][0],
                 cells[(*key, "false_declaration", "probability")][0],
                 cells[(*key, "missed_dose", "probability")][0],
                 tau_1.value[truth.name], tau_1.mcse[truth.name], _lower_bound(study, truth))
            )  # fmt: skip
    table = pd.DataFrame(rows, columns=COLUMNS)
    order = {truth.name: i for i, truth in enumerate(study.truths)}
    return table.sort_values(
        "truth", key=lambda names: names.map(order), kind="stable"
    ).reset_index(drop=True)


def _lower_bound(study: Study, truth: Truth) -> float:
    problem = instance(study, truth)
    return sharper(problem, 1).value if problem.good else math.nan


def _sentences(study: Study, table: "pd.DataFrame", recommended: str) -> list[str]:
    chosen = study.design(recommended)
    criterion = chosen.identification[0]
    text = [
        f"Recommended: {recommended} (rule {chosen.rule}, criterion {chosen.criterion}). "
        f"{criterion.guarantee_text}"
    ]
    for truth in study.truths:
        here = table[table.truth == truth.name].set_index("design")
        text.append(_on_truth(study, truth, here, recommended))
    return text


def _on_truth(study: Study, truth: Truth, here: "pd.DataFrame", recommended: str) -> str:
    row, n_max = here.loc[recommended], study.simulation.n_max
    if max(truth.means) <= study.threshold:
        best = here.n_patients.idxmin()
        return (
            f"{truth.name}: no dose is above the target. The trial takes {row.n_patients:,.0f} "
            f"patients on average (least: {here.n_patients[best]:,.0f} with {best}). It errs in "
            f"{100 * (row.false_declaration + row.missed_dose):.1f}% of the trials; "
            f"{100 * study.delta:g}% are allowed."
        )
    if row.any_declared == 0:
        return f"{truth.name}: no trial declares a dose within {n_max:,} patients."
    sooner = "sooner" if row.difference <= 0 else "later"
    text = (
        f"{truth.name}: a dose is declared in {100 * row.any_declared:.1f}% of the trials within "
        f"{n_max:,} patients; E[min(tau_1, n_max)] is {row.tau_1:,.0f} ± {row.tau_1_mcse:,.1f}, "
        f"{abs(row.difference):,.0f} ± {row.difference_mcse:,.1f} {sooner} than with "
        f"{REFERENCE} on the same patients. "
    )
    if math.isfinite(row.lower_bound) and row.lower_bound > 0:
        text += (
            f"Designs that always decide need at least {row.lower_bound:,.0f}: "
            f"{row.tau_1 / row.lower_bound:.1f} times that. "
        )
    best = here.tau_1.idxmin()
    if best != recommended:
        text += f"Soonest here is {best} with {here.tau_1[best]:,.0f}. "
    least = here.n_patients.idxmin()
    text += f"In all the trial takes {row.n_patients:,.0f} patients"
    if here.n_patients[least] < 0.99 * row.n_patients:
        text += f"; least is {here.n_patients[least]:,.0f} with {least}"
    text += "."
    return text.strip()

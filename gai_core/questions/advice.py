"""A recommendation: which of a short list of designs declares a good dose soonest.

Every design is simulated on all truths of the study, on the same patients. For a
truth with doses above the target it is judged by the mean number of patients until
the first declaration (n_max where there is none), relative to the best design there;
the recommended one has the smallest average of these ratios.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import InputError
from gai_core.engine import HERE, Runs, Trials, Work
from gai_core.evidence import GOOD
from gai_core.results import events, mean, share
from gai_core.study import Study, Truth, sensible
from gai_core.theory import instance, sharper

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
    """Empty where no design declares anything."""
    sentences: tuple[str, ...]
    table: "pd.DataFrame"
    runs: Runs


def advise(
    study: Study,
    *,
    work: Work = HERE,
) -> Advice:
    """Simulate the sensible designs on all truths of the study and recommend one."""
    judged = [truth.name for truth in study.truths if study.above(truth)]
    if not judged:
        raise InputError("advise needs a truth in which at least one arm is above the threshold")
    if study.simulation.runs < 2:
        raise InputError("advise needs at least 2 runs, to know how sure it is")
    candidates = study.model_copy(update={"designs": tuple(sensible(study))})
    runs = work.simulate(candidates)
    table = _table(runs)
    here = table[table.truth.isin(judged)]
    if (here.any_declared == 0).all():
        text = (
            f"No design declares a dose within {study.simulation.n_max:,} patients in any "
            "simulated trial: enlarge n_max, or lower the threshold or the demands on delta."
        )
        return Advice("", (text,), table, runs)
    best = here.groupby("truth").tau_1.transform("min")
    score = (here.tau_1 / best).groupby(here.design, sort=False).mean().sort_values(kind="stable")
    recommended, runner_up = score.index[:2]
    sentences = _sentences(candidates, table, recommended)
    sentences.insert(1, _against(runs, judged, recommended, runner_up))
    return Advice(recommended, tuple(sentences), table, runs)


def first_declaration(trials: Trials, n_max: int) -> NDArray[np.int64]:
    """Patients until the first declaration of every replicate, n_max where there is none."""
    times = np.where(trials.verdict == GOOD, trials.decided, n_max)
    return np.asarray(times.min(axis=1), np.int64)


def _against(runs: Runs, truths: list[str], design: str, other: str) -> str:
    """The paired difference from the runner-up, averaged over the truths judged by."""
    n_max = runs.study.simulation.n_max
    differences = np.concatenate(
        [
            first_declaration(runs[truth, design], n_max)
            - first_declaration(runs[truth, other], n_max)
            for truth in truths
        ]
    )
    value, error = mean(differences)
    sure = "" if abs(value) > 2 * error else ", which these trials cannot tell from zero"
    return (
        f"Runner-up: {other}. On average over the truths the first declaration comes "
        f"{abs(value):,.1f} ± {error:,.1f} patients {'later' if value < 0 else 'sooner'} with "
        f"it{sure}."
    )


def _table(runs: Runs) -> "pd.DataFrame":
    import pandas as pd

    study, n_max = runs.study, runs.study.simulation.n_max
    rows = []
    for truth in study.truths:
        reference = first_declaration(runs[truth.name, REFERENCE], n_max)
        for design in study.designs:
            trials = runs[truth.name, design.name]
            tau_1 = first_declaration(trials, n_max)
            seen = events(trials, study.good(truth))
            rows.append(
                (truth.name, design.name, *mean(tau_1), share(seen["any_declared"])[0],
                 mean(trials.patients)[0], share(seen["false_declaration"])[0],
                 share(seen["missed_dose"])[0], *mean(tau_1 - reference),
                 _lower_bound(study, truth))
            )  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)


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
    if not study.above(truth):
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
        f"{n_max:,} patients; the first after {row.tau_1:,.0f} ± {row.tau_1_mcse:,.1f} patients "
        "on average, "
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

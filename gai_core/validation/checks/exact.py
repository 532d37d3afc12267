"""Exact errors, group-sequential limits and critical values beside other computations."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gai_core.evidence import dunnett_critical
from gai_core.study import Study, load_study, validated
from gai_core.theory import worst_cases
from gai_core.validation.check import Check, Effort, Found, nearest

Limits = NDArray[Any]

POCOCK = {2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413}
OBRIEN_FLEMING = {2: 1.977, 3: 2.004, 4: 2.024, 5: 2.040}
"""Two-sided level .05, so .025 for either side: Jennison and Turnbull, Group Sequential Methods
(2000), Tables 2.1 and 2.3."""
DUNNETT = {2: 1.92, 3: 2.06, 4: 2.16, 5: 2.23}
"""One-sided level .05, known variance: Dunnett, J. Am. Statist. Ass. 50:1096, 1955, Table 1a."""


def chances_of_verdicts(p: float, accept: Limits, reject: Limits) -> tuple[float, float]:
    """Chances that a dose with response rate p is declared, and dropped, count by count."""
    alive, good, bad = np.array([1.0]), 0.0, 0.0
    for n in range(1, len(accept)):
        alive = np.append(alive * (1 - p), 0.0) + np.append(0.0, alive * p)
        counts = np.arange(n + 1)
        above, below = counts >= accept[n], counts <= reject[n]
        good, bad = good + alive[above].sum(), bad + alive[below].sum()
        alive = np.where(above | below, 0.0, alive)
    return float(good), float(bad)


def _exact_errors(_effort: Effort) -> Found:
    study = load_study("tofacitinib")
    errors, pairs, beyond = worst_cases(study).set_index("design"), {}, []
    for design in study.designs:
        row = errors.loc[design.name]
        if design.once_at_end:
            continue  # one test: there is nothing to go through
        curves, end = study.curves(design), int(row.largest_count) + 1
        good, bad = chances_of_verdicts(
            study.stream.target, curves.accept[:end], curves.reject[:end]
        )
        pairs[f"{design.name}, declared"] = float(row.false_declaration), good
        pairs[f"{design.name}, dropped"] = float(row.miss), bad
        if design.proven and good > row.arm_allowance:
            beyond.append(f"{design.name}: {good:.4g} of {row.arm_allowance:.4g} allowed")
    if beyond:
        return Found(False, f"more than is promised: {'; '.join(beyond)}")
    return nearest(pairs, 1e-9)


def _sequential(shape: str, looks: int) -> Study:
    """Scores of variance 1, one group of looks per dose; 2.5% for either side of each of two."""
    return validated(
        {
            "title": "Looks",
            "threshold": 0.0,
            "errors": {"declare": 0.05, "drop": 0.05},
            "outcome": {"kind": "gaussian", "variance": 1.0},
            "simulation": {"runs": 1, "n_max": 120, "seed": 1},
            "arms": [{"label": "a"}, {"label": "b"}],
            "truths": [{"name": "any", "means": [0.0, 0.5]}],
            "designs": [
                {
                    "name": "d",
                    "rule": "equal",
                    "criterion": "exact",
                    "criterion_parameters": {"shape": shape, "looks": {"equal": looks}},
                    "burn_in": 1,
                }
            ],
        },
        "validation",
    )


def _group_sequential(_effort: Effort) -> Found:
    pairs = {}
    for shape, table in (("pocock", POCOCK), ("obrien-fleming", OBRIEN_FLEMING)):
        for looks, published in table.items():
            study = _sequential(shape, looks)
            accept = study.curves(study.designs[0]).accept
            judged = np.flatnonzero(np.isfinite(accept[1:])) + 1
            if judged.size != looks:
                return Found(False, f"{shape}, {looks} looks: there are {judged.size}")
            last = int(judged[-1])
            pairs[f"{shape}, {looks} looks"] = float(accept[last]) / math.sqrt(last), published
    return nearest(pairs, 2e-3)


def _dunnett(_effort: Effort) -> Found:
    found = {
        f"{doses} doses": (dunnett_critical(doses, 0.05), published)
        for doses, published in DUNNETT.items()
    }
    return nearest(found, 0.0051)


EXACT_ERRORS = Check(
    key="exact-errors",
    test=(
        "Go through all counts of responders of a dose at the target, one patient after the other, "
        "for every sequential design of tofacitinib, and set the chances beside the exact errors."
    ),
    expected="the same to 1e-9, and not more than is promised",
    run=_exact_errors,
)
GROUP_SEQUENTIAL = Check(
    key="group-sequential",
    test="Calibrate limits for 2 to 5 looks, 2.5% for either side; divide the last by its "
    "standard deviation.",
    expected="the constants of Jennison and Turnbull (2000), to 0.002: Pocock "
    f"{', '.join(map(str, POCOCK.values()))}; O'Brien and Fleming "
    f"{', '.join(f'{value:.3f}' for value in OBRIEN_FLEMING.values())}",
    run=_group_sequential,
)
DUNNETT_CRITICAL = Check(
    key="dunnett",
    test="Compute one-sided 5% limits for 2 to 5 doses against one control.",
    expected=f"Dunnett's table (1955), to its two places: {', '.join(map(str, DUNNETT.values()))}",
    run=_dunnett,
)

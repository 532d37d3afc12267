"""The exact bounds on every error beside what the simulation saw."""

import math
from typing import TYPE_CHECKING

from gai_core.engine import HERE, Work
from gai_core.results import events, share
from gai_core.study import Study
from gai_core.theory import error_bounds, wrong_allowed

if TYPE_CHECKING:
    import pandas as pd

TRUTH_COLUMNS = [
    "truth",
    "design",
    "false_declaration_bound",
    "false_declaration",
    "false_declaration_mcse",
    "missed_dose_bound",
    "missed_dose",
    "missed_dose_mcse",
    "any_error",
    "any_error_mcse",
    "above_delta",
]

SURE = 3.0
"""Standard errors by which a simulated rate must exceed what is allowed to be called above it."""


def errors_by_truth(
    study: Study,
    *,
    work: Work = HERE,
) -> "pd.DataFrame":
    """Per truth and design: the exact bound on each error beside the simulated rate."""
    import pandas as pd

    runs, allowed = work.simulate(study), study.error_rates
    rows = []
    for truth in study.truths:
        for design in study.designs:
            false_bound = miss_bound = math.nan  # the exact law is that of outcomes as assumed
            if study.covered(truth, design):
                false_bound, miss_bound = error_bounds(study, design, truth)
            seen = events(runs, truth.name, design.name)
            false, missed, wrong = (
                share(seen[name]) for name in ("false_declaration", "missed_dose", "any_error")
            )
            rows.append(
                (
                    truth.name,
                    design.name,
                    false_bound,
                    *false,
                    miss_bound,
                    *missed,
                    *wrong,
                    surely_above(false, allowed.declare)
                    or surely_above(missed, allowed.drop)
                    or surely_above(wrong, wrong_allowed(study, design)),
                )
            )
    return pd.DataFrame(rows, columns=TRUTH_COLUMNS)


def surely_above(seen: tuple[float, float], allowed: float) -> bool:
    """Whether a simulated rate is surely more than what is allowed."""
    rate, error = seen
    return rate - SURE * error > allowed

"""What can be known without simulation: bounds, exact errors, what is reachable."""

from gai_core.theory.caution_words import cautions, design_cautions, truth_cautions
from gai_core.theory.exact_errors import (
    error_below,
    error_bounds,
    is_broken,
    worst_case,
    worst_cases,
    wrong_allowed,
)
from gai_core.theory.lower_bounds import (
    LABELS,
    asymptotic,
    bounds,
    instance,
    sharper,
    sharper_bounds,
    within_rates,
)
from gai_core.theory.reachable import (
    evidence_for_any,
    evidence_for_list,
    least_delta,
    least_n_max,
)

__all__ = [
    "LABELS",
    "asymptotic",
    "bounds",
    "cautions",
    "design_cautions",
    "error_below",
    "error_bounds",
    "evidence_for_any",
    "evidence_for_list",
    "instance",
    "is_broken",
    "least_delta",
    "least_n_max",
    "sharper",
    "sharper_bounds",
    "truth_cautions",
    "within_rates",
    "worst_case",
    "worst_cases",
    "wrong_allowed",
]

"""What happens in a trial or not: declarations, the right list, wrong verdicts."""

import numpy as np

from gai_core.results.quantities.judging import Happened, Judged
from gai_core.results.quantities.quantity import CHANCE, Quantity
from gai_core.theory import evidence_for_any, evidence_for_list


def _correct_list(trials: Judged) -> Happened:
    return np.asarray((trials.declared == np.array(trials.good)).all(axis=1))


ANY_DECLARED = Quantity(
    key="any_declared",
    label="any dose declared",
    meaning="The chance that at least one dose is declared, rightly or not.",
    kind=CHANCE,
    unit="share",
    value=lambda trials: trials.any_declared,
    better="more",
    compared=True,
    prominent=True,
    glance=True,
    wish="at least one dose is declared",
    rises=True,
    patients_per_evidence=evidence_for_any,
)
GOOD_DECLARED = Quantity(
    key="good_declared",
    label="a good dose declared",
    meaning="The chance that at least one dose that meets the target is declared. A false "
    "declaration is none.",
    kind=CHANCE,
    unit="share",
    value=lambda trials: (trials.declared & np.array(trials.good)).any(axis=1),
    better="more",
    shown=False,
    wish="a good dose is declared",
    rises=True,
    patients_per_evidence=evidence_for_any,
)
CORRECT_LIST = Quantity(
    key="correct_list",
    label="exactly the good doses",
    meaning="The chance that exactly the doses that meet the target are declared.",
    kind=CHANCE,
    unit="share",
    value=_correct_list,
    better="more",
    compared=True,
    wish="exactly the good doses are declared",
    patients_per_evidence=evidence_for_list,
)
ANY_ERROR = Quantity(
    key="any_error",
    label="any wrong verdict",
    meaning="The chance of a false declaration, or of a good dose wrongly dropped, or both: what "
    "the error rate delta bounds, or the larger of alpha and beta; their sum where doses are "
    "judged in steps or in order. A dose left undecided is no "
    "wrong verdict.",
    kind=CHANCE,
    unit="share",
    value=lambda trials: trials.false_declaration | trials.missed_dose,
    better="less",
    compared=True,
    prominent=True,
    glance=True,
)
FALSE_DECLARATION = Quantity(
    key="false_declaration",
    label="false declaration",
    meaning="The chance that a dose that misses the target is declared: what alpha bounds.",
    kind=CHANCE,
    unit="share",
    value=lambda trials: trials.false_declaration,
    better="less",
    compared=True,
)
MISSED_DOSE = Quantity(
    key="missed_dose",
    label="good dose wrongly dropped",
    meaning="The chance that a dose that meets the target is dropped: what beta bounds. A good "
    "dose that is neither declared nor dropped does not count here.",
    kind=CHANCE,
    unit="share",
    value=lambda trials: trials.missed_dose,
    better="less",
    compared=True,
)

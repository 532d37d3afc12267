"""What simulated trials are judged by. To add a quantity: write it, add it to this list.

The order is that of the tidy table; quantities of arms that follow each other stand arm by arm.
"""

from collections.abc import Mapping

from gai_core.basics import Registry
from gai_core.engine import Runs
from gai_core.results.quantities.answers import (
    ENROLLED,
    FIRST_DECLARATION,
    MONTHS_FIRST_DECLARATION,
)
from gai_core.results.quantities.calendar import MONTHS_END, MONTHS_ENROLMENT, PIPELINE, WAITING
from gai_core.results.quantities.estimation import ESTIMATION
from gai_core.results.quantities.judging import Happened, Judged, judged
from gai_core.results.quantities.patients import ASSIGNED, N_OUTCOMES, N_PATIENTS, SHARE_ON_GOOD
from gai_core.results.quantities.quantity import (
    CHANCE,
    COUNT,
    MEAN,
    TIME,
    Family,
    Kind,
    Quantity,
    value_in_words,
)
from gai_core.results.quantities.right_and_wrong import (
    ANY_DECLARED,
    ANY_ERROR,
    CORRECT_LIST,
    FALSE_DECLARATION,
    GOOD_DECLARED,
    MISSED_DOSE,
)
from gai_core.results.quantities.verdict_times import (
    MONTHS_TAU,
    MONTHS_TAU_STOP,
    TAU,
    TAU_STOP,
)
from gai_core.results.quantities.verdicts import DECLARED, DROPPED, LEFT_UNDECIDED
from gai_core.results.quantities.which_dose import (
    BEST_DOSE_DECLARED,
    MED_RIGHT,
    MED_TOO_HIGH,
    MED_TOO_LOW,
    low_right_high,
)
from gai_core.study import UNORDERED, Study, doses_in_order

__all__ = [
    "CHANCE",
    "COUNT",
    "MEAN",
    "QUANTITIES",
    "TIME",
    "Family",
    "Judged",
    "Kind",
    "Quantity",
    "chances_of",
    "comparable",
    "events",
    "judged",
    "low_right_high",
    "quantities_of",
    "value_in_words",
    "why_not_there",
    "wishes",
    "wishes_of",
]

QUANTITIES: Registry[Quantity | Family] = Registry(
    "quantity",
    [
        FIRST_DECLARATION,
        TAU,
        TAU_STOP,
        ENROLLED,
        N_PATIENTS,
        ANY_DECLARED,
        GOOD_DECLARED,
        CORRECT_LIST,
        ANY_ERROR,
        FALSE_DECLARATION,
        MISSED_DOSE,
        MED_RIGHT,
        MED_TOO_LOW,
        MED_TOO_HIGH,
        BEST_DOSE_DECLARED,
        ASSIGNED,
        DECLARED,
        DROPPED,
        LEFT_UNDECIDED,
        MONTHS_FIRST_DECLARATION,
        MONTHS_TAU,
        MONTHS_TAU_STOP,
        WAITING,
        MONTHS_ENROLMENT,
        MONTHS_END,
        PIPELINE,
        SHARE_ON_GOOD,
        N_OUTCOMES,
        *ESTIMATION,
    ],
)


def quantities_of(study: Study) -> dict[str, Quantity]:
    """All quantities of a study by their key, families in full."""
    return {
        member.key: member
        for entry in QUANTITIES.values()
        for member in entry.members(study)
        if not lacks(study, member)
    }


def lacks(study: Study, quantity: Quantity) -> str:
    """What a study must have for a quantity and has not, in words; empty where it has all."""
    if quantity.conducted and study.conduct is None:
        return "a [conduct]"
    return UNORDERED if quantity.ordered and not doses_in_order(study) else ""


def why_not_there(study: Study, key: str) -> str:
    """What keeps a quantity from a study; empty where it is there, or not known at all."""
    entry = QUANTITIES.get(key)
    missing = lacks(study, entry) if isinstance(entry, Quantity) else ""
    return f"{key} needs a study with {missing}" if missing else ""


def chances_of(study: Study) -> dict[str, Quantity]:
    """What happens in a trial or not."""
    return {
        key: quantity
        for key, quantity in quantities_of(study).items()
        if quantity.kind is CHANCE and quantity.arms is None
    }


def comparable(study: Study) -> dict[str, Quantity]:
    """What the designs of a study are compared by."""
    return {key: quantity for key, quantity in quantities_of(study).items() if quantity.compared}


def wishes() -> dict[str, Quantity]:
    """Chances that a trial can be planned to reach."""
    return {
        key: entry
        for key, entry in QUANTITIES.items()
        if isinstance(entry, Quantity) and entry.wish
    }


def wishes_of(study: Study) -> dict[str, Quantity]:
    """Those that a study has."""
    return {key: entry for key, entry in wishes().items() if not lacks(study, entry)}


def events(runs: Runs, truth: str, design: str) -> Mapping[str, Happened]:
    """Every chance of the whole trial: whether it happened, trial by trial."""
    trials = judged(runs, truth, design)
    return {key: quantity.value(trials) for key, quantity in chances_of(runs.study).items()}

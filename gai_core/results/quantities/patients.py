"""How many patients there are, and where."""

import numpy as np
from numpy.typing import NDArray

from gai_core.results.quantities.judging import Judged
from gai_core.results.quantities.quantity import MEAN, Quantity


def _share_on_good(trials: Judged) -> NDArray[np.float64]:
    on_good = trials.trials.assigned[:, np.array(trials.good)].sum(axis=1)
    return np.asarray(on_good / trials.trials.patients)


N_PATIENTS = Quantity(
    key="n_patients",
    label="patients in the trial",
    meaning="All patients of the trial, on all arms.",
    kind=MEAN,
    unit="patients",
    value=lambda trials: trials.trials.patients,
    better="less",
    compared=True,
    prominent=True,
    glance=True,
)
ASSIGNED = Quantity(
    key="assigned",
    label="patients on the dose",
    meaning="Patients who were allocated to the dose or to the control.",
    kind=MEAN,
    unit="patients",
    value=lambda trials: trials.trials.assigned,
    arms="all",
)
SHARE_ON_GOOD = Quantity(
    key="share_on_good",
    label="share of the patients on good doses",
    short="patients on good doses",
    meaning="Which share of a trial's patients gets a dose that meets the target.",
    kind=MEAN,
    unit="share",
    value=_share_on_good,
    better="more",
    compared=True,
    prominent=True,
    # It needs no calendar. But studies without one have never had it in their tidy tables, and
    # saved ones are compared byte by byte. At equal power any designs are compared by it.
    conducted=True,
)
N_OUTCOMES = Quantity(
    key="outcomes",
    label="outcomes of the dose",
    meaning="Outcomes of the dose that came in; dropouts that are left out are not among them.",
    kind=MEAN,
    unit="patients",
    value=lambda trials: trials.calendar.seen,
    arms="all",
    conducted=True,
    shown=False,
)

"""Which dose is found: the lowest declared one as minimum effective dose (MED), and the best one.

Doses are ordered by their amounts (`study/dose_order.py`), the control is none, and a dose is good
if it meets the target. With the lowest good dose l and the lowest declared one j, the MED is right
for j = l, too low for j < l, and too high for j > l where j is good. In a trial without a
declaration none of them is true. Where the response falls again, j > l may be bad: a false
declaration, but not too low. Where no dose is good, every declared one is too low.
"""

import numpy as np
from numpy.typing import NDArray

from gai_core.results.quantities.judging import Happened, Judged
from gai_core.results.quantities.quantity import CHANCE, Quantity
from gai_core.theory import evidence_for_any


def _low_right_high(trials: Judged) -> tuple[Happened, Happened, Happened]:
    """Per trial, whether the lowest declared dose is too low, right, or too high."""
    ordered = list(trials.ordered)
    declared, good = trials.declared[:, ordered], np.array(trials.good)[ordered]
    return low_right_high(np.where(declared.any(axis=1), declared.argmax(axis=1), -1), good)


def low_right_high(
    lowest: NDArray[np.int64], good: NDArray[np.bool_]
) -> tuple[Happened, Happened, Happened]:
    """The same of the lowest dose that was found, by its place among the doses; -1 for none."""
    lowest_good = int(good.argmax()) if good.any() else good.size
    found = lowest >= 0
    return (
        found & (lowest < lowest_good),
        found & (lowest == lowest_good),
        found & (lowest > lowest_good) & good[lowest],
    )


NEEDS_ORDER = "Only where the amounts of the doses differ and have one unit."

MED_RIGHT = Quantity(
    key="med_right",
    label="lowest declared dose is the lowest good one",
    short="right",
    meaning="The chance that the lowest declared dose, the minimum effective dose (MED) that the "
    "trial finds, is the lowest dose that meets the target. A trial without a declaration finds "
    f"none. {NEEDS_ORDER}",
    kind=CHANCE,
    unit="share",
    value=lambda trials: _low_right_high(trials)[1],
    better="more",
    compared=True,
    which_dose=True,
    ordered=True,
    wish="the lowest declared dose is the lowest good one",
    patients_per_evidence=evidence_for_any,
)
MED_TOO_LOW = Quantity(
    key="med_too_low",
    label="lowest declared dose is too low",
    short="too low",
    meaning="The chance that the lowest declared dose is below the lowest dose that meets the "
    "target: a false declaration. Where no dose meets it, every declared dose is too low. "
    f"{NEEDS_ORDER}",
    kind=CHANCE,
    unit="share",
    value=lambda trials: _low_right_high(trials)[0],
    better="less",
    compared=True,
    which_dose=True,
    ordered=True,
)
MED_TOO_HIGH = Quantity(
    key="med_too_high",
    label="lowest declared dose is too high",
    short="too high",
    meaning="The chance that the lowest declared dose meets the target, but a lower dose that was "
    f"not declared meets it too. {NEEDS_ORDER}",
    kind=CHANCE,
    unit="share",
    value=lambda trials: _low_right_high(trials)[2],
    better="less",
    compared=True,
    which_dose=True,
    ordered=True,
)
BEST_DOSE_DECLARED = Quantity(
    key="best_dose_declared",
    label="best dose declared",
    meaning="The chance that, of the doses that meet the target, the one with the largest mean is "
    "declared; of several that share the largest mean, any. The control is no dose.",
    kind=CHANCE,
    unit="share",
    value=lambda trials: trials.declared[:, list(trials.best)].any(axis=1),
    better="more",
    compared=True,
    which_dose=True,
    wish="the best dose is declared",
    rises=True,
    patients_per_evidence=evidence_for_any,
)

"""The decision table that goes into a protocol: when to declare a dose, when to drop it."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gai_core.outcomes import Gaussian
from gai_core.study import Design, Study

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["design", "n", "declare_at_least", "drop_at_most"]


def decision_table(study: Study, design: Design) -> "pd.DataFrame":
    """At every n where a limit changes: declare from so many responders on, drop up to so many.

    For Gaussian outcomes the limits are means. nan stands for "cannot happen yet".
    """
    import pandas as pd

    criterion, parameters = design.identification
    curves = criterion.curves_of(study.setting(design), parameters)
    n = np.arange(curves.accept.size)
    if isinstance(study.outcome, Gaussian):
        with np.errstate(divide="ignore", invalid="ignore"):
            declare = np.where(np.isfinite(curves.accept), curves.accept / n, np.nan)
            drop = np.where(np.isfinite(curves.reject), curves.reject / n, np.nan)
    else:
        declare = np.where(curves.accept <= n, curves.accept, np.nan)
        drop = np.where(curves.reject >= 0, curves.reject, np.nan)
    rows = _changes(declare) | _changes(drop)
    rows[0] = False
    table = pd.DataFrame({"n": n, "declare_at_least": declare, "drop_at_most": drop})[rows]
    table.insert(0, "design", design.name)
    return table.reset_index(drop=True)


def _changes(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    before = np.concatenate([[np.nan], values[:-1]])
    return np.asarray((values != before) & ~(np.isnan(values) & np.isnan(before)))

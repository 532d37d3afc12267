"""Counts of a boundary lowered one by one, while a bound on an error allows."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from gai_core.evidence.setting import Curves

Counts = NDArray[np.int64]


def lower_each(
    upper: "Curves",
    looks: Counts,
    counts: Counts,
    alpha: float,
    bound: Callable[["Curves"], float],
) -> NDArray[np.bool_]:
    """Lower `upper.accept` at each look to its count if the bound allows. Which were lowered?"""
    lowered = np.zeros(looks.size, bool)
    for place, look in enumerate(looks):
        before, upper.accept[look] = upper.accept[look], counts[place]
        lowered[place] = bound(upper) <= alpha
        if not lowered[place]:
            upper.accept[look] = before
    return lowered

"""Lower counts of a boundary for responses, as far as a chance allows, in one sweep.

Lowering the boundary at look n by one adds P(there, no verdict yet) (1 - h): h is the chance that
the same trial would cross later on anyway. The first factor depends on earlier looks alone and h
on later ones. So with the last look first, one recursion forwards and one backwards are enough for
all looks, instead of one law for each.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gai_core.basics.code_cache import code_cache
from gai_core.evidence.crossing import NEGLIGIBLE

Counts = NDArray[np.int64]


def lower_counts(
    rate: float, accept: NDArray[np.int64], looks: Counts, counts: Counts, alpha: float
) -> NDArray[np.bool_]:
    """Lower `accept` at the looks, the last one first, to the counts, each one less than before.

    A look stays as it is where the chance to cross would be more than alpha. Which were lowered?
    """
    lowered = np.zeros(looks.size, np.bool_)
    if looks.size:
        _lower(rate, accept, looks, counts, alpha, alpha * NEGLIGIBLE / accept.size, lowered)
    return lowered


def _forwards(p, accept, looks, negligible, low, high, at_looks):  # type: ignore[no-untyped-def]
    """P(sum = s and no verdict yet) at the looks, the range of s at every n; P(crossing)."""
    last = accept.size - 1
    alive, crossed = np.zeros(last + 2), np.zeros(last + 1)
    alive[0] = 1.0
    bottom, top, place = 0, 0, looks.size - 1
    for n in range(1, last + 1):
        for s in range(top + 1, bottom, -1):
            alive[s] = alive[s] * (1 - p) + alive[s - 1] * p
        alive[bottom] *= 1 - p
        top += 1
        while top >= bottom and (top >= accept[n] or alive[top] < negligible):
            crossed[n] += alive[top]
            alive[top] = 0.0
            top -= 1
        while bottom <= top and alive[bottom] < negligible:
            alive[bottom] = 0.0
            bottom += 1
        low[n], high[n] = bottom, top
        if place >= 0 and looks[place] == n:
            for s in range(last + 2):  # a whole row at once compiles for seconds
                at_looks[place, s] = alive[s]
            place -= 1
    return np.sum(crossed)


def _lower_all(p, accept, looks, counts, alpha, negligible, lowered):  # type: ignore[no-untyped-def]
    """Into `lowered` and `accept`; `later` is the chance to cross after n with the sum s."""
    last = accept.size - 1
    low, high = np.zeros(last + 1, np.int64), np.zeros(last + 1, np.int64)
    at_looks = np.zeros((looks.size, last + 2))
    spent = _alive(p, accept, looks, negligible, low, high, at_looks)
    later, place = np.zeros(last + 2), 0
    for n in range(last, looks[-1] - 1, -1):
        if n < last:  # beyond its range a sum has crossed, or has no chance worth following
            later[low[n] : low[n + 1]] = 0.0
            later[high[n + 1] + 1 : high[n] + 2] = 1.0
            for s in range(low[n], high[n] + 1):
                later[s] = p * later[s + 1] + (1 - p) * later[s]
        if place < looks.size and looks[place] == n:
            count = counts[place]
            within = low[n] <= count <= high[n]
            more = at_looks[place, count] * (1.0 - later[count]) if within else 0.0
            if spent + more <= alpha:
                spent += more
                accept[n], lowered[place] = count, True
                if within:
                    later[count] = 1.0
            place += 1


with code_cache([_lower_all]) as _usable:
    _compile = njit(nogil=True, error_model="numpy", cache=_usable)
    _alive = _compile(_forwards)
    _lower = _compile(_lower_all)

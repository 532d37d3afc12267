"""The law of a sum of differences of responses, in the worst case over the control's rate.

A pair has the difference D = x - y, 1, 0 or -1. With the control's rate p and the dose's p + m,

  P(D = 1) = m + g,   P(D = -1) = g,   g = p (1 - p - m),

so what nobody knows is g alone. Let V(s) be the chance to cross a limit later on, given the sum s.
It rises with s, and one pair more has the chance V(s) + m A + g (A + B), A = V(s+1) - V(s) and
B = V(s-1) - V(s): linear in g. Whoever chooses the control's rate anew for every pair, knowing all
outcomes so far, therefore chooses the largest g or the smallest one, and backwards from the last
look that gives the largest chance over every course of the control's rate within its range, in
time trends too. A dose of less than p + m has a smaller chance, because A >= 0 >= B. If the range
is one rate, it is the exact law.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gai_core.basics.code_cache import code_cache

Numbers = NDArray[np.float64]


class Differences(NamedTuple):
    """The mean m of a difference, and between which numbers P(D = -1) lies."""

    mean: float
    least: float
    most: float

    @property
    def mirrored(self) -> "Differences":
        """The same of -D: P(-D = -1) = m + g."""
        return Differences(-self.mean, self.mean + self.least, self.mean + self.most)


def differences(mean: float, lowest: float, highest: float) -> Differences:
    """The differences with that mean, for a control whose rate lies between the two.

    g = p (1-p-m) is largest at p = (1-m)/2, and falls towards both sides; both rates lie within
    0 and 1.
    """
    low, high = max(lowest, 0.0, -mean), min(highest, 1.0, 1.0 - mean)
    high = max(low, high)

    def of_rate(p: float) -> float:
        return max(p * (1 - p - mean), 0.0, -mean)

    widest = min(max((1 - mean) / 2, low), high)
    return Differences(mean, min(of_rate(low), of_rate(high)), of_rate(widest))


def worst_crossing(
    law: Differences, accept: NDArray[np.int64], reject: NDArray[np.int64]
) -> tuple[Numbers, Numbers]:
    """Chance of leaving the limits first above at n = 0, 1, ..., in the course worst for that.

    And the same for below.
    """
    above, _ = crossing_and_spared(law, accept, reject)
    if (reject < -np.arange(reject.size)).all():  # nobody can fall so low
        return above, np.zeros(above.size)
    below, _ = crossing_and_spared(law.mirrored, -reject, -accept)
    return above, below


def crossing_and_spared(
    law: Differences, accept: NDArray[np.int64], reject: NDArray[np.int64]
) -> tuple[Numbers, Numbers]:
    """Chance of leaving the limits first above at n = 0, 1, ..., in the course worst for that.

    And the chance in that course to be one below the limit at n, and never to cross it later: by
    so much the chance to cross rises at least if the limit at n is lowered by one.
    """
    crossed, spared = _crossing(*law, np.maximum(accept, -np.arange(accept.size)), reject)
    return crossed, spared


def worst_tails(law: Differences, last: int) -> Numbers:
    """[n, d]: the largest chance that n pairs have a sum of at least d - last - 1.

    The law is that of the pairs; n goes to `last`, and the sums from -last - 1 to last + 1.
    """
    return np.asarray(_tails(*law, last))


def _reaching(accept):  # type: ignore[no-untyped-def]
    """[n]: the least sum after n pairs that is followed.

    From all below it the limit above cannot be reached any more, and they are not next to it.
    """
    last = accept.size - 1
    least = np.empty(last + 1, np.int64)
    least[last] = max(accept[last] - 1, -last)
    for n in range(last - 1, -1, -1):
        least[n] = max(min(least[n + 1] - 1, accept[n] - 1 if n > 0 else 0), -n)
    return least


def _backwards(m, least, most, accept, reject):  # type: ignore[no-untyped-def]
    """[n, s + last + 1]: whether the worst g after n pairs with the sum s is the largest one.

    And the chance to cross later from one below the limit at n. Sums that have crossed have the
    chance 1, and those from which nothing can cross any more 0.
    """
    last = accept.size - 1
    zero = last + 1  # where the sum 0 stands
    reaching = _lowest(accept)
    later, now = np.zeros(2 * last + 3), np.zeros(2 * last + 3)
    wide = np.zeros((last, 2 * last + 3), np.bool_)
    below = np.zeros(last + 1)
    for n in range(last, -1, -1):
        low, top = zero + reaching[n], zero + min(accept[n] - 1 if n > 0 else 0, n)
        now[max(low - 2, 0) : low] = 0.0
        for i in range(low, top + 1):
            if n == last or (n > 0 and i - zero <= reject[n]):
                now[i] = 0.0
            else:
                up, down = later[i + 1] - later[i], later[i - 1] - later[i]
                wide[n, i] = up + down > 0.0
                now[i] = later[i] + m * up + (most if wide[n, i] else least) * (up + down)
        now[top + 1 : zero + n + 1] = 1.0
        below[n] = now[top]
        later, now = now, later
    return wide, below


def _forwards(m, least, most, accept, reject):  # type: ignore[no-untyped-def]
    """Chance to cross above at n = 0, 1, ... in the course worst for that; and to be spared."""
    wide, below = _worst(m, least, most, accept, reject)
    last = accept.size - 1
    zero, crossed, spared = last + 1, np.zeros(last + 1), np.zeros(last + 1)
    reaching = _lowest(accept)
    alive, after = np.zeros(2 * last + 3), np.zeros(2 * last + 3)
    alive[zero] = 1.0
    top = zero  # nobody is beyond it
    for n in range(last):
        low, top = zero + reaching[n + 1], top + 1
        for i in range(low, top + 1):
            up = m + (most if wide[n, i - 1] else least)
            stay = 1.0 - m - 2.0 * (most if wide[n, i] else least)
            down = most if wide[n, i + 1] else least
            after[i] = alive[i - 1] * up + alive[i] * stay + alive[i + 1] * down
        after[top + 1 : top + 3] = 0.0
        for i in range(max(zero + accept[n + 1], low), top + 1):
            crossed[n + 1] += after[i]
            after[i] = 0.0
        after[low : zero + reject[n + 1] + 1] = 0.0
        if top >= zero + accept[n + 1] - 1 >= low:
            top = zero + accept[n + 1] - 1
            spared[n + 1] = after[top] * (1.0 - below[n + 1])
        alive, after = after, alive
    return crossed, spared


def _worst_tails(m, least, most, last):  # type: ignore[no-untyped-def]
    """W_n(d), the chance to gain d or more in n pairs: W_0(d) = [d <= 0]."""
    size = 2 * last + 3
    tails = np.zeros((last + 1, size))
    for i in range(size):
        tails[0, i] = 1.0 if i <= last + 1 else 0.0
    for n in range(1, last + 1):
        before, tail = tails[n - 1], tails[n]
        tail[0], tail[size - 1] = 1.0, 0.0
        for i in range(1, size - 1):
            # A gain of D leaves d - D to be gained.
            up, down = before[i - 1] - before[i], before[i + 1] - before[i]
            tail[i] = before[i] + m * up + (most if up + down > 0.0 else least) * (up + down)
    return tails


with code_cache([_forwards]) as _usable:
    _compile = njit(nogil=True, error_model="numpy", cache=_usable)
    _lowest = _compile(_reaching)
    _worst = _compile(_backwards)
    _crossing = _compile(_forwards)
    _tails = _compile(_worst_tails)

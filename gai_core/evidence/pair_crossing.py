"""The law of a verdict on both responses of pairs: exact, or worst over the control's rate.

The state after n pairs is the number a of responders on the dose and b among its controls. Let
V(a, b) be the chance to be declared later on. With the control's rate p and the dose's p + m, one
pair more has the chance

  V(a, b) + (p+m) A + p B + p (p+m) C,   A = V(a+1, b) - V(a, b),   B = V(a, b+1) - V(a, b),

with C = V(a+1, b+1) - V(a+1, b) - V(a, b+1) + V(a, b): a parabola in p. Whoever chooses the
control's rate anew for every pair, knowing all outcomes so far, takes its largest value within the
range of the rate, at an end or at the top. Backwards from the last look that gives the largest
chance over every course of the control's rate, in time trends too. V rises with a, so a dose of
less than p + m has a smaller chance.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gai_core.basics.code_cache import code_cache

Numbers = NDArray[np.float64]
Rows = NDArray[np.int32]
"""[n, b]: a limit on the responders on the dose beyond those on the control."""


def worst_declared(margin: float, rates: tuple[float, float], accept: Rows, reject: Rows) -> float:
    """The largest chance that a dose at the margin is ever declared, over all courses of the rate.

    The control's rate lies between the two, and both rates within 0 and 1.
    """
    low, high = max(rates[0], 0.0, -margin), min(rates[1], 1.0, 1.0 - margin)
    return float(_worst(margin, low, max(low, high), accept, reject))


def one_law(dose: float, control: float, accept: Rows, reject: Rows) -> tuple[Numbers, Numbers]:
    """Chance of being declared, and dropped, after exactly n = 0, 1, ... pairs with these rates."""
    good, bad = _law(dose, control, accept, reject)
    return good, bad


def mirrored_rows(rows: Any) -> Any:
    """The limits on those who do not respond: n - b of the controls, and the excess negated."""
    last = len(rows) - 1
    turned = np.empty((last + 1, last + 1), rows.dtype)
    for n in range(last + 1):
        turned[n, : n + 1] = -rows[n, n::-1]
        turned[n, n + 1 :] = -rows[n, n + 1 : last + 1]
    return turned


def _most_controls(accept):  # type: ignore[no-untyped-def]
    """[n, a]: with more responders among the controls nothing can be declared any more.

    After n pairs with b of them the dose needs so many responders now, or one less than after one
    pair more, with b or b + 1 of them.
    """
    last = accept.shape[0] - 1
    needed, most = np.empty(last + 2, np.int64), np.full((last + 1, last + 1), -1)
    needed[:] = last + 2
    for n in range(last, -1, -1):
        for b in range(n + 1):
            if n < last:
                needed[b] = min(needed[b], needed[b + 1]) - 1
            if n > 0:
                needed[b] = min(needed[b], accept[n, b] + b)
            a = max(needed[b], 0)
            if a <= n:
                most[n, a] = max(most[n, a], b)
        for a in range(1, n + 1):
            most[n, a] = max(most[n, a], most[n, a - 1])
    return most


def _backwards(m, low, high, accept, reject):  # type: ignore[no-untyped-def]
    """V of no pair; one array is enough, as V of n pairs needs none of smaller a or b.

    Where nothing can be declared any more, V stays 0.
    """
    last = accept.shape[0] - 1
    chance, most = np.zeros((last + 2, last + 2)), _most(accept)
    for n in range(last, -1, -1):
        for a in range(n + 1):
            for b in range(most[n, a] + 1):
                if n > 0 and a - b >= accept[n, b]:
                    chance[a, b] = 1.0
                elif n == last or (n > 0 and a - b <= reject[n, b]):
                    chance[a, b] = 0.0
                else:
                    now = chance[a, b]
                    up, down = chance[a + 1, b] - now, chance[a, b + 1] - now
                    bend = chance[a + 1, b + 1] - now - up - down
                    best = max(
                        (low + m) * up + low * down + low * (low + m) * bend,
                        (high + m) * up + high * down + high * (high + m) * bend,
                    )
                    if bend < 0.0:
                        top = -(up + down + m * bend) / (2.0 * bend)
                        if low < top < high:
                            best = max(best, (top + m) * up + top * (down + (top + m) * bend))
                    chance[a, b] = now + best
    return chance[0, 0]


def _forwards(p, c, accept, reject):  # type: ignore[no-untyped-def]
    """P(a and b responders, and no verdict yet), pushed forward pair by pair."""
    last = accept.shape[0] - 1
    good, bad = np.zeros(last + 1), np.zeros(last + 1)
    alive = np.zeros((last + 2, last + 2))
    alive[0, 0] = 1.0
    for n in range(1, last + 1):
        for a in range(n, -1, -1):
            for b in range(n, -1, -1):
                here = alive[a, b] * (1.0 - p) * (1.0 - c)
                if a > 0:
                    here += alive[a - 1, b] * p * (1.0 - c)
                if b > 0:
                    here += alive[a, b - 1] * (1.0 - p) * c
                if a > 0 and b > 0:
                    here += alive[a - 1, b - 1] * p * c
                if a - b >= accept[n, b]:
                    good[n] += here
                    here = 0.0
                elif a - b <= reject[n, b]:
                    bad[n] += here
                    here = 0.0
                alive[a, b] = here
    return good, bad


with code_cache([_backwards]) as _usable:
    _compile = njit(nogil=True, error_model="numpy", cache=_usable)
    _most = _compile(_most_controls)
    _worst = _compile(_backwards)
    _law = _compile(_forwards)

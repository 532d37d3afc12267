"""The chance that any of several arms errs, when they share the patients of a trial.

Let arm i get N_i patients, however they are allocated, with N_1 + ... + N_K <= n. For every price
c > 0 of a patient

  sum P(arm i errs) = sum E[1{arm i errs} - c N_i] + c E[N_1 + ... + N_K] <= sum V_i(c) + c n,

where V(c) is the most that E[1{crossed by tau} - c tau] can be over all stopping rules tau of one
arm by itself: whether arm i gets its next patient may depend on all that was seen of every arm and
on chance, but not on the outcome of that patient. So N_i is a stopping time of a walk with the
arm's law, and the best one needs to know nothing but (n, S). V follows backwards from the last
look: a crossing is worth 1, stopping 0, and going on the mean of both next sums less c.

Every price gives a bound. At c = 0 it is the sum of the chances to cross ever (Bonferroni), so the
least one is at most that. A lower mean lowers V: outcomes can be coupled so that a trial of the
better arm crosses no later, and its stopping rule can imitate the other one. So arms at the target
are the worst case. Stopping is free only after the burn-in, which every arm gets.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gai_core.basics.code_cache import code_cache

HALVINGS = 24
"""Of the logarithm of the price: any price gives a bound, so it need not be the very best."""
CHEAPEST = 1e-6
"""The least price that is tried, as a share of the dearest."""


def price_value(
    rate: float, accept: NDArray[np.int64], burn_in: int, price: float
) -> tuple[float, float]:
    """V(c) for counts of responders, and the mean patients of the rule that attains it."""
    value, patients = _backwards(rate, accept, burn_in, price)
    return float(value), float(patients)


def best_price(
    rates: Sequence[float], accept: NDArray[np.int64], burn_in: int, together: int
) -> float:
    """The price for which sum V_i(c) + c n is least.

    It is convex in c, and its slope is n less the mean patients of the best rules.
    """
    low, high = CHEAPEST / together, 1.0 / together
    for _ in range(HALVINGS):
        price = float(np.sqrt(low * high))
        patients = {rate: price_value(rate, accept, burn_in, price)[1] for rate in set(rates)}
        wanted = sum(patients[rate] for rate in rates)
        low, high = (price, high) if wanted > together else (low, price)
    return high


def shared_bound(
    rates: Sequence[float], accept: NDArray[np.int64], burn_in: int, together: int
) -> float:
    """P(any arm with one of the rates crosses) at most, with `together` patients for all arms."""
    price = best_price(rates, accept, burn_in, together)
    return sum(price_value(rate, accept, burn_in, price)[0] for rate in rates) + price * together


def _value(p, accept, burn_in, price):  # type: ignore[no-untyped-def]
    """Backwards over n; below `lowest` nobody goes on after the burn-in, and both are 0.

    Above the limit all is 1: of that only so much is written as the limit before can reach.
    """
    last = accept.size - 1
    value, steps = np.zeros(last + 2), np.zeros(last + 2)
    lowest = min(accept[last], last + 1)
    for s in range(lowest, last + 2):
        value[s] = 1.0
    for n in range(last - 1, -1, -1):
        lowest = max(min(lowest - 1, accept[n]), 0) if n >= burn_in else 0
        found = n + 1
        highest = min(n, max(accept[n], accept[n - 1] if n > 1 else n))
        for s in range(lowest, highest + 1):
            if s >= accept[n] and n > 0:
                value[s], steps[s] = 1.0, 0.0
            else:
                further = p * value[s + 1] + (1.0 - p) * value[s] - price
                longer = 1.0 + p * steps[s + 1] + (1.0 - p) * steps[s]
                stops = n >= burn_in and further <= 0.0
                value[s] = 0.0 if stops else further
                steps[s] = 0.0 if stops else longer
            if found > n and value[s] != 0.0:
                found = s
        lowest = found
    return value[0], steps[0]


with code_cache([price_value]) as _usable:
    _backwards = njit(nogil=True, error_model="numpy", cache=_usable)(_value)

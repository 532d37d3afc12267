"""Limits for doses that share the patients of the trial, and with them the error.

The constant of the shape is the smallest one for which K V(c) + c n_max is at most alpha, which
bounds the chance that any dose is wrongly declared (`evidence.shared_budget`, with the proof).

With one delta for both errors every dose has one verdict that would be wrong, and the sum over
bad and good doses is at most delta if both sides have the same price c:

  K0 V(c) + (K - K0) V'(c) + c n_max <= K max(V(c), V'(c)) + c n_max.

So the price is found at the smaller one of xi and 1 - xi, which is the same on both sides. Any
price is valid; one that is best for a near-by target costs little.
"""

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gai_core.criteria.exact.allowances import allowance
from gai_core.criteria.exact.calibration import at_all_counts, bisect, shape_of
from gai_core.criteria.exact.parameters import ExactParameters
from gai_core.criteria.exact.schedule import declaring_counts
from gai_core.criteria.exact.using_up import used_up
from gai_core.criteria.sides import Numbers
from gai_core.evidence import Curves, Setting

ROUNDS = 3
"""Limits for a price, and the best price for these limits, in turn."""
FEW_LOOKS = 40
"""With more, the lattice leaves next to nothing over."""


def budget_limits(setting: Setting, parameters: ExactParameters, xi: float) -> Numbers:
    """The boundary above xi for n = 1, 2, ...: infinite where there is no look."""
    folded = replace(setting, threshold=min(xi, 1 - xi))
    price = _price(folded, parameters)
    boundary, c = _cheapest(setting, parameters, xi, price)
    sums = boundary(c)
    if declaring_counts(setting, parameters).size > FEW_LOOKS:
        return sums

    def together(upper: Curves) -> float:
        return _bound(setting, xi, upper.accept, price)

    return used_up(setting, parameters, xi, sums, together)


@functools.lru_cache(maxsize=10_000)
def _price(setting: Setting, parameters: ExactParameters) -> float:
    """The price of a patient for which limits that keep the budget are about lowest."""
    from gai_core.evidence.shared_budget import best_price

    together, alpha, xi = _together(setting), allowance(setting, parameters.share), setting.target
    price = alpha / together / 2
    for _ in range(ROUNDS):
        boundary, c = _cheapest(setting, parameters, xi, price)
        counts = _counts(setting, boundary(c))
        found = best_price([xi] * setting.arms, counts, least_patients(setting), together)
        price = min(found, alpha / together)
    return price


def _cheapest(
    setting: Setting, parameters: ExactParameters, xi: float, price: float
) -> tuple[Callable[[float], Numbers], float]:
    """The boundary as a function of the shape's constant, and the smallest that is allowed."""
    looks = declaring_counts(setting, parameters)
    boundary = at_all_counts(setting, looks, shape_of(setting, parameters, xi, looks))
    at_target = replace(setting, threshold=xi)
    return boundary, bisect(
        lambda c: _counts(at_target, boundary(c)),
        lambda counts: _bound(setting, xi, counts, price),
        allowance(setting, parameters.share),
    )


def _bound(setting: Setting, xi: float, counts: NDArray[np.int64], price: float) -> float:
    """K V(c) + c n_max."""
    from gai_core.evidence.shared_budget import price_value

    value, _ = price_value(xi, counts, least_patients(setting), price)
    return setting.arms * value + price * _together(setting)


def _counts(setting: Setting, sums: Numbers) -> NDArray[np.int64]:
    """The least counts above the boundary, from n = 0 on; none before the first verdict."""
    n = setting.counts[1:]
    counts = np.empty(n.size + 1, np.int64)
    counts[1:] = setting.outcome.least_sum(n, sums)
    before = min(setting.first_verdict, counts.size)
    counts[:before] = np.arange(1, before + 1)
    return counts


def least_patients(setting: Setting) -> int:
    """Numbers of its stream that every arm has in any case before one is judged."""
    return 0 if setting.missing else setting.burn_in


def _together(setting: Setting) -> int:
    return setting.most_patients if setting.together is None else setting.together

"""The one hot loop: Algorithm 1 of the paper, for any rule, criterion and outcome.

`kernel(rule, outcome)` compiles the loop with the rule's index and the
outcome's draw inside it. It releases the GIL and keeps no state, so that any
number of threads may run it over any chunks of replicates with the same result.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable

from gai_core.code_cache import code_cache
from gai_core.compiled import MARKED
from gai_core.outcomes import Bernoulli, Gaussian
from gai_core.registry import Rule
from gai_core.streams import OUTCOMES, start

GOOD, BAD, UNDECIDED = 1, -1, 0

Kernel = Callable[..., None]


def kernel(rule: Rule, outcome: Bernoulli | Gaussian) -> Kernel:
    """The compiled loop of a rule and a kind of outcome."""
    return _kernel(rule.index, type(outcome).draw, rule.depends_on_t)


_registered: set[Callable[..., Any]] = set()


def _register_marked() -> None:
    for function in MARKED:
        if function not in _registered:
            register_jitable(function)
            _registered.add(function)


@functools.cache
def _kernel(index: Callable[..., Any], draw: Callable[..., Any], depends_on_t: bool) -> Kernel:
    def trials(
        first: int,
        seed: Any,
        truth: Any,
        location: Any,
        spread: float,
        xi: float,
        accept: Any,
        reject: Any,
        of_n: Any,
        of_t: Any,
        burn_in: int,
        n_max: int,
        verdict: Any,
        decided: Any,
        assigned: Any,
        sums: Any,
    ) -> None:
        """Simulate replicates first, first + 1, ... into the rows of the last four arrays."""
        arms = location.size
        streams = np.empty((arms, 4), np.uint64)
        # The undecided arms, in their order, and what the rule knows of each.
        open_arms = np.empty(arms, np.int64)
        mean = np.empty(arms)
        width = np.empty(arms)
        score = np.empty(arms)
        count = np.empty(arms, np.int64)
        total = np.empty(arms, sums.dtype)
        for row in range(verdict.shape[0]):
            # Burn-in: every arm gets its patients, then every arm is checked once.
            t = arms * burn_in
            left = 0
            for arm in range(arms):
                stream = start(seed, truth, np.uint64(first + row), np.uint64(arm), OUTCOMES)
                s = total.dtype.type(0)
                for _ in range(burn_in):
                    x, stream = draw(stream, location[arm], spread)
                    s += x
                streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3] = stream
                assigned[row, arm] = burn_in
                sums[row, arm] = s
                if s >= accept[burn_in] or s <= reject[burn_in]:
                    verdict[row, arm] = GOOD if s >= accept[burn_in] else BAD
                    decided[row, arm] = t
                else:
                    verdict[row, arm] = UNDECIDED
                    decided[row, arm] = 0
                    open_arms[left] = arm
                    count[left] = burn_in
                    total[left] = s
                    mean[left] = s / burn_in
                    width[left] = of_n[burn_in]
                    score[left] = index(mean[left], burn_in, width[left], of_t[t], xi)
                    left += 1
            while left > 1 and t < n_max:
                best = 0
                if depends_on_t:
                    now = of_t[t]
                    highest = index(mean[0], count[0], width[0], now, xi)
                    for k in range(1, left):
                        value = index(mean[k], count[k], width[k], now, xi)
                        if value > highest:
                            highest = value
                            best = k
                else:
                    highest = score[0]
                    for k in range(1, left):
                        if score[k] > highest:
                            highest = score[k]
                            best = k
                arm = open_arms[best]
                stream = streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3]
                x, stream = draw(stream, location[arm], spread)
                streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3] = stream
                t += 1
                n = count[best] + 1
                s = total[best] + x
                count[best] = n
                total[best] = s
                if s >= accept[n] or s <= reject[n]:
                    verdict[row, arm] = GOOD if s >= accept[n] else BAD
                    decided[row, arm] = t
                    assigned[row, arm] = n
                    sums[row, arm] = s
                    left -= 1
                    for k in range(best, left):
                        open_arms[k] = open_arms[k + 1]
                        count[k] = count[k + 1]
                        total[k] = total[k + 1]
                        mean[k] = mean[k + 1]
                        width[k] = width[k + 1]
                        score[k] = score[k + 1]
                else:
                    m = s / n
                    mean[best] = m
                    width[best] = of_n[n]
                    if not depends_on_t:
                        score[best] = index(m, n, of_n[n], 0.0, xi)
            if left == 1 and t < n_max:
                # Nothing is left to choose.
                arm = open_arms[0]
                stream = streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3]
                n = count[0]
                s = total[0]
                last = n + n_max - t
                open_ = True
                while open_ and n < last:
                    x, stream = draw(stream, location[arm], spread)
                    n += 1
                    s += x
                    open_ = s < accept[n] and s > reject[n]
                t += n - count[0]
                count[0] = n
                total[0] = s
                if not open_:
                    verdict[row, arm] = GOOD if s >= accept[n] else BAD
                    decided[row, arm] = t
                    assigned[row, arm] = n
                    sums[row, arm] = s
                    left = 0
            for k in range(left):
                assigned[row, open_arms[k]] = count[k]
                sums[row, open_arms[k]] = total[k]

    _register_marked()
    with code_cache([*MARKED, kernel]) as usable:
        return njit(nogil=True, cache=usable)(trials)

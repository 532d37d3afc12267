"""The one hot loop: Algorithm 1 of the paper, for any rule, criterion and outcome.

`kernel(rule, outcome)` compiles the loop with the rule's index and the
outcome's draw inside it. It releases the GIL and keeps no state, so that any
number of threads may run it over any chunks of replicates with the same result.

The arm with the largest index gets the next patient. Instead of comparing all
arms after every patient, the loop finds the leader and a score that no other
arm can exceed for a while, and stays with the leader until its own index is
no longer above that score. The choices are exactly those of comparing always.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable

from gai_core.code_cache import code_cache
from gai_core.compiled import MARKED, compiled
from gai_core.outcomes import Bernoulli, Gaussian
from gai_core.registry import Rule
from gai_core.streams import OUTCOMES, start

GOOD, BAD, UNDECIDED = 1, -1, 0

Kernel = Callable[..., None]

_registered: set[Callable[..., Any]] = set()


def register_marked() -> None:
    """Tell numba about the functions that were marked since the last time."""
    for function in MARKED:
        if function not in _registered:
            register_jitable(function)
            _registered.add(function)


def kernel(rule: Rule, outcome: Bernoulli | Gaussian) -> Kernel:
    """The compiled loop of a rule and a kind of outcome."""
    return _kernel(rule.index, type(outcome).draw, rule.depends_on_t)


@compiled
def judge(s: float, accept: float, reject: float) -> int:
    """The verdict on an outcome sum, given the two curves at its number of patients."""
    if s >= accept:
        return GOOD
    return BAD if s <= reject else UNDECIDED


@functools.cache
def _kernel(  # noqa: C901 (one loop, read from top to bottom)
    index: Callable[..., Any], draw: Callable[..., Any], depends_on_t: bool
) -> Kernel:
    def trials(  # noqa: C901
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
        # The arms still open, in their order, and what the index needs to know of each.
        open_arms = np.empty(arms, np.int64)
        mean, width, count = np.empty(arms), np.empty(arms), np.empty(arms, np.int64)
        for row in range(verdict.shape[0]):
            # Burn-in: every arm gets its patients, then every arm is checked once.
            t = arms * burn_in
            left = 0
            for arm in range(arms):
                stream = start(seed, truth, np.uint64(first + row), np.uint64(arm), OUTCOMES)
                s = sums.dtype.type(0)
                for _ in range(burn_in):
                    x, stream = draw(stream, location[arm], spread)
                    s += x
                streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3] = stream
                assigned[row, arm], sums[row, arm] = burn_in, s
                verdict[row, arm] = judge(s, accept[burn_in], reject[burn_in])
                decided[row, arm] = t if verdict[row, arm] else 0
                if not verdict[row, arm]:
                    open_arms[left], mean[left] = arm, s / burn_in
                    width[left], count[left] = of_n[burn_in], burn_in
                    left += 1
            while left > 0 and t < n_max:
                # Who leads, and which score can no other arm exceed before t = until?
                place, until, rival = 0, n_max, -np.inf
                if left > 1:
                    best = -np.inf
                    for k in range(left):
                        score = index(mean[k], count[k], width[k], of_t[t], xi)
                        lower = best if score > best else score
                        rival = lower if lower > rival else rival
                        place = k if score > best else place
                        best = score if score > best else best
                    if depends_on_t:  # indices rise with t: those at `until` bound all before it
                        until = min(n_max, t + 16 + (t >> 7))
                        for k in range(left):
                            score = index(mean[k], count[k], width[k], of_t[until], xi)
                            rival = score if score > rival and k != place else rival
                # The leader gets patients until it has a verdict or may have lost the lead.
                arm = open_arms[place]
                stream = streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3]
                n, s, where = count[place], sums[row, arm], location[arm]
                found = UNDECIDED
                alone = left == 1
                while True:
                    x, stream = draw(stream, where, spread)
                    t += 1
                    n += 1
                    s += x
                    i = np.uint32(n)
                    if s >= accept[i] or s <= reject[i] or t == until:
                        break
                    if not (alone or index(s / n, n, of_n[i], of_t[np.uint32(t)], xi) > rival):
                        break
                found = judge(s, accept[n], reject[n])
                streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3] = stream
                assigned[row, arm], sums[row, arm] = n, s
                mean[place], width[place], count[place] = s / n, of_n[n], n
                if found:
                    verdict[row, arm] = found
                    decided[row, arm] = t
                    left -= 1
                    for k in range(place, left):
                        open_arms[k], mean[k] = open_arms[k + 1], mean[k + 1]
                        width[k], count[k] = width[k + 1], count[k + 1]

    register_marked()
    with code_cache([*MARKED, kernel]) as usable:
        return njit(nogil=True, error_model="numpy", cache=usable)(trials)  # type: ignore[no-any-return]

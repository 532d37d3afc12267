"""The one hot loop: Algorithm 1 of the paper, for any rule, criterion and outcome.

`kernel(rule, outcome)` compiles the loop with the rule's summary and index and
the outcome's draw and bookkeeping inside it. It releases the GIL and keeps no state, so that any
number of threads may run it over any chunks of replicates with the same result.

The arm with the largest index gets the next patient. Instead of comparing all
arms after every patient, the loop finds the leader and a score that no other
arm can exceed for a while, and stays with the leader until its own index is
no longer above that score. The choices are exactly those of comparing always.
"""

import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable

from gai_core.basics import LOOP_STEPS, MARKED
from gai_core.basics.code_cache import code_cache, compile_in_turn
from gai_core.engine import (  # noqa: F401 (all that is marked)
    conduct_blocks,
    conduct_pairs,
    conduct_patients,
    conduct_scores,
    conduct_verdicts,
)
from gai_core.engine.loop_parts import (
    PlainRows,
    Scoring,
    Source,
    VerdictLimits,
    judge_again,
    stage,
    step_down,
    without_verdict,
)
from gai_core.evidence import (
    BAD,
    CHOICES,
    GOOD,
    NO_CANDIDATE,
    PATIENTS,
    Bookkeeping,
    Outcome,
    normal,
    start,
)
from gai_core.rules import Rule, Together

Function = Callable[..., Any]
Kernel = Callable[..., None]

LOADING = threading.Lock()
"""Held while a loop is made: two threads that want the same one would compile it twice."""
_registered: set[Function] = set()


def register_marked() -> None:
    """Tell numba about the functions that were marked since the last time."""
    for function in MARKED:
        if function not in _registered:
            # Only loops call them: no code is made by which C could.
            register_jitable(forceinline=function in LOOP_STEPS, _nrt=False, no_cfunc_wrapper=True)(
                function
            )
            _registered.add(function)


def kernel(rule: Rule, outcome: Outcome) -> Kernel:
    """The compiled loop of a rule and a kind of outcome."""
    with LOADING:
        kind = type(outcome)
        return _kernel(
            rule.summary, rule.index_for(outcome), rule.varies, kind.draw, kind.bookkeeping
        )


@functools.cache
def draws(draw: Function) -> Function:
    """The compiled loop that fills an array with outcomes, going on with a stream's four words."""

    def fill(words: Any, location: Any, spread: float, values: Any) -> None:
        stream = words[0], words[1], words[2], words[3]
        for i in range(values.size):
            values[i], stream = draw(stream, location, spread)
        words[0], words[1], words[2], words[3] = stream

    return compile_loop(fill)


@functools.cache
def _kernel(  # noqa: C901 (one loop, read from top to bottom)
    summary: Function, index: Function, varies: str, draw: Function, bookkeeping: Bookkeeping
) -> Kernel:
    keeps_squares, add, beyond, judge, scales, pools, add_both = bookkeeping
    random, rising, in_steps = varies == "at random", varies == "with t", varies == "in steps"

    def trials(  # noqa: C901 (one loop, read from top to bottom)
        first: int,
        source: Source,
        scoring: Scoring,
        limits: VerdictLimits,
        n_max: int,
        rows: PlainRows,
    ) -> None:
        """Simulate replicates first, first + 1, ... into the rows."""
        seed, truth, location, spread, _ = source
        xi, scale, of_n, of_t, _ = scoring
        books = Bookkeeping(keeps_squares, add, beyond, judge, scales, pools, add_both)
        burn_in, wanted = limits.burn_in, limits.wanted
        verdict, decided, assigned, sums, squares = rows
        arms, steps = location.size, step_down(limits) or limits.ordered
        last = limits.at_look.size - 1
        streams = np.empty((arms, 4), np.uint64)
        # The arms still open, in their order; what the rule makes of each; their scores.
        open_arms = np.empty(arms, np.int64)
        centre, width, score = np.empty(arms), np.empty(arms), np.empty(arms)
        for row in range(verdict.shape[0]):
            replicate = np.uint64(first + row)
            choices = start(seed, truth, replicate, np.uint64(0), CHOICES)
            # Burn-in: every arm gets its patients, then every arm is checked once.
            t = (arms - (limits.without >= 0)) * burn_in
            left, declared, dropped = 0, 0, 0
            accept, reject = limits.accept[0], limits.reject[0]
            for arm in range(arms):
                if arm == limits.without:
                    verdict[row, arm], decided[row, arm] = NO_CANDIDATE, 0
                    assigned[row, arm], sums[row, arm] = 0, 0
                    if keeps_squares:
                        squares[row, arm] = 0.0
                    continue
                stream = start(seed, truth, replicate, np.uint64(arm), PATIENTS)
                s, q = sums.dtype.type(0), 0.0
                for _ in range(burn_in):
                    x, stream = draw(stream, location[arm], spread)
                    s += x
                    q = add(q, x, 0, xi)
                streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3] = stream
                assigned[row, arm], sums[row, arm] = burn_in, s
                if keeps_squares:
                    squares[row, arm] = q
                found = judge(burn_in, s, q, xi, accept[burn_in], reject[burn_in])
                verdict[row, arm], decided[row, arm] = found, t if found else 0
                declared += found == GOOD
                dropped += found == BAD
                if not found and burn_in < last:
                    open_arms[left] = arm
                    of_arm, unit = scales(burn_in, s, q, xi, scale)
                    centre[left], width[left] = summary(
                        s / burn_in, burn_in, of_n[burn_in], xi, of_arm, unit
                    )
                    score[left] = index(centre[left], width[left], of_t[t])
                    left += 1
            if steps and declared + dropped > 0:
                declared, dropped = judge_again(row, t, xi, declared, dropped, limits, rows, books)
                accept = limits.accept[stage(limits.accept, declared)]
                reject = limits.reject[stage(limits.reject, dropped)]
                left = without_verdict(verdict[row], open_arms, centre, width, score, left)
            now = of_t[t]
            stale_from = t + 1 + (t >> 4) if in_steps else n_max
            while left > 0 and t < n_max and declared < wanted:
                # Who leads, and which score can no other arm exceed before t = until?
                renew = random or rising or (in_steps and t >= stale_from)
                if renew:
                    now = of_t[t]
                    stale_from = t + 1 + (t >> 4) if in_steps else n_max
                place, best, rival = 0, -np.inf, -np.inf
                for k in range(left):
                    if renew:
                        if random:
                            now, choices = normal(choices)
                        score[k] = index(centre[k], width[k], now)
                    # Choices without branches, which the processor could not predict.
                    value = score[k]
                    lower = best if value > best else value
                    rival = lower if lower > rival else rival
                    place = k if value > best else place
                    best = value if value > best else best
                until = t + 1 if random else min(n_max, stale_from)
                if rising:  # the scores at `until` bound all before it
                    until = min(n_max, t + 16 + (t >> 7))
                    for k in range(left):
                        later = index(centre[k], width[k], of_t[until])
                        rival = later if later > rival and k != place else rival
                # The leader gets patients until it has a verdict or may have lost the lead.
                arm = open_arms[place]
                stream = streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3]
                n, s, where = np.int64(assigned[row, arm]), sums[row, arm], location[arm]
                q = squares[row, arm] if keeps_squares else 0.0
                alone = left == 1
                most = min(last, n + (n_max if alone else until) - t)
                others = t - n
                value, lost = rival, False
                while not lost:
                    x, stream = draw(stream, where, spread)
                    n += 1
                    s += x
                    q = add(q, x, 0, xi)
                    i = np.uint32(n)  # unsigned: numba need not look for a negative index
                    if beyond(n, s, q, xi, accept[i], reject[i]) or n == most:
                        break
                    if not alone:
                        if rising:
                            now = of_t[np.uint32(n + others)]
                        of_arm, unit = scales(n, s, q, xi, scale)
                        middle, wide = summary(s / n, n, of_n[i], xi, of_arm, unit)
                        value = index(middle, wide, now)
                        lost = not value > rival
                t = n + others
                streams[arm, 0], streams[arm, 1], streams[arm, 2], streams[arm, 3] = stream
                assigned[row, arm], sums[row, arm] = n, s
                if keeps_squares:
                    squares[row, arm] = q
                found = judge(n, s, q, xi, accept[n], reject[n])
                if found or n == last:
                    verdict[row, arm] = found
                    decided[row, arm] = t if found else 0
                    declared += found == GOOD
                    dropped += found == BAD
                    left -= 1
                    for k in range(place, left):
                        open_arms[k], score[k] = open_arms[k + 1], score[k + 1]
                        centre[k], width[k] = centre[k + 1], width[k + 1]
                    if steps and found:
                        declared, dropped = judge_again(
                            row, t, xi, declared, dropped, limits, rows, books
                        )
                        accept = limits.accept[stage(limits.accept, declared)]
                        reject = limits.reject[stage(limits.reject, dropped)]
                        left = without_verdict(verdict[row], open_arms, centre, width, score, left)
                elif keeps_squares and lost:  # the root was taken already: no second one
                    centre[place], width[place], score[place] = middle, wide, value
                else:
                    of_arm, unit = scales(n, s, q, xi, scale)
                    centre[place], width[place] = summary(s / n, n, of_n[n], xi, of_arm, unit)
                    if not (random or rising):
                        score[place] = value if lost else index(centre[place], width[place], now)

    return compile_loop(trials)


def compile_loop(function: Function, allocates: bool = True) -> Function:
    """The function compiled with everything marked, from the cache where it is there.

    One that makes no array of its own need not count references to those that it is given,
    which its caller holds; counting made conducted trials four times as slow.
    """
    register_marked()
    parts = list(_closed_over(function))
    inside: list[Function] = [part for part in parts if inspect.isfunction(part)]
    # What joins rules is marked when the first conducted loop is made: named here, so that a plain
    # loop is found under the same name before and after.
    sources = _and_marked([function, kernel, Together, *inside])
    with code_cache(sources, " ".join(map(_named, parts))) as folder:
        compiled: Function = njit(
            nogil=True, error_model="numpy", cache=folder is not None, _nrt=allocates
        )(function)
    if folder is not None:
        compile_in_turn(compiled, folder)
    return compiled


def _closed_over(function: Function) -> Iterator[Any]:
    """What a function closes over, and what the functions among that do."""
    for cell in function.__closure__ or ():
        yield cell.cell_contents
        if inspect.isfunction(cell.cell_contents):
            yield from _closed_over(cell.cell_contents)


def _and_marked(functions: list[Function]) -> list[Function]:
    """Functions, and all that are marked in their packages: their code is made from these.

    Not from what else is marked: a rule that somebody adds makes no other loop compile anew.
    """
    homes = {_home(function) for function in functions}
    return [*functions, *(marked for marked in MARKED if _home(marked) in homes)]


def _named(part: Any) -> str:
    """What a loop closes over: a function by its name, a switch by its value."""
    return f"{part.__module__}.{part.__qualname__}" if inspect.isfunction(part) else repr(part)


def _home(function: Function) -> str:
    """The package of a function."""
    return function.__module__.partition(".")[0]

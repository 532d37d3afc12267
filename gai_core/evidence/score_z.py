"""Two samples of responses with a margin m: the score z, and its law for one rate of the control.

After n pairs with `a` responders on the dose and `b` on the control

  z = (a - b - n m) / sqrt(n V),   V = p (1-p) + (p+m) (1-p-m),

p the rate of the control that fits best if the dose has m more (its likelihood there is largest).
Without a margin it is the pooled z. Farrington and Manning, Statist. Med. 9:1447, 1990.

Given the responders of either arm after the last look, every order of them has the same chance on
each, whatever the rates are: so the chance to be declared given both, B_ab, is one number, and with
the rates p + m and p it is

  P(declared) = sum over a and b of B_ab f_a(p + m) f_b(p),   f binomial with N patients,

a polynomial in p of degree 2N, whose largest value is bounded as in `two_samples`. A dose of less
than p + m is declared less often: limits are a least number of responders for every b.

With a margin and a control that hardly responds few counts are possible, and one constant for all b
leaves much of the error unspent. So single counts of the last look are lowered, the largest z
first, while the worst rate allows: each adds (1 - E_ab) f_a(p + m) f_b(p), E_ab the chance to have
been declared before.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gai_core.basics.code_cache import code_cache
from gai_core.evidence.pooled_z import STEPS, Numbers, Rows, log_ways

AT_ONCE = 1_000
"""Rates whose chances are computed together."""
HALVINGS = 60


def least_excess_score(margin: float, needed: Numbers) -> Rows:
    """[n, b]: by how many responders the dose must be ahead of b on the control.

    `needed` is z^2/2 after n = 0, 1, ... pairs, infinite where there is no look. Where no number
    of responders is enough, or b is more than n, it is n + 1.
    """
    return np.asarray(_least(margin, needed))


def worst_rate_with_margin(
    margin: float, rates: tuple[float, float], accept: Rows, reject: Rows
) -> tuple[float, float]:
    """The largest chances to be declared, and to be dropped, of a dose with m more.

    Each at its own worst rate of the control between the two; at most 0.12% too much, and never too
    little.
    """
    low, high = max(rates[0], 0.0, -margin), min(rates[1], 1.0, 1.0 - margin)
    declared, dropped = _given_both(accept, reject)
    return _largest(declared, margin, low, high), _largest(dropped, margin, low, high)


def used_up_at_the_end(
    margin: float, rates: tuple[float, float], accept: Rows, alpha: float
) -> Rows:
    """The limits with those of the last look lowered while P(declared) stays within alpha."""
    low, high = max(rates[0], 0.0, -margin), min(rates[1], 1.0, 1.0 - margin)
    last, accept = len(accept) - 1, accept.copy()
    counts = np.arange(last + 1)
    least = np.minimum(accept[-1] + counts, last + 1)
    accept[-1] = last + 1
    before, _ = _given_both(accept, np.full_like(accept, -last - 1))
    points, between = _points(last, low, high)
    dose, control = _binomial(points + margin, last + 1), _binomial(points, last + 1)
    given = np.where(counts[:, None] >= least, 1.0, before)
    chances = np.einsum("pb,pb->p", dose @ given, control)
    can_be = set(counts.tolist())
    while True:  # the more controls respond, the more must on the dose: rows never fall
        z = {
            b: _score(margin, last, least[b] - 1, b)
            for b in can_be
            if b == 0 or least[b] > least[b - 1]
        }
        if not z or max(z.values()) <= 0:
            break
        b = max(z, key=z.__getitem__)
        a = least[b] - 1
        more = chances + (1.0 - before[a, b]) * dose[:, a] * control[:, b]
        if a >= 0 and more.max() <= alpha * between:
            chances, least[b] = more, a
        else:
            can_be.remove(b)  # lower counts only add: what could not be lowered never can be
    accept[-1] = np.where(least > last, last + 1, least - counts)
    return accept


def _score(margin: float, n: int, a: int, b: int) -> float:
    """z of so many responders on dose and control."""
    return float((a - b - n * margin) / math.sqrt(n * _spread(margin, n, a, b)))


def _points(last: int, low: float, high: float) -> tuple[Numbers, float]:
    """The rates at which a polynomial of degree 2N is read, and its share that is seen there."""
    angles = np.linspace(0.0, math.pi, STEPS * 2 * last + 1)
    rates = low + max(high - low, 0.0) * (1.0 - np.cos(angles)) / 2.0
    return rates, math.cos(math.pi / (2 * STEPS)) if high > low else 1.0


def _largest(given: NDArray[np.float64], margin: float, low: float, high: float) -> float:
    """An upper bound on the polynomial between the two rates."""
    last = len(given) - 1
    if last == 0 or not given.any():
        return 0.0
    rates, between = _points(last, low, high)
    most = max(
        float(_chances(given, margin, rates[i : i + AT_ONCE]).max())
        for i in range(0, rates.size, AT_ONCE)
    )
    return min(1.0, most / between)


def _chances(given: NDArray[np.float64], margin: float, rates: Numbers) -> Numbers:
    """P at every rate of the control."""
    dose, control = _binomial(rates + margin, len(given)), _binomial(rates, len(given))
    return np.asarray(np.einsum("pb,pb->p", dose @ given, control))


def _binomial(rates: Numbers, counts: int) -> NDArray[np.float64]:
    """[p, k]: the chance of k responders of counts - 1."""
    from scipy.special import xlog1py, xlogy

    k, last, p = np.arange(counts), counts - 1, np.clip(rates, 0.0, 1.0)[:, None]
    ways = np.array([log_ways(last, i) for i in range(counts)])
    return np.asarray(np.exp(ways + xlogy(k, p) + xlog1py(last - k, -p)))


def _variance(m, n, a, b):  # type: ignore[no-untyped-def]
    """V at the rate of the control that fits best: its log-likelihood is concave."""
    low, high = max(0.0, -m), min(1.0, 1.0 - m)
    for _ in range(HALVINGS):
        p = 0.5 * (low + high)
        slope = a / (p + m) - (n - a) / (1.0 - p - m) + b / p - (n - b) / (1.0 - p)
        if slope > 0.0:
            low = p
        else:
            high = p
    p = 0.5 * (low + high)
    return p * (1.0 - p) + (p + m) * (1.0 - p - m)


def _rows(m, needed):  # type: ignore[no-untyped-def]
    last = needed.size - 1
    least = np.empty((last + 1, last + 1), np.int32)
    for n in range(last + 1):
        least[n, :] = n + 1
        if n == 0 or needed[n] == np.inf:
            continue
        a = 0
        for b in range(n + 1):  # the more controls respond, the more must on the dose
            while a <= n and (
                a - b <= n * m or (a - b - n * m) ** 2 < 2.0 * n * needed[n] * _spread(m, n, a, b)
            ):
                a += 1
            if a > n:
                break
            least[n, b] = a - b
    return least


def _conditional(accept, reject):  # type: ignore[no-untyped-def]
    """By the responders on dose and control at the last look: chances to be declared, and dropped.

    Pushed forward at the rate 1/2; a dose with a verdict goes on. Rows and columns begin one before
    0, where nothing is. The state: no verdict, declared, dropped.
    """
    last = accept.shape[0] - 1
    state = np.zeros((3, last + 2, last + 2))
    state[0, 1, 1] = 1.0
    for n in range(1, last + 1):
        for a in range(n, -1, -1):
            for b in range(n, -1, -1):
                for kind in range(3):
                    one = state[kind]
                    one[a + 1, b + 1] = 0.25 * (
                        one[a + 1, b + 1] + one[a, b + 1] + one[a + 1, b] + one[a, b]
                    )
                verdict = 1 if a - b >= accept[n, b] else 2 if a - b <= reject[n, b] else 0
                if verdict > 0:
                    state[verdict, a + 1, b + 1] += state[0, a + 1, b + 1]
                    state[0, a + 1, b + 1] = 0.0
    shares = np.zeros((2, last + 1, last + 1))
    for a in range(last + 1):
        for b in range(last + 1):
            ways = log_ways(last, a) + log_ways(last, b) - 2 * last * math.log(2.0)
            for side in range(2):
                chance = state[side + 1, a + 1, b + 1]
                if chance > 0.0:
                    shares[side, a, b] = min(1.0, math.exp(math.log(chance) - ways))
    return shares[0], shares[1]


with code_cache([_conditional]) as _usable:
    _compile = njit(nogil=True, error_model="numpy", cache=_usable)
    _spread = _compile(_variance)
    _least = _compile(_rows)
    _given_both = _compile(_conditional)

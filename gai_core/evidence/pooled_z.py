"""Dose and control as two samples of responses: the pooled z, and its law for one common rate.

After n pairs with `a` responders on the dose and `b` on the control the pooled z is

  z = (a - b) / sqrt(2 n r (1 - r)),   r = (a + b)/(2 n),

which rises with a and falls with b. Let both arms have the rate p. Given the responders t of both
after the last look, every order of responses has the same chance, whatever p is: so the chance to
be declared given t, B_t, is one number, and

  P(declared) = sum over t of B_t C(2N, t) p^t (1-p)^(2N-t),

a polynomial in p of degree D = 2N. With p = (1 - cos f)/2 it is a trigonometric polynomial of
degree D in f, and one that is read at M equal steps of the circle lies nowhere above the largest
value seen, divided by cos(pi D/M) (Ehlich and Zeller, Math. Z. 86:41, 1964). With M = 64 D that is
0.12%: the worst rate of all is found, not the worst of a few.

The rate is taken to be one throughout. If it has another course, fixed beforehand, the counts are
less variable than the pooled z takes them for: of a difference x - y, 2 p (1-p), the mean over
pairs is at most that at the mean rate. Barnard, Biometrika 34:123, 1947; Suissa and Shuster, J. R.
Statist. Soc. A 148:317, 1985.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gai_core.basics.code_cache import code_cache

Numbers = NDArray[np.float64]
Rows = NDArray[np.int32]

STEPS = 32
"""Steps of half the circle for every degree of the polynomial."""


def least_excess_z(needed: Numbers) -> Rows:
    """[n, b]: by how many responders the dose must be ahead of b on the control.

    `needed` is z^2/2 after n = 0, 1, ... pairs, infinite where there is no look. Where no number
    of responders is enough, or b is more than n, it is n + 1.
    """
    return np.asarray(_least(needed))


def worst_rate(rates: tuple[float, float], accept: Rows, reject: Rows) -> tuple[float, float]:
    """The largest chances to be declared, and to be dropped, at any common rate between the two.

    Each at its own worst rate; at most 0.12% too much, and never too little.
    """
    declared, dropped = _given_total(accept, reject)
    return _largest(declared, *rates), _largest(dropped, *rates)


def _largest(given_total: Numbers, low: float, high: float) -> float:
    """An upper bound on the polynomial between the two rates."""
    degree = given_total.size - 1
    if degree == 0:
        return 0.0
    angles = np.linspace(0.0, math.pi, STEPS * degree + 1)
    rates = low + (high - low) * (1.0 - np.cos(angles)) / 2.0
    between = math.cos(math.pi / (2 * STEPS)) if high > low else 1.0
    return min(1.0, float(_values(given_total, rates).max()) / between)


def _rows(needed):  # type: ignore[no-untyped-def]
    last = needed.size - 1
    least = np.empty((last + 1, last + 1), np.int32)
    for n in range(last + 1):
        least[n, :] = n + 1
        if n == 0 or needed[n] == np.inf:
            continue
        a = 1
        for b in range(n):  # the more controls respond, the more must on the dose
            a = max(a, b + 1)
            while a <= n and (a - b) ** 2 * n < needed[n] * (a + b) * (2 * n - a - b):
                a += 1
            if a > n:
                break
            least[n, b] = a - b
    return least


def _conditional(accept, reject):  # type: ignore[no-untyped-def]
    """By the responders t of both arms at the last look: the chances to be declared, and dropped.

    Pushed forward at the rate 1/2; a dose with a verdict goes on, and only t is kept of it. Rows
    and columns begin one before 0, where nothing is.
    """
    last = accept.shape[0] - 1
    alive = np.zeros((last + 2, last + 2))
    alive[1, 1] = 1.0
    done = np.zeros((2, 2 * last + 3))
    for n in range(1, last + 1):
        for side in range(2):
            _one_pair_more(done[side])
        for a in range(n, -1, -1):
            for b in range(n, -1, -1):
                before = alive[a + 1, b + 1] + alive[a, b + 1] + alive[a + 1, b] + alive[a, b]
                here = alive[a + 1, b + 1] = 0.25 * before
                if a - b >= accept[n, b]:
                    done[0, a + b + 2] += here
                    alive[a + 1, b + 1] = 0.0
                elif a - b <= reject[n, b]:
                    done[1, a + b + 2] += here
                    alive[a + 1, b + 1] = 0.0
    return _of_all(done[0, 2:]), _of_all(done[1, 2:])


def _more_responders(chances):  # type: ignore[no-untyped-def]
    """Chances by t after a pair more; they begin two before 0, where nothing is."""
    for t in range(chances.size - 1, 1, -1):
        chances[t] = 0.25 * (chances[t] + 2.0 * chances[t - 1] + chances[t - 2])


def _shares(chances):  # type: ignore[no-untyped-def]
    """P(verdict and t) at the rate 1/2 as P(verdict | t)."""
    whole = chances.size - 1
    shares = np.zeros(whole + 1)
    for t in range(whole + 1):
        if chances[t] > 0.0:
            log_share = math.log(chances[t]) + whole * math.log(2.0) - log_ways(whole, t)
            shares[t] = min(1.0, math.exp(log_share))
    return shares


def _log_choose(n, t):  # type: ignore[no-untyped-def]
    return math.lgamma(n + 1.0) - math.lgamma(t + 1.0) - math.lgamma(n - t + 1.0)


def _polynomial(given_total, rates):  # type: ignore[no-untyped-def]
    """sum over t of B_t C(D, t) p^t (1-p)^(D-t) at every rate p."""
    degree = given_total.size - 1
    choose = np.empty(degree + 1)
    for t in range(degree + 1):
        choose[t] = log_ways(degree, t)
    values = np.empty(rates.size)
    for i in range(rates.size):
        p = rates[i]
        if p <= 0.0 or p >= 1.0:
            values[i] = given_total[0] if p <= 0.0 else given_total[degree]
            continue
        responds, not_so, total = math.log(p), math.log1p(-p), 0.0
        for t in range(degree + 1):
            if given_total[t] > 0.0:
                total += given_total[t] * math.exp(choose[t] + t * responds + (degree - t) * not_so)
        values[i] = total
    return values


with code_cache([_conditional]) as _usable:
    _compile = njit(nogil=True, error_model="numpy", cache=_usable)
    _least = _compile(_rows)
    log_ways = _compile(_log_choose)
    _one_pair_more = _compile(_more_responders)
    _of_all = _compile(_shares)
    _given_total = _compile(_conditional)
    _values = _compile(_polynomial)

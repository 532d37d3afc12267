"""The law of a verdict on scores of unknown variance: when R = s/sqrt(q) first leaves its limits.

s is the sum of x - xi over a dose's n outcomes and q that of its squares. At mean xi, R is a
Markov chain whatever sigma: with tan(psi) = (x' - xi)/sqrt(q), where x' is the next outcome,

  R' = R cos(psi) + sin(psi), psi of density c_n cos(psi)^(n-1), independent of R.

So the density f of R among trials without a verdict follows patient by patient: R = (r - sin psi)
/ cos psi leads to r, and f'(r) is the integral of f(R) c_n cos(psi)^(n-2) over psi. That is
smooth, though the law of R' given R is not: it has a pole at sqrt(1 + R^2), the farthest that R'
can get. f is kept at points that are dense towards the ends (equal steps of asin), where it may
begin like a root, and read between them by polynomials.

Off the target R alone is no chain, but q is independent of all of R_1, ..., R_n at mean xi
(Basu), and the likelihood ratio of the effect size e = (mean - xi)/sigma is a function of n, R
and q. So the chance of a verdict at n is the one at mean xi weighted by

  E exp(e R X_n - n e^2/2), X_n^2 chi-square with n degrees of freedom.

Where q has more squares than outcomes (`pooled`: those of n - 1 further normal numbers of the same
variance and the mean 0), N = 2n - 1 stands in the place of n for all degrees of freedom. One more
square alone, in a place where q has M of them, leads from R to R cos(phi), phi of density
c_M cos(phi)^(M-1): f'(r) is the integral of f(r / cos phi) c_M cos(phi)^(M-2).
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gai_core.basics.code_cache import code_cache

Numbers = NDArray[np.float64]

NEGLIGIBLE = 1e-9
"""Share of the smallest chance of interest that may be cut off."""
NODES, MORE_NODES = 16, 2
"""Nodes of the quadrature over one outcome: so many, and more the smaller the step."""
SPACING = 2.0
"""Distance of the grid's points where they are sparse, in steps: polynomials reach far here."""
OUTSIDE = 24
"""Nodes of the quadrature over the R that get a verdict."""
WIDE, HALVINGS = 4.0, 12
"""Pieces of that quadrature: none is wider, and off the target so many halve towards the edge."""
LEAST_POINTS = 17
LARGEST_EFFECT, SMALLEST_TAIL = 1e3, 1e-12
FIRST = 3
"""R takes two values at n = 1 and has poles at n = 2: the recursion begins after these, also where
there are more squares."""


def student_crossing(
    effect: float,
    accept: Numbers,
    reject: Numbers,
    smallest: float,
    step: float,
    *,
    pooled: bool = False,
) -> tuple[Numbers, Numbers]:
    """The two chances at n = 0, 1, ... for limits on R, those for dropping not above 0."""
    good, bad = np.zeros(accept.size), np.zeros(accept.size)
    looks = np.flatnonzero(np.isfinite(accept) | np.isfinite(reject))
    if looks.size:
        reach = math.sqrt(-2 * math.log(smallest * NEGLIGIBLE))
        nodes, weights = np.polynomial.legendre.leggauss(NODES + math.ceil(MORE_NODES / step))
        outside = np.polynomial.legendre.leggauss(OUTSIDE)
        end = int(looks[-1]) + 1
        _student(
            _within(effect),
            pooled,
            max(int(looks[0]), FIRST),
            accept[:end],
            reject[:end],
            reach,
            step,
            nodes,
            weights,
            outside[0],
            outside[1],
            good,
            bad,
        )
    return good, bad


def student_tails(
    effect: float, n: NDArray[np.int64], limits: Numbers, *, pooled: bool = False
) -> Numbers:
    """P(R >= limit) after n outcomes, for every n by itself."""
    nodes, weights = np.polynomial.legendre.leggauss(OUTSIDE)
    chances, reach = np.zeros(n.size), math.sqrt(-2 * math.log(NEGLIGIBLE * SMALLEST_TAIL))
    _singly(_within(effect), pooled, n, limits, reach, nodes, weights, chances)
    return chances


def _within(effect: float) -> float:
    """The effect size as far as numbers can follow it; beyond, nothing changes any more."""
    return min(max(effect, -LARGEST_EFFECT), LARGEST_EFFECT)


def _squares(n, pooled):  # type: ignore[no-untyped-def]
    """N: the degrees of freedom of q after n outcomes."""
    return 2 * n - 1 if pooled else n


def _log_weight(effect, pooled, outcomes, r):  # type: ignore[no-untyped-def]
    """log E exp(e r X_N) - n e^2/2, by the trapezoidal rule in log X around its mode."""
    n = _degrees(outcomes, pooled)
    a = effect * r
    mode = 0.5 * (a + math.sqrt(a * a + 4.0 * n))
    step = 0.3 / math.sqrt(mode * mode + n)
    peak = n * math.log(mode) - 0.5 * mode * mode + a * mode
    total = 0.0
    for k in range(-70, 31):
        x = mode * math.exp(k * step)
        total += math.exp(n * math.log(x) - 0.5 * x * x + a * x - peak)
    norm = (0.5 * n - 1.0) * math.log(2.0) + math.lgamma(0.5 * n)
    return math.log(step * total) + peak - norm - 0.5 * outcomes * effect * effect


def _log_first(r, outcomes, pooled):  # type: ignore[no-untyped-def]
    """The logarithm of R's density after n outcomes at mean xi, where there was no look before."""
    n = _degrees(outcomes, pooled)
    constant = math.lgamma(0.5 * n) - math.lgamma(0.5 * (n - 1))
    constant -= 0.5 * math.log(math.pi * outcomes)
    base = 1.0 - r * r / outcomes
    if n == 3:
        return constant
    return constant + 0.5 * (n - 3) * math.log(base) if base > 0.0 else -np.inf


def _side(r, limit):  # type: ignore[no-untyped-def]
    """The psi from which R <= limit leads to r, limit >= 0: limit cos(psi) + sin(psi) >= r."""
    y = r / math.sqrt(1.0 + limit * limit)
    if y >= 1.0:
        return 1.0, -1.0
    y = math.asin(max(y, -1.0))
    beta = math.atan(limit)
    return max(y - beta, -0.5 * math.pi), min(math.pi - y - beta, 0.5 * math.pi)


def _read(values, u):  # type: ignore[no-untyped-def]
    """The polynomial through the eight values around the place u, counted in steps."""
    first = min(max(int(u) - 3, 0), values.size - 8)
    t = u - first
    above, below = 0.0, 0.0
    for k in range(8):
        distance = t - k
        if distance == 0.0:
            return values[first + k]
        weight = _BINOMIALS[k] / distance
        above += weight * values[first + k]
        below += weight
    return above / below


def _outcomes(m, widest, nodes, weights):  # type: ignore[no-untyped-def]
    """sin psi, cos psi and the weights of one outcome after m others, where no limit cuts psi."""
    psi = widest * nodes
    cosine = np.cos(psi)
    return np.sin(psi), cosine, widest * weights * np.exp((m - 2) * np.log(cosine))


def _next_density(r, m, a, b, values, widest, nodes, weights, whole):  # type: ignore[no-untyped-def]
    """f at r after m + 1 outcomes, without its factor c_m, from the values of f after m."""
    low, high = _of_side(r, b)
    other = _of_side(-r, -a)
    low, high = max(low, -other[1], -widest), min(high, -other[0], widest)
    if not low < high:
        return 0.0
    middle, per_half = 0.5 * (a + b), 2.0 / (b - a)
    per_step = (values.size - 1) / math.pi
    uncut = low == -widest and high == widest
    total = 0.0
    for i in range(nodes.size):
        if uncut:
            sine, cosine, weight = whole[0][i], whole[1][i], whole[2][i]
        else:
            psi = 0.5 * (low + high) + 0.5 * (high - low) * nodes[i]
            sine, cosine = math.sin(psi), math.cos(psi)
            weight = 0.5 * (high - low) * weights[i] * math.exp((m - 2) * math.log(cosine))
        place = ((r - sine) / cosine - middle) * per_half
        u = (math.asin(min(max(place, -1.0), 1.0)) + 0.5 * math.pi) * per_step
        total += weight * _interpolated(values, u)
    return total


def _log_factor(m):  # type: ignore[no-untyped-def]
    """log c_m."""
    return math.lgamma(0.5 * (m + 1)) - math.lgamma(0.5 * m) - 0.5 * math.log(math.pi)


def _density(r, n, pooled, first, a, b, values, widest, nodes, weights, whole):  # type: ignore[no-untyped-def]
    """f at r after n outcomes: in closed form at the first look."""
    if n == first:
        return math.exp(_log_at_first(r, n, pooled))
    m = _degrees(n, pooled) - 1
    constant = _log_constant(m)
    return math.exp(constant) * _after(r, m, a, b, values, widest, nodes, weights, whole)


def _one_square_more(a, b, m, values, widest, nodes, weights):  # type: ignore[no-untyped-def]
    """f at the same places after one more square in q, where q has m of them; a <= 0 <= b.

    phi = far (1 - v^2): towards the farthest phi, which leads from a or b, f may end like a root.
    """
    size = values.size
    after = np.zeros(size)
    middle, half, per_step = 0.5 * (a + b), 0.5 * (b - a), (size - 1) / math.pi
    factor = 2.0 * math.exp(_log_constant(m))
    for j in range(size):
        r = middle + half * math.sin(-0.5 * math.pi + j * math.pi / (size - 1))
        edge = b if r > 0.0 else a
        far = widest if r == 0.0 else min(widest, math.acos(min(r / edge, 1.0)))
        for i in range(nodes.size):
            v = 0.5 * (1.0 + nodes[i])
            cosine = math.cos(far * (1.0 - v * v))
            place = min(max((r / cosine - middle) / half, -1.0), 1.0)
            u = (math.asin(place) + 0.5 * math.pi) * per_step
            weight = weights[i] * far * v * math.exp((m - 2) * math.log(cosine))
            after[j] += factor * weight * _interpolated(values, u)
    return after


def _beyond(effect, pooled, n, first, edge, limit, state, out, out_weights):  # type: ignore[no-untyped-def]
    """The chance of an R between a limit and the edge, with r = edge - (edge - limit) v^2.

    Off the target R may crowd at the edge: there the pieces of v halve towards it.
    """
    a, b, values, widest, nodes, weights, whole = state
    pieces = 1 + int(abs(edge - limit) / WIDE)
    halvings = 0 if effect == 0.0 else HALVINGS
    total = 0.0
    for h in range(halvings + 1):
        high = 0.5**h
        low = 0.0 if h == halvings else 0.5 * high
        for k in range(pieces):
            begin, length = low + (high - low) * k / pieces, (high - low) / pieces
            for i in range(out.size):
                v = begin + length * 0.5 * (1.0 + out[i])
                r = edge - (edge - limit) * v * v
                part = out_weights[i] * length * v * abs(edge - limit)
                if effect != 0.0 and n == first:  # either factor may be beyond what a double holds
                    total += part * math.exp(
                        _log_at_first(r, n, pooled) + _weight(effect, pooled, n, r)
                    )
                    continue
                part *= _at(r, n, pooled, first, a, b, values, widest, nodes, weights, whole)
                if effect != 0.0 and part > 0.0:
                    part = math.exp(math.log(part) + _weight(effect, pooled, n, r))
                total += part
    return total


def _single_looks(effect, pooled, n, limits, reach, nodes, weights, chances):  # type: ignore[no-untyped-def]
    """P(R >= limit) at every n, each by itself."""
    nothing = np.zeros(0)
    for i in range(n.size):
        edge = min(math.sqrt(n[i]), reach + abs(effect) * math.sqrt(n[i]))
        if limits[i] < edge:
            state = 0.0, 0.0, nothing, 0.0, nothing, nothing, (nothing, nothing, nothing)
            chances[i] = _chance(effect, pooled, n[i], n[i], edge, limits[i], state, nodes, weights)


def _recursion(  # type: ignore[no-untyped-def]
    effect, pooled, first, accept, reject, reach, step, nodes, weights, out, out_weights, good, bad
):
    """Into good and bad, the chances of leaving the limits at every n."""
    last = accept.size - 1
    a, b = 0.0, 0.0
    values = np.zeros(0)
    for n in range(first, last + 1):
        # As far as R can have come, and as there is any mass.
        far = math.sqrt(n) if n == first else math.sqrt(1.0 + b * b)
        deep = -math.sqrt(n) if n == first else -math.sqrt(1.0 + a * a)
        cut = reach + abs(effect) * math.sqrt(n)
        far, deep = min(far, cut), max(deep, -cut)
        before = _degrees(n, pooled) - 1
        spread = (reach + abs(effect)) / math.sqrt(before)
        widest = math.acos(math.exp(-0.5 * spread * spread))
        whole = _of_outcome(before, widest, nodes, weights)
        state = a, b, values, widest, nodes, weights, whole
        if accept[n] < far:
            good[n] = _chance(effect, pooled, n, first, far, accept[n], state, out, out_weights)
        if reject[n] > deep:
            bad[n] = _chance(effect, pooled, n, first, deep, reject[n], state, out, out_weights)
        if n == last:
            break
        top, bottom = min(far, accept[n]), max(deep, reject[n])
        points = int(0.5 * (top - bottom) * math.pi * math.sqrt(before + 1) / (SPACING * step)) + 2
        points = max(points, LEAST_POINTS)
        new = np.empty(points)
        for j in range(points):
            u = -0.5 * math.pi + j * math.pi / (points - 1)
            r = 0.5 * (top + bottom) + 0.5 * (top - bottom) * math.sin(u)
            new[j] = _at(r, n, pooled, first, a, b, values, widest, nodes, weights, whole)
        values, a, b = new, bottom, top
        if pooled:
            values = _with_square(a, b, before + 1, values, widest, nodes, weights)


_BINOMIALS = np.array([(-1.0) ** k * math.comb(7, k) for k in range(8)])
with code_cache([student_crossing]) as _usable:
    _compile = njit(nogil=True, error_model="numpy", cache=_usable)
    _degrees = _compile(_squares)
    _log_constant = _compile(_log_factor)
    _weight = _compile(_log_weight)
    _log_at_first = _compile(_log_first)
    _of_side = _compile(_side)
    # Only these sums may be reordered, which lets them use vector instructions.
    _interpolated = njit(
        nogil=True, error_model="numpy", fastmath={"reassoc", "contract"}, cache=_usable
    )(_read)
    _of_outcome = _compile(_outcomes)
    _after = _compile(_next_density)
    _at = _compile(_density)
    _with_square = _compile(_one_square_more)
    _chance = _compile(_beyond)
    _singly = _compile(_single_looks)
    _student = _compile(_recursion)

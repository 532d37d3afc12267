"""The law of one arm's verdict: when its outcome sum first leaves the two curves.

Counts of responders live on a lattice, and a forward recursion over n is exact.
Normal sums are followed by recursive quadrature (Armitage, McPherson and Rowe,
J. R. Statist. Soc. A 132:235, 1969) on a fixed grid. The trapezoidal rule is
accurate beyond all powers of the step inside; where the curves cut the density
off between two grid points, eight-point end corrections make up for it.
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gai_core.basics.code_cache import code_cache
from gai_core.evidence.outcomes import Outcome
from gai_core.evidence.setting import Curves

Numbers = NDArray[np.float64]

STEP = 0.25
"""Grid step in standard deviations of the sum's change between two looks."""
POINTS = 8
"""Grid points that take part in an end correction."""
NEGLIGIBLE = 1e-9
"""Share of the smallest chance of interest that may be cut off."""


@dataclass(frozen=True)
class Law:
    """Chance of the verdict good, and bad, after exactly n = 0, 1, ... patients of the arm."""

    good: Numbers
    bad: Numbers


def law(
    outcome: Outcome,
    mean: float,
    curves: Curves,
    *,
    smallest: float = 1e-9,
    step: float = STEP,
) -> Law:
    """The law of an arm's verdict under a true mean.

    Chances much below `smallest` need not be right: mass that is negligible beside it is
    cut off on its way, and counts as decided on the side where it was.
    """
    return Law(*outcome.crossing(mean, curves.accept, curves.reject, smallest, step))


def lattice(
    rate: float, accept: Numbers, reject: Numbers, smallest: float
) -> tuple[Numbers, Numbers]:
    """The two chances at n = 0, 1, ... for counts of responders."""
    good, bad = _lattice(rate, accept, reject, smallest * NEGLIGIBLE / accept.size)
    return good, bad


def quadrature(
    mean: float, spread: float, accept: Numbers, reject: Numbers, smallest: float, step: float
) -> tuple[Numbers, Numbers]:
    """The two chances at n = 0, 1, ... for normal sums."""
    last = accept.size - 1
    looks = np.flatnonzero(np.isfinite(accept) | np.isfinite(reject))
    reach = math.sqrt(-2 * math.log(smallest * NEGLIGIBLE))
    good, bad = np.zeros(last + 1), np.zeros(last + 1)
    if looks.size:
        above = (accept - np.arange(last + 1) * mean)[looks] / spread
        below = (reject - np.arange(last + 1) * mean)[looks] / spread
        good[looks], bad[looks] = _quadrature(
            looks.astype(np.float64),
            above,
            below,
            _grid_step(step, looks, above, below),
            reach,
            _ENDS,
        )
    return good, bad


def _grid_step(step: float, looks: NDArray[np.int64], above: Numbers, below: Numbers) -> float:
    """A step that resolves every change, also that to the first look, and the narrowest gap."""
    changes = np.sqrt(np.diff(looks, prepend=0))
    return min(step * float(changes.min()), float((above - below).min()) / (2 * POINTS + 2))


def _end_corrections() -> Numbers:
    """C with c(theta) = C b(theta), b_k = theta^(k+1)/(k+1): weights to add at an end.

    The end lies theta steps beyond the last grid point. The weights make the rule
    exact for polynomials: the sum over all points up to the last, regularised by the
    zeta function, plus the corrections gives the integral up to the end. The last
    column holds the part that does not depend on theta.
    """
    powers = np.vander(-np.arange(POINTS, dtype=float), POINTS, increasing=True).T
    # zeta(-k) = -B_(k+1)/(k+1), B the numbers below; the point at 0 adds 1 to the sum for k = 0.
    numbers = [-1 / 2, 1 / 6, 0, -1 / 30, 0, 1 / 42, 0, -1 / 30]
    zeta = [-0.5] + [-b / (k + 1) for k, b in enumerate(numbers) if k >= 1]
    sums = np.array([(-1) ** k * zeta[k] + (k == 0) for k in range(POINTS)])
    inverse = np.linalg.inv(powers)
    return np.column_stack([inverse, -inverse @ sums])


def _lattice_recursion(p, accept, reject, negligible):  # type: ignore[no-untyped-def]
    """P(sum = s and no verdict yet), pushed forward patient by patient."""
    last = accept.size - 1
    good, bad = np.zeros(last + 1), np.zeros(last + 1)
    alive = np.zeros(last + 2)
    alive[0] = 1.0
    low, high = 0, 0
    for n in range(1, last + 1):
        for s in range(high + 1, low, -1):
            alive[s] = alive[s] * (1 - p) + alive[s - 1] * p
        alive[low] *= 1 - p
        high += 1
        while high >= low and (high >= accept[n] or alive[high] < negligible):
            good[n] += alive[high]
            alive[high] = 0.0
            high -= 1
        while low <= high and (low <= reject[n] or alive[low] < negligible):
            bad[n] += alive[low]
            alive[low] = 0.0
            low += 1
        if low > high:
            break
    return good, bad


def _upper_tail(x):  # type: ignore[no-untyped-def]
    return 0.5 * math.erfc(x / math.sqrt(2.0))


def _weigh_ends(density, first, size, above, below, step, ends, weighted):  # type: ignore[no-untyped-def]
    """density * step with the end corrections of both ends, into `weighted`."""
    points = ends.shape[0]
    for i in range(size):
        weighted[i] = density[i] * step
    for end in range(2):
        # theta: how many steps the curve lies beyond the outermost grid point.
        edge = above / step - (first + size - 1) if end == 0 else first - below / step
        if not np.isfinite(edge) or edge > 1.0:
            continue  # cut where the density is negligible, not by a curve
        for j in range(points):
            correction = ends[j, points]
            power = edge
            for k in range(points):
                correction += ends[j, k] * power / (k + 1)
                power *= edge
            i = size - 1 - j if end == 0 else j
            weighted[i] += density[i] * step * correction


def _smoothed(values, kernel, shift, result):  # type: ignore[no-untyped-def]
    """result[i] = sum over d of kernel[d] values[i + shift + d], d from -taps to taps."""
    taps = kernel.size // 2
    padded = np.zeros(result.size + 2 * taps)
    begin = max(0, taps - shift)
    skipped = begin - (taps - shift)
    length = min(values.size - skipped, padded.size - begin)
    for i in range(max(length, 0)):
        padded[begin + i] = values[skipped + i]
    for i in range(result.size):
        window = padded[i : i + kernel.size]
        total = 0.0
        for d in range(kernel.size):
            total += kernel[d] * window[d]
        result[i] = total


def _grid_recursion(looks, above, below, step, reach, ends):  # type: ignore[no-untyped-def]  # noqa: C901
    """Density of the sum (variance 1 a patient, mean removed) while there is no verdict."""
    count = looks.size
    good, bad = np.zeros(count), np.zeros(count)
    widest = int(2 * reach * math.sqrt(looks[-1]) / step) + 8
    density, weighted, kernel = np.zeros(widest), np.zeros(widest), np.zeros(1)
    first, size, change = 0, 0, -1.0
    for look in range(count):
        sd = math.sqrt(looks[look])
        upper, lower = above[look], below[look]
        if look == 0:
            good[0], bad[0] = _tail(upper / sd), _tail(-lower / sd)
        else:
            if looks[look] - looks[look - 1] != change:
                change = looks[look] - looks[look - 1]
                taps = int(reach * math.sqrt(change) / step) + 1
                kernel = np.empty(2 * taps + 1)
                for d in range(-taps, taps + 1):
                    kernel[d + taps] = math.exp(-0.5 * (d * step) ** 2 / change)
                kernel /= math.sqrt(2 * math.pi * change)
            root = math.sqrt(change)
            for i in range(size):
                y = (first + i) * step
                if upper - y < reach * root:
                    good[look] += weighted[i] * _tail((upper - y) / root)
                if y - lower < reach * root:
                    bad[look] += weighted[i] * _tail((y - lower) / root)
        if look == count - 1:
            break
        # The grid between the curves, or as far as there is any mass.
        top = int(np.rint(min(upper / step, reach * sd / step)))
        bottom = int(np.rint(max(lower / step, -reach * sd / step)))
        new_size = top - bottom + 1
        if new_size < 2 * ends.shape[0]:
            break  # the curves have left what can still be reached: no mass worth following
        if look == 0:
            for i in range(new_size):
                y = (bottom + i) * step
                density[i] = math.exp(-0.5 * (y / sd) ** 2) / (sd * math.sqrt(2 * math.pi))
        else:
            _convolve(weighted[:size], kernel, bottom - first, density[:new_size])
        first, size = bottom, new_size
        _weigh(density, first, size, upper, lower, step, ends, weighted)
    return good, bad


_ENDS = _end_corrections()
with code_cache([_lattice_recursion]) as _usable:
    _compile = njit(nogil=True, error_model="numpy", cache=_usable)
    _lattice = _compile(_lattice_recursion)
    _tail = _compile(_upper_tail)
    _weigh = _compile(_weigh_ends)
    # Only this sum may be reordered, which lets it use vector instructions.
    _convolve = njit(nogil=True, fastmath={"reassoc", "contract"}, cache=_usable)(_smoothed)
    _quadrature = _compile(_grid_recursion)

"""What no design can beat where doses are compared with the concurrent control.

The control's mean mu_0 is not known either: a truth in which dose i is not good may have a better
control. With w the expected patients per unit of evidence, d the divergence and d+ = d where the
first mean is above the second, else 0, every design that declares k doses in time tau_k obeys

  E[tau_k] >= kappa min(w_0 + sum_i w_i)  over w >= 0 with, for every x >= mu_0 and every set B of
  m - k + 1 good doses,  w_0 d(mu_0, x) + sum_{i in B} w_i d+(mu_i, x + margin) >= 1:

move the control up to x and the doses of B down to x + margin: fewer than k good doses are left.
A linear programme, solved on a grid of x; the sets that bind are added as they are found. Fewer
constraints can only lower its value, so the grid keeps the bound valid. Where a study assumes a
range of the control's rate, its designs keep their error within that range alone, so x stays in it.
For one dose with a normal outcome it is kappa 8 sigma^2/Delta^2, Delta = mu_1 - mu_0 - margin.

To settle every dose, each must be told from its other side by itself: a good dose as above with B
= {i} and kl(1-beta, alpha), a bad one with the control moved down and the dose up, and
kl(1-alpha, beta).
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gai_core.evidence import Outcome
from gai_core.study import Study, Truth

Numbers = NDArray[np.float64]

POINTS = 400
"""Points of the grid; with them the bounds are right to less than a thousandth."""
SATISFIED = 1e-6
"""By how much of itself a constraint may be broken."""
MOST_ROUNDS = 100
MOST_APART = 1e6
"""Doses whose evidence differs by more are not put into one programme: it would take the smaller
numbers for 0, and its value would be no bound any more."""


@dataclass(frozen=True)
class Comparison:
    """What the bounds depend on: the means of the doses, of the control, and how both spread."""

    outcome: Outcome
    spread: float
    control: float
    doses: tuple[float, ...]
    margin: float
    among: tuple[float, float] = (-math.inf, math.inf)
    """Between which means of the control designs keep their error."""

    def moved(self, up_to: float) -> Numbers:
        """Means that the control can be moved to on its way to another one, its own first."""
        low, high = self.among
        end = min(max(up_to, low), high)
        x = np.linspace(self.control, end, POINTS + 1)
        return x[:-1] if end == up_to else x

    def divergence(self, mean: float, others: Numbers) -> Numbers:
        """d(mean, x) for every x; infinite where a number is too small to divide by."""
        with np.errstate(over="ignore"):
            return self.outcome.least_divergence(np.full(others.size, mean), others, self.spread)

    @property
    def good(self) -> list[int]:
        """The doses above the control's mean plus the margin."""
        return [i for i, mean in enumerate(self.doses) if mean > self.target]

    @property
    def target(self) -> float:
        """What a good dose exceeds; without the last bits of the sum."""
        return float(f"{self.control + self.margin:.12g}")


def comparison(study: Study, truth: Truth) -> Comparison:
    """The bounds' view of a truth of a study against the control."""
    assert study.target is not None
    assert study.control is not None
    expected, target = study.expected(truth), study.target
    return Comparison(
        study.outcome,
        study.spread(truth),
        expected[study.control],
        tuple(expected[arm] for arm in study.candidates),
        target.margin,
        target.control_range if target.assumes_rates else (-math.inf, math.inf),
    )


@lru_cache(maxsize=512)
def patients_per_evidence(problem: Comparison, k: int) -> float:
    """min(w_0 + sum w_i): patients for k declarations, per unit of evidence.

    Infinite where there are fewer than k good doses.
    """
    good = problem.good
    if len(good) < k:
        return math.inf
    highest = max(problem.doses[i] for i in good) - problem.margin
    x = problem.moved(highest)
    of_control = problem.divergence(problem.control, x)
    of_doses = np.array([_above(problem, problem.doses[i], x) for i in good])
    return _least_patients(of_control, of_doses, len(good) - k + 1)


@lru_cache(maxsize=512)
def patients_to_settle_all(problem: Comparison, for_good: float, for_bad: float) -> float:
    """min(N_0 + sum N_i) with the evidence for every dose; infinite with one at the target."""
    from scipy.optimize import linprog

    if any(mean == problem.target for mean in problem.doses):
        return math.inf
    rows, count = [], len(problem.doses)
    for i, mean in enumerate(problem.doses):
        is_good = mean > problem.target
        x = problem.moved(mean - problem.margin)
        of_dose = problem.divergence(mean, x + problem.margin)
        needed = for_good if is_good else for_bad
        block = np.zeros((x.size, count + 1))
        block[:, 0] = problem.divergence(problem.control, x) / needed
        block[:, i + 1] = of_dose / needed
        rows.append(block[np.isfinite(block).all(axis=1)])
    matrix = np.concatenate(rows)
    scale = matrix.max(axis=0)
    scale[scale == 0] = 1.0  # too close to the target for a number: the programme says so
    if scale[1:].max() > MOST_APART * scale[1:].min():  # all of them need what the hardest needs
        alone = (replace(problem, doses=(mean,)) for mean in problem.doses)
        return max(patients_to_settle_all(one, for_good, for_bad) for one in alone)
    unit = scale.min()  # costs of about 1, however many patients that means
    found = linprog(unit / scale, A_ub=-matrix / scale, b_ub=-np.ones(len(matrix)))
    return float(found.fun / unit) if found.success else 0.0  # 0 bounds nothing


def _above(problem: Comparison, mean: float, x: Numbers) -> Numbers:
    """d+(mean, x + margin): 0 where the dose need not be moved."""
    below = x + problem.margin < mean
    found = np.zeros(x.size)
    found[below] = problem.divergence(mean, x[below] + problem.margin)
    return found


def _least_patients(of_control: Numbers, of_doses: Numbers, size: int) -> float:
    """The linear programme, with the sets of so many doses that bind at a point of the grid.

    Columns are scaled by their largest entries, so that doses close to the target do no harm.
    """
    from scipy.optimize import linprog

    finite = np.isfinite(of_control) & np.isfinite(of_doses).all(axis=0)
    evidence = np.concatenate([of_control[None, finite], of_doses[:, finite]])
    scale = evidence.max(axis=1)
    scale[scale == 0] = 1.0
    evidence = evidence / scale[:, None]
    costs = 1 / scale
    rows: list[Numbers] = []
    w = np.zeros(len(costs))
    for _ in range(MOST_ROUNDS):
        terms = w[1:, None] * evidence[1:]
        least = np.argsort(terms, axis=0, kind="stable")[:size]
        chosen = np.zeros(evidence.shape)
        chosen[0] = evidence[0]
        np.put_along_axis(
            chosen[1:], least, np.take_along_axis(evidence[1:], least, axis=0), axis=0
        )
        broken = w @ chosen < 1 - SATISFIED
        if not broken.any():
            break
        rows.append(chosen[:, broken].T)
        matrix = np.concatenate(rows)
        found = linprog(costs, A_ub=-matrix, b_ub=-np.ones(len(matrix)))
        if not found.success:
            return 0.0  # bounds nothing
        w = found.x
    return float(costs @ w)

"""What a coarse lattice leaves over, used up: single counts lowered while the error allows.

With few looks the lattice is coarse and one constant leaves error unspent. Lower counts only add
to the chance, so a look that could not be lowered never can be.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gai_core.criteria.exact.allowances import allowance
from gai_core.criteria.exact.parameters import ExactParameters
from gai_core.criteria.exact.schedule import declaring_counts
from gai_core.criteria.sides import Numbers, one_sided
from gai_core.evidence import (
    ROUNDING,
    Bernoulli,
    Curves,
    Outcome,
    RateDifferences,
    Setting,
    for_kind,
)

Counts = NDArray[np.int64]

SURELY_MORE = 1 + 1e-9
"""A chance beyond this times alpha is more than alpha, whatever its last digits are."""


def used_up(
    setting: Setting,
    parameters: ExactParameters,
    xi: float,
    sums: Numbers,
    bound: Callable[[Curves], float] | None = None,
) -> Numbers:
    """Lower single boundary counts, last look first, while the chance stays within alpha.

    The chance is that of one arm to cross, if no other bound is to be kept.
    """
    alpha, outcome = allowance(setting, parameters.share), setting.outcome
    sums = np.ceil(sums + ROUNDING)
    upper = one_sided(replace(setting, threshold=xi), sums)
    looks = declaring_counts(setting, parameters)[::-1].astype(int)
    sums[looks - 1] = np.minimum(sums[looks - 1], looks + 1)
    lower = for_kind(LOWERING, type(outcome)) or _one_by_one
    if bound is not None:
        lower = _keeping(bound)
    while looks.size:
        can_be = sums[looks - 1] - 1 > looks * xi
        looks = looks[can_be]
        counts = sums[looks - 1].astype(int)  # what is above the lowered sum
        looks = looks[lower(outcome, xi, upper, looks, counts, alpha)]
        sums[looks - 1] -= 1
    return sums


def _one_by_one(
    outcome: Outcome, xi: float, upper: Curves, looks: Counts, counts: Counts, alpha: float
) -> NDArray[np.bool_]:
    """Each look with the law computed anew: which could be lowered to its count."""
    from gai_core.evidence.crossing import law

    def chance(limits: Curves) -> float:
        return float(law(outcome, xi, limits, smallest=alpha).good.sum())

    return _keeping(chance)(outcome, xi, upper, looks, counts, alpha)


def _keeping(bound: Callable[[Curves], float]) -> "Lowering":
    """Each look by itself, while a bound on limits stays within alpha."""

    def lower(
        _outcome: Outcome, _xi: float, upper: Curves, looks: Counts, counts: Counts, alpha: float
    ) -> NDArray[np.bool_]:
        lowered = np.zeros(looks.size, bool)
        for place, look in enumerate(looks):
            before, upper.accept[look] = upper.accept[look], counts[place]
            lowered[place] = bound(upper) <= alpha
            if not lowered[place]:
                upper.accept[look] = before
        return lowered

    return lower


def _on_lattice(
    _outcome: Outcome, xi: float, upper: Curves, looks: Counts, counts: Counts, alpha: float
) -> NDArray[np.bool_]:
    """All looks of responses in one sweep."""
    from gai_core.evidence.lattice_lowering import lower_counts

    return lower_counts(xi, upper.accept, looks, counts, alpha)


def _unless_ruled_out(
    outcome: Outcome, xi: float, upper: Curves, looks: Counts, counts: Counts, alpha: float
) -> NDArray[np.bool_]:
    """Each look of differences by the worst course anew, as that changes with every limit.

    What the course that is worst before adds is a lower limit; most looks are ruled out by it.
    """
    assert isinstance(outcome, RateDifferences)
    lowered = np.zeros(looks.size, bool)
    above, spared = outcome.above_and_spared(xi, upper.accept, upper.reject)
    for place, look in enumerate(looks):
        before, count = upper.accept[look], counts[place]
        if before == count + 1 and above.sum() + spared[look] > SURELY_MORE * alpha:
            continue
        upper.accept[look] = count
        found = outcome.above_and_spared(xi, upper.accept, upper.reject)
        lowered[place] = found[0].sum() <= alpha
        if lowered[place]:
            above, spared = found
        else:
            upper.accept[look] = before
    return lowered


Lowering = Callable[[Outcome, float, Curves, Counts, Counts, float], NDArray[np.bool_]]
LOWERING: dict[type[Outcome], Lowering] = {
    Bernoulli: _on_lattice,
    RateDifferences: _unless_ruled_out,
}
"""How counts are lowered, by kind; others have the law computed anew for every look."""

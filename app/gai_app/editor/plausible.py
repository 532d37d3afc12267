"""Means that are possible and yet hardly meant: a decimal mark is easily left out."""

import math

from gai_core import Study
from gai_core.basics import number
from gai_core.study import Truth

FAR = 5.0
"""Standard deviations from the target; effects in trials are hardly ever above 2."""


def implausible_means(study: Study) -> list[str]:
    """A sentence for every mean of a score that lies too far from the target."""
    if not study.outcome.has_variance:
        return []  # a rate beyond 0 and 1 is refused
    assumed, known = math.sqrt(study.outcome.s2), study.outcome.knows_variance

    def away(mean: float, truth: Truth) -> float:
        return abs(mean - study.target_under(truth)) / (assumed if known else study.spread(truth))

    return [
        f"{arm.label}, {truth.name}: {mean:g} lies {number(away(mean, truth))} "
        f"standard deviations from the target of {study.target_under(truth):g}. Is that meant?"
        for truth in study.truths
        for arm, mean in zip(study.arms, truth.means, strict=True)
        if away(mean, truth) > FAR
    ]

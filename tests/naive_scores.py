"""The scores of the allocation rules under docs/conduct.md, from their formulas, for the oracle.

The operations come in the order of the rules' own, so that equals stay equals.
"""

from math import log, sqrt
from typing import Any

from gai_core.evidence.outcomes.bernoulli_mean import largest_rate
from gai_core.rules.nearest_finish import LEAST_REMAINING
from gai_core.study.study import Design, Study

COUNT_ASSIGNED = ("hdoc", "lucb-g", "apt-g", "kl-ucb", "equal")
"""Rules that spread patients by the number assigned; the others go by the outcomes."""
AT_RANDOM = ("thompson", "nearest-finish")
"""Rules that need a standard normal number for every eligible dose."""
IN_STEPS = ("kl-ucb",)
"""Rules that read t when it has grown by a 16th; the others read it for every patient."""
BY_RATIO = ("equal",)
"""Rules that spread patients by the ratio of the doses."""


def score(
    study: Study,
    design: Design,
    n: int,
    mean: float,
    log_t: float,
    z: float,
    waiting: int,
    deviation: float | None = None,
) -> float:
    """The score of a dose: log_t is sqrt(2 s2 log t), z standard normal.

    Where the variance is unknown, s2 is 1 and the running standard deviation is given.
    """
    rule, outcome, xi = design.rule, study.stream.outcome, study.stream.target
    scale, unit = sqrt(outcome.variance_at(xi)), 1.0
    if deviation is not None:
        scale = unit = deviation
    if rule == "lucb-g":
        return mean + union_radius(study, design, n) * unit
    if rule == "apt-g":
        return -sqrt(n) * abs(xi - mean)
    if rule == "equal":
        return -float(n)
    if rule == "kl-ucb" and outcome.mean_range == (0, 1):
        return largest_rate(mean, 1 / sqrt(n), log_t)
    if rule in ("hdoc", "kl-ucb"):  # the same for scores
        return mean + 1 / sqrt(n) * unit * log_t
    if rule == "thompson":
        return mean + scale * (1 / sqrt(n)) * z
    if rule == "apgai":
        return sqrt(n) * (mean - xi)
    if rule == "nearest-finish":
        v = nearest_finish(study, design, n, (mean - xi) * (1 / scale), z)
        return credited(v, waiting)
    raise ValueError(f"the oracle does not know the rule {rule!r}")


def union_radius(study: Study, design: Design, n: int) -> float:
    """r(n) = sqrt(2 s2 log(4 K n^2 / delta) / n); without the factor 2 if "union-published"."""
    parameters: Any = design.sampling[1]
    evidence = log(4 * len(study.candidates)) - log(study.error_rates.drop) + 2 * log(n)
    radius = sqrt(2 * study.stream.outcome.s2 * evidence / n)
    return radius / sqrt(2) if parameters.radius == "union-published" else radius


def nearest_finish(study: Study, design: Design, n: int, above: float, z: float) -> float:
    """(theta - xi) / (scale sqrt(remaining)); `above` is the mean, as theta in scales from xi."""
    parameters: Any = design.sampling[1]
    needed = log(len(study.candidates)) - log(study.error_rates.declare) - log(2)
    needed += 0.5 * log(1 + n / parameters.r)
    evidence = 0.5 * n * above * above if above > 0 else 0.0
    remaining = max(needed - evidence, LEAST_REMAINING)
    return above / sqrt(remaining) + 1 / sqrt(remaining * n) * z


def credited(v: float, waiting: int) -> float:
    """The score of a dose that needs N = 2/v^2 more patients, some of whom are waiting."""
    if waiting == 0 or v <= 0:
        return v
    more = 2 / v**2
    return -float(waiting) if more <= waiting else sqrt(2 / (more - waiting))

"""One-sided mixtures of likelihood ratios: evidence that may be read at any time.

For each p > xi the likelihood ratio of p against xi is a supermartingale under
every mean mu <= xi, so is its mixture over p > xi, and by Ville's inequality the
chance that it ever reaches 1/alpha is at most alpha = delta/K.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from gai_core.basics import Parameters, choices_in_words, searched
from gai_core.criteria.criterion import ALWAYS_VALID, Criterion
from gai_core.criteria.sides import Numbers, two_sided
from gai_core.criteria.step_down import STEP_DOWN, WORDS, step_down_problem, steps_down
from gai_core.criteria.student_mixture import student_limit
from gai_core.evidence import (
    ROUNDING,
    Bernoulli,
    Curves,
    Gaussian,
    GaussianUnknown,
    Outcome,
    RateDifferences,
    RatePairs,
    Setting,
    for_kind,
)

STEPS = 60
TOLERANCE = 1e-9


class MixtureParameters(Parameters):
    """How concentrated the mixtures are: small finds large effects soon, large small ones."""

    r: tuple[Annotated[float, Field(ge=0.01, le=1e6)], ...] = Field(
        default=(10.0, 200.0),
        min_length=1,
        max_length=8,
        strict=False,
        title="Weights for responses, in patients",
        json_schema_extra=searched([3.0], [10.0], [30.0], [100.0], [10.0, 200.0]),
        description="Bernoulli: weights of the beta mixtures, in patients; several are averaged.",
    )
    rho: float = Field(
        default=10.0,
        ge=1e-12,
        le=1e12,
        title="Weight for scores",
        json_schema_extra=searched(3.0, 10.0, 30.0, 100.0, unit="variance"),
        description="Gaussian, and differences of responses: weight of the normal mixture, in "
        "squared units of the outcome.",
    )
    g: float = Field(
        default=0.2,
        ge=1e-4,
        le=1e4,
        title="Weight for scores of unknown variance",
        description="Gaussian of unknown variance: variance of the effect size in the mixture.",
    )
    share: Literal["bonferroni", "step-down"] = Field(
        default="bonferroni",
        title="Error allowed to one dose",
        json_schema_extra=choices_in_words(
            {"bonferroni": "equal parts of the error rate (Bonferroni)", STEP_DOWN: WORDS}
        ),
        description="Error of one arm: alpha/K and beta/K, or step-down: alpha/(K-j) after j "
        "declarations, beta/(K-j) after j drops.",
    )


def curves(setting: Setting, parameters: MixtureParameters) -> Curves:
    """Good if log E >= log(K/delta)."""
    at_target = for_kind(BOUNDARIES, type(setting.outcome))
    assert at_target is not None  # `suits` says for which kinds there is one
    if setting.outcome.by_controls:  # a table by pairs and controls is no larger than it must be
        setting = replace(setting, most_patients=setting.largest_count)

    def boundary(side: Setting) -> Numbers:
        target = np.log(side.sharing) - np.log(side.errors.declare)
        return at_target(side.outcome, side.counts[1:], side.target, parameters, target)

    return two_sided(setting, boundary)


def normal_excess(n: Numbers, variance: float, rho: float, target: float) -> Numbers:
    """s with (1/2) log(4 rho/(v+rho)) + s^2/(2(v+rho)) + log Phi(s/sqrt(v+rho)) = target.

    In z = s/sqrt(v+rho) the left side is convex and rising: Newton from above.
    """
    from scipy.special import log_ndtr

    scale = n * variance + rho
    needed = target - 0.5 * np.log(4 * rho / scale)
    z = np.sqrt(2 * np.maximum(needed, 0)) + 2
    for _ in range(STEPS):
        log_cdf = log_ndtr(z)
        slope = z + np.exp(-0.5 * z * z - 0.5 * np.log(2 * np.pi) - log_cdf)
        step = (0.5 * z * z + log_cdf - needed) / slope
        z = z - step
        if np.abs(step).max() < TOLERANCE:
            break
    return np.asarray(z * np.sqrt(scale))


def log_evidence(
    sums: Numbers, n: Numbers, xi: float | Numbers, weights: tuple[float, ...]
) -> Numbers:
    """Average over r of the beta mixtures' E, as a logarithm; a = r xi, b = r (1 - xi).

    log B(S+a, n-S+b) + log I^c(xi; S+a, n-S+b) - log B(a,b) - log I^c(xi; a,b)
    - S log xi - (n-S) log(1-xi).
    """
    from scipy.special import betaincc, betaln

    terms = []
    with np.errstate(divide="ignore"):
        for r in weights:
            a, b = r * xi, r * (1 - xi)
            after = betaln(sums + a, n - sums + b) + np.log(betaincc(sums + a, n - sums + b, xi))
            before = betaln(a, b) + np.log(betaincc(a, b, xi))
            terms.append(after - before)
    data = sums * np.log(xi) + (n - sums) * np.log1p(-xi)
    return np.asarray(np.logaddexp.reduce(terms, axis=0) - np.log(len(weights)) - data)


def beta_boundary(n_max: int, xi: float, weights: tuple[float, ...], target: float) -> Numbers:
    """For n = 1, ..., n_max a sum half below the least count whose evidence reaches the target."""
    from scipy.special import betaincc, betaln

    from gai_core.criteria.beta_counts import least_counts

    r = np.array(weights)
    a, b = r * xi, r * (1 - xi)
    before = betaln(a, b) + np.log(betaincc(a, b, xi))
    constants = np.exp(a * np.log(xi) + b * np.log1p(-xi) - before)
    return least_counts(n_max, xi, r, constants, target, ROUNDING) - 0.5


Boundary = Callable[[Any, Numbers, float, MixtureParameters, float], Numbers]
"""(outcome, n, xi, parameters, target) -> the sum at which the log evidence reaches the target."""

BOUNDARIES: dict[type[Outcome], Boundary] = {
    Bernoulli: lambda _outcome, n, xi, parameters, target: beta_boundary(
        n.size, xi, parameters.r, target
    ),
    RatePairs: lambda outcome, n, xi, _parameters, target: outcome.rows_at(
        n, xi, np.full_like(n, target)
    ),
    RateDifferences: lambda outcome, n, xi, parameters, target: (
        n * xi + normal_excess(n, outcome.s2, parameters.rho, target)
    ),
    Gaussian: lambda outcome, n, xi, parameters, target: (
        n * xi + normal_excess(n, outcome.variance, parameters.rho, target)
    ),
    GaussianUnknown: lambda outcome, n, _xi, parameters, target: student_limit(
        n, parameters.g, target, pooled=outcome.pooled
    ),
}
"""The evidence that fits each kind of outcome: against every mean of at most xi."""

MIXTURE = Criterion(
    key="mixture",
    label="Evidence over all possible effects: valid at any time, needs far fewer patients",
    formula=(
        "log E(S, n) >= log(K / delta), E a mixture over means above xi of the likelihood "
        "ratio against xi; where the variance is unknown, over effect sizes, for any sigma; of "
        "both rates of a pair where that is judged by its likelihood"
    ),
    citation=(
        "Robbins, Ann. Math. Statist. 41:1397, 1970; Howard et al., Ann. Statist. 49:1055, 2021; "
        "Ville's inequality"
    ),
    suits=lambda kind: kind.mirrors and for_kind(BOUNDARIES, kind) is not None,
    parameters=MixtureParameters,
    guarantee="always",
    promises=ALWAYS_VALID,
    curves=curves,
    problem=step_down_problem,
    steps_down=steps_down,
)

"""Posterior rules: a dose is judged by the chance, given its data, that it meets the target.

A prior centred on a mean m0 and worth n0 patients is Beta(n0 m0, n0 (1 - m0)) for a response rate
and normal with variance sigma^2/n0 for a score, or for a difference of two responses. With it,
P(mean >= xi | n, S) rises with S, so "declare if it is at least c_good, drop if it is at most
c_bad" is a pair of curves like any other.
It promises nothing by itself; its error is computed exactly, and as a shape of `exact` the
cut-offs are calibrated to the error rates.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from pydantic import Field, FiniteFloat

from gai_core.basics import Parameters, Problem, declaring, searched
from gai_core.criteria.criterion import Criterion
from gai_core.criteria.sides import Numbers, curves_from
from gai_core.evidence import (
    Bernoulli,
    Curves,
    Gaussian,
    GaussianUnknown,
    Outcome,
    RateDifferences,
    Setting,
    for_kind,
)

USUAL_PRIOR_PATIENTS = 2.0
"""At a target of 1/2 that is Beta(1, 1), the uniform prior."""


class PosteriorParameters(Parameters):
    """The two cut-offs and the prior."""

    c_good: float = Field(
        default=0.975,
        gt=0,
        lt=1,
        title="Declared from this chance on",
        json_schema_extra=searched() | declaring(),  # what declares by it has no guarantee
        description="A dose is declared if, given its data, it meets the target with this chance.",
    )
    c_bad: float = Field(
        default=0.1,
        gt=0,
        lt=1,
        title="Dropped down to this chance",
        json_schema_extra=searched(0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
        description="A dose is dropped if, given its data, it meets the target with this chance.",
    )
    prior_mean: FiniteFloat | None = Field(
        default=None,
        ge=-1e9,
        le=1e9,
        title="Mean before the data",
        json_schema_extra=searched(),
        description="Centre of the prior; the target where it is not given.",
    )
    prior_patients: float = Field(
        default=USUAL_PRIOR_PATIENTS,
        ge=0.01,
        le=1e4,
        title="Patients that the prior is worth",
        json_schema_extra=searched(0.5, 1.0, 2.0, 4.0, 8.0, 16.0),
        description="Weight of the prior. With an unknown variance the prior is flat.",
    )


def posterior_boundary(
    outcome: Outcome, n: Numbers, xi: float, prior: tuple[float, float], z: float
) -> Numbers:
    """The sum after n patients from which on P(mean >= xi | data) >= Phi(z).

    `prior` is its centre and its weight in patients.
    """
    boundary = for_kind(BOUNDARIES, type(outcome))
    assert boundary is not None  # `suits` says for which kinds there is one
    return boundary(outcome, n, xi, prior, z)


def _of_rates(
    _outcome: Any, n: Numbers, xi: float, prior: tuple[float, float], z: float
) -> Numbers:
    """Half a responder below the least count: 1 - I_xi(S + a, n - S + b) >= Phi(z)."""
    from scipy.special import betainc, ndtr

    (mean, weight), doubt = prior, ndtr(-z)
    a, b = weight * mean, weight * (1 - mean)
    low, high = np.full_like(n, -1.0), n + 1  # not enough, and enough or more than there are
    for _ in range(math.ceil(math.log2(n.max() + 2)) + 1):
        middle = np.floor((low + high) / 2)
        inside = np.clip(middle, 0, n)
        enough = (middle > n) | (betainc(inside + a, n - inside + b, xi) <= doubt)
        enough &= middle >= 0
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(high > n, np.inf, high - 0.5)


def _of_scores(
    outcome: Any, n: Numbers, xi: float, prior: tuple[float, float], z: float
) -> Numbers:
    """(S + n0 m0)/(n + n0) is z posterior deviations sigma/sqrt(n + n0) above xi.

    For differences of responses sigma is the largest one that they can have at xi.
    """
    mean, weight = prior
    spread = math.sqrt(outcome.variance_at(xi))
    return np.asarray(n * xi + weight * (xi - mean) + z * spread * np.sqrt(n + weight))


def _of_unknown(
    outcome: Any, n: Numbers, _xi: float, _prior: tuple[float, float], z: float
) -> Numbers:
    """With the flat prior of mean and log sigma, (mean - m)/(sd/sqrt n) is Student's t, n - 1."""
    return np.asarray(outcome.limit_at_level(n, z * np.sqrt(n)))


BOUNDARIES: dict[type[Outcome], Callable[..., Numbers]] = {
    Bernoulli: _of_rates,
    RateDifferences: _of_scores,
    Gaussian: _of_scores,
    GaussianUnknown: _of_unknown,
}


def curves(setting: Setting, parameters: PosteriorParameters) -> Curves:
    """Good from P(mean >= xi | data) >= c_good on; bad where it is at most c_bad."""
    from scipy.special import ndtri

    n, xi, outcome = setting.counts[1:], setting.threshold, setting.outcome
    mean = xi if parameters.prior_mean is None else parameters.prior_mean
    weight, mirrored = parameters.prior_patients, outcome.mirrored_target
    good = posterior_boundary(outcome, n, xi, (mean, weight), ndtri(parameters.c_good))
    # P(mean >= xi) <= c_bad: the mirrored mean is above its target with 1 - c_bad.
    bad = posterior_boundary(
        outcome.mirrored, n, mirrored(xi), (mirrored(mean), weight), ndtri(1 - parameters.c_bad)
    )
    dropped = outcome.mirrored_sum(n, outcome.least_sum(n, bad))
    return curves_from(setting, outcome.least_sum(n, good), dropped)


def problem(setting: Setting, parameters: PosteriorParameters) -> Problem | None:
    """Cut-offs that meet, or a prior mean that no outcome can have."""
    if parameters.c_good <= parameters.c_bad:
        rule = f"must be less than c_good = {parameters.c_good:g}, or a dose could be both"
        return Problem(("c_bad",), rule, f"is {parameters.c_bad:g}", "usual are 0.975 and 0.1")
    mean, outcome = parameters.prior_mean, setting.outcome
    if mean is None:
        return None
    if not outcome.knows_variance:
        rule, remedy = "must be left out where the variance is unknown", "the prior is flat there"
        return Problem(("prior_mean",), rule, f"is {mean:g}", remedy)
    impossible = outcome.threshold_problem(mean)
    return Problem(("prior_mean",), impossible, f"is {mean:g}") if impossible else None


POSTERIOR = Criterion(
    key="posterior",
    label="Bayesian: the chance that a dose meets the target, given its data (no guarantee)",
    formula="P(mean >= xi | data) >= c_good, dropped if <= c_bad",
    citation=(
        "Thall and Simon, Biometrics 50:337, 1994; FDA, Use of Bayesian methodology in clinical "
        "trials, draft guidance, 2026"
    ),
    suits=lambda kind: (
        kind.mirrors and for_kind(BOUNDARIES, kind) is not None and not kind.by_controls
    ),
    parameters=PosteriorParameters,
    guarantee="nothing",
    promises=(
        "Promises nothing about error rates: its exact error is shown beside the allowed one. "
        "Exactly calibrated limits of this shape keep the error rates."
    ),
    curves=curves,
    problem=problem,
)

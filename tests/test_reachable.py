"""What no design can reach: the bounds on n_max and delta, against exact power and simulation."""

import math

import pytest
from conftest import make_study
from scipy.stats import binom, norm

from gai_core import load_study, simulate
from gai_core.evidence.outcomes import Bernoulli, Gaussian
from gai_core.questions.plan_search import estimates
from gai_core.questions.plan_values import one_design
from gai_core.study.changing import changed
from gai_core.theory.reachable import (
    evidence,
    evidence_for_any,
    evidence_for_list,
    least_delta,
    least_n_max,
)


def test_no_test_beats_the_bound_on_evidence() -> None:
    """The most powerful test of n patients at level delta, computed exactly (Neyman-Pearson)."""
    for delta in (0.01, 0.05, 0.2):
        for n in (1, 2, 5, 20, 100, 400):
            for xi, mean in ((0.5, 0.6), (0.5, 0.9), (0.1, 0.2), (0.8, 0.83)):
                power = _most_powerful(n, xi, mean, delta)
                d = float(Bernoulli().divergence(mean, xi))
                assert evidence(power, delta) <= n * d * (1 + 1e-12)
            for gap in (0.05, 0.3, 1.0):
                power = float(norm.sf(norm.isf(delta) - gap * math.sqrt(n)))
                d = float(Gaussian(kind="gaussian", variance=1.0).divergence(gap, 0.0))
                assert evidence(power, delta) <= n * d * (1 + 1e-12)


def _most_powerful(n: int, xi: float, mean: float, delta: float) -> float:
    """Reject for large counts; at the critical count with the chance that uses up delta."""
    critical = int(binom.isf(delta, n, xi)) + 1
    left = delta - binom.sf(critical - 1, n, xi)
    chance = left / binom.pmf(critical - 1, n, xi)
    return float(binom.sf(critical - 1, n, mean) + chance * binom.pmf(critical - 1, n, mean))


def test_the_bounds_in_closed_form() -> None:
    study = make_study(delta=0.05, truths=[{"name": "t", "means": [0.2, 0.6, 0.8]}])
    truth = study.truths[0]
    kl = 0.8 * math.log(0.8 / 0.05) + 0.2 * math.log(0.2 / 0.95)
    d = [m * math.log(m / 0.5) + (1 - m) * math.log((1 - m) / 0.5) for m in (0.6, 0.8)]
    assert least_n_max(study, truth, evidence_for_any, 0.8) == pytest.approx(kl / d[1])
    both = kl * (1 / d[0] + 1 / d[1])
    assert least_n_max(study, truth, evidence_for_list, 0.8) == pytest.approx(both)
    assert least_n_max(study, truth, evidence_for_any, 0.04) == 0
    capped = changed(study, n_max=20)
    delta = least_delta(capped, truth, evidence_for_any, 0.8)
    assert evidence(0.8, delta) == pytest.approx(20 * d[1])
    assert least_delta(changed(study, n_max=20_000), truth, evidence_for_any, 0.8) == 0


def test_no_simulated_design_beats_the_bound() -> None:
    for name in ("tofacitinib", "medical-2"):
        study = changed(load_study(name), n_max=60, runs=2000)
        for design in study.designs:
            if design.identification[0].guarantee == "nothing":
                continue
            alone = simulate(one_design(study, design, [study.truths[0].name]))
            for quantity, each in (
                ("any_declared", evidence_for_any),
                ("correct_list", evidence_for_list),
            ):
                (seen,) = estimates(alone, quantity)
                assert least_n_max(study, study.truths[0], each, seen.low) <= 60

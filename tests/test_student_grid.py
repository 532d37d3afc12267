"""Exact errors of limits for unknown variance, over error rates, numbers of doses and targets."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from conftest import make_study

from gai_core import Study
from gai_core.evidence import Curves
from gai_core.evidence.crossing import law

TARGETS = 0.1, 0.35, 0.5, 0.8
RATES = 0.2, 0.05, 0.025, 0.001
MOST = 30
FINE, SMALLEST = 0.125, 1e-6
"""A finer quadrature than limits are made with, and below every error here."""
LOOKS: dict[str, Any] = {"looks": {"equal": 5}}
CRITERIA: dict[str, tuple[str, dict[str, Any]]] = {
    "mixture": ("mixture", {}),
    "Pocock": ("exact", LOOKS),
    "O'Brien-Fleming": ("exact", LOOKS | {"shape": "obrien-fleming"}),
}


def study_of(key: str, doses: int, declare: float, drop: float, target: float = 0.5) -> Study:
    criterion, parameters = CRITERIA[key]
    return make_study(
        delta=None,
        errors={"declare": declare, "drop": drop},
        threshold=target,
        outcome={"kind": "gaussian", "variance": "unknown"},
        simulation={"runs": 1, "n_max": MOST * doses, "seed": 1},
        arms=[{"label": str(dose)} for dose in range(doses)],
        truths=[{"name": "null", "means": [target] * doses, "variance": 1.0}],
        designs=[
            {"name": "A", "rule": "equal", "criterion": criterion, "burn_in": 1,
             "criterion_parameters": parameters}
        ],
    )  # fmt: skip


def curves_of(study: Study) -> Curves:
    found = study.curves(study.designs[0])
    return replace(found, accept=found.accept[: MOST + 1], reject=found.reject[: MOST + 1])


@pytest.mark.parametrize("doses", [2, 10])
@pytest.mark.parametrize("key", CRITERIA)
def test_both_errors_are_within_their_rates_and_exact_limits_spend_them(
    key: str, doses: int
) -> None:
    """At the target, with both limits, for every pair of rates; limits of one side know nothing of
    the rate of the other."""
    sides = {rate: curves_of(study_of(key, doses, rate, rate)) for rate in RATES}
    outcome = study_of(key, doses, 0.05, 0.05).stream.outcome
    for declare, drop in product(RATES, RATES):
        both = replace(sides[declare], reject=sides[drop].reject)
        found = law(outcome, 0.0, both, smallest=SMALLEST, step=FINE)
        spent = found.good.sum() * doses / declare, found.bad.sum() * doses / drop
        assert max(spent) <= 1
        if key != "mixture":
            assert min(spent) >= 0.9
    apart = curves_of(study_of(key, doses, 0.05, 0.2))
    assert np.array_equal(apart.accept, sides[0.05].accept)
    assert np.array_equal(apart.reject, sides[0.2].reject)


@pytest.mark.parametrize("key", CRITERIA)
def test_limits_on_the_t_statistic_are_the_same_at_every_target(key: str) -> None:
    one, *others = (curves_of(study_of(key, 5, 0.05, 0.2, target)) for target in TARGETS)
    for other in others:
        assert np.array_equal(one.accept, other.accept)
        assert np.array_equal(one.reject, other.reject)


@pytest.mark.parametrize("deviation", [0.1, 10.0])
def test_the_exact_error_is_that_of_simulated_scores(deviation: float) -> None:
    """Independent: 40,000 streams of normal scores, one dose, t-statistics by their definition."""
    doses, rate, streams = 2, 0.2, 40_000
    curves = curves_of(study_of("Pocock", doses, rate, rate))
    looks = np.flatnonzero(np.isfinite(curves.accept))
    scores = 0.5 + deviation * np.random.default_rng(14).standard_normal((streams, MOST))
    ended, good = np.zeros(streams, bool), np.zeros(streams, bool)
    for n in looks:
        seen = scores[:, :n]
        t = (seen.mean(axis=1) - 0.5) / (seen.std(axis=1, ddof=1) / np.sqrt(n))
        limits = [k * np.sqrt((n - 1) / (n - k * k)) for k in (curves.accept[n], curves.reject[n])]
        good |= ~ended & (t > limits[0])
        ended |= (t > limits[0]) | (t < limits[1])
    outcome = study_of("Pocock", doses, rate, rate).stream.outcome
    exact = law(outcome, 0.0, curves, smallest=SMALLEST, step=FINE).good.sum()
    assert good.mean() == pytest.approx(exact, abs=4 * np.sqrt(exact / streams))

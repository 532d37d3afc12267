"""Inert doses are declared within alpha against a concurrent control, whatever its rate does."""

from collections.abc import Sequence
from typing import Any

import pytest
from test_against_control import shipped

from gai_core import Study, simulate
from gai_core.basics import jitable
from gai_core.evidence import Bernoulli, Gaussian
from gai_core.evidence.outcomes.bernoulli import move_bernoulli
from gai_core.theory import error_bounds


def false_declarations(study: Study) -> dict[tuple[str, str], float]:
    runs = simulate(study)
    return {key: float((runs[key].verdict == 1).any(axis=1).mean()) for key in runs.trials}


RULES = "thompson", "nearest-finish", "equal"


def inert(
    rates: list[float], trend: float | None = None, rules: Sequence[str] = RULES, **changes: Any
) -> Study:
    designs = [
        {"name": rule, "rule": rule, "criterion": "exact", "burn_in": 1,
         "criterion_parameters": {"largest": 100}}
        for rule in rules
    ]  # fmt: skip
    truths = [{"name": str(rate), "means": [rate] * 6, "trend": trend} for rate in rates]
    return shipped(2000, designs=designs, truths=truths, **changes)


def test_inert_doses_are_declared_within_alpha_whatever_the_placebo_rate() -> None:
    assert max(false_declarations(inert([0.1, 0.5, 0.9])).values()) <= 0.025


@pytest.mark.parametrize(("rate", "trend"), [(0.35, 0.015), (0.65, -0.015)])
def test_a_trend_breaks_nothing(rate: float, trend: float) -> None:
    """30 points within the 20 months of a trial."""
    found = false_declarations(inert([rate], trend))
    assert max(found.values()) <= 0.025
    study = inert([rate], trend)
    assert study.covered(study.truths[0])
    assert not study.as_assumed(study.truths[0])
    assert error_bounds(study, study.designs[0], study.truths[0])[0] <= 0.025


@jitable
def jump_of_rates(location: Any, shift: float) -> Any:
    """30 points at once in the middle of the trial, up or down."""
    return move_bernoulli(location, 0.3 if shift > 0.15 else (-0.3 if shift < -0.15 else 0.0))


@jitable
def jump_of_scores(location: float, shift: float) -> float:
    """Three standard deviations at once."""
    return location + (3.0 if shift > 0.15 else 0.0)


@pytest.mark.parametrize(("rate", "trend"), [(0.35, 0.015), (0.65, -0.015)])
def test_a_jump_breaks_nothing(rate: float, trend: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bernoulli, "move", staticmethod(jump_of_rates))
    assert max(false_declarations(inert([rate], trend, ["thompson"])).values()) <= 0.025


@pytest.mark.parametrize("jump", [False, True])
def test_a_trend_of_scores_breaks_nothing(jump: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if jump:
        monkeypatch.setattr(Gaussian, "move", staticmethod(jump_of_scores))
    outcome = {"kind": "gaussian", "variance": 1.0}
    study = inert([1.0], 0.015 if jump else 0.15, ["thompson"], outcome=outcome)
    assert max(false_declarations(study).values()) <= 0.025


def test_the_same_trend_breaks_a_fixed_target() -> None:
    """The counterpart: what the concurrent control protects against."""
    conduct = {"cohort": 8, "accrual": {"per_month": 20.0}, "control_share": 0.2}
    study = inert([0.49], 0.015, ["equal"], target=None, threshold=0.5, conduct=conduct)
    assert min(false_declarations(study).values()) > 0.3

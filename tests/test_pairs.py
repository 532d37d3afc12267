"""Trials against a concurrent control: the engine agrees with the page, trial by trial."""

from typing import Any

import numpy as np
import pytest
from conftest import make_study
from naive_conduct import numbers_of
from naive_pairs import paired_trial

from gai_core import RULES, Study, simulate
from gai_core.evidence import BAD, GOOD, NO_CANDIDATE, UNDECIDED

VERDICTS = {"good": GOOD, "bad": BAD, "undecided": UNDECIDED, "control": NO_CANDIDATE}
RATES: dict[str, Any] = {
    "outcome": {"kind": "bernoulli"},
    "truths": [
        {"name": "clear", "means": [0.2, 0.2, 0.6, 0.9]},
        {"name": "moving", "means": [0.3, 0.5, 0.1, 0.3], "trend": 0.05},
    ],
}
SCORES: dict[str, Any] = {
    "outcome": {"kind": "gaussian", "variance": 0.25},
    "truths": [
        {"name": "clear", "means": [0.2, 0.2, 0.6, 0.9]},
        {"name": "moving", "means": [0.3, 0.5, 0.1, 0.3], "trend": 0.2, "variance": 0.3},
    ],
}
UNKNOWN: dict[str, Any] = {
    "outcome": {"kind": "gaussian", "variance": "unknown"},
    "truths": [{"name": "clear", "means": [0.2, 0.2, 0.6, 0.9], "variance": 0.2}],
}
LATE: dict[str, Any] = {"accrual": {"per_month": 10.0}, "delay": {"weeks": 8.0}}
EXPONENTIAL: dict[str, Any] = {
    "accrual": {"per_month": 10.0, "pattern": "poisson"},
    "delay": {"weeks": 6.0, "pattern": "exponential"},
}
MIXTURE: dict[str, Any] = {"name": "one", "rule": "hdoc", "criterion": "mixture", "burn_in": 2}


def against_control(
    kind: dict[str, Any] = RATES, design: dict[str, Any] = MIXTURE, **conduct: Any
) -> Study:
    """A placebo and three doses; with error rates at which most trials decide something."""
    changes = {key: conduct.pop(key) for key in ("wanted", "target", "n_max") if key in conduct}
    return make_study(
        **{
            "threshold": None,
            "target": changes.get("target", {"over": "control", "margin": 0.0}),
            "delta": 0.4,
            "wanted": changes.get("wanted"),
            "simulation": {"runs": 25, "n_max": changes.get("n_max", 90), "seed": 5},
            "arms": [
                {"label": "low"}, {"label": "placebo", "control": True},
                {"label": "middle"}, {"label": "high"},
            ],
            "designs": [MIXTURE | design],
            "conduct": {"cohort": 8} | conduct,
        }
        | kind
    )  # fmt: skip


def assert_as_on_the_page(study: Study) -> int:
    """Every trial, number by number; how many verdicts there are in all."""
    runs, verdicts = simulate(study, threads=1), 0
    for truth in study.truths:
        for design in study.designs:
            trials = runs[truth.name, design.name]
            calendar = trials.calendar
            assert calendar is not None
            for i in range(study.simulation.runs):
                slow = paired_trial(study, truth, design, numbers_of(study, truth, i))
                verdict = [VERDICTS[words] for words in slow.verdict]
                assert trials.verdict[i].tolist() == verdict
                assert trials.decided[i].tolist() == slow.decided
                assert trials.assigned[i].tolist() == slow.assigned
                assert calendar.seen[i].tolist() == slow.seen
                assert trials.sums[i] == pytest.approx(slow.sums, abs=1e-9)
                assert calendar.waiting[i].tolist() == slow.waiting
                months = [np.nan if month is None else month for month in slow.month]
                assert calendar.month[i] == pytest.approx(months, nan_ok=True)
                assert calendar.enrolment[i] == pytest.approx(slow.enrolment)
                assert calendar.end[i] == pytest.approx(slow.end)
                assert calendar.pipeline[i] == slow.pipeline
                verdicts += sum(words in ("good", "bad") for words in slow.verdict)
    return verdicts


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_as_on_the_page(rule: str) -> None:
    assert assert_as_on_the_page(against_control(RATES, {"rule": rule}, **LATE)) > 10


@pytest.mark.parametrize("rule", ["hdoc", "nearest-finish"])
@pytest.mark.parametrize("kind", [SCORES, UNKNOWN], ids=["scores", "unknown"])
def test_every_kind_is_as_on_the_page(rule: str, kind: dict[str, Any]) -> None:
    assert assert_as_on_the_page(against_control(kind, {"rule": rule}, **LATE)) > 10


@pytest.mark.parametrize("conduct", [
    {},
    {"cohort": 2},
    {"cohort": 3},
    {"cohort": 7, "looks": {"outcomes": 1}},
    {"cohort": 50} | LATE,
    EXPONENTIAL,
    EXPONENTIAL | {"looks": {"outcomes": 1}, "wanted": 1},
    EXPONENTIAL | {"looks": {"weeks": 3.0}, "wanted": 2},
    LATE | {"looks": {"at": [20, 33, 60]}, "n_max": 61},
    LATE | {"dropout": {"probability": 0.2, "counted": "left out",
                        "in_means": False}},
    EXPONENTIAL | {"dropout": {"probability": 0.2, "counted": "left out", "in_means": False,
                               "probability_on_target": 0.4}, "cohort": 5},
    EXPONENTIAL | {"dropout": {"probability": 0.3, "counted": "left out", "in_means": False},
                   "looks": {"outcomes": 1}},
    LATE | {"dropout": {"probability": 0.1, "counted": "non-response"}},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("rule", ["thompson", "hdoc"])
def test_every_conduct_is_as_on_the_page(conduct: dict[str, Any], rule: str) -> None:
    assert assert_as_on_the_page(against_control(RATES, {"rule": rule}, **conduct)) > 5


@pytest.mark.parametrize("design", [
    {"criterion": "exact"},
    {"criterion": "exact",
     "criterion_parameters": {"looks": [5, 9, 14], "shape": "obrien-fleming"}},
    {"criterion": "exact", "criterion_parameters": {"looks": "end"}, "rule": "equal"},
    {"criterion": "exact", "criterion_parameters": {"looks": {"equal": 3}}, "rule": "equal",
     "futility": "below"},
    {"criterion": "exact", "criterion_parameters": {"largest": 12}, "rule": "nearest-finish"},
    {"criterion": "union"},
    {"criterion": "mixture", "futility": "below", "futility_parameters": {"after": 4}},
    {"criterion": "mixture", "futility": "none", "burn_in": 1},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("kind", [RATES, SCORES], ids=["rates", "scores"])
def test_every_decision_is_as_on_the_page(design: dict[str, Any], kind: dict[str, Any]) -> None:
    conduct = LATE | {"n_max": 160, "looks": {"outcomes": 3}}
    assert_as_on_the_page(against_control(kind, design, **conduct))


@pytest.mark.parametrize("design", [
    {},
    {"rule": "thompson", "futility": "below", "futility_parameters": {"after": 4}},
    {"rule": "kl-ucb", "criterion": "exact"},
    {"rule": "equal", "criterion": "exact", "criterion_parameters": {"looks": "end"}},
    {"criterion": "exact", "criterion_parameters": {"looks": [5, 9, 14]}},
    {"criterion": "union"},
], ids=str)  # fmt: skip
def test_a_margin_of_rates_is_as_on_the_page(design: dict[str, Any]) -> None:
    target = {"over": "control", "margin": 0.2, "control_at_least": 0.1, "control_at_most": 0.6}
    study = against_control(RATES, design, target=target, n_max=160, **LATE)
    assert assert_as_on_the_page(study) > (0 if design.get("criterion") == "union" else 10)


def test_a_margin_of_scores_is_as_on_the_page() -> None:
    target = {"over": "control", "margin": 0.3}
    assert assert_as_on_the_page(against_control(SCORES, target=target)) > 10
    assert assert_as_on_the_page(against_control(UNKNOWN, target=target)) > 10

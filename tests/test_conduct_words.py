"""A conduct in sentences, and where the guarantee does not reach."""

import math
from typing import Any

import numpy as np
import pytest
from conftest import make_study

from gai_core import cautions, load_study, scenario_names, simulate
from gai_core.study.conduct import Conduct
from gai_core.study.conduct_words import (
    AT_ONCE,
    assumption_cautions,
    conduct_cautions,
    counted_spread,
    implied,
    in_words,
    months_in_words,
    remaining_mean,
    weeks_in_words,
)

SCORE = {"kind": "gaussian", "variance": 1.0}
MONTH = 365.25 / 84
"""Weeks in a month."""


def conduct(**parts: Any) -> Conduct:
    return Conduct.model_validate(parts)


def test_waiting_patients_and_months_are_those_of_a_hand_calculation() -> None:
    # 20 a month x 12 weeks = 55.2 patients; 400 / 20 = 20 months; 12 weeks = 2.76 months.
    usual = conduct(accrual={"per_month": 20.0}, delay={"weeks": 12.0})
    assert implied(usual, 400) == (
        "About 55 patients wait for their outcome at any time; 400 patients take 20 months to "
        "enrol, and 2.8 more until the last outcome."
    )


AT_LAST = "All patients are enrolled before an outcome is known: 50 patients take 2.5 months"
RISING = "About 55 patients wait for their outcome once all centres recruit; 400 patients take 23"
QUICK = "Hardly anybody waits for an outcome; 20 patients take 1 month to enrol."


@pytest.mark.parametrize(
    ("parts", "n_max", "words"),
    [
        ({}, 60, "Every outcome is known at once; 60 patients take 3 months to enrol."),
        ({"delay": {"weeks": 0.012}}, 20, QUICK),
        ({"delay": {"weeks": 24.0}}, 50, AT_LAST),
        ({"delay": {"weeks": 12.0}, "accrual": {"pattern": "poisson"}}, 400, "take about 20 mon"),
        ({"delay": {"weeks": 12.0}, "accrual": {"ramp_up": 6.0}}, 400, RISING),
    ],
)
def test_what_accrual_and_delay_imply(parts: dict[str, Any], n_max: int, words: str) -> None:
    assert words in implied(conduct(**parts), n_max)


@pytest.mark.parametrize(
    ("value", "words"),
    [(1.0, "1 month"), (0.96, "1 month"), (2.76, "2.8 months"), (1234.4, "1,234 months")],
)
def test_months_are_rounded_as_a_planner_says_them(value: float, words: str) -> None:
    assert months_in_words(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(12.0, "12 weeks"), (1.0, "1 week"), (0.5, "3.5 days"), (1 / 7, "1 day"), (0.012, "2 hours")],
)
def test_a_short_delay_is_said_in_days_or_hours(value: float, words: str) -> None:
    assert weeks_in_words(value) == words


SENTENCES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "accrual": (
        {"per_month": 15.0, "pattern": "poisson", "ramp_up": 4.0},
        ("15 patients come in a month, at random, after 4 months in which",),
    ),
    "delay": (
        {"weeks": 16.0, "pattern": "lognormal", "spread": 2.0},
        ("16 weeks after enrolment on average, with a standard deviation of 2 weeks (lognormal)",),
    ),
    "cohort": (6, ("in cohorts of 6",)),
    "looks": ({"at": [300, 100]}, ("when 100 and 300 outcomes are in, and at the end",)),
    "randomisation": (
        {"kind": "softened", "softness": 1.0, "ratio": [2, 1]},
        ("its last choice has 0.37 times the chance of its first", "2:1"),
    ),
    "dropout": (
        {
            "probability": 0.1, "probability_on_target": 0.05, "counted": "left out",
            "in_means": False,
        },
        (
            "10% of the patients who would not reach the target and 5% of those who would drop out",
            "5% of those who would drop out and are left out",
            "the stated means do not contain dropouts",
        ),
    ),
    "control_share": (0.25, ("placebo has 25% of all patients and gets no verdict",)),
    "wanted": (2, ("Enrolment ends when 2 doses are declared",)),
}  # fmt: skip
"""A value for every part of a conduct, and what must be said of it."""


def test_every_part_of_a_conduct_has_its_sentence() -> None:
    assert set(SENTENCES) == set(Conduct.model_fields)
    study = make_study(
        arms=[{"label": "placebo", "control": True}, {"label": "low"}, {"label": "high"}],
        conduct={part: value for part, (value, _) in SENTENCES.items()},
    )
    text = " ".join(in_words(study))
    for _, said in SENTENCES.values():
        assert not [words for words in said if words not in text], text


@pytest.mark.parametrize("name", scenario_names())
def test_every_shipped_study_is_described(name: str) -> None:
    study = load_study(name)
    sentences = in_words(study)
    assert (sentences == [AT_ONCE]) is (study.conduct is None)
    assert all(text.endswith(".") and "None" not in text for text in sentences)


END = {
    "name": "Fixed",
    "rule": "equal",
    "criterion": "exact",
    "criterion_parameters": {"looks": "end"},
    "burn_in": 1,
}
"""Nobody stops early, so the outcomes are those of all who stay."""


def dropout_study(kind: str, **dropout: Any) -> Any:
    return make_study(
        outcome=SCORE if kind == "gaussian" else {"kind": kind},
        truths=[{"name": "at the target", "means": [0.5, 0.5, 0.5]}],
        simulation={"runs": 400, "n_max": 600, "seed": 3},
        designs=[END],
        conduct={"dropout": {"in_means": False} | dropout},
    )


@pytest.mark.parametrize("kind", ["bernoulli", "gaussian"])
def test_the_mean_of_those_who_stay_is_the_one_that_trials_see(kind: str) -> None:
    study = dropout_study(kind, probability=0.4, probability_on_target=0.1, counted="left out")
    (caution,) = conduct_cautions(study)
    expected = remaining_mean(study, study.dropout)
    assert f"would show {expected:.3g}, so the error rate is no longer guaranteed" in caution
    trials = simulate(study)["at the target", "Fixed"]
    assert trials.calendar is not None
    seen = trials.calendar.seen.sum()
    error = 1 / math.sqrt(seen)  # of the mean of outcomes with a standard deviation of at most 1
    assert abs(trials.sums.sum() / seen - expected) < 4 * error
    assert abs(expected - 0.5) > 25 * error


def test_the_spread_of_dropouts_counted_as_zero_is_that_of_a_mixture() -> None:
    study = make_study(
        outcome=SCORE,
        truths=[{"name": "t", "means": [0.2, 1.0, 3.0]}],
        conduct={"dropout": {"probability": 0.2, "counted": "baseline", "in_means": False}},
    )
    random = np.random.default_rng(1)
    scores = np.where(random.random(10**6) < 0.2, 0.0, random.normal(3.0, 1.0, 10**6))
    assert counted_spread(study, study.truths[0]) == pytest.approx(scores.std(), rel=0.005)
    (caution,) = conduct_cautions(study)
    assert "raise the standard deviation of scores to 1.5, but the designs assume 1" in caution


def test_zeros_among_scores_break_the_law_that_is_assumed_however_they_spread() -> None:
    """With a variance that is estimated, and with one that is not reached."""
    dropout = {"probability": 0.2, "counted": "baseline", "in_means": False}
    for outcome in ({"kind": "gaussian", "variance": "unknown"}, SCORE | {"variance": 1.0}):
        known = outcome["variance"] != "unknown"
        truth = {"name": "t", "means": [0.0, 0.3, 0.5]} | ({} if known else {"variance": 0.25})
        study = make_study(
            outcome=outcome, truths=[truth], designs=[END], conduct={"dropout": dropout}
        )
        assert not study.covered(study.truths[0])
        (caution,) = conduct_cautions(study)
        assert caution == (
            "Where dropouts count as no improvement, scores are not distributed as the designs "
            "assume: their error rate is no longer guaranteed."
        )


@pytest.mark.parametrize(
    "dropout",
    [
        {"probability": 0.2, "counted": "left out", "in_means": False},
        {"probability": 0.2, "probability_on_target": 0.1, "counted": "non-response"},
    ],
)
def test_dropout_that_keeps_the_guarantee_has_no_caution(dropout: dict[str, Any]) -> None:
    assert not list(conduct_cautions(dropout_study("bernoulli", **dropout)))


def test_means_that_contain_dropouts_left_out_are_cautioned_with_what_they_become() -> None:
    """Of 0.45 with a tenth of dropouts in it, those who stay have 0.45/0.9 = 0.5: it is good."""
    dropout = {"probability": 0.1, "counted": "left out"}
    parts: dict[str, Any] = {"truths": [{"name": "t", "means": [0.3, 0.42, 0.45]}]}
    study = make_study(**parts, threshold=0.5, conduct={"dropout": dropout})
    assert study.good(study.truths[0]) == (False, False, True)
    (caution,) = conduct_cautions(study)
    assert "0.45 becomes 0.5 under t" in caution
    plain = make_study(**parts, threshold=0.5, conduct={"dropout": dropout | {"in_means": False}})
    assert plain.good(plain.truths[0]) == (False, False, False)
    assert not list(conduct_cautions(plain))


def test_a_margin_is_over_the_mean_that_verdicts_are_about() -> None:
    """Placebo 0.36 with a tenth of dropouts in it is 0.4 of those who stay; 0.2 above is 0.6."""
    study = make_study(
        threshold=None,
        margin=0.2,
        arms=[{"label": "placebo", "control": True}, {"label": "low"}, {"label": "high"}],
        truths=[{"name": "t", "means": [0.36, 0.5, 0.54]}],
        conduct={"dropout": {"probability": 0.1, "counted": "left out"}},
    )
    assert study.threshold == 0.6
    assert study.good(study.truths[0]) == (False, False, True)


def test_a_target_that_the_control_meets_is_cautioned() -> None:
    parts: dict[str, Any] = {
        "arms": [{"label": "placebo", "control": True}, {"label": "low"}, {"label": "high"}],
        "truths": [{"name": "inert", "means": [0.45, 0.45, 0.45]}],
    }
    said = "inert: the control itself (placebo, 0.45) meets the target of 0.42"
    assert any(said in text for text in cautions(make_study(**parts, threshold=0.42)))
    assert not any("the control itself" in t for t in cautions(make_study(**parts, threshold=0.46)))


def test_small_scores_with_dropouts_at_baseline_do_not_spread_more() -> None:
    study = dropout_study("gaussian", probability=0.2, counted="baseline")
    assert "raise the standard deviation" not in " ".join(conduct_cautions(study))


def test_other_spread_and_a_trend_are_cautioned_under_their_truth_alone() -> None:
    study = make_study(
        outcome=SCORE,
        simulation={"runs": 10, "n_max": 200, "seed": 1},
        truths=[
            {"name": "as assumed", "means": [0.2, 0.6, 0.8]},
            {"name": "wide", "means": [0.2, 0.6, 0.8], "variance": 4.0},
            {"name": "narrow", "means": [0.2, 0.6, 0.8], "variance": 0.25},
            {"name": "moving", "means": [0.2, 0.6, 0.8], "trend": -0.01},
        ],
        conduct={"accrual": {"per_month": 10.0}},
    )
    found = {truth.name: list(assumption_cautions(study, truth)) for truth in study.truths}
    assert found["as assumed"] == found["narrow"] == []
    assert "standard deviation of 2, but the designs assume 1" in found["wide"][0]
    # 200 patients at 10 a month: 20 months of -0.01.
    assert "moves by -0.01 a month, -0.2 by the time the last patient" in found["moving"][0]
    assert {*found["wide"], *found["moving"]} <= set(cautions(study))


def test_a_trial_without_anything_to_adapt_to_is_cautioned() -> None:
    study = make_study(
        simulation={"runs": 10, "n_max": 100, "seed": 1},
        conduct={"accrual": {"per_month": 50.0}, "delay": {"weeks": 2.1 * MONTH}},
    )
    (caution,) = conduct_cautions(study)
    assert caution in cautions(study)
    assert "100 patients are enrolled before an outcome is known" in caution


@pytest.mark.parametrize(
    "parts",
    [
        {"delay": {"weeks": 12.0, "pattern": "exponential"}},
        {"delay": {"weeks": 12.0, "pattern": "uniform", "spread": 8.0}},
        {"delay": {"weeks": 12.0, "pattern": "lognormal", "spread": 12.0}},
        {"delay": {"weeks": 12.0}, "accrual": {"per_month": 40.0, "pattern": "poisson"}},
    ],
)
def test_an_outcome_that_may_come_during_enrolment_is_not_said_to_come_after(
    parts: dict[str, Any],
) -> None:
    """110 patients take 2.75 months, and an outcome takes 2.76: on average, not always."""
    study = make_study(
        simulation={"runs": 20, "n_max": 110, "seed": 1},
        designs=[END],
        conduct={"accrual": {"per_month": 40.0}} | parts,
    )
    calendar = simulate(study)["steep", "Fixed"].calendar
    assert calendar is not None
    assert calendar.pipeline.min() < 108  # of the 108 that Fixed gives to three doses
    assert study.conduct is not None
    text = implied(study.conduct, 110)
    assert text.startswith("An outcome takes at least as long as enrolment, on average: 110 pat")
    after = (calendar.end - calendar.enrolment).mean()
    varies = study.conduct.delay.varies
    assert bool(after > 1.2 * study.conduct.delay.months) is varies
    assert ("more until the last outcome" in text) is not varies
    assert ("2.8 more on average until the last patient's outcome; others may" in text) is varies
    (caution,) = conduct_cautions(study)
    assert "110 patients takes no longer than an outcome does on average" in caution
    assert "no allocation rule" not in caution


def test_a_delay_that_varies_little_leaves_nothing_to_adapt_to_either() -> None:
    study = make_study(
        simulation={"runs": 10, "n_max": 100, "seed": 1},
        conduct={
            "accrual": {"per_month": 40.0},
            "delay": {"weeks": 12.0, "pattern": "uniform", "spread": 1.0},
        },
    )
    (caution,) = conduct_cautions(study)
    assert "100 patients are enrolled before an outcome is known" in caution


def test_a_study_without_a_conduct_has_none_of_these_cautions() -> None:
    study = load_study("tofacitinib")
    assert not list(conduct_cautions(study))
    assert not [c for truth in study.truths for c in assumption_cautions(study, truth)]

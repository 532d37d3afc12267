"""Exact errors and bounds of conducted studies: the control apart, and tests at the end."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from conducted import APART, FIXED, HDOC, SCORE, conducted_study
from scipy.stats import binom, norm

from gai_core import RULES, Study, bounds, cautions, simulate
from gai_core.evidence import BAD, GOOD
from gai_core.questions.verification import errors_by_truth
from gai_core.results.decisions import limits
from gai_core.theory.exact_errors import (
    any_of,
    arm_law,
    error_bounds,
    is_broken,
    worst_case,
    worst_cases,
)
from gai_core.theory.lower_bounds import instance

EXACT = {"name": "Exact", "rule": "nearest-finish", "criterion": "exact", "burn_in": 2}
SIDAK = FIXED | {"name": "Sidak", "criterion_parameters": {"looks": "end", "share": "sidak"}}
LEFT_OUT: dict[str, Any] = {"probability": 0.4, "counted": "left out", "in_means": False}
KINDS: dict[str, dict[str, Any]] = {"rates": {"kind": "bernoulli"}, "scores": SCORE}
XI, MEANS, DELTA = 0.4, [0.35, 0.5, 0.3, 0.4], 0.3


def with_control(outcome: dict[str, Any]) -> Study:
    """The control, the first arm, would be the likeliest to be declared wrongly."""
    truths = [
        {"name": "t", "means": [0.399, *MEANS[1:]]},
        {"name": "u", "means": [0.9, 0.1, 0.2, 0]},
    ]
    return conducted_study(
        APART | {"delay": {"weeks": 8.0}}, outcome=outcome, truths=truths,
        designs=[EXACT, HDOC, FIXED], simulation={"runs": 40, "n_max": 160, "seed": 5},
    )  # fmt: skip


def without_control(study: Study) -> Study:
    """Only the candidates and their patients, one at a time."""
    data = study.model_dump()
    data["arms"] = data["arms"][1:]
    data["truths"] = [truth | {"means": truth["means"][1:]} for truth in data["truths"]]
    data["simulation"]["n_max"] = 120  # a quarter of 160 is the control's
    return Study.model_validate(data | {"conduct": None})


@pytest.mark.parametrize("kind", KINDS)
def test_a_control_set_apart_has_no_part_in_errors(kind: str) -> None:
    study = with_control(KINDS[kind])
    reduced = without_control(study)
    for design in study.designs:
        assert worst_case(study, design) == worst_case(reduced, design)
        for truth in study.truths:
            ours = error_bounds(study, design, truth)
            assert ours == error_bounds(reduced, design, reduced.truth(truth.name))
            assert ours[0] > 0
        assert worst_case(study, design).arm_allowance == pytest.approx(0.1)
        assert worst_case(study, design).whole_list <= DELTA


@pytest.mark.parametrize("kind", KINDS)
def test_a_control_set_apart_has_no_part_in_bounds(kind: str) -> None:
    study = with_control(KINDS[kind])
    reduced = without_control(study)
    pd.testing.assert_frame_equal(bounds(study), bounds(reduced))
    truth = study.truths[1]
    assert instance(study, truth).good == 0  # the control is above the target, and no dose is
    assert instance(study, truth).arms == 3
    assert f"{truth.name}: no dose meets the target" in " ".join(cautions(study))


def test_dropouts_counted_as_failures_move_what_bounds_are_about() -> None:
    dropout = {"probability": 0.2, "counted": "non-response", "in_means": False}
    lowered = conducted_study({"dropout": dropout}, truths=[{"name": "t", "means": [0.75] * 4}])
    stated = conducted_study({}, truths=[{"name": "t", "means": [0.6] * 4}])
    pd.testing.assert_frame_equal(bounds(lowered), bounds(stated))
    design = lowered.designs[0]
    assert error_bounds(lowered, design, lowered.truths[0]) == error_bounds(
        stated, design, stated.truths[0]
    )


# --- one test at the end, where dropouts are left out -----------------------------------------


def tails(kind: str, alpha: float, n: int, mean: float) -> tuple[float, float]:
    """Chances to declare and to drop by the exact test at level alpha with n outcomes."""
    if kind == "scores":
        z, shift = norm.isf(alpha), (mean - XI) * np.sqrt(n / SCORE["variance"])
        return float(norm.sf(z - shift)), float(norm.cdf(-z - shift))
    counts = range(n + 1)
    declare = [c for c in counts if binom.sf(c - 1, n, XI) <= alpha]
    drop = [c for c in counts if binom.cdf(c, n, XI) <= alpha]
    return (
        float(sum(binom.pmf(c, n, mean) for c in declare)),
        float(sum(binom.pmf(c, n, mean) for c in drop)),
    )


def at_end(kind: str, runs: int = 40) -> Study:
    return conducted_study(
        {"delay": {"weeks": 8.0}, "dropout": LEFT_OUT}, outcome=KINDS[kind], delta=DELTA,
        threshold=XI, truths=[{"name": "t", "means": MEANS}], designs=[FIXED, SIDAK],
        simulation={"runs": runs, "n_max": 120, "seed": 7},
    )  # fmt: skip


LEVELS = {"Fixed": DELTA / 4, "Sidak": 1 - (1 - DELTA) ** 0.25}
LAST = 30


@pytest.mark.parametrize("design", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_those_of_the_worst_number_of_outcomes(kind: str, design: str) -> None:
    study, alpha = at_end(kind), LEVELS[design]
    plan = study.design(design)
    for mean in (0.1, 0.35, XI, 0.5, 0.9):
        by_hand = np.array([tails(kind, alpha, n, mean) for n in range(1, LAST + 1)])
        law = arm_law(study, plan, mean)
        assert law.good_by.size == LAST + 1
        assert law.ever_good == pytest.approx(by_hand[:, 0].max(), rel=1e-9, abs=1e-300)
        assert law.ever_bad == pytest.approx(by_hand[:, 1].max(), rel=1e-9, abs=1e-300)
        assert law.good_by[10] == pytest.approx(by_hand[:10, 0].max(), rel=1e-9, abs=1e-300)
    worst = worst_case(study, plan)
    assert worst.arm_allowance == pytest.approx(alpha)
    assert max(worst.false_declaration, worst.miss) <= alpha * (1 + 1e-12)
    assert worst.whole_list <= DELTA * (1 + 1e-12)
    assert not is_broken(worst.list_share)
    assert worst.largest_count == LAST
    false = [arm_law(study, plan, mean).ever_good for mean in (0.35, 0.3)]
    missed = [arm_law(study, plan, mean).ever_bad for mean in (0.5, 0.4)]
    assert error_bounds(study, plan, study.truths[0]) == (any_of(false), any_of(missed))


@pytest.mark.parametrize("kind", KINDS)
def test_simulated_verdicts_have_the_law_of_their_number_of_outcomes(kind: str) -> None:
    """Given how many of a dose's patients stay, its verdict is one exact test."""
    study = at_end(kind, runs=4000)
    block = simulate(study)["t", "Fixed"]
    assert block.calendar is not None
    assert (block.assigned == LAST).all()
    for arm, mean in enumerate(MEANS):
        seen = block.calendar.seen[:, arm]
        assert seen.mean() == pytest.approx(0.6 * LAST, abs=4 * np.sqrt(LAST * 0.24 / 4000))
        law = np.array([(0, 0), *(tails(kind, LEVELS["Fixed"], n, mean) for n in range(1, 31))])
        for verdict, chances in ((GOOD, law[seen, 0]), (BAD, law[seen, 1])):
            rate = (block.verdict[:, arm] == verdict).mean()
            error = np.sqrt((chances * (1 - chances)).sum()) / 4000
            assert abs(rate - chances.mean()) < 4 * error + 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_verify_shows_bounds_that_hold(kind: str) -> None:
    """With the last test in place of the worst they would not: fewer outcomes err more."""
    study = at_end(kind, runs=20_000)
    errors = errors_by_truth(study)
    last = [tails(kind, LEVELS["Fixed"], LAST, mean)[0] for mean in (0.35, 0.3)]
    row = errors[errors.design == "Fixed"].iloc[0]
    assert row.false_declaration > any_of(last) + 3 * row.false_declaration_mcse
    for row in errors.itertuples():
        assert row.false_declaration <= row.false_declaration_bound
        assert row.missed_dose <= row.missed_dose_bound
        assert not row.above_delta
    assert not worst_cases(study).share_of_delta.map(is_broken).any()


def test_the_limits_of_a_protocol_are_those_of_every_number_of_outcomes() -> None:
    study = at_end("rates")
    found = limits(study, study.design("Fixed"))
    assert found.only_at_end
    for n, declare, drop in zip(found.n, found.declare, found.drop, strict=True):
        good = [c for c in range(n + 1) if binom.sf(c - 1, n, XI) <= LEVELS["Fixed"]]
        bad = [c for c in range(n + 1) if binom.cdf(c, n, XI) <= LEVELS["Fixed"]]
        assert (declare == min(good)) if good else np.isnan(declare)
        assert (drop == max(bad)) if bad else np.isnan(drop)


def test_every_rule_of_a_conducted_study_can_be_verified() -> None:
    designs = [{"name": rule, "rule": rule, "criterion": "mixture"} for rule in RULES]
    study = conducted_study(APART | {"delay": {"weeks": 8.0}, "dropout": LEFT_OUT}, designs=designs)
    worst = worst_cases(study)
    assert (worst.share_of_delta <= 1).all()
    assert worst.whole_list.nunique() == 1  # the verdict on a dose does not depend on the rule


@pytest.mark.parametrize(
    ("share", "broken"), [(0.5, False), (1.0, False), (1 + 3e-15, False), (1.001, True)]
)
def test_the_last_bits_of_a_whole_level_break_nothing(share: float, broken: bool) -> None:
    assert is_broken(share) is broken

"""Response rates with a margin over the control: the law at its worst over the control's rate."""

from typing import Any

import numpy as np
import pytest
from test_against_control import proven_for
from test_control_guarantee import false_declarations, inert
from test_pairs import RATES, against_control

from gai_core import Study, cautions, simulate
from gai_core.evidence import Curves, Outcome, RateDifferences
from gai_core.evidence.difference_crossing import (
    crossing_and_spared,
    differences,
    worst_crossing,
    worst_tails,
)
from gai_core.study import validated
from gai_core.theory.exact_errors import arm_law, error_bounds, worst_case

LAST = 12
COUNTS = np.arange(LAST + 1)


def worst_by_hand(
    margin: float, rates: np.ndarray[Any, Any], accept: Any, reject: Any, n: int = 0, s: int = 0
) -> float:
    """The largest chance to be declared, the control's rate chosen anew for every pair."""
    if n > 0 and s >= accept[n]:
        return 1.0
    if n == LAST or (n > 0 and s <= reject[n]):
        return 0.0
    if n == 0:
        worst_by_hand.seen = {}  # type: ignore[attr-defined]
    seen = worst_by_hand.seen  # type: ignore[attr-defined]
    if (n, s) not in seen:
        up, same, down = (
            worst_by_hand(margin, rates, accept, reject, n + 1, s + d) for d in (1, 0, -1)
        )
        better, worse = (rates + margin) * (1 - rates), rates * (1 - rates - margin)
        seen[n, s] = (up * better + down * worse + same * (1 - better - worse)).max()
    return float(seen[n, s])


@pytest.mark.parametrize("margin", [0.2, -0.15, 0.6])
@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.1, 0.3), (0.35, 0.4)])
def test_the_worst_course_is_that_of_a_search_over_all(
    margin: float, ends: tuple[float, float]
) -> None:
    low, high = max(ends[0], -margin), min(ends[1], 1 - margin)
    rates = np.linspace(low, high, 401)
    accept = np.ceil(COUNTS * margin + 1.6 * np.sqrt(COUNTS * 0.5)).astype(np.int64)
    reject = np.floor(COUNTS * margin - 1.6 * np.sqrt(COUNTS * 0.5)).astype(np.int64)
    good, bad = worst_crossing(differences(margin, *ends), accept, reject)
    assert good.sum() == pytest.approx(worst_by_hand(margin, rates, accept, reject), rel=1e-5)
    mirrored = worst_by_hand(-margin, 1 - rates, -reject, -accept)
    assert bad.sum() == pytest.approx(mirrored, rel=1e-5)


@pytest.mark.parametrize("margin", [0.0, 0.2, -0.15])
def test_a_lower_limit_adds_at_least_those_who_were_spared(margin: float) -> None:
    law, never = differences(margin, 0.0, 1.0), -COUNTS - 1
    accept = np.ceil(COUNTS * margin + 1.6 * np.sqrt(COUNTS * 0.5)).astype(np.int64)
    crossed, spared = crossing_and_spared(law, accept, never)
    for n in COUNTS[1:]:
        lower = accept - (n == COUNTS)
        more = crossing_and_spared(law, lower, never)[0].sum() - crossed.sum()
        assert more >= spared[n] * (1 - 1e-9)
    assert spared.max() > 0.01
    at_one_rate = differences(margin, 0.3, 0.3)  # no course to be chosen: exactly so much
    crossed, spared = crossing_and_spared(at_one_rate, accept, never)
    for n in COUNTS[1:]:
        lower = accept - (n == COUNTS)
        more = crossing_and_spared(at_one_rate, lower, never)[0].sum() - crossed.sum()
        assert more == pytest.approx(spared[n], abs=1e-12)


@pytest.mark.parametrize("alpha", [0.01, 0.02, 0.05])
def test_the_same_limits_are_lowered_as_with_every_law_computed_anew(alpha: float) -> None:
    outcome, n = RateDifferences(), np.arange(41)
    accept = np.minimum(np.ceil(3.2 * np.sqrt(n * 0.5)), n + 1).astype(np.int64)
    looks = n[:0:-1]
    answers = []
    for lower in (RateDifferences.lower_counts, Outcome.lower_counts):
        upper = Curves(accept.copy(), -n - 1)
        lowered = lower(outcome, 0.0, upper, looks, accept[looks] - 1, alpha)
        answers.append((lowered.tolist(), upper.accept.tolist()))
    assert answers[0] == answers[1]
    assert 0 < sum(answers[0][0]) < looks.size


def test_one_rate_has_its_own_law() -> None:
    """Against counting every path of six pairs."""
    dose, control, last = 0.5, 0.3, 6
    chances = {1: dose * (1 - control), -1: control * (1 - dose)}
    chances[0] = 1 - chances[1] - chances[-1]
    accept, reject = np.array([7, 2, 3, 3, 3, 4, 4]), np.array([-7, -2, -2, -2, -1, -1, 0])
    alive, good, bad = {0: 1.0}, [0.0], [0.0]
    for n in range(1, last + 1):
        after: dict[int, float] = {}
        for s, chance in alive.items():
            for d, p in chances.items():
                after[s + d] = after.get(s + d, 0.0) + chance * p
        good.append(sum(p for s, p in after.items() if s >= accept[n]))
        bad.append(sum(p for s, p in after.items() if s <= reject[n]))
        alive = {s: p for s, p in after.items() if reject[n] < s < accept[n]}
    found = worst_crossing(differences(dose - control, control, control), accept, reject)
    assert found[0] == pytest.approx(good)
    assert found[1] == pytest.approx(bad)


def test_the_tails_of_one_test_are_the_crossing_of_one_look() -> None:
    law = differences(0.1, 0.2, 0.5)
    tails, never = worst_tails(law, LAST), COUNTS + 1
    for d in range(-3, 9):
        accept = np.where(COUNTS == LAST, d, never)
        crossed = worst_crossing(law, accept, -never)[0].sum()
        assert tails[LAST, d + LAST + 1] == pytest.approx(crossed)


def with_margin(margin: float, **changes: Any) -> Study:
    study = inert([0.3], rules=["thompson"])
    truths = [{"name": "at the margin", "means": [0.3] + [round(0.3 + margin, 6)] * 5}]
    target = {"over": "control", "margin": margin}
    return validated(study.model_dump() | {"target": target, "truths": truths} | changes, "test")


@pytest.mark.parametrize("criterion", proven_for(with_margin(0.2)))
@pytest.mark.parametrize("margin", [0.2, -0.1])
def test_the_worst_error_is_within_what_is_allowed(criterion: str, margin: float) -> None:
    design = {"name": "one", "rule": "thompson", "criterion": criterion, "burn_in": 1}
    if criterion == "exact":
        design["criterion_parameters"] = {"largest": 60}
    study = with_margin(margin, designs=[design])
    worst = worst_case(study, study.designs[0])
    assert worst.false_declaration <= 0.005
    assert worst.miss <= 0.02
    assert worst.whole_list <= 0.1
    if criterion == "exact":
        assert worst.false_declaration > 0.9 * 0.005
        assert worst.miss > 0.9 * 0.02
    rates = np.linspace(max(0.0, -margin), min(1.0, 1 - margin), 21)
    laws = [arm_law(study, study.designs[0], margin, control=rate) for rate in rates]
    assert max(law.ever_good for law in laws) <= worst.false_declaration * (1 + 1e-9)
    assert max(law.ever_bad for law in laws) <= worst.miss * (1 + 1e-9)


@pytest.mark.parametrize("margin", [0.2, 0.0])
def test_posterior_rules_have_limits_on_differences_too(margin: float) -> None:
    by_posterior = {"name": "rule", "rule": "equal", "criterion": "posterior", "burn_in": 1}
    shape = {"shape": "posterior", "largest": 60}
    calibrated = {"name": "shape", "rule": "equal", "criterion": "exact", "burn_in": 1,
                  "criterion_parameters": shape}  # fmt: skip
    dropping = calibrated | {"name": "drops", "futility": "posterior"}
    target = {
        "over": "control",
        "margin": margin,
        "evidence": "differences",
        "control_at_most": 0.4,
    }
    study = with_margin(margin, target=target, designs=[by_posterior, calibrated, dropping])
    n = np.arange(20, 61)
    for design in study.designs:
        curves = study.curves(design)
        accept, reject = curves.accept[n], curves.reject[n]
        assert (accept > n * margin).all()
        assert (reject < n * margin).all()
        spread = np.sqrt(n * study.stream.outcome.variance_at(margin))
        assert (np.abs(accept - n * margin) < 4 * spread + 1).all()
        assert (np.abs(reject - n * margin) < 4 * spread + 1).all()
    worst = worst_case(study, study.designs[1])
    assert 0.8 * 0.005 < worst.false_declaration <= 0.005
    assert 0.8 * 0.02 < worst.miss <= 0.02


def test_a_range_of_the_control_allows_more() -> None:
    free, narrow = (
        with_margin(0.2, target={"over": "control", "margin": 0.2} | given)
        for given in ({}, {"control_at_least": 0.05, "control_at_most": 0.25})
    )
    accept = [study.curves(study.designs[0]).accept for study in (free, narrow)]
    assert (accept[1] <= accept[0]).all()
    assert (accept[1] < accept[0]).any()
    assert worst_case(narrow, narrow.designs[0]).false_declaration <= 0.005
    # Outside its range nothing is promised, and that is said.
    outside = narrow.truths[0]
    assert free.covered(free.truths[0])
    assert not narrow.covered(outside)
    words = "the rate of placebo is 0.3, but limits are made for 0.05 to 0.25"
    assert any(words in caution for caution in cautions(narrow))
    assert not any("limits are made" in caution for caution in cautions(free))


@pytest.mark.parametrize(
    ("rate", "trend"), [(0.05, None), (0.4, None), (0.75, None), (0.25, 0.015), (0.55, -0.015)]
)
def test_doses_at_the_margin_are_declared_within_alpha(rate: float, trend: float | None) -> None:
    truth = {"name": "null", "means": [rate] + [rate + 0.2] * 5, "trend": trend}
    study = with_margin(0.2, truths=[truth])
    assert study.covered(study.truths[0])
    assert max(false_declarations(study).values()) <= 0.025
    assert error_bounds(study, study.designs[0], study.truths[0])[0] <= 0.025


def test_differences_without_a_margin_find_large_effects_sooner_and_small_ones_later() -> None:
    def declared(means: list[float], n_max: int, **given: Any) -> float:
        study = with_margin(
            0.0,
            truths=[{"name": "effect", "means": means}],
            target={"over": "control"} | given,
            simulation={"runs": 2000, "n_max": n_max, "seed": 1},
        )
        return float((simulate(study)["effect", "thompson"].verdict == 1).any(axis=1).mean())

    def gain(means: list[float], n_max: int) -> float:
        return declared(means, n_max, evidence="differences") - declared(means, n_max)

    assert gain([0.2, 0.2, 0.2, 0.2, 0.2, 0.7], 100) > 0.1
    assert gain([0.05, 0.05, 0.05, 0.05, 0.05, 0.2], 400) < -0.1


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_inert_doses_are_declared_within_alpha_by_differences(rate: float) -> None:
    truth = {"name": "null", "means": [rate] * 6}
    target = {"over": "control", "evidence": "differences"}
    study = with_margin(0.0, truths=[truth], target=target)
    assert max(false_declarations(study).values()) <= 0.025


def test_a_trend_that_leaves_the_rates_is_not_covered() -> None:
    truth = {"name": "null", "means": [0.75] + [0.95] * 5, "trend": 0.015}
    study = with_margin(0.2, truths=[truth])
    assert not study.covered(study.truths[0])
    assert any("or reach 0 or 1, so that the error rate" in words for words in cautions(study))


def test_dropouts_left_out_are_judged_at_the_end_by_one_test() -> None:
    design = {"rule": "equal", "criterion": "exact", "criterion_parameters": {"looks": "end"}}
    dropout = {"probability": 0.2, "counted": "left out", "in_means": False}
    target = {"over": "control", "margin": 0.2}
    study = against_control(RATES, design, target=target, dropout=dropout)
    worst = worst_case(study, study.designs[0])
    assert worst.false_declaration <= worst.arm_allowance
    assert worst.miss <= worst.drop_allowance
    curves = study.curves(study.designs[0])
    assert curves.only_at_end
    assert (np.diff(curves.accept[1:]) >= -1).all()

"""Doses exactly at the target: what is seen beside the exact bound, whatever the control does."""

import math
from typing import Any

import pytest
from commands import gai
from test_likelihood import by_likelihood
from test_pairs import RATES, SCORES, UNKNOWN, against_control

from gai_core import Study, dump_study
from gai_core.questions.at_the_target import errors_at_the_target, with_doses_at_the_target
from gai_core.study import changed

LEFT_OUT = {"probability": 0.05, "counted": "left out", "in_means": True}
NON_RESPONSE = {"probability": 0.2, "counted": "non-response", "in_means": False}
CASES: dict[str, Study] = {
    "discordant": against_control(RATES),
    "margin": against_control(RATES, target={"over": "control", "margin": 0.2}),
    "worse": against_control(RATES, target={"over": "control", "margin": -0.3}),
    "range": against_control(
        RATES,
        target={"over": "control", "evidence": "differences", "control_at_most": 0.4,
                "control_at_least": 0.1},
    ),
    "likelihood": by_likelihood(),
    "dropouts as non-response": against_control(
        RATES, target={"over": "control", "margin": 0.1}, dropout=NON_RESPONSE
    ),
    "dropouts left out": against_control(
        RATES, target={"over": "control", "margin": 0.1}, dropout=LEFT_OUT
    ),
    "scores": against_control(SCORES, target={"over": "control", "margin": 0.3}),
    "unknown variance": against_control(UNKNOWN),
}  # fmt: skip


@pytest.mark.parametrize("study", CASES.values(), ids=CASES)
def test_every_dose_is_at_the_target_and_the_control_where_it_may_be(study: Study) -> None:
    tried = with_doses_at_the_target(study)
    assert tried.target is not None
    low, high = tried.target.control_range
    for truth in tried.truths:
        expected, control = tried.expected(truth), tried.control_mean(truth)
        assert control is not None
        doses = [expected[arm] for arm in tried.candidates]
        assert doses == pytest.approx([tried.target_under(truth)] * len(doses), abs=1e-11)
        assert tried.covered(truth)
        if study.outcome.all_or_nothing:
            assert low <= control <= high
    trends = [truth.trend for truth in tried.truths if truth.trend]
    assert trends[0] == pytest.approx(-trends[1])
    assert len({tried.control_mean(truth) for truth in tried.truths if not truth.trend}) >= 3


def test_rates_are_tried_from_a_tenth_to_nine_and_move_by_thirty_points() -> None:
    tried = with_doses_at_the_target(CASES["discordant"])
    assert [truth.name for truth in tried.truths] == [
        "control 0.1", "control 0.3", "control 0.5", "control 0.7", "control 0.9",
        "control 0.35, rising by 0.3", "control 0.65, falling by 0.3",
    ]  # fmt: skip
    assert tried.conduct is not None
    months = tried.conduct.months(tried.simulation.n_max)
    assert tried.truths[-1].trend == pytest.approx(-0.3 / months)


@pytest.mark.parametrize("kind", [RATES, UNKNOWN], ids=["discordant", "unknown variance"])
def test_what_is_seen_is_within_the_exact_bound(kind: dict[str, Any]) -> None:
    runs = 1000
    own = {"rule": "equal", "criterion": "exact", "criterion_parameters": {"largest": 20}}
    table = errors_at_the_target(changed(against_control(kind, own), runs=runs))
    for bound, seen in (
        (table.false_declaration_bound, table.false_declaration),
        (table.missed_dose_bound, table.missed_dose),
    ):
        assert bound.nunique() == 1  # one bound for every mean of the control, and for trends
        assert (seen <= bound + 4 * (bound * (1 - bound) / runs) ** 0.5).all()
        assert seen.max() > 0.02
    assert not table.above_delta.any()


def test_two_samples_have_a_bound_where_the_rate_stays() -> None:
    parameters = {"looks": "end", "compared": "samples"}
    design = {"rule": "equal", "criterion": "exact", "criterion_parameters": parameters}
    table = errors_at_the_target(by_likelihood(design=design)).set_index("truth")
    for case, bound in table.false_declaration_bound.items():
        assert math.isnan(bound) is ("ing by" in str(case))


def test_a_design_that_promises_nothing_is_seen_to_err() -> None:
    """Above its rate, and marked: posterior rules with no error rate of their own."""
    own: dict[str, Any] = {"criterion": "posterior", "criterion_parameters": {"c_good": 0.6}}
    study = changed(against_control(RATES, own), runs=200)
    assert errors_at_the_target(study).above_delta.all()


def test_verify_prints_it_for_studies_against_the_control(tmp_path: Any) -> None:
    for name, study in (("pairs", CASES["discordant"]), ("apart", CASES["scores"])):
        (tmp_path / f"{name}.toml").write_text(dump_study(study), "utf-8")
        printed = gai("verify", f"{name}.toml", "--runs", "10", cwd=tmp_path).stdout
        assert "Errors with every dose at the target" in printed
        assert "rising by" in printed
        assert "falling by" in printed
    table = gai("verify", "pairs.toml", "--runs", "10", "--csv", "-", cwd=tmp_path).stdout
    assert table.count("rising by") == 1

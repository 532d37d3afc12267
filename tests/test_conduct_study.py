"""The `[conduct]` part of a study file: round trips, what it means for means, errors in words."""

import copy
import json
import math
from typing import Any

import pytest
from conftest import make_study
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from gai_core import InputError, Study, dump_study, parse_study
from gai_core.study.conduct import Accrual, Conduct, Delay, Dropout, Looks, Randomisation
from gai_core.study.validating import validated
from gai_core.study.variations import varied

SCORE = {"kind": "gaussian", "variance": 1.0}
RATE = {"kind": "bernoulli"}
CONTROL = [{"label": "placebo", "control": True}, {"label": "5 mg"}, {"label": "10 mg"}]
END = {"looks": "end"}
OTHER_RULE = {"name": "X", "rule": "hdoc", "criterion": "exact", "criterion_parameters": END}


def study_data(parts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A study with these parts of a conduct as plain data: whatever a file could say."""
    data = make_study(arms=CONTROL).model_dump(exclude_none=True) | {"conduct": parts}
    return data | changes


def refused(parts: dict[str, Any], **changes: Any) -> str:
    with pytest.raises(InputError) as caught:
        validated(study_data(parts, **changes), "x")
    return str(caught.value)


# --- what is refused, and how it is said ------------------------------------------------------


def dropout(counted: str, **given: Any) -> dict[str, Any]:
    return {"dropout": {"probability": 0.2, "counted": counted} | given}


BROKEN: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "per_month": ({"accrual": {"per_month": 0}}, {}, "conduct.accrual.per_month must be at least 0.01, but is 0"),
    "accrual pattern": ({"accrual": {"pattern": "bursts"}}, {}, "conduct.accrual.pattern must be 'constant' or 'poisson', but is 'bursts'"),
    "ramp_up": ({"accrual": {"ramp_up": -1}}, {}, "conduct.accrual.ramp_up must be at least 0.0, but is -1"),
    "weeks": ({"delay": {"weeks": 2000}}, {}, "conduct.delay.weeks must be at most 1040.0, but is 2000"),
    "weeks nan": ({"delay": {"weeks": math.nan}}, {}, "conduct.delay.weeks must be a finite number, but is nan"),
    "uniform spread": ({"delay": {"weeks": 4, "pattern": "uniform", "spread": 5}}, {}, "conduct.delay.spread must be at most the 4 weeks of a uniform delay, but is 5"),
    "lognormal at once": ({"delay": {"pattern": "lognormal", "spread": 1}}, {}, "conduct.delay.weeks must be greater than 0 if lognormal, but is 0"),
    "fixed spread": ({"delay": {"weeks": 4, "spread": 1}}, {}, "conduct.delay.spread belongs to a uniform or lognormal delay, but the delay is fixed"),
    "exponential spread": ({"delay": {"weeks": 4, "pattern": "exponential", "spread": 1}}, {}, "conduct.delay.spread belongs to a uniform or lognormal delay, but the delay is exponential"),
    "long queue": (
        {"accrual": {"per_month": 1e5}, "delay": {"weeks": 52, "pattern": "exponential"}},
        {"simulation": {"runs": 1, "n_max": 20_000}},
        "conduct.delay.pattern must be fixed where more than 10,000 patients wait for their outcome, but 20,000 would",
    ),
    "hardly a ramp-up": ({"accrual": {"ramp_up": 1e-300}}, {}, "conduct.accrual.ramp_up must be 0 or at least 0.01, but is 1e-300"),
    "hardly a delay": ({"delay": {"weeks": 5e-324}}, {}, "conduct.delay.weeks must be 0 or at least 0.01, but is 5e-324"),
    "hardly a patient": ({"accrual": {"per_month": 5e-324}}, {}, "conduct.accrual.per_month must be at least 0.01, but is 5e-324"),
    "looks without end": ({"looks": {"weeks": 1e-300}}, {}, "conduct.looks.weeks must be at least 0.01, but is 1e-300"),
    "too many looks": (
        {"accrual": {"per_month": 0.1}, "looks": {"weeks": 0.05}}, {},
        "conduct.looks.weeks must be at least 0.087, for at most 1,000,000 looks in the 86,964 weeks until n_max = 2,000 patients are enrolled, but is 0.05",
    ),
    "a look beyond all trials": ({"looks": {"at": [10**30]}}, {}, "conduct.looks.at[0] must be at most 1000000, but is 1000000000000000000000000000000"),
    "a trend beyond all rates": ({}, {"truths": [{"name": "t", "means": [0.5] * 3, "trend": 2.0}]}, "truths[0].trend must lie between -1 and 1, as far as a mean can go, but is 2"),
    "cohort": ({"cohort": 0}, {}, "conduct.cohort must be at least 1, but is 0"),
    "half a cohort": ({"cohort": 2.5}, {}, "conduct.cohort must be a whole number, but is 2.5"),
    "two kinds of looks": ({"looks": {"outcomes": 5, "weeks": 4}}, {}, "conduct.looks must have one of outcomes, weeks, at, but has ['outcomes', 'weeks']"),
    "no numbers": ({"looks": {"at": []}}, {}, "conduct.looks.at must have at least 1 entries, but is empty"),
    "look at 0": ({"looks": {"at": [0, 5]}}, {}, "conduct.looks.at must be different numbers from 1 on, but is [0, 5]"),
    "look twice": ({"looks": {"at": [5, 5]}}, {}, "conduct.looks.at must be different numbers from 1 on, but is [5, 5]"),
    "look weeks": ({"looks": {"weeks": 0}}, {}, "conduct.looks.weeks must be at least 0.01, but is 0"),
    "randomisation": ({"randomisation": {"kind": "coin"}}, {}, "conduct.randomisation.kind must be 'blocks', 'rule', 'mixed' or 'softened', but is 'coin'"),
    "mixed share": ({"randomisation": {"share": 1.2}}, {}, "conduct.randomisation.share must be at most 1.0, but is 1.2"),
    "softness": ({"randomisation": {"softness": 0}}, {}, "conduct.randomisation.softness must be at least 0.001, but is 0"),
    "everybody drops out": (dropout("left out", probability=1), {}, "conduct.dropout.probability must be at most 0.99, but is 1"),
    "counted is needed": ({"dropout": {"probability": 0.1}}, {}, "conduct.dropout.counted is missing"),
    "no improvement of a rate": (dropout("baseline"), {}, 'conduct.dropout.counted must be "non-response" or "left out" for bernoulli outcomes, but is "baseline"'),
    "non-response of a score": (dropout("non-response"), {"outcome": SCORE}, 'conduct.dropout.counted must be "baseline" or "left out" for gaussian outcomes, but is "non-response"'),
    "scores that depend": (dropout("baseline", probability_on_target=0.1), {"outcome": SCORE}, "conduct.dropout.probability_on_target needs dropouts that are left out if the outcome is a score, but they are counted as \"baseline\""),
    "stated means of scores that depend": (dropout("left out", probability_on_target=0.1, in_means=True), {"outcome": SCORE}, "conduct.dropout.in_means must be false where dropout depends on a score, because the mean of those who stay does not follow from the stated one, but is true"),
    "impossible means": (
        dropout("non-response", probability=0.25), {},
        "truths[0].means[2] must be possible with the dropouts in it: without them it is 1.06667, which must lie between 0 and 1 (a response rate), but is 0.8; lower conduct.dropout.probability, or set conduct.dropout.in_means to false",
    ),
    "a share without a control": ({"control_share": 0.2}, {"arms": [{"label": "a"}, {"label": "b"}, {"label": "c"}]}, "conduct.control_share needs an arm with control = true, but there is none"),
    "share": ({"control_share": 0.95}, {}, "conduct.control_share must be at most 0.9, but is 0.95"),
    "too many wanted": ({"wanted": 4}, {}, "conduct.wanted must be at most the 3 doses that can be declared, but is 4; lower it, or leave it out to settle every dose"),
    "the control is no dose": ({"wanted": 3, "control_share": 0.2}, {}, "conduct.wanted must be at most the 2 doses that can be declared, but is 3; lower it, or leave it out to settle every dose"),
    "nobody wanted": ({"wanted": 0}, {}, "conduct.wanted must be at least 1, but is 0"),
    "burn-in and share": (
        {"control_share": 0.5}, {"simulation": {"runs": 1, "n_max": 18}},
        "simulation.n_max must be at least 10 (designs[0] has a burn-in of 5 for each of 2 arms), but is 18, which leaves 9 for them",
    ),
    "adaptive at the end": (
        dropout("left out", in_means=False), {"designs": [OTHER_RULE]},
        "designs[0].rule must be 'equal' where dropouts are left out and every dose is judged once at the end, but is 'hdoc': otherwise the number of outcomes would depend on the outcomes",
    ),
    "looks beyond the candidates' share": (
        {"control_share": 0.5},
        {"designs": [{"name": "X", "rule": "hdoc", "criterion": "exact", "criterion_parameters": {"looks": [50, 1500]}}]},
        "designs[0].criterion_parameters.looks must not go beyond n_max = 1000, but goes to 1500",
    ),
    "variance of a rate": ({}, {"truths": [{"name": "t", "means": [0.5] * 3, "variance": 1.0}]}, "truths[0].variance belongs to gaussian outcomes, but the outcome is bernoulli"),
    "no variance": ({}, {"outcome": SCORE, "truths": [{"name": "t", "means": [0.5] * 3, "variance": 0}]}, "truths[0].variance must be at least 1e-12, but is 0"),
    "trend in a plain study": ({}, {"conduct": None, "truths": [{"name": "t", "means": [0.5] * 3, "trend": 0.1}]}, "truths[0].trend needs a [conduct] part, which says when patients come"),
    "no table": ({}, {"conduct": 3}, "conduct must be a table, but is 3"),
    "unknown part": ({"acrual": {}}, {}, "conduct.acrual is not a known key; did you mean 'accrual'?"),
    "unknown key": ({"delay": {"week": 3}}, {}, "conduct.delay.week is not a known key; did you mean 'weeks'?"),
    "unknown key of dropout": (dropout("left out", probabilty=0.1), {}, "conduct.dropout.probabilty is not a known key; did you mean 'probability'?"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_names_its_place_the_rule_and_the_value(name: str) -> None:
    conduct, changes, message = BROKEN[name]
    assert refused(conduct, **changes) == f"x: {message}"


def test_every_broken_rule_is_named_at_once() -> None:
    broken = {"looks": {"at": [5, 5]}, "wanted": 4, "delay": {"weeks": 1, "spread": 2}}
    lines = refused(broken).splitlines()
    assert len(lines) == 3
    assert all(line.startswith("x: conduct.") for line in lines)


def test_the_rules_stop_where_they_should() -> None:
    """The neighbours of what is refused are taken."""
    for conduct, changes in (
        ({"delay": {"weeks": 4, "pattern": "uniform", "spread": 4}}, {}),
        ({"control_share": 0.9, "wanted": 2}, {}),
        ({"control_share": 0.5}, {"simulation": {"runs": 1, "n_max": 20}}),
        (dropout("non-response", probability=0.2), {}),
        (dropout("non-response", probability=0.5, in_means=False), {}),
        (dropout("left out", in_means=False), {"designs": [OTHER_RULE | {"rule": "equal"}]}),
        (dropout("non-response"), {"designs": [OTHER_RULE]}),
    ):
        validated(study_data(conduct, **changes), "x")


# --- margin -----------------------------------------------------------------------------------


def with_margin(margin: Any, **changes: Any) -> dict[str, Any]:
    data = study_data({}, margin=margin)
    del data["threshold"]
    return data | changes


def test_a_margin_means_a_threshold_above_the_control() -> None:
    study = validated(with_margin(0.1), "x")
    assert study.threshold == 0.3  # exactly, not 0.30000000000000004
    assert validated(with_margin(0.1, threshold=0.3), "x") == study
    assert validated(study.model_dump(), "x") == study
    assert parse_study(dump_study(study)) == study


ALL_SCORES = {"outcome": SCORE, "truths": [{"name": "t", "means": [-1.5, 0.0, 2.0]}]}


def test_a_margin_may_be_below_the_control_for_scores() -> None:
    assert validated(with_margin(-0.25, **ALL_SCORES), "x").threshold == -1.75


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"threshold": 0.4}, "threshold must be left out where margin is given, or be 0.3, the mean of the control (0.2) plus the margin, but is 0.4"),
        ({"arms": [{"label": "a"}, {"label": "b"}, {"label": "c"}]}, "margin needs an arm with control = true, and its mean under the first truth"),
        ({"truths": []}, "margin needs an arm with control = true, and its mean under the first truth"),
        ({"truths": [{"name": "t", "means": []}]}, "margin needs an arm with control = true, and its mean under the first truth"),
        ({"arms": 3}, "margin needs an arm with control = true, and its mean under the first truth"),
        ({"arms": [3, 4]}, "margin needs an arm with control = true, and its mean under the first truth"),
        ({"truths": [{"name": "t", "means": [10**400, 0, 0]}]}, "margin needs an arm with control = true, and its mean under the first truth"),
        ({"margin": "big"}, "margin must be a number, but is 'big'"),
        ({"margin": True}, "margin must be a number, but is True"),
        ({"margin": math.inf}, "margin must be a finite number, but is inf"),
        ({"margin": 1e305}, "margin must be less than 1000000000000.0, but is 1e+305"),
        ({"margin": 0.9}, "threshold must lie between 0 and 1, both excluded, but is 1.1"),
    ],
)  # fmt: skip
def test_a_margin_that_means_nothing_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        validated(with_margin(0.1) | changes, "x")
    assert str(caught.value) == f"x: {message}"


def test_a_number_beyond_all_measure_is_no_margin() -> None:
    with pytest.raises(InputError, match="x: margin must be a number, but is 1000") as caught:
        validated(with_margin(10**400), "x")
    assert len(str(caught.value).splitlines()) == 1


def test_a_margin_and_a_target_cannot_both_be_varied() -> None:
    study = validated(with_margin(0.1), "x")
    assert varied(study, {"margin": 0.25}).threshold == 0.45
    with pytest.raises(InputError, match="margin and threshold change the same number; give one"):
        varied(study, {"margin": 0.2, "threshold": 0.6})


# --- round trip and schema --------------------------------------------------------------------

EVERYTHING: dict[str, Any] = {
    "accrual": {"per_month": 12.5, "pattern": "poisson", "ramp_up": 3.0},
    "delay": {"weeks": 12.0, "pattern": "lognormal", "spread": 4.0},
    "cohort": 6,
    "looks": {"at": [40, 90]},
    "randomisation": {"kind": "mixed", "share": 0.3, "softness": 0.7, "ratio": [3, 1]},
    "dropout": {
        "probability": 0.1, "probability_on_target": 0.15, "counted": "left out", "in_means": False,
    },
    "control_share": 0.25,
    "wanted": 2,
}  # fmt: skip


def test_every_field_survives_the_file() -> None:
    for conduct in (
        EVERYTHING,
        EVERYTHING | {"looks": {"weeks": 6.5}},
        EVERYTHING | {"looks": {"outcomes": 12}},
    ):
        study = validated(study_data(conduct, margin=0.3, threshold=0.5), "x")
        again = parse_study(dump_study(study))
        assert again == study
        assert again.conduct is not None
        assert again.conduct.model_dump(exclude_none=True)["delay"] == conduct["delay"]
        assert dump_study(again) == dump_study(study)


def test_nothing_in_a_conduct_was_forgotten_here() -> None:
    assert set(EVERYTHING) == set(Conduct.model_fields)
    assert set(EVERYTHING["accrual"]) == set(Accrual.model_fields)
    assert set(EVERYTHING["delay"]) == set(Delay.model_fields)
    assert set(EVERYTHING["randomisation"]) == set(Randomisation.model_fields)
    assert set(EVERYTHING["dropout"]) == set(Dropout.model_fields)
    assert set(Looks.model_fields) == {"outcomes", "weeks", "at"}


def test_truths_keep_trend_and_variance() -> None:
    truth = {"name": "t", "means": [0.1, 0.2, 0.3], "trend": -0.01, "variance": 2.5}
    study = validated(study_data({}, outcome=SCORE, truths=[truth]), "x")
    assert parse_study(dump_study(study)) == study
    assert (study.truths[0].trend, study.truths[0].variance) == (-0.01, 2.5)


def test_an_empty_conduct_is_not_the_same_as_none() -> None:
    study = validated(study_data({}), "x")
    assert study.conduct == Conduct()
    assert parse_study(dump_study(study)) == study
    plain = validated(study_data({}, conduct=None), "x")
    assert parse_study(dump_study(plain)).conduct is None
    assert "conduct" not in dump_study(plain)


positive = st.floats(0.01, 500, allow_nan=False)


@given(
    per_month=positive, ramp_up=st.just(0.0) | st.floats(0.01, 240), weeks=st.floats(0.01, 1000),
    relative=st.floats(0, 1), cohort=st.integers(1, 100_000),
    looks=st.one_of(
        st.just({}), st.builds(dict, outcomes=st.integers(1, 10**6)),
        st.builds(dict, weeks=st.floats(0.01, 1040)),
        st.builds(dict, at=st.lists(st.integers(1, 10**6), min_size=1, max_size=5, unique=True)),
    ),
    share=st.floats(0.01, 0.9), probability=st.floats(0, 0.99),
)  # fmt: skip
@settings(max_examples=60)
def test_any_numbers_survive_the_file(
    per_month: float, ramp_up: float, weeks: float, relative: float, cohort: int,
    looks: dict[str, Any], share: float, probability: float,
) -> None:  # fmt: skip
    conduct = {
        "accrual": {"per_month": per_month, "ramp_up": ramp_up},
        "delay": {"weeks": weeks, "pattern": "uniform", "spread": weeks * relative},
        "cohort": cohort,
        "looks": looks,
        "control_share": share,
        "dropout": {"probability": probability, "counted": "left out", "in_means": False},
    }
    study = validated(study_data(conduct), "x")
    assert parse_study(dump_study(study)) == study


def test_the_schema_takes_what_the_planner_takes() -> None:
    schema = json.loads(json.dumps(Study.model_json_schema()))
    Draft202012Validator.check_schema(schema)
    parts = {"Conduct", "Accrual", "Delay", "Looks", "Randomisation", "Dropout"}
    assert parts <= set(schema["$defs"])
    described = (
        field
        for part in parts - {"Conduct"}
        for field in schema["$defs"][part]["properties"].values()
    )
    assert all(field["description"] for field in described)
    validator = Draft202012Validator(schema)
    good = json.loads(validated(study_data(EVERYTHING), "x").model_dump_json(exclude_none=True))
    assert validator.is_valid(good)
    for place, wrong in (("cohort", 0), ("acrual", {}), ("delay", {"pattern": "late"})):
        bad = copy.deepcopy(good)
        bad["conduct"][place] = wrong
        assert not validator.is_valid(bad), place


# --- what dropout makes of the means ----------------------------------------------------------

MEANS = 0.32, 0.4, 0.48
THRESHOLD = 0.4
STATED: dict[tuple[str, str, bool], tuple[tuple[float, ...], tuple[float, ...]]] = {
    # A fifth drops out: means of those who stay, and the means that verdicts are about.
    (kind, counted, in_means): (
        (0.4, 0.5, 0.6) if in_means else MEANS,
        {
            ("zero", True): MEANS,
            ("zero", False): (0.256, 0.32, 0.384),
            ("left out", True): (0.4, 0.5, 0.6),
            ("left out", False): MEANS,
        }["left out" if counted == "left out" else "zero", in_means],
    )
    for kind, counted in (
        ("bernoulli", "non-response"),
        ("bernoulli", "left out"),
        ("gaussian", "baseline"),
        ("gaussian", "left out"),
    )
    for in_means in (True, False)
}


@pytest.mark.parametrize("case", STATED, ids=str)
@pytest.mark.parametrize("apart", [False, True], ids=["candidate", "control apart"])
def test_means_by_hand(case: tuple[str, str, bool], apart: bool) -> None:
    kind, counted, in_means = case
    completing, expected = STATED[case]
    study = validated(
        study_data(
            dropout(counted, in_means=in_means) | ({"control_share": 0.2} if apart else {}),
            threshold=THRESHOLD,
            outcome=SCORE if kind == "gaussian" else RATE,
            truths=[{"name": "t", "means": list(MEANS)}],
        ),
        "x",
    )
    truth = study.truths[0]
    assert study.completing(truth) == pytest.approx(completing, abs=1e-15)
    assert study.expected(truth) == pytest.approx(expected, abs=1e-15)
    good = [mean >= THRESHOLD - 1e-12 for mean in expected]
    assert study.good(truth) == tuple(g and not (apart and i == 0) for i, g in enumerate(good))
    assert study.above(truth) is (max(expected[1:] if apart else expected) > THRESHOLD + 1e-12)


def test_only_the_responders_dropout_is_in_a_response_rate() -> None:
    """Of 100 patients 50 would respond and 10 of them leave: 40 responders, whoever else leaves."""
    conduct = dropout("non-response", probability=0.6, probability_on_target=0.2)
    truths = [{"name": "t", "means": [0.4, 0.4, 0.4]}]
    study = validated(study_data(conduct, truths=truths), "x")
    assert study.completing(study.truths[0]) == pytest.approx((0.5,) * 3)
    assert study.expected(study.truths[0]) == (0.4, 0.4, 0.4)


def test_without_dropout_the_means_are_the_stated_ones() -> None:
    study = validated(study_data({}), "x")
    truth = study.truths[0]
    assert study.completing(truth) == study.expected(truth) == truth.means
    assert study.good(truth) == (False, True, True)


def test_candidates_share_what_the_control_leaves() -> None:
    study = validated(study_data({"control_share": 0.3}, simulation={"runs": 1, "n_max": 101}), "x")
    assert (study.set_apart, study.candidates, study.most_on_candidates) == (0, (1, 2), 71)
    setting = study.setting(study.designs[0])
    assert (setting.arms, setting.most_patients, setting.missing) == (2, 71, False)
    plain = validated(study_data({}), "x")
    assert (plain.set_apart, plain.candidates) == (None, (0, 1, 2))
    assert plain.most_on_candidates == 2000

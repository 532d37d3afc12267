"""Planning backwards: against brute force, against exact chances, and what no design can do."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conftest import make_study
from scipy.stats import norm

from gai_core import InputError, Study, load_study, simulate
from gai_core.engine import Work
from gai_core.questions.plan_search import Estimate, Plan, Wish, estimates
from gai_core.questions.plan_values import (
    candidates,
    decimals,
    first_by_bisection,
    first_by_trying,
    one_design,
    parse_among,
    position,
    smallest_around,
)
from gai_core.questions.plan_wording import best_plan, plan_headline, plan_sentences, plan_words
from gai_core.questions.planning import parse_wish, plan, plan_table, searches, with_answer
from gai_core.questions.sweeping import sweep_table
from gai_core.study.changing import changed
from gai_core.study.validating import validated
from gai_core.study.variations import Variation, varied
from gai_core.theory.reachable import evidence_for_any, least_n_max

WISH = Wish("any_declared", 0.8)


def brute_force(study: Study, field: str, values: range | list[float]) -> float:
    """The first value whose simulated chance reaches the wish under every truth of the study."""
    table = sweep_table(study, [Variation(field, tuple(values))])
    rows = table[(table.quantity == WISH.quantity) & (table.statistic == "probability")]
    lowest = rows.groupby(field, sort=False).value.min()
    return next(value for value in values if lowest[value] >= WISH.chance)


@pytest.mark.parametrize(
    ("name", "design", "truths"),
    [
        ("tofacitinib", "Fixed", ["published"]),
        ("tofacitinib", "Nearest finish, exact", ["published"]),
        ("tofacitinib", "HDoC, the paper's", ["published"]),
        ("medical-2", "HDoC", ["published"]),
        ("medical-1", "HDoC, mixture", ["optimistic"]),
    ],
)
def test_the_answer_is_that_of_a_brute_force_sweep(
    name: str, design: str, truths: list[str]
) -> None:
    study = changed(load_study(name), runs=150)
    (found,) = plan(study, WISH, "n_max", truths=truths, designs=[design])
    assert isinstance(found.value, int)
    alone = one_design(study, study.design(design), truths)
    first = int(candidates(alone, alone.designs[0], "n_max", None)[0])
    values = range(max(first, found.value - 120), found.value + 1)
    assert brute_force(alone, "n_max", values) == found.value
    assert found.next_value == found.value - 1
    assert min(e.chance for e in found.at_next) < 0.8 <= min(e.chance for e in found.at)
    assert found.may is not None
    assert found.sure is not None
    assert found.may <= found.value <= found.sure


def test_all_of_a_range_from_the_smallest_n_max_on_agrees_with_brute_force() -> None:
    study = changed(load_study("tofacitinib"), runs=100)
    (found,) = plan(study, WISH, "n_max", truths=["published"], designs=["Fixed"])
    alone = one_design(study, study.design("Fixed"), ["published"])
    assert brute_force(alone, "n_max", range(6, int(found.value or 0) + 1)) == found.value


def test_a_larger_value_that_misses_the_wish_again_is_named() -> None:
    """The power of a test of counts goes up and down: Fixed reaches 80% with 228, not with 239."""
    study = changed(load_study("tofacitinib"), runs=200)
    (found,) = plan(study, WISH, "n_max", truths=["published"], designs=["Fixed"])
    assert found.value is not None
    assert found.fails_again is not None
    assert found.fails_again > found.value
    alone = one_design(study, study.design("Fixed"), ["published"])
    (seen,) = estimates(simulate(varied(alone, {"n_max": found.fails_again})), WISH.quantity)
    assert seen.chance < WISH.chance
    assert f"miss it again, as {found.fails_again} does" in "\n".join(plan_sentences(found, 200))


def test_delta_burn_in_and_looks_agree_with_brute_force() -> None:
    study = changed(load_study("tofacitinib"), runs=200, n_max=130)
    exact = {"truths": ["published"], "designs": ["Nearest finish, exact"]}
    alone = one_design(study, study.design("Nearest finish, exact"), ["published"])
    (delta,) = plan(study, WISH, "delta", **exact)  # type: ignore[arg-type]
    assert brute_force(alone, "delta", decimals(0.0001, float(delta.value or 0))) == delta.value
    for field, last in (("burn_in", 20), ("looks", 60)):
        (small,) = plan(study, WISH, field, among=(1, last), **exact)  # type: ignore[arg-type]
        assert brute_force(alone, field, range(1, last + 1)) == small.value
        (large,) = plan(
            study, WISH, field, among=(1, last), largest=True, **exact  # type: ignore[arg-type]
        )  # fmt: skip
        assert brute_force(alone, field, range(last, 0, -1)) == large.value
        assert small.value is not None
        assert large.value is not None
        assert small.value <= large.value


def test_the_answer_holds_with_other_patients_within_its_stated_confidence() -> None:
    study = load_study("tofacitinib")
    for found in plan(study, WISH, "n_max", truths=["published"]):
        again = one_design(study, study.design(found.design), ["published"])

        def rerun(value: float | None, runs: int, again: Study = again) -> Any:
            other = varied(again, {"n_max": int(value or 0), "runs": runs, "seed": 2024})
            return estimates(simulate(other), WISH.quantity)[0]

        (stated,), repeated = found.at, rerun(found.value, 1000)
        # Two independent estimates: the intervals of both add up in squares.
        half = (stated.high - stated.low) / 2
        assert abs(repeated.chance - stated.chance) <= math.sqrt(2) * half
        assert rerun(found.sure, 20_000).chance >= WISH.chance
        assert rerun(float(found.may or 0) - 1, 20_000).chance < WISH.chance


def gaussian_study(seed: int) -> Study:
    """One dose that is good and one far below the target; a fixed design, known in closed form."""
    return make_study(
        threshold=0.0,
        outcome={"kind": "gaussian", "variance": 1.0},
        simulation={"runs": 200, "n_max": 40, "seed": seed},
        arms=[{"label": "low"}, {"label": "high"}],
        truths=[{"name": "one", "means": [-9.0, 0.6]}],
        designs=[{"name": "Fixed", "rule": "equal", "criterion": "exact", "burn_in": 1,
                  "criterion_parameters": {"looks": "end"}}],
    )  # fmt: skip


def test_the_interval_covers_the_true_value_as_often_as_it_says() -> None:
    """P(declared) = Phi(0.6 sqrt(n) - z), n patients on the arm and z the quantile of delta/2."""
    z = norm.isf(0.05)
    per_arm = next(n for n in range(1, 100) if norm.cdf(0.6 * math.sqrt(n) - z) >= 0.8)
    truth = 2 * per_arm
    missed = 0
    for seed in range(40):
        (found,) = plan(gaussian_study(seed), WISH, "n_max")
        assert found.may is not None
        assert found.sure is not None
        missed += not found.may <= truth <= found.sure
    assert missed <= 5  # more than 5 of 40 at a rate of 5% has a chance of 1.4%; here it is seeded


def test_what_no_design_can_do_is_said_before_anything_is_simulated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("simulated")

    monkeypatch.setattr("gai_core.questions.planning.simulate", never)
    study = load_study("medical-1")
    one: dict[str, Any] = {"truths": ["published"], "designs": ["HDoC"]}
    (short,) = plan(study, WISH, "n_max", among=(30, 500), **one)
    limit = math.ceil(least_n_max(study, study.truths[0], evidence_for_any, 0.8))
    assert f"cannot be reached, because the lower bound is {limit:,}" in short.why_not
    assert limit > 500
    (at_target,) = plan(study, WISH, "n_max", truths=["all at the target"], designs=["HDoC"])
    assert "the lower bound is infinite" in at_target.why_not
    (strict,) = plan(changed(study, n_max=100), WISH, "delta", among=(0.01, 0.2), **one)
    assert "cannot be reached, because the lower bound is" in strict.why_not
    (burnt,) = plan(changed(study, n_max=100), WISH, "burn_in", **one)
    assert "lower bound" in burnt.why_not
    assert (burnt.value, burnt.tries) == (None, 0)
    assert plan_sentences(burnt, 1000) == [f"HDoC: {burnt.why_not}."]


def test_what_is_not_reached_is_said_with_what_was_seen() -> None:
    study = changed(load_study("tofacitinib"), runs=100)
    (found,) = plan(
        study, WISH, "n_max", among=(30, 100), truths=["published"], designs=["HDoC, the paper's"]
    )
    assert found.value is None
    assert found.why_not.startswith(
        "not reached from 30 to 100: with n_max = 100 the chance that at least one dose is declared"
    )
    assert found.why_not.endswith("under “published”")
    (looks,) = plan(study, WISH, "looks", designs=["Fixed"])
    assert "has no looks" in looks.why_not
    table = plan_table([found, looks])
    assert list(table.why_not) == [found.why_not, looks.why_not]


@pytest.mark.parametrize(
    ("field", "reading"),
    [("delta", "nearest-finish"), ("errors.declare", "nearest-finish"), ("errors.drop", "lucb-g")],
)
def test_a_rate_that_a_design_does_not_use_is_not_planned(field: str, reading: str) -> None:
    """A posterior rule with equal allocation is the same design at every rate."""
    bare = {"name": "Bare", "rule": "equal", "criterion": "posterior"}
    own = {} if field == "delta" else {"delta": None, "errors": {"declare": 0.1, "drop": 0.1}}
    kept = {"name": "Kept", "rule": "equal", "criterion": "mixture"}
    sizes = {"simulation": {"runs": 40, "n_max": 60, "seed": 1}}
    with pytest.raises(InputError, match=f"no design that is planned depends on {field}"):
        searches(make_study(designs=[bare], **sizes, **own), WISH, field)
    both = plan(make_study(designs=[bare, kept], **sizes, **own), WISH, field, among=(0.1, 0.2))
    assert both[0].why_not == f"neither its limits nor its allocation depend on {field}"
    assert both[1].applies
    assert plan_words(both, []).rows[0][1] == "does not matter"
    allocating = make_study(designs=[bare | {"rule": reading}], **sizes, **own)
    assert all(one.applies for one in searches(allocating, WISH, field))


def test_by_default_every_truth_with_a_dose_above_the_target_counts() -> None:
    study = changed(load_study("tofacitinib"), runs=50)
    (found,) = plan(study, WISH, "n_max", designs=["Nearest finish, exact"])
    assert [estimate.truth for estimate in found.at] == ["published", "flatter"]
    with pytest.raises(InputError, match="no truth of the study has a dose above the target"):
        plan(make_study(truths=[{"name": "t", "means": [0.1, 0.2, 0.5]}]), WISH, "n_max")


def test_an_answer_in_words_and_as_a_table() -> None:
    study = changed(load_study("tofacitinib"), runs=100)
    (found,) = plan(study, WISH, "n_max", truths=["published"], designs=["Fixed"])
    text = "\n".join(plan_sentences(found, 100))
    assert f"Fixed: n_max = {found.value}" in text
    assert f"with {found.next_value} it is not reached" in text
    assert f"between {found.may} and {found.sure} (95%)" in text
    row = plan_table([found]).iloc[0]
    assert (row.value, row.may, row.sure, row.chance) == (
        found.value, found.may, found.sure, found.at[0].chance,
    )  # fmt: skip
    certain = Plan("d", "looks", WISH, value=1, at=found.at, may=1, sure=1)
    assert "More trials would not change this" in plan_sentences(certain, 100)[-1]


def answer(design: str, value: float | None, field: str = "n_max") -> Plan:
    at = () if value is None else (Estimate("published", 0.81, 0.78, 0.84),)
    sure = None if value is None else value + 10
    return Plan(design, field, WISH, value=value, at=at, may=value, sure=sure, why_not="no")


def test_the_best_answer_is_the_smallest_of_a_design_with_a_guarantee() -> None:
    study = validated(
        load_study("medical-2").model_dump()
        | {
            "designs": [
                {"name": "A", "rule": "hdoc", "criterion": "union"},
                {"name": "B", "rule": "hdoc", "criterion": "mixture"},
                {"name": "C", "rule": "hdoc", "criterion": "union-published"},
            ]
        },
        "test",
    )
    plans = [answer("A", 500), answer("B", 400), answer("C", 300)]
    assert best_plan(study, plans) == plans[1]
    assert best_plan(study, plans, largest=True) == plans[0]
    assert best_plan(study, [answer("A", None), plans[2]]) == plans[2]
    assert best_plan(study, [answer("A", None)]) is None
    assert plan_headline(plans[1]) == (
        "At most 400 patients are enough for an 80% chance that at least one dose is declared, "
        "with B."
    )
    assert "With 5 for the burn-in there is an 80%" in plan_headline(answer("A", 5, "burn_in"))


def test_answers_side_by_side() -> None:
    open_end = replace(answer("C", 300), sure=None)
    words = plan_words([answer("A", 1200), answer("B", None), open_end], ["published"])
    assert words.columns == [
        "design", "sample size", "95% interval", "enough at 95% confidence",
        "chance under published",
    ]  # fmt: skip
    assert words.rows == [
        ["A", "1,200", "1,200 to 1,210", "1,210", "81.0% (95%: 78.0 to 84.0)"],
        ["B", "not reached", "–", "–", "–"],
        ["C", "300", "300 to more", "–", "81.0% (95%: 78.0 to 84.0)"],
    ]


def test_an_answer_goes_into_the_study_where_it_belongs() -> None:
    study = load_study("tofacitinib")
    last = study.designs[2].name
    assert with_answer(study, answer(last, 500), 520) == changed(study, n_max=520)
    assert with_answer(study, answer(last, 0.1, "delta"), 0.1) == changed(study, delta=0.1)
    burnt = with_answer(study, answer(last, 9, "burn_in"), 9)
    assert [design.burn_in for design in burnt.designs] == [5, 1, 9]
    looks = with_answer(study, answer(last, 20, "looks"), 20)
    assert looks.designs[2].criterion_parameters["looks"] == 20
    assert looks.designs[:2] == study.designs[:2]


def test_a_search_has_a_budget() -> None:
    study = load_study("tofacitinib")
    with pytest.raises(InputError, match=r"at most 1e\+06 are allowed"):
        searches(study, WISH, "n_max", most_patients=10**6)
    assert len(searches(study, WISH, "n_max", among=(30, 400), most_patients=10**6)) == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"field": "threshold"}, "'threshold' cannot be solved for; choose one of n_max"),
        ({"largest": True}, "largest: more n_max only helps"),
        ({"among": (2, 100)}, "among n_max=2: simulation.n_max must be at least 15"),
        ({"truths": ["step"]}, "did you mean 'steep'?"),
        ({"designs": ["HDC"]}, "did you mean 'HDoC'?"),
        ({"field": "burn_in", "study": make_study(simulation={"n_max": 9000})}, "narrow them"),
        ({"study": make_study(simulation={"n_max": 100, "runs": 10**6})}, "choose fewer runs"),
    ],
)  # fmt: skip
def test_bad_requests_are_refused_at_once(options: dict[str, Any], words: str) -> None:
    study, field = options.pop("study", make_study()), options.pop("field", "n_max")
    with pytest.raises(InputError) as caught:
        plan(study, WISH, field, **options)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("any_declard=0.8", "did you mean 'any_declared'?"),
        ("any_declared", "must be a number between 0 and 1, but is ''"),
        ("any_declared=1", "between 0 and 1"),
        ("any_declared=x", "between 0 and 1"),
    ],
)
def test_wishes_are_checked(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_wish(text)
    assert words in str(caught.value)


def test_among_is_a_range_of_the_field() -> None:
    assert parse_among(make_study(), "n_max", "100:200") == (100, 200)
    assert parse_among(make_study(), "delta", "0.01:0.2") == (0.01, 0.2)
    for text in ("100", "100:200:3", "200:100", "a:3"):
        with pytest.raises(InputError, match="among"):
            parse_among(make_study(), "n_max", text)


def test_deltas_have_two_digits() -> None:
    assert decimals(0.095, 0.13) == [0.095, 0.096, 0.097, 0.098, 0.099, 0.1, 0.11, 0.12, 0.13]
    assert decimals(0.0123, 0.0141) == [0.0123, 0.013, 0.014, 0.0141]


def test_the_searches_find_the_first_position() -> None:
    for size in (1, 2, 7, 100):
        for first in range(size):
            for answer in range(size + 1):
                expected = max(answer, first) if answer < size else None
                for search in (first_by_bisection, first_by_trying):
                    found = search(lambda i, answer=answer: i >= answer, first, size - 1)  # type: ignore[misc]
                    assert found == expected
    assert first_by_trying(lambda i: i <= 3, 9, 0) == 3
    uneven = np.array([False, False, True, False, True, True])
    assert smallest_around(lambda i: bool(uneven[i]), 0, 4, 2) == 2
    assert smallest_around(lambda i: bool(uneven[i]), 3, 4, 2) == 4
    assert position(range(10, 20), 12.5) == 3
    assert position(range(10, 20), math.inf) == 10
    assert position([0.1, 0.2], 0.15) == 1


def test_a_plan_for_a_later_truth_keeps_the_target_that_a_margin_set_by_the_first() -> None:
    arms = [{"label": "placebo", "control": True}, {"label": "low"}, {"label": "high"}]
    truths = [
        {"name": "first", "means": [0.2, 0.3, 0.4]},
        {"name": "higher", "means": [0.3, 0.6, 0.9]},
    ]
    study = make_study(arms=arms, truths=truths, margin=0.3, threshold=None)
    (found,) = plan(
        study, parse_wish("any_declared=0.5"), "n_max", truths=["higher"], work=Work(threads=1)
    )
    assert found.value is not None
    alone = one_design(study, study.designs[0], ["higher"])
    assert (alone.threshold, alone.margin) == (0.5, None)


def test_a_correct_list_that_frequent_errors_spoil_again_is_found_in_between() -> None:
    study = make_study(
        arms=[{"label": label} for label in "abcdef"],
        truths=[{"name": "t", "means": [0.45, 0.45, 0.45, 0.45, 0.45, 0.8]}],
        simulation={"runs": 1000, "n_max": 200, "seed": 1},
        designs=[
            {"name": "Fixed", "rule": "equal", "criterion": "exact",
             "criterion_parameters": {"looks": "end"}},
        ],
    )  # fmt: skip
    chances = [
        estimates(simulate(varied(study, {"delta": delta})), "correct_list")[0].chance
        for delta in (0.05, 0.3, 0.5)
    ]
    assert chances[1] > max(chances[0], chances[2])
    (found,) = plan(study, Wish("correct_list", chances[1]), "delta")
    assert found.value is not None
    assert 0.05 < found.value <= 0.3

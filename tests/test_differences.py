"""What changed between two studies is said in words, all of it and nothing else."""

from typing import Any

import pytest
from conftest import make_study
from fuzzing import BASES, all_leaves
from fuzzing import changed as another
from gai_app.run_names import run_name

from gai_core import Study, load_study
from gai_core.study import Design, changed, differences, study_or_problems, validated, varied

TOFACITINIB = load_study("tofacitinib")
CONDUCTED = load_study("tofacitinib-conduct")
TWO = [{"name": "HDoC", "rule": "hdoc"}, {"name": "Equal", "rule": "equal"}]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"delta": 0.05}, ["delta 0.1 → 0.05"]),
        ({"threshold": 0.55}, ["target 0.5 → 0.55"]),
        ({"title": "Another"}, ["now called Another"]),
        ({"notes": "x" * 5000}, ["notes changed"]),
        ({"estimand": {"population": "Adults"}}, ["estimand: population changed"]),
        (
            {"simulation": {"runs": 1000, "n_max": 2500, "seed": 3}},
            ["simulated trials 40 → 1,000", "largest sample size 2,000 → 2,500"],
        ),
        (
            {"truths": [{"name": "steep", "means": [0.2, 0.6, 0.75]}]},
            ["high: 0.8 → 0.75 under steep"],
        ),
        ({"truths": [{"name": "steep", "means": [0.3, 0.5, 0.7]}]}, ["3 means under steep"]),
        ({"designs": TWO}, ["design Equal added"]),
        ({"designs": [{"name": "A", "rule": "hdoc"}]}, ["design HDoC renamed A"]),
        ({"designs": [{"name": "HDoC", "rule": "hdoc", "burn_in": 7}]}, ["HDoC: burn in 5 → 7"]),
        (
            {"designs": [{"name": "HDoC", "rule": "lucb-g"}]},
            ["HDoC: allocation rule hdoc → lucb-g"],
        ),
        (
            {"arms": [{"label": "low", "control": True}, {"label": "middle"}, {"label": "high"}]},
            ["low: control no → yes"],
        ),
        (
            {
                "arms": [{"label": "low"}, {"label": "high"}],
                "truths": [{"name": "steep", "means": [0.2, 0.8]}],
            },
            ["dose arm middle removed"],
        ),
        (
            {"conduct": {"accrual": {"per_month": 10.0}}},
            ["run in time"],
        ),
    ],
)  # fmt: skip
def test_a_change_is_said_in_words(change: dict[str, Any], words: list[str]) -> None:
    assert differences(make_study(), make_study(**change)) == words


def test_looks_of_another_sort_are_said() -> None:
    def judged(**looks: Any) -> Study:
        design = {"name": "E", "rule": "equal", "criterion": "exact", "criterion_parameters": looks}
        return make_study(designs=[design])

    assert differences(judged(), judged(looks={"equal": 3})) == ["E: looks 1 → equal 3"]
    assert differences(judged(looks=[50, 90]), judged(looks="end")) == ["E: looks 50 and 90 → end"]


def test_the_same_study_has_no_differences() -> None:
    for study in (TOFACITINIB, CONDUCTED):
        assert differences(study, validated(study.model_dump(), "test")) == []


def test_taking_a_change_back_is_said_as_well() -> None:
    assert differences(make_study(designs=TWO), make_study()) == ["design Equal removed"]
    assert differences(CONDUCTED, CONDUCTED.model_copy(update={"conduct": None})) == [
        "no longer run in time"
    ]
    reversed_designs = make_study(designs=TWO[::-1])
    assert differences(make_study(designs=TWO), reversed_designs) == ["designs in another order"]


def test_what_varies_in_a_conduct_is_named_with_its_part() -> None:
    now = CONDUCTED.conduct
    assert now is not None
    faster = varied(CONDUCTED, {"accrual.per_month": now.accrual.per_month * 2})
    (words,) = differences(CONDUCTED, faster)
    assert words.startswith("accrual: per month ")


def test_every_single_field_of_a_study_is_compared() -> None:
    """Whatever number or text another study differs in, something is said."""
    differing, said = set(), set()
    for base in BASES.values():
        before = validated(base, "test")
        for place, values in all_leaves(base):
            field = tuple(step for step in place if isinstance(step, str))
            for value in values if field not in said else ():
                after = study_or_problems(another(base, {place: value}))
                if isinstance(after, Study) and after != before:
                    differing.add(field)
                    said |= {field} if differences(before, after) else set()
    assert said == differing
    numbers = {("delta",), ("simulation", "seed"), ("truths", "means"), ("designs", "burn_in")}
    assert said > numbers | {("conduct", "dropout", "probability"), ("outcome", "variance")}


def test_a_field_that_a_design_gets_is_compared_as_well() -> None:
    class Longer(Design):
        after_all: bool = False

    def with_field(value: bool) -> Study:
        design = Longer(name="HDoC", rule="hdoc", after_all=value)
        return make_study().model_copy(update={"designs": (design,)})

    assert differences(with_field(False), with_field(True)) == ["HDoC: after all no → yes"]


def test_runs_are_named_by_what_changed_and_long_lists_are_cut() -> None:
    first = make_study()
    assert run_name(1, first, None) == "Run 1: A small study"
    assert run_name(2, changed(first, delta=0.05), first) == "Run 2: delta 0.1 → 0.05"
    other = make_study(
        delta=0.2, threshold=0.4, notes="n", simulation={"runs": 50, "n_max": 90, "seed": 4}
    )
    assert run_name(3, other, first) == (
        "Run 3: notes changed; target 0.5 → 0.4; delta 0.1 → 0.2; 3 more"
    )
    assert run_name(4, first, first) == "Run 4: as before"

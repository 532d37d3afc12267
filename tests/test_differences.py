"""What changed between two studies is said in words, all of it and nothing else."""

from typing import Any

import pytest
from conftest import make_study
from gai_app.run_names import run_name

from gai_core import load_study
from gai_core.study import changed, differences, validated, varied

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


def test_every_single_number_of_a_study_is_compared() -> None:
    """Whatever field another study differs in, something is said."""
    for field, value in (
        ("delta", 0.01), ("threshold", 0.51), ("simulation.seed", 77),
        ("designs[0].burn_in", 9), ("truths[0].means[1]", 0.123),
    ):  # fmt: skip
        assert len(differences(TOFACITINIB, varied(TOFACITINIB, {field: value}))) >= 1


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

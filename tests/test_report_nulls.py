"""The table of errors over a grid of nulls: a row's chance is that of the means that it names."""

import re
from typing import Any

import pytest
from conducted import FIXED, HDOC, SCORE, USUAL, conducted_study
from test_pairs import against_control
from test_report_words import part_of

from gai_core import Study, simulate
from gai_core.report.content import Paragraph, Table
from gai_core.report.findings import errors_section
from gai_core.report.subject import Subject
from gai_core.results import quantities_of
from gai_core.results.quantities import judged
from gai_core.study import changed, validated
from gai_core.theory import error_bounds

STEPPING: dict[str, Any] = {
    "name": "Step-down", "rule": "hdoc", "criterion": "exact", "burn_in": 3,
    "criterion_parameters": {"share": "step-down"},
}  # fmt: skip
RATES: dict[str, Any] = {"delta": None, "errors": {"declare": 0.1, "drop": 0.2}}
RATE: dict[str, Any] = {"outcome": {"kind": "bernoulli"}}
UNKNOWN: dict[str, Any] = {"kind": "gaussian", "variance": "unknown"}


def with_dropout(counted: str, *, in_means: bool, **more: Any) -> dict[str, Any]:
    return {
        **USUAL,
        "dropout": {"probability": 0.1, "counted": counted, "in_means": in_means, **more},
    }


def few(conduct: dict[str, Any] | None = None, **changes: Any) -> Study:
    truths = [{"name": "hoped", "means": [0.2, 0.45, 0.6, 0.75]}]
    start: dict[str, Any] = {"truths": truths, "designs": [STEPPING, FIXED], **RATES}
    return changed(conducted_study(conduct, **start | changes), runs=2)


def rows_of(study: Study) -> dict[str, tuple[str, ...]]:
    (table,) = (
        block for block in errors_section(Subject(simulate(study))).blocks
        if isinstance(block, Table)
    )  # fmt: skip
    assert table.columns == ("if", *(design.name for design in study.designs))
    return {words: cells for words, *cells in table.rows}  # type: ignore[misc]


def below(words: str) -> float:
    found = re.fullmatch(r"every dose ([\d.]+) below the target", words)
    assert found is not None, words
    return float(found[1])


def at(study: Study, stated: float) -> Study:
    """The study with every dose at a stated mean."""
    data, first = study.model_dump(), study.truths[0]
    means = [first.means[i] if i == study.set_apart else stated for i in range(len(study.arms))]
    return validated(data | {"truths": [data["truths"][0] | {"means": means}]}, "null")


def percent(chance: float) -> str:
    return "< 0.001%" if chance < 1e-5 else f"{100 * chance:.3g}%"


OF_THE_STATED = {
    "no dropout": (None, 1.0),
    "left out, in the means": (with_dropout("left out", in_means=True), 1 / 0.9),
    "left out, not in the means": (with_dropout("left out", in_means=False), 1.0),
    "non-response, in the means": (with_dropout("non-response", in_means=True), 1.0),
    "non-response, not in the means": (with_dropout("non-response", in_means=False), 0.9),
}
"""What a stated mean of 1 becomes in the mean that a verdict is about."""


@pytest.mark.parametrize(("conduct", "becomes"), OF_THE_STATED.values(), ids=OF_THE_STATED)
def test_a_rows_doses_are_as_far_below_the_target_as_it_says(
    conduct: dict[str, Any] | None, becomes: float
) -> None:
    study = few(conduct if conduct is not None else {"control_share": 0.25})
    first, *rows = rows_of(study).items()
    assert first[0] == "every dose just below the target"
    assert [below(words) for words, _ in rows] == [0.02, 0.05, 0.1]
    chances = [float(cells[0].strip("<% ")) for _, cells in (first, *rows)]
    assert chances == sorted(set(chances), reverse=True)
    for words, cells in rows:
        null = at(study, (0.4 - below(words)) / becomes)
        doses = null.expected(null.truths[0])[1:]
        assert doses == pytest.approx([0.4 - below(words)] * 3, abs=1e-9)
        exact = [error_bounds(null, design, null.truths[0])[0] for design in null.designs]
        assert [*cells] == [percent(chance) for chance in exact]


def test_a_row_of_a_fixed_design_is_what_simulated_trials_declare() -> None:
    study = few(with_dropout("non-response", in_means=False), designs=[FIXED])
    cell = rows_of(study)["every dose 0.02 below the target"][0]
    null = changed(at(study, 0.38 / 0.9), runs=4000)
    seen, mcse = quantities_of(null)["false_declaration"].summary(
        judged(simulate(null), null.truths[0].name, "Fixed")
    )
    assert abs(seen - float(cell.strip("%")) / 100) < 4 * mcse
    assert 0.02 < seen < 0.1


def test_rows_are_about_outcomes_as_the_designs_assume_them() -> None:
    """Whatever the first truth has in their place: a variance, a trend, dropouts with a bias."""
    moving = [{"name": "hoped", "means": [0.2, 0.45, 0.6, 0.75], "trend": 0.01}]
    assert rows_of(few(truths=moving)) == rows_of(few())
    scores = few({"control_share": 0.25}, outcome=SCORE)
    wide = [{"name": "wide", "means": [0.2, 0.45, 0.6, 0.75], "variance": 2.5}]
    rows = rows_of(few({"control_share": 0.25}, outcome=SCORE, truths=wide))
    assert [below(words) for words in [*rows][1:]] == [0.05, 0.125, 0.25]
    assert rows == rows_of(scores)
    biased = few(with_dropout("left out", in_means=False, probability_on_target=0.3))
    baseline = few(with_dropout("baseline", in_means=False), outcome=SCORE)
    for study in (biased, baseline):  # each row has its own mean, not the target for all
        assert not study.as_assumed(study.truths[0])
        chances = [cells[0] for cells in rows_of(study).values()]
        assert len({*chances}) == len(chances)


def test_a_row_that_no_dose_can_be_in_is_left_out() -> None:
    low = few({"control_share": 0.25}, threshold=0.05)
    assert [below(words) for words in [*rows_of(low)][1:]] == [0.02]
    lost = few(with_dropout("non-response", in_means=False), threshold=0.93)
    assert [below(words) for words in [*rows_of(lost)][1:]] == [0.05, 0.1]
    kept = few(with_dropout("left out", in_means=False), threshold=0.93)
    assert [below(words) for words in [*rows_of(kept)][1:]] == [0.02, 0.05, 0.1]


def test_where_the_variance_is_unknown_a_row_counts_standard_deviations() -> None:
    """So the row is true whichever variance an assumption has."""
    found = []
    for variance in (0.25, 4.0):
        truths = [{"name": "hoped", "means": [0.2, 0.45, 0.6, 0.75], "variance": variance}]
        study = few({"control_share": 0.25}, outcome=UNKNOWN, truths=truths, designs=[FIXED])
        rows = rows_of(study)
        (words,) = [*rows][1:]
        assert words == "every dose 0.25 standard deviations of an outcome below the target"
        null = at(study, 0.4 - 0.25 * variance**0.5)
        assert rows[words][0] == percent(error_bounds(null, null.designs[0], null.truths[0])[0])
        found.append(rows)
    assert found[0] == found[1]


def test_rows_against_the_control_say_where_it_is_and_count_from_there() -> None:
    target = {"over": "control", "margin": 0.1, "evidence": "differences"}
    study = changed(against_control(target=target, dropout=OF_DROPOUT), runs=2)
    subject = Subject(simulate(study))
    (text,) = (b.text for b in errors_section(subject).blocks if isinstance(b, Paragraph))
    control = study.control_mean(study.truths[0])
    assert control == pytest.approx(0.16)
    assert f"placebo has its mean under “clear”, {control:g}." in text
    for words, cells in [*rows_of(study).items()][1:]:
        null = at(study, (0.26 - below(words)) / 0.8)
        assert cells[0] == percent(error_bounds(null, null.designs[0], null.truths[0])[0])


def test_where_no_row_is_below_the_target_no_control_is_named() -> None:
    truths = [{"name": "clear", "means": [0.2, 0.01, 0.6, 0.9]}]
    study = changed(against_control(RATE | {"truths": truths}), runs=2)
    assert [*rows_of(study)] == ["every dose at the target"]
    assert "Below the target" not in " ".join(part_of(Subject(simulate(study)), "errors"))


OF_DROPOUT = {"probability": 0.2, "counted": "non-response", "in_means": False}
LOOKING = {
    "any": ([HDOC], "looked at whenever its limits allow"),
    "both": ([HDOC, FIXED], "looked at whenever its limits allow (with Fixed: once, at the end)"),
    "end": ([FIXED], "looked at once, at the end"),
}


@pytest.mark.parametrize(("designs", "words"), LOOKING.values(), ids=LOOKING)
def test_exact_errors_are_said_to_be_for_the_looks_of_their_designs(
    designs: list[dict[str, Any]], words: str
) -> None:
    subject = Subject(simulate(few({"control_share": 0.25}, designs=designs)))
    for part in ("multiplicity", "errors"):
        said = " ".join(part_of(subject, part))
        assert re.search(re.escape(words) + "[;,] and", said), said
        assert "after every outcome" not in said


def test_where_outcomes_may_be_missing_the_last_look_has_the_number_that_errs_most() -> None:
    study = few(with_dropout("left out", in_means=False), designs=[FIXED])
    said = " ".join(part_of(Subject(simulate(study)), "errors"))
    assert "looked at once, at the end, with the number of outcomes that errs most, and" in said

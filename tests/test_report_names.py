"""A report calls everything by the name that the study gives it, whatever words that contains."""

from typing import Any

import pytest
from conducted import FIXED, USUAL, conducted_study
from reports import blocks, texts

from gai_core import Runs, simulate
from gai_core.report import Report, build_report
from gai_core.report.content import Paragraph, Table
from gai_core.study import in_words

ARMS = ["n_max placebo, which may drop out", "n_max mg", "{n_max} mg", "up to n_max"]
TRUTHS = ["n_max truth", "run to n_max"]
DESIGNS = ["HDoC n_max", "n_max"]
DROPOUT = {"probability": 0.1, "counted": "non-response", "in_means": True}
NAMES = sorted([*ARMS, *TRUTHS, *DESIGNS], key=len, reverse=True)


@pytest.fixture(scope="module")
def runs() -> Runs:
    changes: dict[str, Any] = {
        "arms": [{"label": label, "control": label == ARMS[0]} for label in ARMS],
        "truths": [
            {"name": TRUTHS[0], "means": [0.2, 0.1, 0.7, 0.85]},
            {"name": TRUTHS[1], "means": [0.2, 0.4, 0.45, 0.5]},  # a dose at the target
        ],
        "designs": [
            {"name": DESIGNS[0], "rule": "hdoc", "criterion": "exact", "burn_in": 3},
            FIXED | {"name": DESIGNS[1]},
        ],
        "simulation": {"runs": 20, "n_max": 80, "seed": 5},
    }
    return simulate(conducted_study(USUAL | {"dropout": DROPOUT}, **changes))


@pytest.fixture(scope="module")
def report(runs: Runs) -> Report:
    return build_report(runs, full=True)


def test_names_are_as_the_study_has_them(report: Report) -> None:
    tables = [block for block in report.blocks if isinstance(block, Table)]
    (considered,) = (table for table in tables if table.caption == "Designs considered")
    assert [row[0] for row in considered.rows] == DESIGNS
    said = "\n".join(texts(report))
    for name in NAMES:
        assert name in said
    for name in (ARMS[0], ARMS[1], TRUTHS[0], DESIGNS[0]):  # the others would be our own words
        assert name.replace("n_max", "the largest sample size") not in said


def test_beside_names_a_report_has_no_name_of_study_files(report: Report) -> None:
    said = []
    for text in texts(report):
        for name in NAMES:
            text = text.replace(name, "")
        said.append(text)
        assert "n_max" not in "".join(text.split("`")[::2])
    everything = "\n".join(said)
    assert "curves were made for (the largest sample size, or less)" in everything
    assert "up to the largest sample size" in everything


def test_the_estimand_has_the_sentence_about_dropout_and_no_other(
    runs: Runs, report: Report
) -> None:
    """Also where an arm is called so that its sentence reads like it."""
    (said,) = (
        block.text
        for block in blocks(report, "Estimand and intercurrent events")
        if isinstance(block, Paragraph)
    )
    assert said.endswith(
        "Simulated as an intercurrent event: 10% of the patients drop out and count as "
        "non-responders; the stated means contain dropouts counted as zero."
    )
    assert sum("drop out" in sentence for sentence in in_words(runs.study)) > 1

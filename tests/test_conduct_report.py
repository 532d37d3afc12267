"""Reports of conducted studies: how the trial is run and what comes when, in every format."""

import re
from typing import Any

import numpy as np
import pytest
from conducted import FIXED, HDOC, SCORE, USUAL, conducted_study, without_conduct
from reports import Page, blocks, squeezed, text_of, texts
from reports import in_words as found_in_words

from gai_core import Runs, Study, bounds, characteristics, load_study, simulate
from gai_core.report import FORMATS, Report, build_report
from gai_core.report.content import Bullets, Numbered, Picture, Table
from gai_core.report.tables import TABLE_FORMATS
from gai_core.results.month_data import month_curves, month_table
from gai_core.results.summary import Values, headline, months_table
from gai_core.study.changing import changed
from gai_core.study.conduct_words import in_words

HOSTILE = ["<b>placebo</b> & $x$ #1 % _", "用量 \\end{x}", "a | b * c", "'\"`{0}` L" + "x" * 100]
NEAR = {"name": "near", "means": [0.2, 0.4, 0.45, 0.5]}
STUDIES: dict[str, dict[str, Any]] = {
    "hostile labels": {
        "arms": [{"label": label, "control": i == 0} for i, label in enumerate(HOSTILE)],
        "title": "Title <script>alert(1)</script> & 日本語 $x$",
        "designs": [HDOC | {"name": "A <script> & 設計 $q$"}, FIXED],
        "truths": [{"name": "公表 <i> %", "means": [0.2, 0.1, 0.75, 0.95]}],
    },
    "one run": {"simulation": {"runs": 1, "n_max": 60, "seed": 1}, "truths": [NEAR]},
    "everything censored": {"delta": 1e-30, "designs": [HDOC], "truths": [NEAR]},
    "nothing declared": {"truths": [{"name": "null", "means": [0.1, 0.05, 0.1, 0.05]}]},
    "scores with a trend, all at once": {
        "outcome": SCORE,
        "truths": [{"name": "rising", "means": [0.1, 0.3, 0.5, 0.7], "trend": 0.01,
                    "variance": 0.3}],
        "conduct": {
            "accrual": {"per_month": 30.0, "pattern": "poisson", "ramp_up": 2.0},
            "delay": {"weeks": 10.0, "pattern": "lognormal", "spread": 5.0},
            "looks": {"at": [30, 60]}, "wanted": 1, "control_share": 0.3,
            "randomisation": {"kind": "softened"},
            "dropout": {"probability": 0.2, "probability_on_target": 0.1, "counted": "left out",
                        "in_means": False},
        },
        "designs": [HDOC],
    },
}  # fmt: skip
RANDOMISATION = "Randomisation and conduct"
NOTHING = re.compile(r"\b(nan|inf|None)\b")


@pytest.fixture(scope="module", params=STUDIES)
def runs(request: pytest.FixtureRequest) -> Runs:
    return simulate(conducted_study(**STUDIES[request.param]))


@pytest.fixture(scope="module")
def report(runs: Runs) -> Report:
    return build_report(runs, date="2026-01-31", full=True)


def number_of(report: Report) -> str:
    """The number of the section about the conduct."""
    (number,) = [number for number, part in report.numbered if part.title == RANDOMISATION]
    return number


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_says_how_the_trial_is_run(runs: Runs, report: Report, ending: str) -> None:
    plain = text_of(ending, FORMATS[ending].write(report))
    text = squeezed(plain)
    study, values = runs.study, Values(characteristics(runs))
    assert squeezed(f"{number_of(report)} {RANDOMISATION}") in text
    for sentence in in_words(study):
        assert squeezed(sentence) in text, sentence
    shown = 0
    for truth in study.truths:
        words = month_table(month_curves(runs, truth.name))
        for table in (months_table(study, truth, values), words):
            for cell in (*table.columns, *(cell for row in table.rows for cell in row)):
                assert squeezed(cell) in text, cell
                shown += any(char.isdigit() for char in cell)
        for what in ("declared a dose by month", "enrolled by month", "verdict by month"):
            assert squeezed(what) in text
    assert shown > 8
    assert not NOTHING.search(plain)
    for label in (study.title, *(arm.label for arm in study.arms)):
        assert squeezed(label) in text, label


def test_the_page_runs_no_script(report: Report) -> None:
    page = Page(FORMATS[".html"].write(report).decode())
    assert "script" not in page.tags
    pictures = sum(isinstance(block, Picture) for block in blocks(report))
    assert page.tags.count("img") == pictures


def test_no_sentence_and_no_cell_is_without_its_number(report: Report) -> None:
    found = list(texts(report))
    assert len(found) > 100
    assert not [text for text in found if NOTHING.search(text)]


def test_every_truth_has_its_months(runs: Runs, report: Report) -> None:
    figures, study = blocks(report, "Figures"), runs.study
    for truth in study.truths:
        pictured = [block for block in figures if isinstance(block, Picture | Table)]
        mine = [block for block in pictured if block.caption.startswith(f"{truth.name}: ")]
        by_month = [
            block
            for block in mine
            if "by month" in block.caption and "enrolled" not in block.caption
        ]
        assert [type(block) for block in by_month] == [Picture, Table, Picture]
    enrolled = [b for b in figures if isinstance(b, Picture) and "enrolled by month" in b.caption]
    assert 1 <= len(enrolled) <= len(study.truths)
    assert all(any(truth.name in b.caption for b in enrolled) for truth in study.truths)
    results = blocks(report, "All operating characteristics")
    captions = [block.caption for block in results if isinstance(block, Table)]
    assert sum("months until" in caption for caption in captions) == len(study.truths)
    compared = [b.caption for b in blocks(report, "Paired comparison") if isinstance(b, Table)]
    assert any("months until the last outcome" in caption for caption in compared)
    assert any("share of the patients on good doses" in caption for caption in compared)


def test_the_checklist_points_to_the_conduct(report: Report) -> None:
    (table,) = [block for block in blocks(report, "Checklist") if isinstance(block, Table)]
    (row,) = [row for row in table.rows if "accrual, delay" in row[0]]
    assert Numbered(report).words(row[2]) == f"section {number_of(report)}, {RANDOMISATION}"


def test_what_is_modelled_is_no_limitation(runs: Runs, report: Report) -> None:
    (bullets,) = [block for block in blocks(report, "Limitations") if isinstance(block, Bullets)]
    text = " ".join(bullets.items)
    assert "are not modelled" not in text
    assert "No patient drops out" not in text
    assert ("no time trend" in text) is not any(truth.trend for truth in runs.study.truths)


def test_another_variance_of_a_truth_is_said() -> None:
    assumed = {"name": "as assumed", "means": [0.3] * 4}
    wider = {"name": "wider", "means": [0.3] * 4, "variance": 0.5}
    truths = [assumed, wider, wider | {"name": "wide"}]
    runs = simulate(conducted_study({}, outcome=SCORE, truths=truths, designs=[HDOC]))
    text = " ".join(texts(build_report(runs)))
    said = "One patient's outcome is normal with variance 0.25, 0.5 under “wider” and “wide”."
    assert said in text


def test_examples_count_outcomes_and_give_months(runs: Runs, report: Report) -> None:
    examples = blocks(report, "Example trials")
    for table in (block for block in examples if isinstance(block, Table)):
        assert table.columns == ("arm", "patients", "outcomes", "mean outcome")
        for _, patients, outcomes, _ in table.rows:
            assert int(outcomes) <= int(patients)
    verdicts = [item for block in examples if isinstance(block, Bullets) for item in block.items]
    assert all(", in month " in item for item in verdicts)
    control = runs.study.arms[0].label
    assert not any(control in item for item in verdicts)


def test_the_summary_names_months_where_a_dose_is_declared() -> None:
    runs = simulate(conducted_study())
    text = found_in_words(build_report(runs))[1]
    values = Values(characteristics(runs))
    fewest = "declares a dose with the fewest patients"
    best = next(name for name in ("HDoC", "Fixed") if f"{name} {fewest}" in text)
    trials = runs["clear", best]
    assert trials.calendar is not None
    month = np.nanmin(np.where(trials.verdict == 1, trials.calendar.month, np.nan), axis=1).mean()
    end, _ = values("clear", best, "months_end", "mean")
    assert f"the first declaration is in month {month:.1f} ± " in text
    assert f"the last outcome is in month {end:.1f} ± " in text


def test_the_fewest_patients_are_not_called_the_soonest() -> None:
    """All are enrolled before any outcome is known; Fixed, at its one look, has one fewer."""
    nearest = {"name": "Nearest", "rule": "nearest-finish", "criterion": "exact"}
    study = conducted_study(
        {"accrual": {"per_month": 30.0}, "delay": {"weeks": 60.0}},
        designs=[FIXED, nearest],
        judge_control=False,
        wanted=3,
        truths=[{"name": "clear", "means": [0.2, 0.1, 0.75, 0.95]}],
        simulation={"runs": 40, "n_max": 100, "seed": 5},
    )
    runs = simulate(study)
    values = Values(characteristics(runs))
    month = {
        name: values("clear", name, "months_first_declaration", "mean")[0]
        for name in ("Fixed", "Nearest")
    }
    assert month["Nearest"] < month["Fixed"]
    text = " ".join(found_in_words(build_report(runs)))
    assert "Fixed declares a dose with the fewest patients: in " in text
    assert "soonest" not in text


def test_a_plain_study_has_no_conduct_and_no_months() -> None:
    runs = simulate(without_conduct(conducted_study()))
    report = build_report(runs)
    said = "The study states no conduct: patients are simulated one at a time"
    assert any(said in text for text in texts(report))
    shown = [text for text in texts(report) if re.search(r"\bmonths? ", text)]
    assert not [text for text in shown if re.search(r"\d", text)]
    assert "are not modelled" in " ".join(texts(report))
    study, values = runs.study, Values(characteristics(runs))
    assert not any("month" in column for column in headline(study, study.truths[0], values).columns)
    for style in ("md", "latex"):
        assert "month" not in TABLE_FORMATS[style].write(
            study, characteristics(runs), bounds(study)
        )


@pytest.mark.parametrize("style", TABLE_FORMATS)
def test_tables_for_a_paper_have_months(style: str) -> None:
    runs = simulate(conducted_study())
    text = TABLE_FORMATS[style].write(runs.study, characteristics(runs), bounds(runs.study))
    assert ("months_tau_1" if style == "csv" else "months until each declaration") in text
    if style != "csv":
        assert not NOTHING.search(text)


def test_the_shipped_study_with_a_conduct_has_a_report() -> None:
    study: Study = changed(load_study("tofacitinib-conduct"), runs=10)
    report = build_report(simulate(study), date="2026-01-31")
    (bullets,) = [
        block for block in blocks(report, "Randomisation and conduct") if isinstance(block, Bullets)
    ]
    assert bullets.items == tuple(in_words(study))
    assert "placebo has 18% of all patients and gets no verdict." in bullets.items
    assert study.conduct is not None
    assert study.conduct.cohort != USUAL["cohort"]

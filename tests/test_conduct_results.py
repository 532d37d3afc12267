"""Months and pipelines of conducted trials: by hand, and by slow counts over the trials."""

import math
import re
from typing import Any

import numpy as np
import pytest
from conducted import HDOC, USUAL, conducted_study, never_deciding, without_conduct

from gai_core import Runs, Study, bounds, characteristics, paired_differences, simulate
from gai_core.engine.trials import Calendar, Trials
from gai_core.evidence import BAD, GOOD, NO_CANDIDATE, UNDECIDED
from gai_core.results.comparison import (
    compare,
    comparison_table,
    differences_table,
    values_table,
)
from gai_core.results.figure_data import dose_patients, time_boxes, verdict_shares
from gai_core.results.quantities import Judged, comparable, quantities_of
from gai_core.results.summary import Values, headline, months_table, truth_tables
from gai_core.results.tidy import table_rows
from gai_core.results.timing import candidates, finished, months, times, waiting

N = math.nan
NOTHING = re.compile(r"\b(nan|inf)\b|± –", re.IGNORECASE)


@pytest.fixture(scope="module")
def runs() -> Runs:
    return simulate(conducted_study())


@pytest.fixture(scope="module")
def values(runs: Runs) -> Values:
    return Values(characteristics(runs))


# --- by hand ----------------------------------------------------------------------------------

CALENDAR = Calendar(
    seen=np.array([[18, 19, 30, 20], [9, 25, 30, 8], [5, 6, 9, 9], [30, 29, 28, 27]], np.int32),
    month=np.array([[N, 3, 6, 4.5], [N, 5, N, 2], [N, 1, 2.5, 4], [N, N, N, N]]),
    waiting=np.array([[0, 5, 7, 6], [0, 3, 0, 9], [0, 9, 8, 7], [0, 0, 0, 0]], np.int32),
    enrolment=np.array([6.2, 9.0, 4.0, 12.0]),
    end=np.array([8.0, 10.5, 4.75, 13.0]),
    pipeline=np.array([4, 8, 7, 6], np.int32),
)
FOUR = Trials(
    # two declared | one declared, one open | all dropped | nothing settled; the control is apart
    verdict=np.array([[2, 1, -1, 1], [2, 1, 0, -1], [2, -1, -1, -1], [2, 0, 0, 0]], np.int8),
    decided=np.array([[0, 30, 60, 45], [0, 50, 0, 20], [0, 10, 25, 40], [0, 0, 0, 0]], np.int32),
    assigned=np.array(
        [[20, 20, 30, 20], [10, 30, 40, 10], [10, 10, 10, 10], [30, 30, 30, 30]], np.int32
    ),
    sums=np.zeros((4, 4), np.int32),
    calendar=CALENDAR,
)
JUDGED = Judged(FOUR, (False, True, False, True), n_max=120)


@pytest.fixture(scope="module")
def counted() -> Values:
    study = conducted_study(
        simulation={"runs": 4, "n_max": 120},
        truths=[{"name": "t", "means": [0.2, 0.9, 0.1, 0.9]}],
        designs=[HDOC],
    )
    return Values(characteristics(Runs(study, {("t", "HDoC"): FOUR})))


def of(values: Values, quantity: str, statistic: str, arm: str = "") -> float:
    return values("t", "HDoC", quantity, statistic, arm)[0]


def test_months_follow_the_definition_of_times() -> None:
    found = months(FOUR, CALENDAR)
    assert {
        name: (time.values.tolist(), time.reached.tolist()) for name, time in found.items()
    } == {
        # The third trial ends with fewer declarations, when its last dose is dropped.
        "months_tau_1": ([3, 5, 4, 13], [True, True, True, False]),
        "months_tau_2": ([4.5, 10.5, 4, 13], [True, False, True, False]),
        "months_tau_3": ([6, 10.5, 4, 13], [True, False, True, False]),
        "months_tau_stop": ([6, 10.5, 4, 13], [True, False, True, False]),
    }


def test_months_and_patients_are_reached_by_the_same_trials() -> None:
    in_patients = times(FOUR, n_max=120)
    for name, time in months(FOUR, CALENDAR).items():
        assert time.reached.tolist() == in_patients[name.removeprefix("months_")].reached.tolist()
    assert in_patients["tau_1"].values.tolist() == [30, 50, 40, 120]


def test_who_waits_at_a_declaration() -> None:
    found = waiting(FOUR, CALENDAR)
    assert {name: time.reached.tolist() for name, time in found.items()} == {
        "waiting_1": [True, True, False, False],
        "waiting_2": [True, False, False, False],
        "waiting_3": [False] * 4,
    }
    assert found["waiting_1"].values.tolist() == [5, 3, 0, 0]
    assert found["waiting_2"].values.tolist() == [6, 0, 0, 0]


def test_what_every_trial_has() -> None:
    expected = {
        "months_enrolment": [6.2, 9.0, 4.0, 12.0],
        "months_end": [8.0, 10.5, 4.75, 13.0],
        "pipeline": [4, 8, 7, 6],
        "share_on_good": [40 / 90, 40 / 90, 20 / 40, 60 / 120],
    }
    known = quantities_of(conducted_study())
    assert {key: known[key].value(JUDGED).tolist() for key in expected} == expected


def test_a_control_set_apart_is_neither_declared_nor_left_undecided(counted: Values) -> None:
    assert candidates(FOUR) == 3
    assert finished(FOUR).tolist() == [True, False, True, False]
    known = quantities_of(conducted_study())
    assert known["correct_list"].value(JUDGED).tolist() == [True, False, False, False]
    assert known["any_error"].value(JUDGED).tolist() == [False, True, True, False]
    assert of(counted, "assigned", "mean", "placebo") == 17.5
    for verdict in ("good", "bad", "undecided"):
        with pytest.raises(KeyError):
            counted("t", "HDoC", verdict, "probability", "placebo")
    assert of(counted, "undecided", "probability", "middle") == 0.5


def test_the_table_is_what_counting_gives(counted: Values) -> None:
    assert of(counted, "months_tau_1", "mean") == pytest.approx(4)
    assert of(counted, "months_tau_1", "restricted_mean") == pytest.approx(25 / 4)
    assert of(counted, "months_tau_1", "reached") == 0.75
    assert of(counted, "months_tau_1", "q50") == 4
    assert of(counted, "months_tau_1", "q90") == math.inf
    assert of(counted, "waiting_1", "mean") == 4
    assert of(counted, "waiting_1", "restricted_mean") == 2
    assert math.isnan(of(counted, "waiting_3", "mean"))
    assert of(counted, "pipeline", "mean") == 6.25
    assert of(counted, "months_end", "mean") == pytest.approx(36.25 / 4)
    assert of(counted, "outcomes", "mean", "placebo") == 62 / 4
    assert of(counted, "outcomes", "q10", "high") == 8


# --- against the trials -----------------------------------------------------------------------

SHAPES: dict[str, dict[str, Any]] = {
    "the control apart": {},
    "the control a candidate": {"conduct": {"delay": {"weeks": 8.0}}},
    "no control": {"conduct": {}, "arms": [{"label": str(i)} for i in range(4)]},
    "nothing decided": {"delta": 1e-30},
    "one run": {"simulation": {"runs": 1, "n_max": 60, "seed": 1}},
    "plain": {"conduct": None},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_size_of_the_table_is_known_before(shape: str) -> None:
    found = simulate(Study.model_validate(conducted_study().model_dump() | SHAPES[shape]))
    table = characteristics(found)
    assert len(table) == table_rows(found.study)
    assert not table.duplicated(["truth", "design", "quantity", "arm", "statistic"]).any()
    assert ("months_end" in set(table.quantity)) is (found.study.conduct is not None)


def test_the_simulated_trials_add_up(runs: Runs, values: Values) -> None:
    for (truth, design), block in runs.trials.items():
        calendar, place = block.calendar, (truth, design)
        assert calendar is not None
        assert (block.verdict[:, 0] == NO_CANDIDATE).all()
        # One of every four; where enrolment ended within a cohort it may have had its place or not.
        cohorts, others = block.patients // 4, block.patients % 4
        assert np.isin(block.assigned[:, 0] - cohorts, [0, 1]).all()
        assert (block.assigned[:, 0] == cohorts)[others == 0].all()
        assert np.array_equal(calendar.seen, block.assigned)  # dropouts count as non-responders
        given = np.isin(block.verdict, [GOOD, BAD])
        assert np.array_equal(given, ~np.isnan(calendar.month))
        assert (calendar.enrolment <= calendar.end).all()
        delay = USUAL["delay"]["weeks"] / (365.25 / 84)
        assert calendar.end - calendar.enrolment == pytest.approx(np.full(40, delay))
        good = np.array(runs.study.good(runs.study.truth(truth)))
        shares = [row[good].sum() / row.sum() for row in block.assigned]
        assert values(*place, "share_on_good", "mean")[0] == pytest.approx(np.mean(shares))
        assert values(*place, "pipeline", "mean")[0] == pytest.approx(calendar.pipeline.mean())
        for arm, dose in enumerate(runs.study.arms):
            outcomes = values(*place, "outcomes", "mean", dose.label)[0]
            assert outcomes == pytest.approx(calendar.seen[:, arm].mean())


def first_declaration(block: Trials, replicate: int) -> float:
    """Month of the first declaration, or of the last verdict; without one, the end."""
    assert block.calendar is not None
    verdicts, month = block.verdict[replicate].tolist(), block.calendar.month[replicate].tolist()
    declared = [m for m, verdict in zip(month, verdicts, strict=True) if verdict == GOOD]
    if declared:
        return float(min(declared))
    if UNDECIDED not in verdicts:
        return float(np.nanmax(month))
    return float(block.calendar.end[replicate])


def test_designs_are_compared_trial_by_trial(runs: Runs) -> None:
    differences = paired_differences(runs, "HDoC", "Fixed").set_index(["truth", "quantity"])
    spread = 0.0
    for truth in ("clear", "near"):
        ours, theirs = runs[truth, "HDoC"], runs[truth, "Fixed"]
        by_hand = [first_declaration(ours, i) - first_declaration(theirs, i) for i in range(40)]
        row = differences.loc[truth, "months_tau_1"]
        assert row.value == pytest.approx(np.mean(by_hand))
        assert row.mcse == pytest.approx(np.std(by_hand, ddof=1) / math.sqrt(40))
        assert row.statistic == "restricted_mean"
        assert ours.calendar is not None
        assert theirs.calendar is not None
        ends = ours.calendar.end - theirs.calendar.end
        assert differences.loc[truth, "months_end"].value == pytest.approx(ends.mean())
        spread += row.mcse
    assert spread > 0
    same = paired_differences(runs, "Fixed", "Fixed")
    assert same.value.eq(0).all()
    assert set(comparable(runs.study)) <= set(same.quantity)


def test_every_comparison_can_be_shown(runs: Runs, values: Values) -> None:
    study = runs.study
    quantities = comparable(study)
    assert {"months_tau_1", "months_end", "pipeline", "share_on_good"} <= set(quantities)
    for quantity in quantities:
        compared = compare(runs, values, "Fixed", quantity)
        for row in compared.itertuples():
            value = values(row.truth, row.design, quantity, quantities[quantity].kind.compared_by)
            assert (row.value, row.mcse) == value
        theirs = compared[compared.design == "Fixed"]
        assert (theirs.difference == 0).all()
        for words in (
            comparison_table(study, compared, quantity),
            differences_table(study, compared, quantity),
            values_table(study, compared, quantity),
        ):
            assert quantities[quantity].label in words.title
            assert [row[0] for row in words.rows] == ["HDoC", "Fixed"]
            assert not any(NOTHING.search(cell) for row in words.rows for cell in row)


def test_a_plain_study_is_not_compared_by_months() -> None:
    compared = comparable(conducted_study())
    plain = comparable(without_conduct(conducted_study()))
    in_time = {key for key, quantity in compared.items() if quantity.conducted}
    assert set(compared) - set(plain) == in_time > {"months_tau_1", "months_end", "pipeline"}


# --- tables of words --------------------------------------------------------------------------

ENDINGS: dict[str, dict[str, Any]] = {
    "usual": {},
    "one run": {"simulation": {"runs": 1, "n_max": 60, "seed": 1}},
    "everything censored": {"delta": 1e-30, "designs": [HDOC]},
    "no good dose": {"truths": [{"name": "null", "means": [0.2, 0.2, 0.2, 0.2]}]},
    "scores": {
        "outcome": {"kind": "gaussian", "variance": 0.25},
        "conduct": {"delay": {"weeks": 60.0}, "control_share": 0.4},
    },
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_tables_of_words_have_months_and_words_for_no_number(ending: str) -> None:
    study = conducted_study(**ENDINGS[ending])
    found = Values(characteristics(simulate(study)))
    for truth in study.truths:
        words = truth_tables(study, truth, found, bounds(study))
        assert len(words) == 4 + any(study.good(truth))  # with a good dose: which one was found
        assert "months until" in words[1].title
        glance = headline(study, truth, found)
        assert {"months until the last outcome", "any wrong verdict"} <= set(glance.columns)
        for table in (*words, glance):
            for row in table.rows:
                assert len(row) == len(table.columns)
                assert not NOTHING.search(" ".join(row)), table.title
        assert words[-1].rows[0][0] == "placebo"
        assert all(cell.startswith("control, ") for cell in words[-1].rows[0][2:])


def test_what_was_never_reached_is_said_in_words() -> None:
    study = never_deciding()
    found = simulate(study)
    assert not np.isin(found["near", "HDoC"].verdict, [GOOD, BAD]).any()
    table = months_table(study, study.truths[0], Values(characteristics(found)))
    (row,) = table.rows
    assert row[1:4] == ["not reached"] * 3  # two good doses, and the last verdict
    assert row[4] == "12.0 ± 0"  # 120 patients, ten a month
    assert row[5] == "13.8 ± 0"  # and eight weeks more


def test_figures_leave_the_control_out_of_verdicts_but_count_its_patients(
    runs: Runs, values: Values
) -> None:
    study, truth = runs.study, runs.study.truths[0]
    for shares in verdict_shares(study, truth, values):
        assert shares.labels == ["low", "middle", "high"]
        sums = [sum(kind) for kind in zip(*shares.shares.values(), strict=True)]
        assert sums == pytest.approx([1, 1, 1])
    for patients in dose_patients(study, truth, values):
        assert patients.labels[0] == "placebo"
        block = runs["clear", patients.design]
        assert patients.mean == pytest.approx(block.assigned.mean(axis=0).tolist())
    boxes = time_boxes(study, truth, values, months=True)
    assert {box.quantity for box in boxes} == {"months_tau_1", "months_tau_2", "months_tau_stop"}
    for box in boxes:
        calendar = runs["clear", box.design].calendar
        assert calendar is not None
        assert 0 < box.quantiles[0] <= calendar.end.max()

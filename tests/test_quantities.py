"""Quantities are entries of a registry: one added from outside is seen everywhere."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from app_page import MAIN, go, open_tab
from conducted import conducted_study
from conftest import make_study
from patience import PATIENCE
from streamlit.testing.v1 import AppTest

from gai_core import InputError, Runs, Study, characteristics, paired_differences, simulate
from gai_core.evidence import BAD, GOOD, UNDECIDED
from gai_core.questions import measure, parse_wish, plan, plan_headline
from gai_core.questions.comparing import EqualPower
from gai_core.questions.precision import check_precision
from gai_core.questions.small_runs import Changed
from gai_core.questions.sweep_data import cells
from gai_core.questions.sweeping import sweep
from gai_core.report.subject import AtOwnSize
from gai_core.results import Values, analyse, compare, comparison_table, truth_tables
from gai_core.results.among import Among
from gai_core.results.quantities import (
    CHANCE,
    MEAN,
    QUANTITIES,
    Family,
    Quantity,
    comparable,
    quantities_of,
    quantity,
    wishes,
)
from gai_core.results.quantities.quantity import CHANCE_AMONG, Kind, ordinal
from gai_core.results.summary import headline
from gai_core.results.tidy import table_rows
from gai_core.study import Variation
from gai_core.theory import bounds

ALL_SETTLED = Quantity(
    key="all_settled",
    label="every dose settled",
    meaning="The chance that no dose is left undecided.",
    kind=CHANCE,
    unit="share",
    value=lambda trials: (trials.trials.verdict != UNDECIDED).all(axis=1),
    better="more",
    compared=True,
    glance=True,
    wish="every dose gets a verdict",
)
SUMS = Quantity(
    key="sums",
    label="responders on the dose",
    meaning="Responders among the patients of the dose.",
    kind=MEAN,
    unit="patients",
    value=lambda trials: trials.trials.sums,
    arms="candidates",
)
MONTHS_IDLE = Quantity(
    key="months_idle",
    label="months between the last enrolment and the end",
    meaning="How long the trial goes on without new patients.",
    kind=MEAN,
    unit="months",
    value=lambda trials: trials.calendar.end - trials.calendar.enrolment,
    better="less",
    compared=True,
    conducted=True,
)


@pytest.fixture
def added() -> Iterator[None]:
    with QUANTITIES.extended(ALL_SETTLED, SUMS, MONTHS_IDLE):
        yield
    assert "all_settled" not in QUANTITIES


def small(**changes: object) -> Study:
    designs = [
        {"name": "HDoC", "rule": "hdoc", "criterion": "mixture"},
        {"name": "Equal", "rule": "equal", "criterion": "mixture"},
    ]
    return make_study(simulation={"runs": 60, "n_max": 90, "seed": 3}, designs=designs, **changes)


@pytest.fixture(scope="module")
def runs() -> Runs:
    return simulate(small())


def settled(runs: Runs, design: str) -> list[bool]:
    """By hand, trial by trial."""
    return [all(verdict in (GOOD, BAD) for verdict in row) for row in runs["steep", design].verdict]


@pytest.mark.usefixtures("added")
def test_an_added_quantity_is_in_the_tidy_table(runs: Runs) -> None:
    table = characteristics(runs)
    assert len(table) == table_rows(runs.study)
    rows = table[table.quantity == "all_settled"].set_index("design")
    for design in ("HDoC", "Equal"):
        share = np.mean(settled(runs, design))
        assert 0 < share < 1
        assert rows.value[design] == pytest.approx(share)
        assert rows.mcse[design] == pytest.approx(np.sqrt(share * (1 - share) / 60))
    of_arm = table[(table.quantity == "sums") & (table.arm == "high") & (table.statistic == "mean")]
    expected = [runs["steep", design].sums[:, 2].mean() for design in ("HDoC", "Equal")]
    assert of_arm.value.tolist() == pytest.approx(expected)
    assert "months_idle" not in set(table.quantity)  # the study has no calendar


def test_other_rows_stay_as_they_are_where_they_were(runs: Runs) -> None:
    before = characteristics(runs)
    with QUANTITIES.extended(ALL_SETTLED):
        after = characteristics(runs)
    kept = after[after.quantity != "all_settled"].reset_index(drop=True)
    assert before.equals(kept)


@pytest.mark.usefixtures("added")
def test_designs_are_compared_by_an_added_quantity(runs: Runs) -> None:
    study, values = runs.study, Values(characteristics(runs))
    difference = np.array(settled(runs, "HDoC"), float) - settled(runs, "Equal")
    error = difference.std(ddof=1) / np.sqrt(60)
    compared = compare(runs, values, "Equal", "all_settled").set_index("design")
    paired = paired_differences(runs, "HDoC", "Equal").set_index("quantity")
    for found in (compared.difference["HDoC"], paired.value["all_settled"]):
        assert found == pytest.approx(difference.mean())
    for found in (compared.difference_mcse["HDoC"], paired.mcse["all_settled"]):
        assert found == pytest.approx(error)
    words = comparison_table(study, compared.reset_index(), "all_settled")
    assert "every dose settled" in words.title


def test_what_is_counted_when_asked_for_is_what_the_table_has(runs: Runs) -> None:
    found = analyse(runs)
    for row in characteristics(runs).iloc[::-1].itertuples():  # in another order
        counted = found.values(row.truth, row.design, row.quantity, row.statistic, row.arm)
        np.testing.assert_array_equal(counted, (row.value, row.mcse))
    assert "table" not in vars(found)
    with pytest.raises(KeyError, match="unknown"):
        found.values("steep", "HDoC", "unknown", "mean")


@pytest.mark.usefixtures("added")
def test_an_added_quantity_is_in_the_tables_of_words(runs: Runs) -> None:
    study, values = runs.study, Values(characteristics(runs))
    truth = study.truths[0]
    tables = {table.title: table for table in truth_tables(study, truth, values, bounds(study))}
    assert "every dose settled" in tables["steep: chances"].columns
    assert "every dose settled" in headline(study, truth, values).columns


@pytest.mark.usefixtures("added")
def test_a_conducted_quantity_is_only_there_with_a_conduct() -> None:
    study = conducted_study()
    runs = simulate(study)
    values = Values(characteristics(runs))
    design = study.designs[0].name
    calendar = runs[study.truths[0].name, design].calendar
    assert calendar is not None
    idle = values(study.truths[0].name, design, "months_idle", "mean")[0]
    assert idle == pytest.approx((calendar.end - calendar.enrolment).mean())
    months = truth_tables(study, study.truths[0], values, bounds(study))[1]
    assert "months between the last enrolment and the end" in months.columns
    assert "months_idle" in comparable(study)
    assert "months_idle" not in comparable(small())


@pytest.mark.usefixtures("added")
def test_a_sweep_measures_an_added_quantity() -> None:
    study = small()
    shown = measure(study, "all_settled")
    assert shown.words == "every dose settled"
    grid = [Variation("n_max", (60, 90))]
    kept = [cell for point, table in sweep(study, grid) for cell in cells(point, table, shown)]
    assert len(kept) == 4
    runs = simulate(study)
    at_90 = {cell.design: cell.value for cell in kept if cell.point == (90,)}
    assert at_90 == {name: np.mean(settled(runs, name)) for name in ("HDoC", "Equal")}
    assert measure(study, "sums", "high").words == "high: responders on the dose"


@pytest.mark.usefixtures("added")
def test_an_added_chance_can_be_wished_for() -> None:
    study = small()
    (answer,) = plan(
        study, parse_wish("all_settled=0.2"), "n_max", among=(30, 200), designs=["HDoC"]
    )
    assert answer.value is not None
    assert "20% chance that every dose gets a verdict, with HDoC" in plan_headline(answer)
    at, below = (
        simulate(study.model_copy(update={"simulation": study.simulation.model_copy(
            update={"n_max": int(n)})}))
        for n in (answer.value, answer.value - 1)
    )  # fmt: skip
    assert np.mean(settled(at, "HDoC")) >= 0.2 > np.mean(settled(below, "HDoC"))


def test_what_was_not_added_cannot_be_wished_for() -> None:
    with pytest.raises(InputError, match="cannot be wished for"):
        parse_wish("all_settled=0.5")
    with pytest.raises(InputError, match="cannot be wished for"):
        parse_wish("any_error=0.5")


@pytest.mark.usefixtures("added")
def test_precision_counts_an_added_chance() -> None:
    assert check_precision(small(), 0.1)[-1] == "all_settled"
    assert check_precision(small(), 0.1, ["all_settled"]) == ["all_settled"]


@pytest.mark.usefixtures("added")
def test_the_help_page_explains_every_quantity() -> None:
    page = go(AppTest.from_file(str(MAIN), default_timeout=PATIENCE).run(), "help")
    open_tab(page, "Quantities", "help-tab")
    assert not page.exception
    shown = [cell for table in page.table for cell in table.value.to_numpy().ravel()]
    text = " ".join(shown).replace("\\", "")  # as markdown escapes it
    for entry in QUANTITIES.values():
        assert entry.label in text
        assert entry.meaning in text


# --- the entries themselves -------------------------------------------------------------------


def test_rows_of_a_study_keep_their_order() -> None:
    assert list(quantities_of(conducted_study())) == [
        "first_declaration", "tau_1", "tau_2", "tau_3", "tau_stop", "enrolled", "n_patients",
        "any_declared", "good_declared", "correct_list", "any_error", "false_declaration",
        "missed_dose", "best_dose_declared", "assigned", "good", "bad", "undecided",
        "months_first_declaration",
        "months_tau_1", "months_tau_2", "months_tau_3", "months_tau_stop",
        "waiting_1", "waiting_2", "waiting_3",
        "months_enrolment", "months_end", "pipeline", "share_on_good", "outcomes",
        "declared_bias", "declared_rmse", "declared_covered", "declared_width",
        "declared_usual_covered", "declared_usual_width",
        "bias", "rmse", "covered", "width", "usual_covered", "usual_width",
        "bias_if_declared", "rmse_if_declared", "covered_if_declared", "width_if_declared",
        "usual_covered_if_declared", "usual_width_if_declared",
    ]  # fmt: skip


def test_one_label_per_quantity_and_none_for_two() -> None:
    known = quantities_of(conducted_study())
    assert len({quantity.label for quantity in known.values()}) == len(known)
    assert known["missed_dose"].label == "good dose wrongly dropped"
    assert known["any_error"].label == "any wrong verdict"
    assert "the largest sample size where it is not reached" in known["tau_1"].compared_label
    assert known["any_error"].compared_label == "any wrong verdict"


def test_families_have_a_member_for_every_candidate() -> None:
    families = [entry for entry in QUANTITIES.values() if isinstance(entry, Family)]
    assert {entry.key for entry in families} >= {"tau_k", "months_tau_k", "waiting_k"}
    for family in families:
        members = family.members(make_study())
        assert [member.nth for member in members] == [1, 2, 3]
        assert [member.key for member in members] == [
            family.key.replace("_k", f"_{k}") for k in (1, 2, 3)
        ]


def test_wishes_are_the_chances_that_can_be_planned_for() -> None:
    found = set(wishes())
    assert found >= {"any_declared", "good_declared", "correct_list", "med_right"}
    assert found.isdisjoint({"any_error", "false_declaration", "missed_dose", "tau_stop", "good"})


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"better": None, "wish": ""}, "has a better direction"),
        ({"kind": MEAN}, "can be wished for"),
        ({"arms": "all"}, "can be wished for"),
    ],
)
def test_an_entry_that_contradicts_itself_is_refused(parts: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Quantity(**(vars(ALL_SETTLED) | parts))


def test_ordinals() -> None:
    numbers = (1, 2, 3, 4, 11, 12, 13, 20, 21, 22, 111)
    assert [ordinal(k) for k in numbers] == [
        "first", "second", "third", "4th", "11th", "12th", "13th", "20th", "21st", "22nd", "111th",
    ]  # fmt: skip


SECOND = Quantity(
    key="second_too",
    label="second dose declared, given any declaration",
    meaning="Of the trials that declare a dose the share that declares the second one.",
    kind=CHANCE_AMONG,
    unit="share",
    value=lambda trials: Among(trials.declared[:, 1], np.asarray(trials.declared.any(axis=1))),
)


def test_a_statistic_of_any_kind_is_that_of_the_tidy_table_wherever_it_is_asked_for(
    runs: Runs,
) -> None:
    kinds = {kind.name for kind in vars(quantity).values() if isinstance(kind, Kind)}
    with QUANTITIES.extended(SECOND):
        asked = [one for one in quantities_of(runs.study).values() if one.arms is None]
        assert {one.kind.name for one in asked} == kinds
        found, values = analyse(runs), Values(characteristics(runs))
        fresh: Any = SimpleNamespace(fresh={"HDoC": runs})
        for one in asked:
            expected = values("steep", "HDoC", one.key, one.kind.compared_by)
            place = "steep", "HDoC", one.key
            for value in (
                AtOwnSize(found).value(*place),
                Changed("nothing", 1.0, runs).value(*place),
            ):
                assert np.array_equal(value, expected, equal_nan=True), one.key
            if one.key in QUANTITIES:
                value = EqualPower.value(fresh, *place)
                assert np.array_equal(value, expected, equal_nan=True), one.key
        found_among = values("steep", "HDoC", "second_too", "probability")[0]
        of_all = (runs["steep", "HDoC"].verdict[:, 1] == GOOD).mean()
        assert of_all < found_among < 1  # not taken for a share of all trials


def test_a_plus_is_written_where_a_sign_says_a_direction() -> None:
    signed = {key for key, one in QUANTITIES.items() if isinstance(one, Quantity) and one.signed}
    assert signed == {"bias", "bias_if_declared", "declared_bias"}

"""A label names one number on every page, and a figure shows what its table says."""

import pytest
from conducted import conducted_study
from conftest import make_study

from gai_core import Analysis, analyse, load_study, simulate
from gai_core.questions import measures
from gai_core.results import (
    bound_lines,
    bounds_beyond,
    boxes_table,
    comparable,
    course_table,
    differences_table,
    dose_patients,
    enrolment_curves,
    headline,
    never_reached,
    patients_table,
    quantities_of,
    reached_boxes,
    time_boxes,
    truth_tables,
    values_table,
    verdict_shares,
    verdicts_table,
)
from gai_core.study import Study
from gai_core.study.changing import changed

CUT_OFF = changed(load_study("tofacitinib"), runs=60)


def numbers_by_label(found: Analysis) -> list[tuple[str, str, str]]:
    """(label, design, number in words) of every table that is about the first truth."""
    study, truth = found.study, found.study.truths[0]
    glance = headline(study, truth, found.values)
    triples = [
        (label, row[0], cell.split("; ")[0])
        for row in glance.rows
        for label, cell in zip(glance.columns[1:], row[1:], strict=True)
    ]
    for key, quantity in comparable(study).items():
        table = values_table(study, found.comparison(key), key)
        assert table.columns[1] == truth.name
        triples += [(quantity.compared_label, row[0], row[1]) for row in table.rows]
    for key, shown in measures(study).items():
        if key in comparable(study):
            for design in study.designs:
                value = found.values(truth.name, design.name, key, shown.statistic)
                words = comparable(study)[key].in_words(*value, study.simulation.runs)
                triples.append((shown.words, design.name, words))
    return triples


@pytest.mark.parametrize("study", [CUT_OFF, conducted_study()], ids=["cut off", "conducted"])
def test_a_label_names_one_number_in_every_table(study: Study) -> None:
    triples = numbers_by_label(analyse(simulate(study)))
    first: dict[tuple[str, str], str] = {}
    for label, design, words in triples:
        assert first.setdefault((label, design), words) in (words, "not reached"), label
    assert len(triples) >= 2 * len(first)  # every label is there at least twice


@pytest.mark.parametrize("study", [CUT_OFF, conducted_study()], ids=["cut off", "conducted"])
def test_the_heads_of_a_truths_tables_name_the_numbers_at_a_glance(study: Study) -> None:
    found, truth = analyse(simulate(study)), study.truths[0]
    glance = headline(study, truth, found.values)
    heads = {known.compared_label: known.head for known in comparable(study).values()}
    shared = 0
    for table in truth_tables(study, truth, found.values, found.bounds):
        for place, label in enumerate(glance.columns):
            if heads.get(label) in table.columns:
                own = [row[table.columns.index(heads[label])] for row in table.rows]
                assert own[: len(glance.rows)] == [row[place] for row in glance.rows]
                shared += 1
    assert shared >= 3


def test_no_two_quantities_have_the_same_head_in_the_same_unit() -> None:
    for study in (CUT_OFF, conducted_study()):
        known = quantities_of(study).values()
        assert len({(q.head, q.unit, q.arms) for q in known}) == len(known)


def test_a_time_that_not_all_reach_says_how_many_do() -> None:
    found = analyse(simulate(CUT_OFF))
    table = headline(CUT_OFF, CUT_OFF.truths[0], found.values)
    label = next(name for name in table.columns if "first declaration" in name)
    assert label == "patients until the first declaration"  # what counts otherwise stands below
    reached = found.values("published", "HDoC, the paper's", "tau_1", "reached")[0]
    assert 0 < reached < 1
    assert table.rows[0][table.columns.index(label)].endswith(f"; {100 * reached:.0f}% get there")


def test_the_table_beside_the_heat_map_does_not_repeat_it() -> None:
    found = analyse(simulate(CUT_OFF))
    compared = found.comparison("tau_1")
    differences, values = (
        {cell for row in table(CUT_OFF, compared, "tau_1").rows for cell in row[1:]}
        for table in (differences_table, values_table)
    )
    assert not differences & values


def test_a_time_that_no_trial_reaches_is_a_sentence_and_no_panel() -> None:
    study = changed(load_study("tofacitinib"), n_max=120, runs=20)
    found, truth = analyse(simulate(study)), study.truth("flatter")
    boxes = time_boxes(study, truth, found.values)
    drawn = reached_boxes(boxes)
    left_out = {box.label for box in boxes} - {box.label for box in drawn}
    assert "patients until every dose has a verdict" in left_out
    assert all(label in never_reached(boxes) for label in left_out)
    assert not any(label in never_reached(boxes) for label in {box.label for box in drawn})
    assert never_reached(drawn) == ""


def test_a_bound_beyond_the_axis_is_said_in_words() -> None:
    study = load_study("tofacitinib")
    found = analyse(simulate(changed(study, runs=5)))
    lines = bound_lines(found.bounds, "flatter")
    labels = {line.quantity: f"until {line.quantity}" for line in lines}
    sharper = {line.quantity: line.value for line in lines if line.bound == "sharper"}
    assert min(sharper.values()) < 200 < max(sharper.values())
    told = list(bounds_beyond(lines, 200, labels))
    assert len(told) == sum(value > 200 for value in sharper.values())
    assert all("Beyond the axis" in text for text in told)
    assert not list(bounds_beyond(lines, 1e9, labels))


def test_the_tables_of_the_figures_have_a_row_for_all_that_is_drawn() -> None:
    study = conducted_study()
    found, truth = analyse(simulate(study)), study.truths[0]
    boxes = time_boxes(study, truth, found.values, months=True)
    table = boxes_table(boxes)
    assert [row[:2] for row in table.rows] == [[box.label, box.design] for box in boxes]
    shares = verdict_shares(study, truth, found.values)
    assert len(verdicts_table(shares).rows) == len(study.designs) * len(study.candidates)
    patients = patients_table(dose_patients(study, truth, found.values))
    assert [row[0] for row in patients.rows] == [arm.label for arm in study.arms]
    course = course_table(enrolment_curves(found.runs, truth.name))
    assert len(course.rows) == 3 * len(study.designs)
    for words in (table, verdicts_table(shares), patients, course):
        assert all(len(row) == len(words.columns) for row in words.rows)
        assert not any("nan" in cell for row in words.rows for cell in row)


def test_a_verdict_that_nobody_gets_is_no_column() -> None:
    study = make_study(truths=[{"name": "clear", "means": [0.01, 0.99, 0.99]}])
    found = analyse(simulate(study))
    table = verdicts_table(verdict_shares(study, study.truths[0], found.values))
    assert table.columns == ["design", "dose arm", "declared, rightly", "dropped, rightly"]

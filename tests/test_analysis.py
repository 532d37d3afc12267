"""One analysis for app, report and Python: the same numbers, each computed once, when asked for."""

import hashlib
from typing import Any

import pytest
from conftest import make_study

from gai_core import Runs, analyse, bounds, characteristics, dump_study, simulate
from gai_core.report import build_report
from gai_core.report.content import Table
from gai_core.report.wording import GUARANTEES
from gai_core.results import analysis as module
from gai_core.results import compare, designs_table, exact_errors_table
from gai_core.theory import worst_cases

FIXED = {
    "name": "Fixed",
    "rule": "equal",
    "criterion": "exact",
    "criterion_parameters": {"looks": "end"},
}


@pytest.fixture(scope="module")
def runs() -> Runs:
    designs = [
        {"name": "HDoC", "rule": "hdoc", "criterion": "mixture"},
        {"name": "Equal", "rule": "equal", "criterion": "mixture"},
        FIXED,
    ]
    return simulate(make_study(simulation={"runs": 30, "n_max": 90, "seed": 3}, designs=designs))


def test_an_analysis_has_the_numbers_of_the_functions_behind_it(runs: Runs) -> None:
    found = analyse(runs)
    assert found.study == runs.study
    assert found.table.equals(characteristics(runs))
    assert found.bounds.equals(bounds(runs.study))
    assert found.exact_errors.equals(worst_cases(runs.study))
    assert found.baseline == "Fixed"
    row = found.table.iloc[0]
    value = found.values(row.truth, row.design, row.quantity, row.statistic, row.arm)
    assert value == (row.value, row.mcse)
    for baseline in (None, "HDoC"):
        expected = compare(runs, found.values, baseline or "Fixed", "any_declared")
        assert found.comparison("any_declared", baseline).equals(expected)
    text = found.table.to_csv(index=False, lineterminator="\n")
    assert found.results_hash == hashlib.sha256(text.encode()).hexdigest()
    assert found.study_hash == hashlib.sha256(dump_study(runs.study).encode()).hexdigest()


def counted(calls: list[str], name: str) -> Any:
    """The function of that name, which says so when it is called."""
    own = getattr(module, name)

    def call(*given: Any) -> Any:
        calls.append(name)
        return own(*given)

    return call


def test_nothing_is_computed_before_it_is_asked_for_and_then_once(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for name in ("characteristics", "bounds", "worst_cases", "compare"):
        monkeypatch.setattr(module, name, counted(calls, name))
    found = analyse(runs)
    assert calls == []
    for _ in range(2):
        assert found.values is found.values
        assert not found.table.empty
        assert not found.comparison("tau_1").empty
        assert not found.exact_errors.empty
    assert calls == ["characteristics", "compare", "worst_cases"]
    build_report(found)  # a report of it adds only what nobody asked for before
    assert calls.count("characteristics") == calls.count("worst_cases") == 1
    assert calls.count("bounds") == 1


def test_fewer_designs_have_the_numbers_they_had(runs: Runs) -> None:
    found = analyse(runs)
    fewer = found.only(["Fixed", "HDoC"])
    assert [design.name for design in fewer.study.designs] == ["HDoC", "Fixed"]
    own = found.table[found.table.design.isin(["Fixed", "HDoC"])].reset_index(drop=True)
    assert fewer.table.equals(own)
    assert fewer.values is found.values
    assert set(fewer.comparison("tau_1").design) == {"HDoC", "Fixed"}
    assert fewer.results_hash != found.results_hash


def test_the_designs_and_their_exact_errors_are_tables_that_stand_once(runs: Runs) -> None:
    designs, errors = (
        designs_table(runs.study),
        exact_errors_table(runs.study, analyse(runs).exact_errors, GUARANTEES),
    )
    names = [design.name for design in runs.study.designs]
    assert [row[0] for row in designs.rows] == [row[0] for row in errors.rows] == names
    assert designs.rows[2][2] == "exact (looks = end)"
    report = build_report(runs, full=True)
    tables = {
        block.caption: block
        for section in (*report.sections, *report.appendix)
        for block in section.blocks
        if isinstance(block, Table)
    }
    assert [row[0] for row in tables[designs.title].rows] == names
    assert tables[errors.title].rows == Table.of(errors).rows


def test_a_broken_design_is_marked() -> None:
    study = make_study(designs=[FIXED])
    worst = worst_cases(study)
    assert "BROKEN" not in str(exact_errors_table(study, worst).rows)
    worst["share_of_delta"] = 1.01
    assert exact_errors_table(study, worst).rows[0][6] == "101% BROKEN"

"""One analysis for app, report and Python: the same numbers, each computed once, when asked for."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from conftest import make_study

from gai_core import Runs, analyse, bounds, characteristics, dump_study, simulate
from gai_core.cli import views
from gai_core.criteria import futilities
from gai_core.report import build_report
from gai_core.report.content import Table
from gai_core.results import IN_WORDS, WordTable, compare, designs_table, exact_errors_table
from gai_core.results import analysis as module
from gai_core.theory import worst_cases

SOURCES = [
    path
    for room in ("gai_core", "app")
    for path in (Path(__file__).parent.parent / room).rglob("*.py")
]
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


def test_the_designs_and_their_exact_errors_are_tables_that_stand_once(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every reader has all of the one table; `test_app` says so of the app."""
    study, worst = runs.study, analyse(runs).exact_errors
    drawn: list[WordTable] = []

    def drawing(words: WordTable, **_: int) -> str:
        drawn.append(words)
        return words.title

    monkeypatch.setattr(views, "_drawn", drawing)
    views.show_study(study)
    views.show_worst_cases(study, worst)
    assert drawn == [designs_table(study), exact_errors_table(study, worst)]
    report = build_report(runs, full=True)
    ours = [designs_table(study, IN_WORDS)]
    ours += [exact_errors_table(study, worst, IN_WORDS, brief=brief) for brief in (True, False)]
    titles = [words.title for words in ours]
    shown = [block for block in report.blocks if isinstance(block, Table)]
    found = [t._replace(key="", words=1) for t in shown if t.caption in titles]
    assert found == list(map(Table.of, ours))
    for title in ("Designs considered", "Exact errors when every dose"):
        files = [path for path in SOURCES if title in path.read_text(encoding="utf-8")]
        assert [path.name for path in files] == ["design_tables.py"]


def test_what_is_promised_is_said_with_the_same_words_all_over_a_report(runs: Runs) -> None:
    study, worst = runs.study, analyse(runs).exact_errors
    designs = designs_table(study, IN_WORDS)
    promised = [row[designs.columns.index("guarantee")] for row in designs.rows]
    assert promised == [*2 * ["at every sample size"], "up to the largest sample size"]
    for brief in (True, False):
        errors = exact_errors_table(study, worst, IN_WORDS, brief=brief)
        assert [row[1] for row in errors.rows] == promised
    assert [row[1] for row in exact_errors_table(study, worst).rows] == [
        *2 * ["always"],
        "up to n_max",
    ]


def test_keys_and_words_say_the_same_of_a_design() -> None:
    """What drops doses, in which order they are declared, and when nothing is added."""
    exact = {"rule": "equal", "criterion": "exact", "burn_in": 2}
    looks = {"looks": {"equal": 4}, "largest": 1500}
    study = make_study(
        designs=[
            FIXED | {"order": "increasing", "futility": "none"},
            exact | {"name": "L", "criterion_parameters": looks, "futility": "below"},
            exact | {"name": "N", "criterion": "posterior", "futility": "below"},
        ],
        simulation={"runs": 10, "n_max": 2500},
    )
    keys, words = designs_table(study), designs_table(study, IN_WORDS)
    label = {key: entry.label for key, entry in futilities().items()}
    assert [row[2] for row in keys.rows] == [
        "exact (looks = end), doses in order; futility: none",
        "exact (looks = { equal = 4 }, largest = 1500); futility: below",
        "posterior; futility: below",
    ]
    assert [row[2] for row in words.rows] == [
        f"{label['exact']} (looks at a dose: once, at the end), doses in order from the highest "
        f"down. {label['none']}",
        f"{label['exact']} (looks at a dose: 4 at equal distances; patients on one dose at most: "
        f"1,500). Dropping: {label['below']}",
        f"{label['posterior']}. Dropping: {label['below']}",
    ]
    assert [row[-1] for row in keys.rows] == [
        "up to n_max",
        "up to n_max; on dropping nothing",
        "nothing",
    ]
    assert [row[-2] for row in words.rows] == [
        "up to the largest sample size",
        "up to the largest sample size, for declarations alone",
        "none",
    ]
    assert [row[3] for row in keys.rows] == [row[-1] for row in words.rows] == ["5", "2", "2"]


def test_a_rate_that_was_given_stands_in_full_in_every_table() -> None:
    study = make_study(designs=[FIXED], delta=None, errors={"declare": 0.01234, "drop": 0.1})
    worst = worst_cases(study)
    table = exact_errors_table(study, worst)
    assert table.rows[0][table.columns.index("promised (alpha)")] == "0.01234"
    assert "1.234%" in exact_errors_table(study, worst, brief=True).rows[0]


def test_a_broken_design_is_marked() -> None:
    study = make_study(designs=[FIXED])
    worst = worst_cases(study)
    kept = exact_errors_table(study, worst)
    assert "BROKEN" not in str(kept.rows)
    assert kept.broken == ()
    worst["share_of_delta"] = 1.01
    broken = exact_errors_table(study, worst)
    assert broken.rows[0][6] == "101% BROKEN"
    assert broken.broken == (0,)
    worst["guarantee"] = "simulated"
    assert exact_errors_table(study, worst).broken == ()

"""Sweeps: every point is a study like any other, in order, in flat memory, or refused at once."""

import math
import threading
import weakref
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import make_study

from gai_core import Cancelled, InputError, Runs, characteristics, load_study, simulate
from gai_core.basics.table_files import csv_file, parquet_file
from gai_core.engine import Work
from gai_core.figures import draw_sweep, picture
from gai_core.paper.reproduction import FIGURE_N_MAX, reproduce_figure
from gai_core.questions.sweep_data import (
    cells,
    heat_maps,
    measure,
    measures,
    sweep_curves,
    sweep_words,
)
from gai_core.questions.sweeping import check_grid, points, sweep, sweep_table
from gai_core.results.monte_carlo import time_statistics
from gai_core.results.tidy import COLUMNS
from gai_core.results.timing import times
from gai_core.study.changing import changed
from gai_core.study.variations import Variation, varied
from gai_core.theory.lower_bounds import asymptotic, instance

STUDY = make_study(
    simulation={"runs": 30, "n_max": 300, "seed": 3},
    designs=[
        {"name": "HDoC", "rule": "hdoc"},
        {"name": "Fixed", "rule": "equal", "criterion": "exact",
         "criterion_parameters": {"looks": "end"}, "burn_in": 1},
    ],
)  # fmt: skip
GRID = [Variation("delta", (0.2, 0.1)), Variation("n_max", (100, 200, 300))]


def test_every_point_is_simulated_as_if_alone() -> None:
    swept = list(sweep(STUDY, GRID, work=Work(threads=2)))
    assert [tuple(point.values.values()) for point, _ in swept] == [
        (0.2, 100), (0.2, 200), (0.2, 300), (0.1, 100), (0.1, 200), (0.1, 300),
    ]  # fmt: skip
    for point, table in swept:
        alone = changed(STUDY, delta=point.values["delta"], n_max=int(point.values["n_max"]))
        assert point.study == alone
        assert list(table.columns) == ["delta", "n_max", *COLUMNS]
        assert set(table.n_max) == {point.values["n_max"]}
        expected = characteristics(simulate(alone))
        pd.testing.assert_frame_equal(table[COLUMNS], expected, check_exact=True)


def test_patients_are_common_throughout() -> None:
    """With curves that do not depend on n_max, a longer trial repeats the shorter one."""
    table = sweep_table(STUDY, [Variation("n_max", (200, 300))])
    here = table[(table.design == "HDoC") & (table.quantity == "tau_1")]
    q10 = here[here.statistic == "q10"].set_index("n_max").value
    assert q10[200] == q10[300] < 200


@pytest.mark.parametrize("threads", [1, 3, 16])
def test_the_result_is_the_same_for_any_number_of_threads(threads: int) -> None:
    pd.testing.assert_frame_equal(
        sweep_table(STUDY, GRID, work=Work(threads=threads)),
        sweep_table(STUDY, GRID),
        check_exact=True,
    )


@pytest.mark.parametrize(
    ("grid", "limits", "words"),
    [
        ([], {}, "give at least one field"),
        ([Variation("delta", ())], {}, "give at least one field"),
        (GRID, {"most_points": 5}, "the grid has 6 points, and at most 5"),
        (GRID, {"most_patients": 10**4}, "choose fewer points"),
        ([Variation("delta", (0.1, 2.0))], {}, "vary delta=2: delta must be less than 1"),
        ([Variation("nmax", (1,))], {}, "nmax is no numeric field"),
        ([*GRID, GRID[0]], {}, "every field must be given once"),
        ([Variation("truth.shift", (0.1, 0.9))], {}, "must lie between 0 and 1"),
    ],
)
def test_bad_requests_are_refused_before_any_work(
    grid: list[Variation], limits: dict[str, int], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("simulated")

    monkeypatch.setattr("gai_core.questions.sweeping.simulate", never)
    with pytest.raises(InputError) as caught:
        sweep(STUDY, grid, **limits)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_the_number_of_trials_is_known_before() -> None:
    assert check_grid(STUDY, GRID) == 6 * 2 * 30
    assert len(list(points(STUDY, GRID))) == 6


def test_progress_is_told_in_the_callers_thread_and_ends_at_the_total() -> None:
    told: list[tuple[int, int]] = []
    places = set()

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        places.add(threading.current_thread())

    sweep_table(STUDY, GRID, work=Work(threads=2, progress=progress))
    assert told[0] == (0, 360)
    assert told[-1] == (360, 360)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert places == {threading.current_thread()}


def test_a_sweep_can_be_cancelled_and_left() -> None:
    flag = threading.Event()
    swept = sweep(STUDY, GRID, work=Work(threads=1, cancel=flag))
    next(swept)
    flag.set()
    with pytest.raises(Cancelled):
        list(swept)
    left = sweep(STUDY, GRID, work=Work(threads=1))
    next(left)
    left.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("gai-sweep")]


def test_only_a_few_points_are_in_memory_however_many_there_are() -> None:
    alive: weakref.WeakSet[Runs] = weakref.WeakSet()
    most = 0

    class Kept(Runs):
        __hash__ = object.__hash__
        __eq__ = object.__eq__

    def counted(*args: Any, **options: Any) -> Runs:
        nonlocal most
        runs = simulate(*args, **options)
        kept = Kept(runs.study, runs.trials)
        alive.add(kept)
        most = max(most, len(alive))
        return kept

    grid = [Variation("n_max", tuple(100 + i for i in range(60)))]
    work = Work(threads=2, simulator=counted)
    tables = [weakref.ref(t) for _, t in sweep(STUDY, grid, work=work)]
    assert len(tables) == 60
    assert 1 <= most <= 2  # trials: one point a thread
    assert sum(ref() is not None for ref in tables) <= 2 * 2 + 1


def test_files_have_the_same_table_whole(tmp_path: Path) -> None:
    table = sweep_table(STUDY, GRID)
    with csv_file(tmp_path / "a.csv") as csv, parquet_file(tmp_path / "a.parquet") as parquet:
        for _, piece in sweep(STUDY, GRID):
            csv(piece)
            parquet(piece)
    assert (tmp_path / "a.csv").read_text() == table.to_csv(index=False, lineterminator="\n")
    back = pd.read_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(back, table, check_exact=True)


@pytest.mark.parametrize("kind", [csv_file, parquet_file])
def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, kind: Any) -> None:
    target = tmp_path / "table"
    target.write_text("before")

    def broken() -> None:
        with kind(target) as write:
            write(pd.DataFrame({"a": [1.0]}))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_a_device_is_written_to_and_not_replaced() -> None:
    null = Path("/dev/null")
    for kind in (csv_file, parquet_file):
        with kind(null) as write:
            write(pd.DataFrame({"a": [1.0]}))
    assert null.is_char_device()


def test_many_pieces_make_one_parquet_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gai_core.basics.table_files.ROWS_PER_GROUP", 5)
    pieces = [pd.DataFrame({"a": [i, i + 1], "b": ["x", "y"]}) for i in range(9)]
    with parquet_file(tmp_path / "t") as write:
        for piece in pieces:
            write(piece)
    back = pd.read_parquet(tmp_path / "t")
    pd.testing.assert_frame_equal(back, pd.concat(pieces, ignore_index=True))


def test_the_papers_figure_is_a_sweep_with_the_numbers_of_single_studies() -> None:
    figure = reproduce_figure(runs=20, seed=5)
    study = load_study("medical-2")
    design = study.design("HDoC")
    one = study.model_copy(update={"designs": (design,), "truths": study.truths[:1]})
    delta = math.exp(-20)
    one = varied(one, {"delta": delta, "n_max": FIGURE_N_MAX, "runs": 20, "seed": 5})
    computed = times(simulate(one)[one.truths[0].name, "HDoC"], FIGURE_N_MAX)
    line = figure[(figure.log_1_over_delta == 20) & (figure.rule == "hdoc")].set_index("quantity")
    for k, quantity in ((1, "tau_1"), (2, "tau_2")):
        mean, mcse = time_statistics(computed[quantity])["mean"]
        assert (line["mean"][quantity], line.mcse[quantity]) == (mean, mcse)
        bound = asymptotic(instance(one, one.truths[0]), k).value
        assert line.asymptotic_bound[quantity] == pytest.approx(bound, rel=1e-12)


def test_tables_and_figures_show_the_cells_of_the_sweep() -> None:
    shown = measure(STUDY, "any_declared")
    table = sweep_table(STUDY, GRID)
    kept = [cell for point, piece in sweep(STUDY, GRID) for cell in cells(point, piece, shown)]
    assert len(kept) == 6 * 2
    for cell in kept:
        row = table[
            (table.delta == cell.point[0]) & (table.n_max == cell.point[1])
            & (table.design == cell.design) & (table.quantity == "any_declared")
        ]  # fmt: skip
        assert (cell.value, cell.mcse) == (row.value.item(), row.mcse.item())
    words = sweep_words(["delta", "n_max"], kept, shown, "steep")
    assert words.columns == ["delta", "n_max", "HDoC", "Fixed"]
    assert [row[:2] for row in words.rows][:2] == [["0.2", "100"], ["0.2", "200"]]
    panel = heat_maps(kept, shown)[1]
    assert (panel.design, panel.x, panel.y) == ("Fixed", [0.1, 0.2], [100, 200, 300])
    by_point = {cell.point: cell.value for cell in kept if cell.design == "Fixed"}
    assert panel.value[2][0] == by_point[0.1, 300]
    assert panel.words[2][0] == words.rows[5][3]
    assert picture(lambda: draw_sweep(kept, shown, ["delta", "n_max"]), "svg").startswith(b"<?xml")


def test_curves_have_intervals_around_their_values() -> None:
    grid = [Variation("n_max", (300, 100, 200))]
    for quantity in ("any_declared", "n_patients", "tau_1"):
        shown = measure(STUDY, quantity)
        kept = [cell for point, piece in sweep(STUDY, grid) for cell in cells(point, piece, shown)]
        for curve in sweep_curves(kept, shown):
            assert curve.x == [100, 200, 300]
            trio = zip(curve.low, curve.value, curve.high, strict=True)
            assert all(low <= value <= high for low, value, high in trio)
        drawn = picture(partial(draw_sweep, kept, shown, ["n_max"]), "svg")
        assert drawn.startswith(b"<?xml")


def test_what_a_sweep_can_show_is_in_the_table_of_every_study() -> None:
    for name in ("tofacitinib", "tofacitinib-conduct"):  # the latter sets its control apart
        study = changed(load_study(name), runs=10, n_max=60)
        ((point, table),) = sweep(study, [Variation("delta", (0.1,))])
        known = measures(study)
        assert ("months_end" in known) == (study.conduct is not None)
        for quantity, found in known.items():
            for arm in found.arms or [""]:
                kept = cells(point, table, measure(study, quantity, arm))
                assert len(kept) == len(study.truths) * len(study.designs), (name, quantity, arm)
    with pytest.raises(InputError, match="good needs an arm, but 'placebo' is none"):
        measure(study, "good", "placebo")


def test_quantities_of_an_arm_need_the_arm() -> None:
    assert measure(STUDY, "good", "high").words == "high: declared"
    for quantity, arm, words in (
        ("good", "hgh", "did you mean 'high'?"),
        ("n_patients", "high", "belongs to no arm"),
        ("any_declard", "", "did you mean 'any_declared'?"),
    ):
        with pytest.raises(InputError) as caught:
            measure(STUDY, quantity, arm)
        assert words in str(caught.value)

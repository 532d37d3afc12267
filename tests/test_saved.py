"""Saved runs: read back as they were, recreated, extended, and mistrusted when changed."""

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import make_study

from gai_core import InputError, Runs, characteristics, dump_study, simulate
from gai_core.engine import Work
from gai_core.results.saved import differences, extended, load_saved
from gai_core.results.storage import file_hash, save_runs, saved_zip
from gai_core.study.changing import changed

FILES = [
    "characteristics.csv", "characteristics.parquet", "manifest.json", "runs.parquet", "study.toml",
]  # fmt: skip
STUDIES = {
    "response": make_study(
        truths=[{"name": "a", "means": [0.2, 0.6, 0.8]}, {"name": "b", "means": [0.5, 0.5, 0.5]}],
        designs=[{"name": "HDoC", "rule": "hdoc"}, {"name": "Equal", "rule": "equal"}],
    ),
    "score": make_study(
        outcome={"kind": "gaussian", "variance": 1.44},
        threshold=1.2,
        truths=[{"name": "a", "means": [0.5, 1.4, 1.8]}],
    ),
}


@pytest.fixture(params=STUDIES)
def runs(request: pytest.FixtureRequest) -> Runs:
    return simulate(STUDIES[request.param])


@pytest.fixture
def folder(tmp_path: Path, runs: Runs) -> Path:
    place = tmp_path / "saved"
    save_runs(runs, characteristics(runs), place)
    return place


def same(a: Runs, b: Runs) -> bool:
    return a.study == b.study and all(
        np.array_equal(x, y) and x.dtype == y.dtype
        for key in a.trials
        for x, y in zip(a[key].arrays, b[key].arrays, strict=True)
    )


def test_saved_runs_are_read_back_as_they_were(runs: Runs, folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == FILES
    assert same(load_saved(folder).runs, runs)


def test_both_tidy_tables_hold_the_same(runs: Runs, folder: Path) -> None:
    table = characteristics(runs)
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "characteristics.parquet"), table)
    text = (folder / "characteristics.csv").read_text(encoding="utf-8")
    assert text == table.to_csv(index=False, lineterminator="\n")


def test_the_zip_of_the_app_holds_the_same_files(runs: Runs, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(saved_zip(runs, characteristics(runs)))) as archive:
        assert sorted(archive.namelist()) == FILES
        for name in set(FILES) - {"manifest.json"}:
            assert archive.read(name) == (folder / name).read_bytes(), name


def test_a_rerun_finds_every_number_the_same(folder: Path) -> None:
    assert differences(load_saved(folder), work=Work(threads=1)) == []


def test_a_rerun_names_what_is_not_the_same(folder: Path) -> None:
    saved = load_saved(folder)
    saved.runs["a", "HDoC"].decided[3, 1] += 1
    (sentence,) = differences(saved)
    assert sentence.endswith("a, HDoC: decided is not the same")


def test_extended_runs_are_those_of_a_longer_simulation(runs: Runs, folder: Path) -> None:
    extended(load_saved(folder), 55)
    fresh = simulate(changed(runs.study, runs=55))
    again = load_saved(folder)
    assert same(again.runs, fresh)
    assert again.manifest["runs"] == 55
    assert sorted(path.name for path in folder.parent.iterdir()) == ["saved"]


def test_extending_simulates_only_the_new_trials(folder: Path) -> None:
    saved = load_saved(folder)
    done: list[int] = []
    extended(saved, 55, work=Work(progress=lambda trials, _total: done.append(trials)))
    assert done[0] == 40 * len(saved.runs.trials)


@pytest.mark.parametrize("runs_in_all", [10, 40])
def test_runs_can_only_be_added(folder: Path, runs_in_all: int) -> None:
    with pytest.raises(InputError, match="must be more than the 40 trials"):
        extended(load_saved(folder), runs_in_all)


def test_runs_of_another_version_are_not_extended(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"version": "0.0.1"}))
    with pytest.raises(InputError, match=r"saved by version 0\.0\.1"):
        extended(load_saved(folder), 55)


@pytest.mark.parametrize("name", ["study.toml", "characteristics.csv", "runs.parquet"])
def test_a_changed_or_missing_file_is_named(folder: Path, name: str) -> None:
    path = folder / name
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(InputError, match=f"{name} is not what the manifest says"):
        load_saved(folder)
    path.unlink()
    with pytest.raises(InputError, match=f"{name} is missing"):
        load_saved(folder)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"sha256": 3}', '{"sha256": {}, "version": [3]}', 100_000 * "[", "\x00"],
)
def test_a_folder_without_a_manifest_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(InputError, match="is no folder of"):
        load_saved(tmp_path)


def forge(folder: Path, name: str, content: bytes) -> None:
    """Another file, and a manifest that says it is the right one."""
    (folder / name).write_bytes(content)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["sha256"][name] = file_hash(folder / name)
    path.write_text(json.dumps(manifest))


def parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def text_in(table: pa.Table, name: str, old: str, new: str) -> pa.Table:
    """The table with another text in a column."""
    texts = [new if text == old else text for text in table[name].to_pylist()]
    return table.set_column(table.column_names.index(name), name, pa.array(texts))


DAMAGE: dict[str, Callable[[pa.Table], pa.Table]] = {
    "a line is missing": lambda table: table.slice(1),
    "there are more lines": lambda table: pa.concat_tables([table, table]),
    "lines changed places": lambda table: table.take(list(range(len(table)))[::-1]),
    "no verdicts": lambda table: table.drop_columns(["verdict"]),
    "no names of arms": lambda table: table.drop_columns(["arm"]),
    "another truth": lambda table: text_in(table, "truth", "a", "c"),
    "another design": lambda table: text_in(table, "design", "HDoC", "Other"),
    "another arm": lambda table: text_in(table, "arm", "low", "lowest"),
    "texts for numbers": lambda table: table.set_column(
        table.column_names.index("decided"), "decided", pa.array(["1"] * len(table))
    ),
    "a number is missing": lambda table: table.set_column(
        table.column_names.index("sum"),
        "sum",
        pa.array([None, *table["sum"].to_pylist()[1:]], table["sum"].type),
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_runs_that_are_not_those_of_the_study_are_refused(folder: Path, damage: str) -> None:
    table = pq.read_table(folder / "runs.parquet")
    forge(folder, "runs.parquet", parquet(table))
    load_saved(folder)
    forge(folder, "runs.parquet", parquet(DAMAGE[damage](table)))
    with pytest.raises(InputError, match=r"runs\.parquet does not hold the runs of study\.toml"):
        load_saved(folder)


def test_runs_of_a_study_with_other_arms_or_more_trials_are_refused(
    folder: Path, runs: Runs
) -> None:
    fewer = {
        "arms": runs.study.arms[:2],
        "truths": tuple(
            truth.model_copy(update={"means": truth.means[:2]}) for truth in runs.study.truths
        ),
    }
    for other in (runs.study.model_copy(update=fewer), changed(runs.study, runs=41)):
        forge(folder, "study.toml", dump_study(other).encode())
        with pytest.raises(InputError, match="does not hold the runs"):
            load_saved(folder)


def test_files_of_other_kinds_are_refused_in_words(folder: Path) -> None:
    whole = (folder / "runs.parquet").read_bytes()
    for content in (b"", b"no parquet", whole[: len(whole) // 2]):
        forge(folder, "runs.parquet", content)
        with pytest.raises(InputError, match="does not hold the runs"):
            load_saved(folder)
    (folder / "runs.parquet").unlink()
    (folder / "runs.parquet").symlink_to(os.devnull)
    with pytest.raises(InputError, match=r"runs\.parquet is missing or not readable"):
        load_saved(folder)


def test_a_table_that_is_no_text_is_not_the_same(folder: Path) -> None:
    forge(folder, "characteristics.csv", b"\xff\xfe")
    (sentence,) = differences(load_saved(folder))
    assert sentence.endswith("characteristics.csv is not the same")


def test_a_failed_extension_leaves_the_old_runs(
    folder: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gai_core.results.storage.write_files", fail)
    with pytest.raises(InputError, match="No space left"):
        extended(load_saved(folder), 55)
    assert same(load_saved(folder).runs, runs)
    assert [path.name for path in folder.parent.iterdir()] == ["saved"]

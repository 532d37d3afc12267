"""Saved runs: read back as they were, recreated, extended, and mistrusted when changed."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import make_study

from gai_core import InputError, Runs, characteristics, simulate
from gai_core.engine import Work
from gai_core.results.saved import differences, extended, load_saved
from gai_core.results.storage import save_runs, saved_zip
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


@pytest.mark.parametrize("content", ["", "{", "[]", '{"sha256": 3}'])
def test_a_folder_without_a_manifest_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(InputError, match="is no folder of"):
        load_saved(tmp_path)


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

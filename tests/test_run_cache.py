"""The cache of finished runs: never a wrong number, and never an obstacle."""

import errno
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import make_study

from gai_core import InputError, Runs, Study, dump_study, simulate
from gai_core.basics.fingerprints import fingerprint
from gai_core.basics.user_cache import cache_folder
from gai_core.engine import Work, run_cache
from gai_core.engine.run_cache import block_key, clear, entries, simulate_cached, size_limit
from gai_core.engine.trials import sized
from gai_core.questions.precision import simulate_to


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own; compiled code stays where it is."""
    monkeypatch.setenv("GAI_RUN_CACHE_MB", "100")
    own = tmp_path / "runs"
    monkeypatch.setattr(run_cache, "cache_folder", lambda _name: own)
    return own


@pytest.fixture
def study() -> Study:
    return make_study(
        truths=[
            {"name": "steep", "means": [0.2, 0.6, 0.8]},
            {"name": "flat", "means": [0.45, 0.5, 0.55]},
        ],
        designs=[{"name": "HDoC", "rule": "hdoc"}, {"name": "APT", "rule": "apt-g"}],
    )


def same(first: Runs, second: Runs) -> bool:
    return first.trials.keys() == second.trials.keys() and all(
        np.array_equal(a, b) and a.dtype == b.dtype
        for names in first.trials
        for a, b in zip(first[names].arrays, second[names].arrays, strict=True)
    )


def test_what_was_simulated_is_not_simulated_again(study: Study) -> None:
    first = simulate_cached(study)
    assert first.kept == 0
    seen: list[tuple[int, int]] = []
    again = simulate_cached(study, progress=lambda done, total: seen.append((done, total)))
    assert again.kept == 160
    assert seen == [(160, 160)]
    assert same(again, first)
    assert same(again, simulate(study))


@pytest.mark.parametrize("runs", [7, 90])
def test_other_numbers_of_runs_share_their_trials(study: Study, runs: int) -> None:
    simulate_cached(study)
    other = simulate_cached(sized(study, runs))
    assert other.kept == 4 * min(runs, 40)
    assert same(other, simulate(sized(study, runs)))
    assert simulate_cached(sized(study, 90)).kept == 4 * max(runs, 40)


def test_more_precision_takes_all_that_the_cache_has(study: Study) -> None:
    first, again = (
        simulate_to(study, 0.02, work=Work(simulator=simulate_cached)) for _ in range(2)
    )
    assert first.study.simulation.runs > study.simulation.runs
    assert again.kept == first.study.simulation.runs * len(first.trials)


def test_a_new_design_or_truth_leaves_the_others_cached(study: Study) -> None:
    simulate_cached(study.model_copy(update={"designs": study.designs[:1]}))
    wider = simulate_cached(study)
    assert wider.kept == 80
    assert same(wider, simulate(study))


COSMETIC = [
    {"title": "Another"}, {"notes": "n"}, {"source": "s"},
    {"outcome": {"kind": "bernoulli", "endpoint": "ACR20"}},
    {"arms": [{"label": "a", "unit": "mg"}, {"label": "b"}, {"label": "c"}]},
    {"truths": [{"name": "steep", "means": [0.2, 0.6, 0.8], "note": "guess"}]},
    {"designs": [{"name": "Renamed", "rule": "hdoc"}]},
    {"simulation": {"runs": 41, "n_max": 2000, "seed": 3}},
]  # fmt: skip
TELLING = [
    {"threshold": 0.51}, {"delta": 0.11}, {"outcome": {"kind": "gaussian", "variance": 1.0}},
    {"simulation": {"runs": 40, "n_max": 2001, "seed": 3}},
    {"simulation": {"runs": 40, "n_max": 2000, "seed": 4}},
    {"truths": [{"name": "steeper", "means": [0.2, 0.6, 0.8]}]},
    {"truths": [{"name": "steep", "means": [0.2, 0.6, 0.81]}]},
    {"designs": [{"name": "HDoC", "rule": "lucb-g"}]},
    {"designs": [{"name": "HDoC", "rule": "hdoc", "criterion": "mixture"}]},
    {"designs": [{"name": "HDoC", "rule": "hdoc", "burn_in": 6}]},
    {"designs": [{"name": "HDoC", "rule": "equal", "criterion": "exact",
                  "criterion_parameters": {"looks": "end"}}]},
]  # fmt: skip


def key(study: Study) -> str:
    return block_key(study, study.truths[0], study.designs[0])


@pytest.mark.parametrize("change", COSMETIC)
def test_words_do_not_make_another_entry(change: dict[str, Any]) -> None:
    assert key(make_study(**change)) == key(make_study())


@pytest.mark.parametrize("change", TELLING)
def test_whatever_changes_numbers_makes_another_entry(change: dict[str, Any]) -> None:
    assert key(make_study(**change)) != key(make_study())


@pytest.mark.parametrize("name", list(fingerprint()))
def test_another_version_finds_nothing(
    study: Study, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    simulate_cached(study)
    monkeypatch.setattr(run_cache, "fingerprint", lambda: fingerprint() | {name: "0.0.1"})
    assert simulate_cached(study).kept == 0


def damages(path: Path) -> Iterator[bytes]:
    """What an entry may look like after an accident."""
    whole = path.read_bytes()
    yield b""
    yield whole[:20]
    yield whole[:-1]
    yield whole + b"\0"
    yield whole[:200] + bytes([whole[200] ^ 1]) + whole[201:]
    yield whole[:-200] + bytes([whole[-200] ^ 128]) + whole[-199:]
    yield next(entry for entry in entries() if entry.path != path).path.read_bytes()


def test_a_damaged_entry_is_simulated_again(study: Study) -> None:
    whole = simulate_cached(study)
    path = entries()[0].path
    for content in list(damages(path)):
        path.write_bytes(content)
        mended = simulate_cached(study)
        assert mended.kept == 120
        assert same(mended, whole)
        assert simulate_cached(study).kept == 160


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_a_pipe_or_a_device_is_no_entry(study: Study) -> None:
    whole = simulate_cached(study)
    path = entries()[0].path
    path.unlink()
    os.mkfifo(path)
    assert same(simulate_cached(study), whole)
    path.unlink()
    path.symlink_to("/dev/zero")
    assert same(simulate_cached(study), whole)
    assert simulate_cached(study).kept == 160


def test_an_entry_of_another_form_is_simulated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the form of trials had changed without the sources: the checksum holds."""
    wider = make_study(
        arms=[{"label": str(i)} for i in range(4)],
        truths=[{"name": "steep", "means": [0.2, 0.6, 0.8, 0.8]}],
    )
    monkeypatch.setattr(run_cache, "block_key", lambda *_: "0" * 64)
    simulate_cached(wider)
    assert simulate_cached(make_study()).kept == 0


def test_what_was_not_used_for_longest_makes_room(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate_cached(study)
    for age, entry in enumerate(entries()):
        os.utime(entry.path, (1e9 - age, 1e9 - age))
    size = entries()[0].size
    first = study.model_copy(update={"designs": study.designs[:1], "truths": study.truths[:1]})
    simulate_cached(first)
    used = entries()[-1].path
    assert used.name == key(study)
    monkeypatch.setenv("GAI_RUN_CACHE_MB", str(2.5 * size / 1e6))
    new = make_study(delta=0.2)
    simulate_cached(new)
    assert [entry.path.name for entry in entries()] == [used.name, key(new)]


def test_a_full_cache_is_not_looked_through_for_every_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    simulate_cached(make_study())
    size = entries()[0].size
    monkeypatch.setenv("GAI_RUN_CACHE_MB", str(40 * size / 1e6))
    monkeypatch.setattr(run_cache, "ROOM_KNOWN", float("inf"))
    looks: list[int] = []

    def counted() -> list[run_cache.CachedFile]:
        found = entries()
        looks.append(len(found))
        return found

    monkeypatch.setattr(run_cache, "entries", counted)
    for seed in range(100):
        simulate_cached(make_study(simulation={"runs": 40, "n_max": 60, "seed": seed}))
    assert len(looks) <= 1 + 100 / 4  # each time room for four is made, a tenth
    assert 36 <= len(entries()) <= 40


def test_a_block_larger_than_the_cache_is_not_kept(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAI_RUN_CACHE_MB", "0.0001")
    assert same(simulate_cached(study), simulate(study))
    assert entries() == []


def test_old_drafts_go_and_new_ones_stay(study: Study, folder: Path) -> None:
    folder.mkdir()
    old, new = folder / ".draft-old", folder / ".draft-new"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1e9, 1e9))
    simulate_cached(study)
    assert not old.exists()
    assert new.exists()


def test_many_writers_leave_whole_entries(study: Study) -> None:
    sizes = [10, 20, 30, 40] * 3
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda runs: simulate_cached(sized(study, runs)), sizes))
    for runs, result in zip(sizes, results, strict=True):
        assert same(result, simulate(sized(study, runs)))
    assert len(entries()) == 4
    assert simulate_cached(sized(study, 10)).kept == 40


def test_a_folder_that_cannot_be_written_is_passed_over(study: Study, folder: Path) -> None:
    folder.write_text("a file is in the way")
    assert same(simulate_cached(study), simulate(study))
    assert folder.read_text() == "a file is in the way"
    assert entries() == []


class FullDisk:
    """A temporary file on a disk without space."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._file = _temporary(*args, **kwargs)
        self.name = self._file.name

    def __enter__(self) -> "FullDisk":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, _content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


_temporary = tempfile.NamedTemporaryFile


def test_a_full_disk_is_passed_over_and_leaves_nothing(
    study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gai_core.basics.user_cache.tempfile.NamedTemporaryFile", FullDisk)
    assert same(simulate_cached(study), simulate(study))
    assert list(folder.iterdir()) == []


def test_clear_empties_and_0_switches_off(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    simulate_cached(study)
    assert clear() == 4
    assert entries() == []
    monkeypatch.setenv("GAI_RUN_CACHE_MB", "0")
    simulate_cached(study)
    assert entries() == []


@pytest.mark.parametrize("text", ["much", "-1", "nan", ""])
def test_a_limit_that_is_no_number_is_an_error(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("GAI_RUN_CACHE_MB", text)
    with pytest.raises(InputError, match="GAI_RUN_CACHE_MB must be a number of megabytes from 0"):
        size_limit()


def test_the_command_line_uses_shows_and_empties_it(study: Study, tmp_path: Path) -> None:
    path, saved, cache = tmp_path / "study.toml", tmp_path / "saved", tmp_path / "cache"
    cache.mkdir()
    (cache / "compiled").symlink_to(cache_folder("compiled"))
    path.write_text(dump_study(study), encoding="utf-8")
    environment = os.environ | {"GAI_CACHE_DIR": str(cache), "GAI_RUN_CACHE_MB": "5"}

    def gai(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gai_core", *map(str, words)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    first, again = gai("run", path), gai("run", path, "--save", saved)
    assert again.stdout == first.stdout
    assert "160 of 160 trials came out of the cache" in again.stderr
    manifest = json.loads((saved / "manifest.json").read_text())
    assert (manifest["trials_simulated"], manifest["trials_kept_from_before"]) == (0, 160)
    assert "came out of the cache" not in gai("run", path, "--no-cache").stderr
    assert "4 entries, 0.0 MB of 5 MB" in gai("cache").stdout
    assert "4 entries removed" in gai("cache", "--clear").stdout
    assert "0 entries" in gai("cache").stdout

"""Conducted runs on disk, in the cache and made longer: the same bit by bit."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conducted import APART, FIXED, HDOC, SCORE, USUAL, conducted_study, without_conduct

from gai_core import InputError, Runs, Study, characteristics, simulate
from gai_core.engine import Work, run_cache
from gai_core.engine.run_cache import block_key, entries, simulate_cached
from gai_core.engine.trials import sized
from gai_core.results.saved import differences, extended, load_saved
from gai_core.results.storage import save_runs, saved_zip
from gai_core.study.changing import changed

STUDIES = {
    "rates": conducted_study(),
    "scores": conducted_study(
        APART | {"delay": {"weeks": 8.0, "pattern": "exponential"}}, outcome=SCORE
    ),
}
CALENDAR = ["seen", "month", "waiting", "enrolment", "end", "pipeline"]


@pytest.fixture(scope="module", params=STUDIES)
def runs(request: pytest.FixtureRequest) -> Runs:
    return simulate(STUDIES[request.param])


@pytest.fixture
def folder(tmp_path: Path, runs: Runs) -> Path:
    place = tmp_path / "saved"
    save_runs(runs, characteristics(runs), place)
    return place


def same(a: Runs, b: Runs) -> bool:
    """Whether all trials are the same, every array of the calendar too."""
    assert a.trials.keys() == b.trials.keys()
    return all(
        list(a[key].named_arrays) == list(b[key].named_arrays)
        and list(a[key].named_arrays)[-6:] == CALENDAR
        and all(
            x.dtype == y.dtype and np.array_equal(x, y, equal_nan=True)
            for x, y in zip(a[key].arrays, b[key].arrays, strict=True)
        )
        for key in a.trials
    )


def test_the_comparison_sees_a_difference(runs: Runs) -> None:
    other = simulate(runs.study, threads=1)
    assert same(runs, other)
    calendar = other["near", "HDoC"].calendar
    assert calendar is not None
    calendar.end[3] += 1e-9
    assert not same(runs, other)


# --- folders ----------------------------------------------------------------------------------


def test_saved_runs_are_read_back_as_they_were(runs: Runs, folder: Path) -> None:
    saved = load_saved(folder)
    assert saved.study == runs.study
    assert same(saved.runs, runs)


def test_what_a_trial_has_stands_at_each_of_its_arms(runs: Runs, folder: Path) -> None:
    lines = pd.read_parquet(folder / "runs.parquet")
    assert list(lines.columns[-6:]) == CALENDAR
    block = runs["near", "HDoC"].calendar
    assert block is not None
    here = lines[(lines.truth == "near") & (lines.design == "HDoC")]
    assert here[here.arm == "placebo"].month.isna().all()
    for label in ("placebo", "high"):
        assert here[here.arm == label].end.tolist() == block.end.tolist()
        assert here[here.arm == label].pipeline.tolist() == block.pipeline.tolist()


def test_the_zip_holds_the_same_files(runs: Runs, folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(saved_zip(runs, characteristics(runs)))) as archive:
        archive.extractall(tmp_path / "zip")
    assert same(load_saved(tmp_path / "zip").runs, runs)
    for name in ("study.toml", "characteristics.csv", "runs.parquet"):
        assert (tmp_path / "zip" / name).read_bytes() == (folder / name).read_bytes()


def test_a_rerun_finds_every_number_the_same_or_names_it(folder: Path) -> None:
    saved = load_saved(folder)
    assert differences(saved, work=Work(threads=1)) == []
    calendar = saved.runs["clear", "HDoC"].calendar
    assert calendar is not None
    calendar.pipeline[2] += 1
    (sentence,) = differences(saved)
    assert sentence.endswith("clear, HDoC: pipeline is not the same")


def test_extended_runs_are_those_of_a_longer_simulation(runs: Runs, folder: Path) -> None:
    extended(load_saved(folder), 55)
    fresh = simulate(changed(runs.study, runs=55))
    assert same(load_saved(folder).runs, fresh)
    assert differences(load_saved(folder)) == []


def test_earlier_runs_are_kept_and_only_new_trials_simulated(runs: Runs) -> None:
    longer, done = changed(runs.study, runs=70), [0]
    result = simulate(longer, earlier=runs, progress=lambda trials, _: done.append(trials))
    assert done[1] == 40 * 4
    assert result.kept == 40 * 4
    assert same(result, simulate(longer))


def test_runs_of_another_conduct_are_not_continued(runs: Runs) -> None:
    for other in (
        runs.study.model_copy(update={"conduct": None}),
        runs.study.model_copy(
            update={"conduct": runs.study.conduct.model_copy(update={"cohort": 5})}  # type: ignore[union-attr]
        ),
    ):
        with pytest.raises(InputError, match="the earlier runs are of another study"):
            simulate(sized(other, 70), earlier=runs)


# --- the cache --------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own."""
    monkeypatch.setenv("GAI_RUN_CACHE_MB", "100")
    own = tmp_path / "runs"
    monkeypatch.setattr(run_cache, "cache_folder", lambda _name: own)
    return own


@pytest.mark.usefixtures("cache")
def test_what_was_simulated_is_not_simulated_again(runs: Runs) -> None:
    study = runs.study
    assert simulate_cached(study).kept == 0
    again = simulate_cached(study)
    assert again.kept == 160
    assert same(again, runs)
    longer = simulate_cached(sized(study, 61))
    assert longer.kept == 160
    assert same(longer, simulate(sized(study, 61)))
    shorter = simulate_cached(sized(study, 9))
    assert shorter.kept == 36
    assert same(shorter, simulate(sized(study, 9)))


@pytest.mark.usefixtures("cache")
def test_damaged_entries_are_simulated_again(runs: Runs) -> None:
    simulate_cached(runs.study)
    first, second, third, whole = (entry.path for entry in entries())
    content = first.read_bytes()
    first.write_bytes(content[:-40])
    middle = len(content) // 2
    second.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    third.write_bytes(whole.read_bytes())
    result = simulate_cached(runs.study)
    assert result.kept == 40
    assert same(result, runs)
    assert simulate_cached(runs.study).kept == 160


def key(study: Study) -> str:
    return block_key(study, study.truths[0], study.designs[0])


TRUTH = {"name": "clear", "means": [0.2, 0.1, 0.75, 0.95]}
OTHERS: list[dict[str, Any]] = [
    {"conduct": USUAL | {"accrual": {"per_month": 11.0}}},
    {"conduct": USUAL | {"accrual": {"per_month": 10.0, "pattern": "poisson"}}},
    {"conduct": USUAL | {"delay": {"weeks": 9.0}}},
    {"conduct": USUAL | {"cohort": 5}},
    {"conduct": USUAL | {"looks": {"outcomes": 4}}},
    {"conduct": USUAL | {"randomisation": {"kind": "mixed"}}},
    {"conduct": USUAL | {"dropout": None}},
    {"conduct": USUAL | {"control_share": 0.2}},
    {"conduct": USUAL | {"wanted": 1}},
    {"conduct": {}},
    {"truths": [TRUTH | {"trend": 0.01}]},
    {"arms": [{"label": "placebo"}, {"label": "low", "control": True}, {"label": "middle"},
              {"label": "high"}]},
]  # fmt: skip


def test_every_part_of_a_conduct_makes_another_entry() -> None:
    studies = [conducted_study(), *(conducted_study(**change) for change in OTHERS)]
    keys = {key(study) for study in [*studies, without_conduct(conducted_study())]}
    assert len(keys) == len(OTHERS) + 2


@pytest.mark.usefixtures("cache")
def test_a_plain_study_does_not_take_conducted_trials_for_its_own() -> None:
    study = conducted_study(designs=[HDOC, FIXED])
    simulate_cached(study)
    plain = simulate_cached(without_conduct(study))
    assert plain.kept == 0
    assert plain["clear", "HDoC"].calendar is None

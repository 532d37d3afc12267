"""Saved runs: read them back, simulate them again, add to them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gai_core.basics import Argument, InputError, Problem, writable
from gai_core.engine import HERE, Runs, Work, empty_trials
from gai_core.results.storage import MANIFEST, RUNS, STUDY, TABLE, file_hash, save_runs
from gai_core.results.tidy import characteristics
from gai_core.study import Study, changed, load_study
from gai_core.version import __version__


@dataclass(frozen=True)
class Saved:
    """A folder of `gai run --save`, checked against its manifest."""

    folder: Path
    runs: Runs
    manifest: dict[str, Any]

    @property
    def study(self) -> Study:
        """The study that was simulated."""
        return self.runs.study


def load_saved(folder: Path) -> Saved:
    """Read a saved folder; what is missing or was changed is named."""
    source = str(folder)
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        hashes = dict(manifest["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        rule = f"is no folder of `gai run --save` ({MANIFEST} is not readable)"
        raise InputError(rule, source=source) from None
    for name in (STUDY, TABLE, RUNS):
        try:
            same = file_hash(folder / name) == hashes.get(name)
        except OSError:
            raise InputError(f"{name} is missing or not readable", source=source) from None
        if not same:
            rule = f"{name} is not what the manifest says; it was changed"
            raise InputError(rule, source=source)
    study = load_study(folder / STUDY)
    return Saved(folder, Runs(study, _read_trials(study, folder / RUNS)), manifest)


def _read_trials(study: Study, path: Path) -> dict[tuple[str, str], Any]:
    """The blocks in the order in which they were written: truths, then designs."""
    import pyarrow.parquet as pq

    columns = pq.read_table(path, columns=list(empty_trials(study, 1).named_arrays))
    trials = {}
    first = 0
    for truth in study.truths:
        for design in study.designs:
            block = empty_trials(study)
            for array, column in zip(block.arrays, columns.columns, strict=True):
                lines = column[first : first + block.verdict.size].to_numpy()
                lines = lines.reshape(block.verdict.shape)
                array[...] = lines if array.ndim == 2 else lines[:, 0]
            first += block.verdict.size
            trials[truth.name, design.name] = block
    return trials


def differences(
    saved: Saved,
    *,
    work: Work = HERE,
) -> list[str]:
    """Simulate again: a sentence for everything that is not the same, none if all is."""
    again = work.simulate(saved.study)
    found = [
        f"{saved.folder}: {truth}, {design}: {name} is not the same"
        for (truth, design), block in saved.runs.trials.items()
        for name, old in block.named_arrays.items()
        if not np.array_equal(old, again[truth, design].named_arrays[name], equal_nan=True)
    ]
    table = characteristics(again).to_csv(index=False, lineterminator="\n")
    if table != (saved.folder / TABLE).read_text(encoding="utf-8"):
        found.append(f"{saved.folder}: {TABLE} is not the same")
    version = saved.manifest.get("version")
    if found and version != __version__:
        found.append(f"it was saved by version {version}, this is {__version__}")
    return found


def extended(
    saved: Saved,
    runs: int,
    *,
    work: Work = HERE,
) -> Runs:
    """Add trials up to `runs` in all, and save them in the same folder."""
    if runs <= saved.study.simulation.runs:
        rule = (
            f"must be more than the {saved.study.simulation.runs:,} trials that {saved.folder} has"
        )
        raise InputError(Problem((Argument("runs"),), rule, f"is {runs:,}"))
    if saved.manifest.get("version") != __version__:
        raise InputError(
            f"{saved.folder} was saved by version {saved.manifest.get('version')}, this is "
            f"{__version__}: old and new trials would not fit together; run it anew"
        )
    longer = changed(saved.study, str(saved.folder), runs=runs)
    result = work.simulate(longer, earlier=saved.runs)
    with writable(saved.folder):
        save_runs(result, characteristics(result), saved.folder, replace=True)
    return result

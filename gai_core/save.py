"""Runs on disk: a new folder with the study, the runs, the tidy table and a manifest."""

import hashlib
import json
import platform
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gai_core.errors import InputError
from gai_core.files import check_writable, dump_study, writable, written_whole
from gai_core.simulate import Runs, Trials
from gai_core.version import LIBRARIES, __version__

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def check_folder(folder: Path) -> None:
    """Refuse a folder that is there already, or one that cannot be made."""
    with writable(folder):
        if folder.exists():
            raise InputError(f"{folder}: exists already; choose a new folder")
    check_writable(folder)


def save_runs(runs: Runs, values: "pd.DataFrame", folder: Path) -> None:
    """Write study.toml, characteristics.csv, runs.parquet and manifest.json, or nothing."""
    check_folder(folder)
    with written_whole(folder, folder=True) as draft:
        (draft / "study.toml").write_text(dump_study(runs.study), encoding="utf-8")
        values.to_csv(draft / "characteristics.csv", index=False, lineterminator="\n")
        _write_blocks(runs, draft / "runs.parquet")
        hashes = {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(draft.iterdir())
        }
        manifest = {
            "package": "gai-planner",
            "version": __version__,
            "python": platform.python_version(),
            "libraries": {name: metadata.version(name) for name in LIBRARIES},
            "seed": runs.study.simulation.seed,
            "runs": runs.study.simulation.runs,
            "sha256": hashes,
        }
        (draft / "manifest.json").write_text(
            json.dumps(manifest, indent=2) + "\n", encoding="utf-8"
        )


def _write_blocks(runs: Runs, path: Path) -> None:
    """Block by block, so that memory holds one table at a time."""
    import pyarrow.parquet as pq

    writer = None
    for (truth, design), trials in runs.trials.items():
        table = _block_table(runs, truth, design, trials)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _block_table(runs: Runs, truth: str, design: str, trials: Trials) -> "pa.Table":
    """The trials of one truth and design, one line per replicate and arm."""
    import pyarrow as pa

    replicates, arms = trials.verdict.shape
    size = replicates * arms
    labels = [arm.label for arm in runs.study.arms]
    return pa.table(
        {
            "truth": _repeated(truth, size),
            "design": _repeated(design, size),
            "replicate": np.repeat(np.arange(replicates, dtype=np.int32), arms),
            "arm": pa.DictionaryArray.from_arrays(
                np.tile(np.arange(arms, dtype=np.int32), replicates), labels
            ),
            "verdict": trials.verdict.ravel(),
            "decided": trials.decided.ravel(),
            "assigned": trials.assigned.ravel(),
            "sum": trials.sums.ravel(),
        }
    )


def _repeated(text: str, size: int) -> "pa.DictionaryArray":
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(np.zeros(size, np.int32), [text])

"""Runs on disk: a new folder with the study, the runs, the tidy table and a manifest."""

import datetime
import hashlib
import io
import json
import platform
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import InputError, check_writable, open_regular, writable, written_whole
from gai_core.engine import Runs, Trials
from gai_core.study import dump_study
from gai_core.version import LIBRARIES, __version__

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

STUDY, TABLE, RUNS, MANIFEST = (
    "study.toml",
    "characteristics.csv",
    "runs.parquet",
    "manifest.json",
)
LABELS = ("truth", "design", "replicate", "arm")
"""Columns of the runs that say what a line is of; those of numbers follow."""


def check_folder(folder: Path) -> None:
    """Refuse a folder that is there already, or one that cannot be made."""
    with writable(folder):
        if folder.exists():
            raise InputError("exists already; choose a new folder", source=str(folder))
    check_writable(folder)


def save_runs(runs: Runs, values: "pd.DataFrame", folder: Path, *, replace: bool = False) -> None:
    """Write study, tidy table (CSV and Parquet), runs and manifest, or nothing.

    With `replace` a folder of earlier runs makes place when the new one is complete.
    """
    if not replace:
        check_folder(folder)
    with written_whole(folder, folder=True) as draft:
        write_files(runs, values, draft)


def saved_zip(runs: Runs, values: "pd.DataFrame") -> bytes:
    """The same files as a ZIP."""
    content = io.BytesIO()
    with (
        tempfile.TemporaryDirectory(prefix="gai-") as name,
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        write_files(runs, values, Path(name))
        for path in sorted(Path(name).iterdir()):
            archive.write(path, path.name)
    return content.getvalue()


def write_files(runs: Runs, values: "pd.DataFrame", folder: Path) -> None:
    """Fill an empty folder; the manifest comes last and has the hashes of the others."""
    (folder / STUDY).write_text(dump_study(runs.study), encoding="utf-8")
    values.to_csv(folder / TABLE, index=False, lineterminator="\n")
    values.to_parquet(folder / "characteristics.parquet", index=False)
    _write_blocks(runs, folder / RUNS)
    manifest = {
        "package": "gai-planner",
        "version": __version__,
        "python": platform.python_version(),
        "libraries": {name: metadata.version(name) for name in LIBRARIES},
        "seed": runs.study.simulation.seed,
        "runs": runs.study.simulation.runs,
        "written": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "simulation_seconds": round(runs.seconds, 3),
        "trials_simulated": len(runs.trials) * runs.study.simulation.runs - runs.kept,
        "trials_kept_from_before": runs.kept,
        "sha256": {path.name: file_hash(path) for path in sorted(folder.iterdir())},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def file_hash(path: Path) -> str:
    """SHA-256 of a regular file."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
            **{name: _lines(array, arms) for name, array in trials.named_arrays.items()},
        }
    )


def _lines(array: NDArray[Any], arms: int) -> NDArray[Any]:
    """One value per replicate and arm; what a whole trial has stands at each of its arms."""
    return array.ravel() if array.ndim == 2 else np.repeat(array, arms)


def _repeated(text: str, size: int) -> "pa.DictionaryArray":
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(np.zeros(size, np.int32), [text])

"""Saved runs: read them back, simulate them again, add to them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import Argument, InputError, Problem, read_within, shortened, writable
from gai_core.engine import HERE, Runs, Trials, Work, empty_trials
from gai_core.results.storage import LABELS, MANIFEST, RUNS, STUDY, TABLE, file_hash, save_runs
from gai_core.results.tidy import characteristics
from gai_core.study import Study, changed, load_study
from gai_core.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

LARGEST_MANIFEST = 1_000_000
"""Bytes; it has a few hundred."""


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

    @property
    def version(self) -> str:
        """The version that saved them, as it is told."""
        return shortened(self.manifest["version"])


def load_saved(folder: Path) -> Saved:
    """Read a saved folder; what is missing or was changed is named."""
    source = str(folder)
    try:
        manifest = json.loads(read_within(folder / MANIFEST, LARGEST_MANIFEST))
        hashes, version = manifest["sha256"], manifest["version"]
        readable = isinstance(hashes, dict) and isinstance(version, str)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        readable = False
    if not readable:
        rule = f"is no folder of `gai run --save` ({MANIFEST} is not readable)"
        raise InputError(rule, source=source)
    for name in (STUDY, TABLE, RUNS):
        try:
            same = file_hash(folder / name) == hashes.get(name)
        except OSError:
            raise InputError(f"{name} is missing or not readable", source=source) from None
        if not same:
            rule = f"{name} is not what the manifest says; it was changed"
            raise InputError(rule, source=source)
    study = load_study(folder / STUDY)
    trials = _read_trials(study, folder / RUNS)
    if trials is None:
        rule = f"{RUNS} does not hold the runs of {STUDY}; it is damaged, or of another study"
        raise InputError(rule, source=source)
    return Saved(folder, Runs(study, trials), manifest)


def _read_trials(study: Study, path: Path) -> dict[tuple[str, str], Trials] | None:
    """The blocks in the order in which they were written: truths, then designs; None where the
    file has not exactly their lines."""
    lines = study.simulation.runs * len(study.arms)
    blocks = [(truth.name, design.name) for truth in study.truths for design in study.designs]
    table = _read_table(study, path, lines * len(blocks))
    if table is None:
        return None
    trials = {}
    for i, (truth, design) in enumerate(blocks):
        part = table.slice(i * lines, lines)
        if not _names_fit(part, study, truth, design):
            return None
        trials[truth, design] = block = empty_trials(study)
        for name, array in block.named_arrays.items():
            found = part[name].to_numpy().reshape(block.verdict.shape)
            array[...] = found if array.ndim == 2 else found[:, 0]
    return trials


def _read_table(study: Study, path: Path, lines: int) -> "pa.Table | None":
    """So many lines, with the columns of the study's runs; None where the file has others."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = empty_trials(study, 1).named_arrays
    try:
        if pq.read_metadata(path).num_rows != lines:  # before memory is taken for them
            return None
        table = pq.read_table(path, columns=[*LABELS, *arrays])
    except (pa.ArrowException, OSError, ValueError):
        return None
    types = {name: pa.from_numpy_dtype(array.dtype) for name, array in arrays.items()}
    fits = (
        {*LABELS, *types} == {*table.column_names}
        and all(table.schema.field(name).type == kind for name, kind in types.items())
        and not any(column.null_count for column in table.columns)
    )
    return table if fits else None


def _names_fit(part: "pa.Table", study: Study, truth: str, design: str) -> bool:
    """Whether the lines are of this truth and design, one for every replicate and arm in turn."""
    runs, arms = study.simulation.runs, len(study.arms)
    labels = [arm.label for arm in study.arms]
    return bool(
        (_positions(part["truth"], [truth]) == 0).all()
        and (_positions(part["design"], [design]) == 0).all()
        and np.array_equal(_positions(part["arm"], labels), np.tile(np.arange(arms), runs))
        and np.array_equal(part["replicate"].to_numpy(), np.arange(runs).repeat(arms))
    )


def _positions(column: "pa.ChunkedArray", names: list[str]) -> NDArray[Any]:
    """Where each line's name stands among the names; -1 where it does not."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        found = pc.index_in(column, value_set=pa.array(names))
    except pa.ArrowException:  # what is no text is none of the names
        return np.full(len(column), -1)
    return np.asarray(pc.fill_null(found, -1).to_numpy())


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
    if table.encode() != (saved.folder / TABLE).read_bytes():
        found.append(f"{saved.folder}: {TABLE} is not the same")
    if found and saved.version != __version__:
        found.append(f"it was saved by version {saved.version}, this is {__version__}")
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
    if saved.version != __version__:
        raise InputError(
            f"{saved.folder} was saved by version {saved.version}, this is "
            f"{__version__}: old and new trials would not fit together; run it anew"
        )
    longer = changed(saved.study, str(saved.folder), runs=runs)
    result = work.simulate(longer, earlier=saved.runs)
    with writable(saved.folder):
        save_runs(result, characteristics(result), saved.folder, replace=True)
    return result

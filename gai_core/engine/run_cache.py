"""Finished runs are kept in the user's cache folder and never simulated twice.

An entry is one block, the trials of one design under one truth. It is named after
a hash of all that its numbers depend on: the parts of the study that matter, the
seed, and the fingerprint of the package. It begins with a hash of its own content,
so what was cut off or changed is simulated again. Entries that were not used for
longest make room for new ones.
"""

import contextlib
import hashlib
import io
import json
import os
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gai_core.basics import (
    DRAFT,
    InputError,
    Workers,
    cache_folder,
    fingerprint,
    read_within,
    write_quietly,
)
from gai_core.engine.simulation import CancelFlag, Progress, simulate
from gai_core.engine.trials import Blocks, Runs, Trials, empty_trials, sized, trials_of
from gai_core.study import Design, Study, Truth

LIMIT = "GAI_RUN_CACHE_MB"
"""The environment variable with the size that the cache may have; 0 switches it off."""
DEFAULT_LIMIT = 1000
OLD_DRAFT = 24 * 3600
"""Seconds after which nobody is still writing a draft."""
CHECKSUM_BYTES = 32
LARGEST_HEADS = 100_000
"""Bytes of an entry beside the numbers of its arrays."""
ROOM_KNOWN = 60.0
"""Seconds for which the room that was left is known; then others may have written much, too."""
_room: dict[tuple[Path, int], tuple[int, float]] = {}
"""Bytes left in a folder with a limit, and when that was looked up: it takes a look at all files,
which can be more work than a small run."""
ROOM_MADE = 0.1
"""The share of the limit that is made free at once: a full cache would else be looked through for
every block that is added."""


def simulate_cached(
    study: Study,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    cancel: CancelFlag | None = None,
    earlier: Runs | None = None,
    workers: Workers | None = None,
) -> Runs:
    """As `simulate`, but trials that were simulated before come out of the cache."""
    limit = size_limit()
    known = _known(study) if limit else {}
    runs = simulate(
        study,
        threads=threads,
        progress=progress,
        cancel=cancel,
        earlier=earlier,
        known=known,
        workers=workers,
    )
    if limit:
        _keep(runs, known, limit)
    return runs


def size_limit() -> int:
    """Bytes that the cache may have."""
    text = os.environ.get(LIMIT, str(DEFAULT_LIMIT))
    try:
        megabytes = float(text)
    except ValueError:
        megabytes = -1.0
    if not 0 <= megabytes < 1e9:
        raise InputError(f"{LIMIT} must be a number of megabytes from 0 on, but is {text!r}")
    return round(1e6 * megabytes)


def block_key(study: Study, truth: Truth, design: Design) -> str:
    """A hash of everything the trials of a block depend on, but for how many they are.

    Only what is known not to matter is left out, such as titles, labels and notes:
    a new part of a study counts until somebody says otherwise.
    """
    data = study.model_dump(
        mode="json",
        exclude={
            "title": True,
            "source": True,
            "notes": True,
            "estimand": True,
            "truths": True,
            "designs": True,
            "outcome": {"endpoint"},
            "simulation": {"runs"},
            "arms": {"__all__": {"label", "unit"}},
        },
    )
    data["truth"] = truth.model_dump(mode="json", exclude={"note"})
    data["design"] = design.model_dump(mode="json", exclude={"name"})
    data["made by"] = fingerprint()
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _path(key: str) -> Path:
    return cache_folder("runs") / key


def _blocks(study: Study) -> Iterator[tuple[tuple[str, str], str]]:
    """Names and key of every block of a study."""
    for truth in study.truths:
        for design in study.designs:
            yield (truth.name, design.name), block_key(study, truth, design)


def _known(study: Study) -> Blocks:
    """The blocks of a study that the cache has, with as many trials as it has."""
    sample = empty_trials(sized(study, 1))
    found = {names: _read(key, sample) for names, key in _blocks(study)}
    return {names: trials for names, trials in found.items() if trials is not None}


def _read(key: str, like: Trials) -> Trials | None:
    """An entry, if it is there, whole and of the right form; it counts as used now."""
    path = _path(key)
    try:
        content = read_within(path, size_limit() + LARGEST_HEADS)
        body = memoryview(content)[CHECKSUM_BYTES:]
        if content[:CHECKSUM_BYTES] != _checksum(key, body):
            return None
        with np.load(io.BytesIO(body)) as arrays:
            trials = trials_of({name: arrays[name] for name in arrays.files})
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return trials if _form(trials) == _form(like) else None


def _form(trials: Trials) -> dict[str, tuple[object, ...]]:
    """Types and shapes of the arrays, whatever their number of rows, which must be one."""
    arrays = trials.named_arrays
    rows = {len(array) for array in arrays.values()}
    return {name: (array.dtype, array.shape[1:], len(rows)) for name, array in arrays.items()}


def _checksum(key: str, body: bytes | memoryview) -> bytes:
    """Of the key too, so that an entry under another's name is not taken for it."""
    digest = hashlib.sha256(key.encode())
    digest.update(body)
    return digest.digest()


def _keep(runs: Runs, known: Blocks, limit: int) -> None:
    """Write the blocks that have become longer, and make room for them."""
    written = 0
    for names, key in _blocks(runs.study):
        trials = runs[names]
        before = len(known[names].verdict) if names in known else 0
        size = sum(array.nbytes for array in trials.arrays)
        if before < len(trials.verdict) and size < limit:
            body = io.BytesIO()
            arrays: dict[str, Any] = trials.named_arrays
            np.savez(body, **arrays)
            content = body.getbuffer()
            if not write_quietly(_path(key), [_checksum(key, content), content]):
                break  # the next one would not fit either
            written += CHECKSUM_BYTES + len(content)
    place = cache_folder("runs"), limit
    left, looked = _room.get(place, (0, -ROOM_KNOWN))
    if left < written or time.monotonic() - looked > ROOM_KNOWN:
        _room[place] = _make_room(limit), time.monotonic()
    else:
        _room[place] = left - written, looked


@dataclass(frozen=True)
class CachedFile:
    """A file of the cache."""

    path: Path
    size: int
    used: float


def entries() -> list[CachedFile]:
    """The files of the cache, the one that was used longest ago first."""
    found = []
    with contextlib.suppress(OSError), os.scandir(cache_folder("runs")) as files:
        for file in files:
            with contextlib.suppress(OSError):  # another process may have removed it
                status = file.stat()
                found.append(CachedFile(Path(file.path), status.st_size, status.st_mtime))
    return sorted(found, key=lambda entry: entry.used)


def _make_room(limit: int) -> int:
    """Remove what was not used for longest, and drafts that somebody left behind; what is left."""
    found = entries()
    size = sum(entry.size for entry in found)
    most = limit if size <= limit else (1 - ROOM_MADE) * limit
    for entry in found:
        draft = entry.path.name.startswith(DRAFT)
        if time.time() - entry.used > OLD_DRAFT if draft else size > most:
            _remove(entry)
            size -= entry.size
    return limit - size


def clear() -> int:
    """Empty the cache; how many files are gone."""
    return sum(_remove(entry) for entry in entries())


def _remove(entry: CachedFile) -> bool:
    try:
        entry.path.unlink()
    except OSError:
        return False
    return True

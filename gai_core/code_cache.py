"""Where compiled code is kept between runs.

The folder is named after a hash of the sources that the code was made from:
numba itself looks at one file only, and would run stale code after an edit of
a rule in another one.
"""

import hashlib
import inspect
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import platformdirs

KEPT_VERSIONS = 5


def cache_home() -> Path:
    """The folder for all versions: in NUMBA_CACHE_DIR if set, else in the user's cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    base = Path(chosen) if chosen else Path(platformdirs.user_cache_dir("gai-planner"))
    return base / "compiled"


def source_hash(functions: Iterable[Callable[..., Any]]) -> str | None:
    """A hash of the files that define the functions, None if one of them has no file."""
    try:
        files = {inspect.getsourcefile(function) for function in functions}
        contents = [Path(file or "").read_bytes() for file in sorted(files, key=str)]
    except (OSError, TypeError):
        return None
    digest = hashlib.sha256()
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:16]


@contextmanager
def code_cache(functions: Iterable[Callable[..., Any]]) -> Iterator[bool]:
    """Point numba at the folder of these sources; False where nothing can be kept."""
    version = source_hash(functions)
    folder = cache_home() / version if version else None
    if folder is None or not _writable(folder):
        yield False
        return
    _forget_old_versions(folder)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield True
    finally:
        numba.config.CACHE_DIR = before


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _forget_old_versions(folder: Path) -> None:
    os.utime(folder)
    versions = sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in versions[KEPT_VERSIONS:]:
        shutil.rmtree(old, ignore_errors=True)

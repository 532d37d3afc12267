"""Where compiled code is kept between runs.

The folder is named after a hash of the sources that the code was made from:
numba itself looks at one file only, and would run stale code after an edit of
a rule in another one. Loops of one function that close over different parts
have folders of their own in it: numba numbers the files of a function without
a lock, and two processes that compile different ones at the same time could
end with the code of one under the name of the other.
"""

import contextlib
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba

from gai_core.basics.user_cache import cache_folder, content_hash, source_hash
from gai_core.basics.whole_files import open_regular, without_waiting

KEPT_VERSIONS = 30
"""Every file with compiled functions has a folder for each version of its sources; the newest are
kept, enough for all files in a few versions."""
VERSION = re.compile("[0-9a-f]{16}")
_POINTING = threading.Lock()
"""Held while a loop is made: where numba keeps its code is one setting for all threads."""


@contextmanager
def code_cache(functions: Iterable[Callable[..., Any]], parts: str = "") -> Iterator[Path | None]:
    """Point numba at the folder of these sources and parts; None where nothing can be kept."""
    version = source_hash(functions)
    whole = cache_folder("compiled") / version if version else None
    folder = whole / content_hash([], parts) if whole and parts else whole
    if folder is None or whole is None or not _writable(folder):
        yield None
        return
    _forget_old_versions(whole)
    _drop_damaged(folder)
    with _POINTING:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(folder)
        try:
            yield folder
        finally:
            numba.config.CACHE_DIR = before


def compile_in_turn(compiled: Any, folder: Path) -> None:
    """Let one process at a time compile a function; those that wait find its code in the folder."""
    compile_at_once = compiled.compile

    def compile_alone(signature: Any) -> Any:
        with _alone_in(folder):
            return compile_at_once(signature)

    compiled.compile = compile_alone


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; without one, as on Windows, both compile, which only takes longer."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            lock = open(folder / "lock", "w", opener=without_waiting)  # noqa: SIM115 (held)
            fcntl.flock(held.enter_context(lock), fcntl.LOCK_EX)
        yield


def _drop_damaged(folder: Path) -> None:
    """Forget everything if a file was cut off: a pickle ends with a full stop."""
    for path in folder.rglob("*.nb[ci]"):
        try:
            with open_regular(path) as file:
                complete = file.read().endswith(b".")
        except OSError:
            complete = False
        if not complete:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True, exist_ok=True)
            return


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _forget_old_versions(folder: Path) -> None:
    """Remove all but the newest folders that this module has made."""
    with contextlib.suppress(OSError):  # another process may be doing the same
        os.utime(folder)
        mine = [path for path in folder.parent.iterdir() if VERSION.fullmatch(path.name)]
        mine.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for old in mine[KEPT_VERSIONS:]:
            shutil.rmtree(old, ignore_errors=True)

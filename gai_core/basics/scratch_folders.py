"""Temporary folders that do not outlive their process: what a killed one left is cleared away."""

import contextlib
import hashlib
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = ".gai-"
OLD = 24 * 3600
"""Seconds after which nobody is still writing, whichever machine it was."""


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """A temporary folder in `parent`; first the ones go that killed processes left there."""
    clear_abandoned(parent)
    prefix = f"{PREFIX}{_machine()}-{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=parent) as folder:
        yield Path(folder)


def clear_abandoned(parent: Path) -> None:
    """Remove our temporary folders whose process is gone, or which nobody touched for a day."""
    with contextlib.suppress(OSError):
        for folder in parent.glob(f"{PREFIX}*-*-*"):
            if folder.is_dir() and not folder.is_symlink() and _abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _abandoned(folder: Path) -> bool:
    machine, pid = folder.name.removeprefix(PREFIX).split("-")[:2]
    if machine == _machine() and pid.isdecimal() and os.name == "posix":
        return not _alive(int(pid))
    with contextlib.suppress(OSError):
        touched = max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
        return time.time() - touched > OLD
    return False


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's
        return True
    return True


def _machine() -> str:
    """A short name of this machine: a process number means nothing on another one."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]

"""Files written whole or not at all, or read within a limit; what the system says, in words."""

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from gai_core.basics.errors import InputError
from gai_core.basics.problem import Argument, Problem
from gai_core.basics.scratch_folders import scratch


def read_within(path: Path, most: int) -> bytes:
    """What a regular file holds; one of more than `most` bytes is an error of the system."""
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"it has more than {most:,} bytes")
        return file.read()


def open_regular(path: Path) -> BufferedReader:
    """A regular file to be read: a pipe may keep its reader waiting, a device may have no end."""
    file = open(path, "rb", opener=without_waiting)  # noqa: SIM115  (who called closes it)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is no regular file")
    return file


def without_waiting(path: str, flags: int) -> int:
    """A descriptor; the other end of a pipe, which may never come, is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)


@contextmanager
def written_whole(path: Path, *, folder: bool = False) -> Iterator[Path]:
    """Give a temporary path beside `path`; move it into place only when all went well."""
    with writable(path):
        target = _resolved(path)  # a link keeps pointing where it points
        with scratch(target.parent) as temporary:
            draft = temporary / target.name
            if folder:
                draft.mkdir()
            yield draft
            if folder and target.is_dir():
                target.rename(temporary / "before")  # goes with the temporary folder
            draft.replace(target)


def check_writable(path: Path) -> None:
    """Before long work: refuse a path where nothing can be written."""
    with writable(path):
        if path.is_dir():
            raise InputError("is a folder, but must be a file", source=str(path))
        if not _special(path):
            with tempfile.TemporaryFile(dir=_resolved(path).parent):
                pass


def check_new(path: Path, *, force: bool = False) -> None:
    """Refuse a path where nothing can be written, or where something is, unless forced."""
    check_writable(path)
    if path.exists() and not force:
        problem = Problem((), "exists already", "", ((Argument("force"),), " replaces it"))
        raise InputError(problem, source=str(path))


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all; into a device or a pipe as it is."""
    with written_whole_or_piped(path) as draft, draft.open("w", encoding="utf-8") as file:
        file.write(text)


@contextmanager
def written_whole_or_piped(path: Path) -> Iterator[Path]:
    """The path to write to: a device or a pipe itself, else a draft that becomes the file."""
    if _special(path):
        with writable(path):
            yield path
        return
    with written_whole(path) as draft:
        yield draft


def _resolved(path: Path) -> Path:
    """Where the path leads; links that lead to each other are the system's error, as elsewhere."""
    try:
        return path.resolve()
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None


def _special(path: Path) -> bool:
    """Whether the path is there and is neither a file nor a folder."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def writable(path: Path) -> Iterator[None]:
    """Turn what the system says about a path into an InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be written ({reason(error)})", source=str(path)) from None


def reason(error: OSError) -> str:
    """What the system said, without numbers and paths."""
    return error.strerror or str(error)

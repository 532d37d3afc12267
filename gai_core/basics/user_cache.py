"""The user's cache folder, and hashes of sources to name entries after.

What is kept there can always be computed again: nothing is lost with it, and
what cannot be read or written is passed over.
"""

import contextlib
import hashlib
import inspect
import math
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import platformdirs

from gai_core.basics.whole_files import read_within

DRAFT = ".draft-"
"""How the names of files begin that are not complete."""
LONGEST_NUMBER = 200
"""Bytes of a file with a number and its checksum."""


def cache_folder(name: str) -> Path:
    """A named part of the cache: in GAI_CACHE_DIR if set, else where the system keeps caches."""
    chosen = os.environ.get("GAI_CACHE_DIR")
    return Path(chosen or platformdirs.user_cache_dir("gai-planner")) / name


def source_hash(functions: Iterable[Callable[..., Any]]) -> str | None:
    """A hash of the files that define the functions, None if one of them has no file."""
    try:
        files = {inspect.getsourcefile(function) for function in functions}
        return content_hash(Path(file or "") for file in sorted(files, key=str))
    except (OSError, TypeError):
        return None


def content_hash(files: Iterable[Path], text: str = "") -> str:
    """A hash of what the files hold, in their order, and of a text."""
    digest = hashlib.sha256(text.encode())
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def remembered(name: str, key: str, compute: Callable[[], float]) -> float:
    """A number kept on disk under a key; computed where it is not there, or not as it was kept."""
    path = cache_folder(name) / hashlib.sha256(key.encode()).hexdigest()[:32]
    with contextlib.suppress(OSError, ValueError, OverflowError):
        content = read_within(path, LONGEST_NUMBER)
        kept = float.fromhex(content.decode("ascii").partition(" ")[0])
        if math.isfinite(kept) and content == _with_checksum(kept, key):
            return kept
    value = compute()
    write_quietly(path, [_with_checksum(value, key)])
    return value


def _with_checksum(value: float, key: str) -> bytes:
    """Of the key too, so that a number under another's name is not taken for it."""
    text = value.hex()
    return f"{text} {hashlib.sha256(f'{text} {key}'.encode()).hexdigest()}".encode()


def write_quietly(path: Path, parts: Iterable[bytes | memoryview]) -> bool:
    """Write a file of the cache whole or not at all; whether that was possible."""
    draft = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=DRAFT, delete=False) as file:
            draft = Path(file.name)
            for part in parts:
                file.write(part)
        draft.replace(path)
    except OSError:  # no space, no permission: it is computed again next time
        if draft is not None:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
        return False
    return True

"""The user's cache folder, and hashes of sources to name entries after.

What is kept there can always be computed again: nothing is lost with it, and
what cannot be read or written is passed over.
"""

import contextlib
import hashlib
import inspect
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import platformdirs


def cache_folder(name: str) -> Path:
    """A named part of the cache: in GAI_CACHE_DIR if set, else where the system keeps caches."""
    chosen = os.environ.get("GAI_CACHE_DIR")
    return Path(chosen or platformdirs.user_cache_dir("gai-planner")) / name


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


def remembered(name: str, key: str, compute: Callable[[], float]) -> float:
    """A number kept on disk under a key; computed where it is not there or not readable."""
    path = cache_folder(name) / hashlib.sha256(key.encode()).hexdigest()[:32]
    try:
        return float.fromhex(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        value = compute()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as draft:
            draft.write(value.hex())
        Path(draft.name).replace(path)
    return value

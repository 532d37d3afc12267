"""Arrays kept in memory by what they were made of: those used last, as many as fit."""

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np

Array = TypeVar("Array", bound="np.ndarray[Any, Any]")


class Kept:
    """Arrays by their keys; what was not used for longest goes first, but never the last few."""

    def __init__(self, most_bytes: int, always: int) -> None:
        self._most, self._always = most_bytes, always
        self._arrays: OrderedDict[Hashable, np.ndarray[Any, Any]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._arrays)

    def find(self, key: Hashable) -> "np.ndarray[Any, Any] | None":
        """The array of a key, which counts as used now."""
        with self._lock:
            if key in self._arrays:
                self._arrays.move_to_end(key)
            return self._arrays.get(key)

    def keep(self, key: Hashable, array: "np.ndarray[Any, Any]") -> None:
        """Add one; others make room for it."""
        with self._lock:
            before = self._arrays.pop(key, None)
            self._bytes += array.nbytes - (0 if before is None else before.nbytes)
            self._arrays[key] = array
            while self._bytes > self._most and len(self._arrays) > self._always:
                self._bytes -= self._arrays.popitem(last=False)[1].nbytes


def kept_arrays(
    most_bytes: int, always: int
) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """As `functools.lru_cache`, with a limit on the bytes of the arrays instead of their number.

    Of small arrays thousands are kept, of large ones `always`. An array is shared by all who ask
    for it, so none of them may write into it.
    """

    def keeping(function: Callable[..., Array]) -> Callable[..., Array]:
        kept = Kept(most_bytes, always)

        @functools.wraps(function)
        def asked(*key: Hashable) -> Any:
            found = kept.find(key)
            if found is None:
                found = function(*key)
                found.flags.writeable = False
                kept.keep(key, found)
            return found

        return asked

    return keeping

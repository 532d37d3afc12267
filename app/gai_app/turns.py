"""Turns in drawing: pages are drawn few at a time, so that each is there soon.

Python computes in one thread at a time. Twenty pages drawn at once would all be ready late, and
together; one after the other, most are ready early and none later. Who works already goes before
those who come: one more page is little to a crowd, and a crowd is much to somebody who works.
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from gai_app.settings import DRAWN_AT_ONCE

LONGEST_WAIT = 3.0
"""Seconds after which nobody waits any longer: a page that takes long must not stop the others."""


class Turns:
    """So many at once; newcomers are behind the others, else who came first is first."""

    def __init__(self, places: int = DRAWN_AT_ONCE, longest_wait: float = LONGEST_WAIT) -> None:
        self._places, self._longest_wait = places, longest_wait
        self._busy = 0
        self._waiting: deque[threading.Event] = deque()
        self._newcomers: deque[threading.Event] = deque()
        self._mine = threading.local()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many wait for a place."""
        return len(self._waiting) + len(self._newcomers)

    @contextmanager
    def turn(self, *, newcomer: bool = False) -> Iterator[None]:
        """Wait for a place, but not for ever."""
        self._mine.line = self._newcomers if newcomer else self._waiting
        self._come(self._mine.line)
        self._mine.has_turn = True
        try:
            yield
        finally:
            self._mine.has_turn = False
            self._leave()

    @contextmanager
    def let_others(self) -> Iterator[None]:
        """Give the place away while waiting for something, then wait for one again."""
        if not getattr(self._mine, "has_turn", False):
            yield
            return
        self._leave()
        try:
            yield
        finally:
            self._come(self._mine.line)

    def _come(self, line: deque[threading.Event]) -> None:
        with self._lock:
            if self._busy < self._places:
                self._busy += 1
                return
            called = threading.Event()
            line.append(called)
        if called.wait(self._longest_wait):
            return  # the one who left has handed over the place
        with self._lock:
            if not called.is_set():
                line.remove(called)
                self._busy += 1

    def _leave(self) -> None:
        with self._lock:
            line = self._waiting or self._newcomers
            if line and self._busy <= self._places:
                line.popleft().set()
            else:
                self._busy -= 1


drawing = Turns()
"""The turns of this server."""

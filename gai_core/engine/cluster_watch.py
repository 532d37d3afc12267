"""A cluster that has lost all of its workers: said after a while, given up after a stated time."""

import logging
import time
from collections.abc import Callable

from gai_core.basics import InputError, Words, told

SECONDS_TO_SAY = 10
"""Workers that come back sooner than this are not worth a word."""
SECONDS_TO_GIVE_UP = 300
"""By then a scheduler that starts its own workers has new ones."""

logger = logging.getLogger("gai_core")


class Watch:
    """Called now and then while nothing comes back; knows since when there is no worker."""

    def __init__(
        self,
        working: Callable[[], bool],
        source: Words,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._working, self._source, self._clock = working, source, clock
        self._since: float | None = None
        self._said = False

    def __call__(self) -> None:
        """Say, once, that all workers are gone; raise InputError when they stay away."""
        if self._working():
            self._since, self._said = None, False
            return
        now = self._clock()
        self._since = now if self._since is None else self._since
        gone = now - self._since
        if gone >= SECONDS_TO_GIVE_UP:
            raise InputError(
                f"the cluster has had no worker for {gone:.0f} seconds; start some "
                "(dask worker …) and run it again: what was finished before is in the cache",
                source=self._source,
            )
        if gone >= SECONDS_TO_SAY and not self._said:
            self._said = True
            logger.warning(
                "%s: all workers are gone; waiting for new ones for %d seconds",
                told(self._source),
                SECONDS_TO_GIVE_UP,
            )

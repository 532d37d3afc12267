"""Compile ahead, in a process of its own, so that the server stays quick."""

import atexit
import functools
import subprocess
import sys
import threading
import time

from gai_app.settings import COMPILE_AHEAD, DEFAULT_STUDY
from gai_core.engine import CancelFlag
from gai_core.tools import mark

PAUSE = 5.0
"""Seconds that the rest waits, so that the first results come first."""


@functools.cache
def begin_warm_up() -> threading.Event:
    """Once per server: compile into the user's cache, unless everything is there.

    First come the loops and limits of the default study; the event is set when these are done.
    """
    ready = threading.Event()
    if mark().exists() or not COMPILE_AHEAD:
        ready.set()
    else:
        threading.Thread(target=_compile_all, args=(ready,), name="warm-up", daemon=True).start()
    return ready


def _compile_all(ready: threading.Event) -> None:
    try:
        _compile("--study", DEFAULT_STUDY)
    finally:
        ready.set()
    time.sleep(PAUSE)
    _compile()


def _compile(*what: str) -> None:
    """A failure here only means that the code is compiled when it is needed.

    Nobody waits for it any more when the server ends, so it ends too.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "gai_core.tools", *what],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(process.kill)
    process.wait()
    atexit.unregister(process.kill)


def wait_for_warm_up(cancel: CancelFlag) -> None:
    """Until the default study's loops are compiled: compiling them here too would be slower."""
    ready = begin_warm_up()
    while not ready.wait(0.05):
        if cancel.is_set():
            return

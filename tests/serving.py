"""A planner server of its own for tests that need one, and what its log may have."""

import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from patience import PATIENCE

ROOT = Path(__file__).parent.parent
LIMITS = {
    "GAI_APP_PATIENTS_PER_RUN": "1000000000000000",
    "GAI_APP_RESULTS_PER_RUN": "100000000",
    "STREAMLIT_SERVER_WEBSOCKET_PING_INTERVAL": f"{PATIENCE:.0f}",
}
"""Room for a run that no machine ends before it is cancelled, and for one that is refused; and a
browser that a busy machine lets wait is not taken for one that has gone."""
APP = "-m", "gai_core", "app", "--port"
"""How `gai app` starts; a port follows."""
ANY_FREE = 0
"""The port for which the server takes one that is free, and says which."""
SAYS_WHERE = re.compile(r"URL: http://[^:/]+:(\d+)")
TAKEN = re.compile(r"Port \d+ is not available")


@contextmanager
def server(
    log: Path,
    port: int = ANY_FREE,
    *,
    command: tuple[str, ...] = APP,
    leave_a_core: bool = True,
) -> Iterator[str]:
    """The app on a port of its own, or what another command serves there; gives its address."""
    words = [sys.executable, *command, str(port)]
    while (process := _started(words, log, leave_a_core)) is None:
        pass  # another process has the port at the moment
    try:
        address = f"http://127.0.0.1:{_port_in(log)}"
        _wait_for(f"{address}/_stcore/health", process, log)
        yield address
    finally:
        _end(process)


def _started(words: list[str], log: Path, leave_a_core: bool) -> "subprocess.Popen[bytes] | None":
    """A server that has a port, as its log says; None if somebody else has the wanted one."""
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env=os.environ | LIMITS | {"PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    if leave_a_core and hasattr(os, "sched_setaffinity"):  # to the browser during a long run
        os.sched_setaffinity(process.pid, {max(os.sched_getaffinity(0))})
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        if _port_in(log):
            return process
        time.sleep(0.1)
    _end(process)
    said = log.read_text(encoding="utf-8")
    assert TAKEN.search(said), f"the app does not start:\n{said}"
    return None


def _port_in(log: Path) -> str | None:
    found = SAYS_WHERE.search(log.read_text(encoding="utf-8"))
    return found and found[1]


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:  # busy: it need not end by itself
        process.kill()
        process.wait()


def _wait_for(address: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        # A server that is up but too busy to answer ends in another error than one that is not.
        with suppress(OSError), urllib.request.urlopen(address, timeout=30):
            return
        time.sleep(0.1)
    raise AssertionError(f"the app does not start:\n{log.read_text(encoding='utf-8')}")


LEFT = {"BrokenPipeError", "ConnectionAbortedError", "ConnectionResetError", "ClientDisconnected"}
"""What a server may log of a browser that went away while something was sent to it."""


def faults(said: str) -> list[str]:
    """What every traceback in a server's log ends with, but for browsers that went away."""
    lines, found = said.splitlines(), []
    for i, line in enumerate(lines):
        if "Traceback" in line:
            after = (end for end in lines[i + 1 :] if end[:1].strip())
            found.append(next(after, line) if line.startswith("Traceback") else line)
    return [line for line in found if line.partition(":")[0].rpartition(".")[2] not in LEFT]

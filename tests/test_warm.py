"""Compiling ahead, in a process of its own, is over when the server is."""

import subprocess
import sys
import time

import psutil
from patience import PATIENCE

SERVER = """
import subprocess, sys, threading
from gai_app import warm

begun = threading.Event()
open_process = subprocess.Popen

def noted(command, **how):
    process = open_process([sys.executable, "-c", "import time; time.sleep(3600)"], **how)
    print(process.pid, flush=True)
    begun.set()
    return process

warm.subprocess.Popen = noted
threading.Thread(target=warm._compile, daemon=True).start()
begun.wait()
"""


def test_what_compiles_ahead_ends_with_the_server() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SERVER], capture_output=True, text=True, check=True
    )
    assert not ended.stderr
    pid, until = int(ended.stdout), time.monotonic() + PATIENCE
    while _runs(pid):
        assert time.monotonic() < until, "it goes on"
        time.sleep(0.01)


def _runs(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False

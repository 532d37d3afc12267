"""`gai` in this process: as its users meet it, without a second of loading for every command.

What a process alone has (signals, closed streams, its memory) is tested with processes.
"""

import io
import signal
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from gai_core.cli import main


def gai(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Exit code, output and errors of a command."""
    arguments = ["gai", *map(str, words)]
    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    code: str | int | None = 0
    before = signal.getsignal(signal.SIGINT)
    with (
        chdir(cwd or Path.cwd()),
        patch.object(sys, "argv", arguments),
        redirect_stdout(output),
        redirect_stderr(errors),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        finally:
            signal.signal(signal.SIGINT, before)
    assert not isinstance(code, str)
    return subprocess.CompletedProcess(arguments, code or 0, _text(output), _text(errors))


def fails(*words: str | Path, code: int = 2) -> str:
    """The words of a command that says no, and nothing else."""
    done = gai(*words)
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()

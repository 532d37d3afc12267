"""The command line: `gai …`. Every command is a few calls of the library.

Nothing heavy is imported here: Ctrl-C is understood before Python begins to load the rest.
"""

import os
import signal
import sys
from types import FrameType

__all__ = ["main"]

INTERRUPTED = "interrupted, nothing was written"


def main() -> None:
    """Run the command line."""
    signal.signal(signal.SIGINT, _leave)
    from gai_core.cli.program import run

    run()


def _leave(_signal: int, _frame: FrameType | None) -> None:
    """Ctrl-C while modules are loaded: nothing was begun that must be tidied up."""
    sys.stderr.write(f"Error: {INTERRUPTED}\n")
    sys.stderr.flush()
    os._exit(130)

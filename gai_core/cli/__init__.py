"""The command line: `gai …`. Every command is a few calls of the library."""

import importlib.util
import io
import os
import signal
import sys
from typing import Annotated, NoReturn

import typer

from gai_core.basics import InputError
from gai_core.cli import explore, reports, simulations, studies
from gai_core.cli.options import app, fail, option_name
from gai_core.version import __version__

__all__ = ["main"]

COMMANDS = studies, simulations, explore, reports
"""Importing them adds their commands to the program."""


@app.callback(invoke_without_command=True)
def program(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Plan clinical dose-finding trials."""
    if version:
        typer.echo(f"gai-planner {__version__}")
        raise typer.Exit


@app.command("app")
def start_app(
    port: Annotated[
        int, typer.Option("--port", min=1, max=65535, help="Port to listen on.")
    ] = 8501,
    address: Annotated[
        str, typer.Option("--address", help="Address to listen on; only this machine by default.")
    ] = "127.0.0.1",
) -> None:
    """Start the planner in the browser."""
    if importlib.util.find_spec("streamlit") is None:
        raise InputError("the app is not installed: pip install 'gai-planner[app]'")
    # -P: a folder named gai_app where the user happens to be is not ours.
    command = [sys.executable, "-P", "-m", "gai_app"]
    options = ["--server.port", str(port), "--server.address", address]
    os.execv(sys.executable, command + options)


class Interrupted(BaseException):
    """The user pressed Ctrl-C; as KeyboardInterrupt it is no error that others may catch."""


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # once is enough, also while tidying up
    raise Interrupted


def main() -> None:
    """Run the command line: what a user can mend is a sentence on standard error and code 2."""
    signal.signal(signal.SIGINT, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ± still shows the table
    try:
        app()
    except InputError as error:
        fail(2, *error.sentences(option_name))
    except Interrupted:
        fail(130, "interrupted, nothing was written")
    except MemoryError:
        fail(2, "not enough memory; choose fewer runs, designs or truths")
    except OSError as error:
        fail(2, f"the system refused: {error.strerror or error}")

"""The program: finds a command by its name, runs it, and says in words what went wrong."""

import io
import signal
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
import typer.core

from gai_core.basics import InputError
from gai_core.cli import INTERRUPTED
from gai_core.cli.commands import COMMANDS
from gai_core.cli.screen import fail, option_name, shown
from gai_core.cli.spread_options import spread
from gai_core.version import __version__


class _Loaded(Mapping[str, Any]):
    """The commands by name; a command's module is loaded when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        alone = typer.Typer(add_completion=False)
        alone.command(name)(spread(import_module(COMMANDS[name]).command))
        return typer.main.get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _Commands(typer.core.TyperGroup):
    """The commands of the registry; what they were called with is echoed without its tricks."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Loaded()  # type: ignore[assignment]

    def list_commands(self, _context: Any) -> list[str]:
        """Their names, in the order of the registry."""
        return list(self.commands)

    def make_context(self, *given: Any, **options: Any) -> Any:
        """Read the options of the program itself."""
        try:
            return super().make_context(*given, **options)
        except Exception as error:
            raise _harmless(error) from None

    def invoke(self, context: Any) -> Any:
        """Read the options of a command and run it."""
        try:
            return super().invoke(context)
        except Exception as error:
            raise _harmless(error)  # noqa: B904  (it is the same error)


def _harmless(error: Exception) -> Exception:
    """An error about options quotes what was typed, which may be made to move the cursor."""
    if isinstance(error, typer.BadParameter.__mro__[1]):  # what all errors of usage are
        error.message = shown(error.message)  # type: ignore[attr-defined]
    return error


app = typer.Typer(
    cls=_Commands,
    help="Plan clinical dose-finding trials: simulate adaptive designs, compare their needs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def program(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Plan clinical dose-finding trials."""
    if version:
        typer.echo(f"gai-planner {__version__}")
        raise typer.Exit


class Interrupted(BaseException):
    """The user pressed Ctrl-C; as KeyboardInterrupt it is no error that others may catch."""

    happened = False


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # once is enough, also while tidying up
    Interrupted.happened = True
    raise Interrupted


def run() -> None:
    """Run the command line: what a user can mend is a sentence on standard error and code 2."""
    signal.signal(signal.SIGINT, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ± still shows the table
    try:
        app()
    except Interrupted:
        fail(130, INTERRUPTED)
    except InputError as error:
        fail(2, *error.sentences(option_name))
    except MemoryError:
        fail(2, "not enough memory; choose fewer runs, designs or truths")
    except OSError as error:
        fail(2, f"the system refused: {error.strerror or error}")
    except Exception:
        if Interrupted.happened:  # while a library was loaded, which made another error of it
            fail(130, INTERRUPTED)
        raise

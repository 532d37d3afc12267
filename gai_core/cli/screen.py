"""How the command line shows things: consoles, tables, progress.

Labels are data: the console is told not to read markup in them.
"""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gai_core.basics import Argument, Place, path

if TYPE_CHECKING:
    from gai_core.engine import Progress as Report

PIPE_WIDTH = 140


def console(*, stderr: bool = False) -> Console:
    """A console that shows text as it is; wide enough for a table when it is a pipe."""
    stream = (sys.stderr if stderr else sys.stdout) or io.StringIO()
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(file=stream, markup=False, highlight=False, emoji=False, width=width)


def table(title: str, columns: Sequence[str], *, left: int = 1) -> Table:
    """An empty table; the first `left` columns are words, the others numbers."""
    result = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for i, column in enumerate(columns):
        result.add_column(column, justify="left" if i < left else "right", overflow="fold")
    return result


@contextmanager
def progress_bar(label: str) -> Iterator["Report | None"]:
    """A progress bar on a terminal, nothing on a pipe."""
    out = console(stderr=True)
    if not out.is_terminal:
        yield None
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%")
    with Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=out, transient=True
    ) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def shown(text: str) -> str:
    """Text that may come from a file's name or an option: it must not move the cursor."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)


def say(text: str, *, stderr: bool = False) -> None:
    """A line for people."""
    print(shown(text), file=sys.stderr if stderr else sys.stdout)


def option_name(place: Place) -> str:
    """A place as the command line calls it: an argument is an option, a key is a key."""
    if place and isinstance(place[0], Argument):
        return f"--{path(place).replace('_', '-')}"
    return path(place)


def fail(code: int, *lines: str) -> NoReturn:
    """End with sentences on standard error."""
    out = console(stderr=True)
    for line in lines:
        out.print(Text.assemble(("Error: ", "bold red"), shown(line)), soft_wrap=True)
    sys.exit(code)


def show_cautions(texts: Sequence[str]) -> None:
    """Warnings before a run, on standard error."""
    out = console(stderr=True)
    for text in texts:
        out.print(Text.assemble(("Caution: ", "bold yellow"), text))

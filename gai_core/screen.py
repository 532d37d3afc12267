"""How the command line shows things: consoles, tables, progress, numbers with their errors.

Labels are data: the console is told not to read markup in them.
"""

import io
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from gai_core.simulate import Progress as Report

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
def progress_bar(label: str) -> Iterator[Report | None]:
    """A progress bar on a terminal, nothing on a pipe."""
    out = console(stderr=True)
    if not out.is_terminal:
        yield None
        return
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%")
    with Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=out, transient=True
    ) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def number(value: float) -> str:
    """A number of patients: whole where large; words where there is none."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "infinite"
    return f"{value:,.{0 if abs(value) >= 100 else 1}f}"


def with_error(value: float, mcse: float) -> str:
    """value ± standard error."""
    return (
        number(value)
        if math.isnan(value) or math.isnan(mcse)
        else f"{number(value)} ± {number(mcse)}"
    )


def percent(value: float, mcse: float, runs: int) -> str:
    """A share with its standard error; where it never or always happened, how sure that is."""
    if value in (0.0, 1.0):
        # The 95% limit of a share that was never seen in `runs` trials ("rule of three").
        limit = 100 * (1 - 0.05 ** (1 / runs))
        return f"0% (< {limit:.2g}%)" if value == 0 else f"100% (> {_floor(100 - limit)}%)"
    places = 1 if mcse >= 0.0005 else 3
    return f"{100 * value:.{places}f}% ± {100 * mcse:.{places}f}"


def _floor(value: float) -> str:
    """As many nines as there are: 99.7, 99.9997."""
    places = max(1, math.ceil(-math.log10(100 - value)) + 1)
    return f"{math.floor(value * 10**places) / 10**places:.{places}f}"


def show_cautions(texts: Sequence[str]) -> None:
    """Warnings before a run, on standard error."""
    out = console(stderr=True)
    for text in texts:
        out.print(Text.assemble(("Caution: ", "bold yellow"), text))

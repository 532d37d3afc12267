"""What the commands share: the program itself, options, studies with options applied, CSV out."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.text import Text

from gai_core.basics import Argument, Place, check_writable, path, printable, write_text
from gai_core.cli.screen import console, progress_bar
from gai_core.engine import Progress, Simulator, connected, simulate, simulate_cached
from gai_core.study import Study, changed, load_study

if TYPE_CHECKING:
    import pandas as pd

app = typer.Typer(
    help="Plan clinical dose-finding trials: simulate adaptive designs, compare their needs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

StudyName = Annotated[
    str,
    typer.Argument(metavar="STUDY", help="A study file (TOML), or the name of a shipped study."),
]
Csv = Annotated[
    str | None,
    typer.Option(
        "--csv", metavar="FILE|-", help="Write the tidy table as CSV; - is standard output."
    ),
]
RunCount = Annotated[int | None, typer.Option("--runs", help="Number of simulated trials.")]
Seed = Annotated[int | None, typer.Option("--seed", help="Start of all random streams.")]
NMax = Annotated[int | None, typer.Option("--n-max", help="Largest number of patients in a trial.")]
Delta = Annotated[
    float | None, typer.Option("--delta", help="Error rate of the whole list of verdicts.")
]
Precision = Annotated[
    float | None,
    typer.Option(
        "--precision", help="Add trials until the standard errors of the chances are below this."
    ),
]
PrecisionOf = Annotated[
    list[str] | None,
    typer.Option("--precision-of", help="Only the error of this chance counts; repeat it."),
]
Threads = Annotated[
    int | None, typer.Option("--threads", help="Threads to use; all cores by default.")
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="local|ADDRESS|FILE",
        help="Simulate on Dask workers: of this machine, of a scheduler (tcp://…), or of a "
        "cluster that a YAML file describes.",
    ),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Simulate again what was simulated before.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
Save = Annotated[
    Path | None,
    typer.Option(
        "--save", metavar="DIR", help="Save study, runs, table and manifest in a new folder."
    ),
]


def check_csv(csv: str | None) -> None:
    """Before long work: can the file be written?"""
    if csv is not None and csv != "-":
        check_writable(Path(csv))


def write_csv(values: "pd.DataFrame", csv: str | None) -> bool:
    """Write the tidy table where it is wanted; whether the screen is free for people."""
    if csv is None:
        return True
    text = values.to_csv(index=False, lineterminator="\n")
    if csv == "-":
        typer.echo(text, nl=False)
        return False
    write_text(Path(csv), text)
    return True


def study_with(study: str, **changes: float | None) -> Study:
    """The study with the options' changes; an error names the options."""
    loaded = load_study(study)
    given = {name: value for name, value in changes.items() if value is not None}
    if not given:
        return loaded
    shown = {
        name: f"{value:g}" if isinstance(value, float) else value for name, value in given.items()
    }
    options = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in shown.items())
    return changed(loaded, f"{study} with {options}", **given)  # type: ignore[arg-type]


@contextmanager
def simulating(
    label: str, cluster: str | None, *, cache: bool
) -> Iterator[tuple[Simulator, Progress | None]]:
    """How to simulate, and a progress bar: with the cache or without, on threads or a cluster."""
    with connected(cluster) as workers, progress_bar(label) as progress:
        yield partial(simulate_cached if cache else simulate, workers=workers), progress


def option_name(place: Place) -> str:
    """A place as the command line calls it: an argument is an option, a key is a key."""
    if place and isinstance(place[0], Argument):
        return f"--{path(place).replace('_', '-')}"
    return path(place)


def fail(code: int, *lines: str) -> NoReturn:
    """End with sentences on standard error."""
    out = console(stderr=True)
    for line in lines:
        out.print(Text.assemble(("Error: ", "bold red"), printable(line)), soft_wrap=True)
    sys.exit(code)

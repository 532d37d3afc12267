"""The options that commands share, and the groups of them that most commands have."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gai_core.basics import check_writable, write_text
from gai_core.cli.screen import progress_bar

if TYPE_CHECKING:
    import pandas as pd

    from gai_core.engine import Work
    from gai_core.study import Study

StudyName = Annotated[
    str,
    typer.Argument(metavar="STUDY", help="A study file (TOML), or the name of a shipped study."),
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of `gai run --save`.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
Power = Annotated[
    str,
    typer.Option(
        "--at",
        metavar="CHANCE=P",
        help="The power that all designs are given: any_declared=0.9, for example.",
    ),
]
Under = Annotated[
    str | None,
    typer.Option(
        "--under",
        metavar="TRUTH",
        help="Under this truth; by default the first with a dose above the target.",
    ),
]


def one_of(known: Collection[str]) -> Callable[[str], str]:
    """How an option is read whose value is the key of a registry."""

    def read(value: str) -> str:
        if value in known:
            return value
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(map(repr, known))}.")

    return read


def metavar(known: Collection[str]) -> str:
    """What stands for such a value in the help."""
    return f"<{'|'.join(known)}>"


@dataclass(frozen=True)
class Asked:
    """A study, and the numbers of it that options may change."""

    study: StudyName
    runs: Annotated[int | None, typer.Option("--runs", help="Number of simulated trials.")] = None
    seed: Annotated[int | None, typer.Option("--seed", help="Start of all random streams.")] = None
    n_max: Annotated[
        int | None, typer.Option("--n-max", help="Largest number of patients in a trial.")
    ] = None
    delta: Annotated[
        float | None, typer.Option("--delta", help="Error rate of the whole list of verdicts.")
    ] = None
    alpha: Annotated[
        float | None, typer.Option("--alpha", help="Chance allowed for any false declaration.")
    ] = None
    beta: Annotated[
        float | None, typer.Option("--beta", help="Chance allowed for dropping any good dose.")
    ] = None

    wanted: Annotated[
        int | None,
        typer.Option("--wanted", help="The trial ends when so many doses are declared."),
    ] = None

    def load(self) -> "Study":
        """The study with the options' changes; an error names the options."""
        from gai_core.study import changed, load_study

        loaded = load_study(self.study)
        changes = {name: getattr(self, name) for name in CHANGES}
        given = {name: value for name, value in changes.items() if value is not None}
        if not given:
            return loaded
        options = " ".join(_option(name, value) for name, value in given.items())
        fields = {CHANGES[name]: value for name, value in given.items()}
        return changed(loaded, f"{self.study} with {options}", **fields)


CHANGES = {
    "runs": "runs",
    "seed": "seed",
    "n_max": "n_max",
    "delta": "delta",
    "alpha": "declare",
    "beta": "drop",
    "wanted": "wanted",
}
"""Options that change a study, and what `changed` calls them."""


def _option(name: str, value: float) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"--{name.replace('_', '-')} {text}"


@dataclass(frozen=True)
class Crew:
    """Who simulates: threads of this machine, or a cluster."""

    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads to use; all cores by default.")
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="local|ADDRESS|FILE",
            help="Simulate on Dask workers: of this machine, of a scheduler (tcp://… or tls://…), "
            "or of a cluster that a YAML file describes. Such a file names a Python module, "
            "which is loaded: use only files that you trust.",
        ),
    ] = None

    @property
    def cached(self) -> bool:
        """Whether what was simulated before is taken out of the cache."""
        return False

    @contextmanager
    def at_work(self, label: str) -> Iterator["Work"]:
        """How to simulate, with a progress bar."""
        from gai_core.engine import at_work

        with (
            progress_bar(label) as progress,
            at_work(
                self.cluster, cached=self.cached, threads=self.threads, progress=progress
            ) as work,
        ):
            yield work


@dataclass(frozen=True)
class Simulating(Crew):
    """Who simulates, and whether the cache is used."""

    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Simulate again what was simulated before.")
    ] = False

    @property
    def cached(self) -> bool:
        """Whether what was simulated before is taken out of the cache."""
        return not self.no_cache


@dataclass(frozen=True)
class CsvFile:
    """Where the tidy table goes; whether it can be written there is known before long work."""

    csv: Annotated[
        str | None,
        typer.Option(
            "--csv", metavar="FILE|-", help="Write the tidy table as CSV; - is standard output."
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.path is not None:
            check_writable(self.path)

    @property
    def on_screen(self) -> bool:
        """Whether standard output is for the table alone."""
        return self.csv == "-"

    @property
    def path(self) -> Path | None:
        """The file, if it is one."""
        return None if self.csv is None or self.on_screen else Path(self.csv)

    def write(self, values: "pd.DataFrame") -> bool:
        """Write the tidy table where it is wanted; whether the screen is free for people."""
        if self.csv is None:
            return True
        text = values.to_csv(index=False, lineterminator="\n")
        if self.path is None:
            typer.echo(text, nl=False)
            return False
        write_text(self.path, text)
        return True

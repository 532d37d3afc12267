"""The command line: `gai …`. Every command is a few calls of the library."""

import importlib.util
import io
import json
import os
import signal
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.text import Text

from gai_core import __version__
from gai_core.bounds import bounds, cautions
from gai_core.errors import InputError
from gai_core.files import check_writable, load_study, scenario_names, write_text
from gai_core.screen import console, progress_bar, show_cautions, table
from gai_core.study import Study, changed

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
Threads = Annotated[
    int | None, typer.Option("--threads", help="Threads to use; all cores by default.")
]


Save = Annotated[
    Path | None,
    typer.Option(
        "--save", metavar="DIR", help="Save study, runs, table and manifest in a new folder."
    ),
]


class Part(StrEnum):
    """What of the paper to reproduce."""

    table1 = "table1"
    table2 = "table2"
    figure1 = "figure1"
    all = "all"


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Plan clinical dose-finding trials."""
    if version:
        typer.echo(f"gai-planner {__version__}")
        raise typer.Exit


@app.command("list")
def list_studies() -> None:
    """List the shipped studies."""
    shown = table("Shipped studies", ["name", "title"], left=2)
    for name in scenario_names():
        shown.add_row(name, load_study(name).title)
    console().print(shown)


@app.command()
def show(study: StudyName) -> None:
    """Show a study: arms, truths, designs, and what to be cautious about."""
    from gai_core.views import show_study

    loaded = load_study(study)
    show_study(loaded)
    show_cautions(cautions(loaded))


@app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A study file (TOML).")],
) -> None:
    """Check a study file: every broken rule is named; nothing is run."""
    loaded = load_study(file)
    parts = len(loaded.arms), len(loaded.truths), len(loaded.designs)
    typer.echo("{}: valid (arms: {}, truths: {}, designs: {})".format(file, *parts))
    show_cautions(cautions(loaded))


@app.command()
def schema() -> None:
    """Print the JSON Schema of a study file, for editors."""
    typer.echo(json.dumps(Study.model_json_schema(), indent=2))


@app.command()
def run(
    study: StudyName,
    runs: RunCount = None,
    seed: Seed = None,
    n_max: NMax = None,
    delta: Delta = None,
    threads: Threads = None,
    csv: Csv = None,
    save: Save = None,
) -> None:
    """Simulate every design of a study and show its operating characteristics."""
    from gai_core.characteristics import characteristics
    from gai_core.save import check_folder, save_runs
    from gai_core.simulate import simulate
    from gai_core.views import show_characteristics

    loaded = _loaded(study, runs=runs, seed=seed, n_max=n_max, delta=delta)
    _check_csv(csv)
    if save is not None:
        check_folder(save)
        if csv is not None and Path(csv) == save:
            raise InputError(f"{csv}: --csv and --save need different names")
    show_cautions(cautions(loaded))
    with progress_bar("Simulating") as progress:
        simulated = simulate(loaded, threads=threads, progress=progress)
        values = characteristics(simulated)
        if save is not None:
            save_runs(simulated, values, save)
    if _write_csv(values, csv):
        show_characteristics(loaded, values, bounds(loaded))


@app.command()
def verify(
    study: StudyName,
    runs: RunCount = None,
    seed: Seed = None,
    n_max: NMax = None,
    delta: Delta = None,
    threads: Threads = None,
    csv: Csv = None,
) -> None:
    """Show what every design promises, its exact worst error, and the simulated rate beside it."""
    from gai_core.verify import errors_by_truth, worst_cases
    from gai_core.views import show_errors, show_worst_cases

    loaded = _loaded(study, runs=runs, seed=seed, n_max=n_max, delta=delta)
    _check_csv(csv)
    with progress_bar("Verifying") as progress:
        worst = worst_cases(loaded)
        errors = errors_by_truth(loaded, threads=threads, progress=progress)
    if _write_csv(errors.merge(worst, on="design", suffixes=("", "_worst")), csv):
        show_worst_cases(worst)
        show_errors(errors, loaded.simulation.runs)
    broken = worst[(worst.share_of_delta > 1) & (worst.guarantee != "nothing")]
    if not broken.empty:
        names = ", ".join(broken.design)
        _fail(1, f"a guaranteed design errs more than it may ({names}): please report this")


@app.command()
def boundaries(
    study: StudyName,
    design: Annotated[str | None, typer.Option("--design", help="Only this design.")] = None,
    csv: Csv = None,
    figure: Annotated[
        Path | None,
        typer.Option("--figure", metavar="FILE", help="Draw the limits (.svg, .png, .pdf)."),
    ] = None,
) -> None:
    """Print the decision table of a protocol: declare if at least, drop if at most."""
    import pandas as pd

    from gai_core.decisions import decision_table, limits
    from gai_core.figures import check_format, draw_boundaries, write_figure
    from gai_core.views import show_decisions

    loaded = load_study(study)
    _check_csv(csv)
    if figure is not None:
        check_format(figure)
        check_writable(figure)
    designs = [loaded.design(design)] if design is not None else list(loaded.designs)
    values = pd.concat([decision_table(loaded, entry) for entry in designs], ignore_index=True)
    if figure is not None:
        drawn = draw_boundaries(loaded, [limits(loaded, entry) for entry in designs])
        write_figure(drawn, figure)
    if _write_csv(values, csv):
        show_decisions(loaded, values)


@app.command()
def advise(
    study: StudyName,
    runs: RunCount = None,
    seed: Seed = None,
    n_max: NMax = None,
    delta: Delta = None,
    threads: Threads = None,
    csv: Csv = None,
) -> None:
    """Simulate a short list of sensible designs on all truths and recommend one."""
    from gai_core.advise import advise as advised
    from gai_core.views import show_advice

    loaded = _loaded(study, runs=runs, seed=seed, n_max=n_max, delta=delta)
    _check_csv(csv)
    show_cautions(cautions(loaded))
    with progress_bar("Comparing designs") as progress:
        advice = advised(loaded, threads=threads, progress=progress)
    if _write_csv(advice.table, csv):
        show_advice(advice.sentences, advice.table, loaded.simulation.runs)


@app.command("bounds")
def show_study_bounds(study: StudyName, csv: Csv = None) -> None:
    """Show what no design can beat, and the paper's upper bound for HDoC."""
    from gai_core.views import show_bounds

    loaded = load_study(study)
    values = bounds(loaded)
    if _write_csv(values, csv):
        show_bounds(loaded, values)


@app.command()
def reproduce(
    part: Annotated[Part, typer.Argument(help="What to reproduce.")] = Part.all,
    runs: Annotated[int, typer.Option("--runs", help="Number of simulated trials.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Start of all random streams.")] = 1,
    threads: Threads = None,
    csv: Csv = None,
) -> None:
    """Recompute the paper's Tables 1 and 2 and its figure beside the published numbers."""
    import pandas as pd

    from gai_core.reproduce import TABLES, reproduce_figure, reproduce_tables
    from gai_core.views import show_figure, show_tables

    _check_csv(csv)
    tables = TABLES if part is Part.all else tuple(name for name in TABLES if name == part.value)
    parts: list[pd.DataFrame] = []
    with progress_bar("Reproducing the paper") as progress:
        if tables:
            parts.append(
                reproduce_tables(tables, runs=runs, seed=seed, threads=threads, progress=progress)
            )
        if part in (Part.figure1, Part.all):
            parts.append(reproduce_figure(runs=runs, seed=seed, threads=threads, progress=progress))
    if _write_csv(pd.concat(parts, ignore_index=True), csv):
        if tables:
            show_tables(parts[0])
        if part in (Part.figure1, Part.all):
            show_figure(parts[-1])


@app.command()
def bench(csv: Csv = None) -> None:
    """Measure nanoseconds per simulated patient, against a plain Python loop in the same run."""
    from gai_core.bench import benchmark
    from gai_core.views import show_benchmark

    _check_csv(csv)
    with progress_bar("Measuring") as progress:
        values = benchmark(progress)
    if _write_csv(values, csv):
        show_benchmark(values)


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
    # -P: a folder named app where the user happens to be is not ours.
    command = [sys.executable, "-P", "-m", "app"]
    options = ["--server.port", str(port), "--server.address", address]
    os.execv(sys.executable, command + options)


def _check_csv(csv: str | None) -> None:
    """Before long work: can the file be written?"""
    if csv is not None and csv != "-":
        check_writable(Path(csv))


def _write_csv(values: "pd.DataFrame", csv: str | None) -> bool:
    """Write the tidy table where it is wanted; whether the screen is free for people."""
    if csv is None:
        return True
    text = values.to_csv(index=False, lineterminator="\n")
    if csv == "-":
        typer.echo(text, nl=False)
        return False
    write_text(Path(csv), text)
    return True


def _loaded(study: str, **changes: float | None) -> Study:
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


class Interrupted(Exception):
    """The user pressed Ctrl-C."""


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
        _fail(2, *str(error).splitlines())
    except Interrupted:
        _fail(130, "interrupted, nothing was written")
    except MemoryError:
        _fail(2, "not enough memory; choose fewer runs, designs or truths")
    except OSError as error:
        _fail(2, f"the system refused: {error.strerror or error}")


def _fail(code: int, *lines: str) -> NoReturn:
    out = console(stderr=True)
    for line in lines:
        out.print(Text.assemble(("Error: ", "bold red"), line), soft_wrap=True)
    sys.exit(code)

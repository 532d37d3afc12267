"""Pages of docs/ whose numbers are those of the commands on them: run, compared, written anew.

A page has study files (```toml title="name.toml"```) and commands with what they print
(```console```, `$ gai ...`); a notebook has its cells. `make figures` writes the outputs anew, and
`test_pages.py` compares them to the letter, with the figures that the commands draw and with
README's drawings.
"""

import ast
import io
import json
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from commands import gai
from rich.console import Console
from rich.text import Text

from gai_core import load_study
from gai_core.cli import screen
from gai_core.figures import draw_boundaries, picture
from gai_core.results import limits

DOCS = Path(__file__).parent.parent / "docs"
WIDTH = 120
"""Columns of what commands print here."""
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]*\.svg)\)")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def pages() -> list[Path]:
    """The pages that have commands."""
    return [path for path in sorted(DOCS.glob("*.md")) if "```console\n" in path.read_text("utf-8")]


def notebooks() -> list[Path]:
    """The notebooks."""
    return sorted(DOCS.glob("*.ipynb"))


def executed(text: str, folder: Path) -> str:
    """The page with what its commands print in this folder."""

    def written(block: re.Match[str]) -> str:
        language, options, content = block.groups()
        if title := re.search('title="([^"]+)"', options):
            (folder / title[1]).write_text(content, encoding="utf-8")
        if language == "console":
            content = "".join(_typed(command, folder) for command in _commands(content))
        return f"```{language}{options}\n{content.rstrip()}\n```"

    return FENCE.sub(written, text)


def _commands(console: str) -> list[str]:
    return [line[2:] for line in console.splitlines() if line.startswith("$ ")]


def _typed(command: str, folder: Path) -> str:
    """A command and what it prints, cautions first; `| head -n 5` shows five lines."""
    typed, _, shortened = command.partition(" | ")
    name, *words = shlex.split(typed)
    assert name == "gai", command
    with patch.object(screen, "PIPE_WIDTH", WIDTH):
        done = gai(*words, cwd=folder)
    assert done.returncode == 0, done
    cautions, printed = (text.strip("\n").splitlines() for text in (done.stderr, done.stdout))
    if shortened:
        part, option, count = shortened.split()
        assert (part, option) in {("head", "-n"), ("tail", "-n")}, command
        printed = printed[: int(count)] if part == "head" else printed[-int(count) :]
    return "\n".join(line.rstrip() for line in (f"$ {command}", *cautions, *printed, "", ""))


def figures(text: str, folder: Path) -> Iterator[tuple[str, bytes]]:
    """The figures of a page that its commands drew, by name."""
    for name in PICTURE.findall(text):
        yield name, (folder / name).read_bytes()


def numbers_from_nowhere(text: str) -> set[str]:
    """Numbers of the sentences that no command printed and no study file of the page has."""
    shown = {number for block in FENCE.findall(text) for number in NUMBER.findall(block[2])}
    shown |= {f"{100 * float(number):g}" for number in shown if number.startswith("0.")}
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)|^#.*$", "", FENCE.sub("", text), flags=re.MULTILINE)
    return {number for number in NUMBER.findall(prose) if number not in shown}


def executed_notebook(notebook: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The notebook with the outputs of its cells: what is printed, and the last line's value."""
    names: dict[str, Any] = {}
    cells = []
    for i, cell in enumerate(notebook["cells"], start=1):
        if cell["cell_type"] == "code":
            with chdir(folder):
                outputs = _outputs("".join(cell["source"]), names, i)
            cell = cell | {"execution_count": i, "outputs": outputs}
        cells.append(cell)
    return notebook | {"cells": cells}


def _outputs(code: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    *lines, last = ast.parse(code).body
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(lines, []), "cell", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        else:
            exec(compile(code, "cell", "exec"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        text = repr(value).splitlines(keepends=True)
        outputs.append(
            {
                "output_type": "execute_result",
                "data": {"text/plain": text},
                "metadata": {},
                "execution_count": count,
            }
        )
    return outputs


def _terminal() -> bytes:
    """What `gai run tofacitinib` prints of the first assumption, as a terminal shows it."""
    with patch.object(screen, "PIPE_WIDTH", WIDTH):
        printed = gai("run", "tofacitinib", "--no-cache").stdout
    first, second, *_ = (truth.name for truth in load_study("tofacitinib").truths)
    lines = [line.rstrip() for line in printed.partition(f"\n{second}: ")[0].splitlines()]
    assert lines[0].startswith(f"{first}: ")
    recorded = Console(record=True, width=WIDTH, file=io.StringIO(), legacy_windows=False)
    recorded.print(Text("\n".join(["$ gai run tofacitinib", *lines])))
    drawn = recorded.export_svg(title="gai", unique_id="terminal")
    return re.sub(r"@font-face \{.*?\}\n", "", drawn, flags=re.DOTALL).encode()


def _limits() -> bytes:
    """The limits of one design each with the paper's, a mixture's and the exact rule."""
    study = load_study("medical-1")
    shown = [limits(study, study.design(name)) for name in LIMITS]
    return picture(lambda: draw_boundaries(study, shown), "svg")


LIMITS = "HDoC", "HDoC, mixture", "Nearest finish, exact"
DRAWINGS: dict[str, Callable[[], bytes]] = {"gai-run.svg": _terminal, "boundaries.svg": _limits}
"""README's drawings, by their names in docs/. Photographs of the app are taken by hand."""


def dumped(notebook: dict[str, Any]) -> str:
    """A notebook as a file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write every output and figure anew."""
    os.environ["GAI_RUN_CACHE_MB"] = "0"  # else what was simulated before would be said to be so
    for path in pages():
        with tempfile.TemporaryDirectory() as name:
            text = executed(path.read_text("utf-8"), Path(name))
            path.write_text(text, encoding="utf-8")
            for figure, content in figures(text, Path(name)):
                (DOCS / figure).write_bytes(content)
        print(path.name)
    for name, drawn in DRAWINGS.items():
        (DOCS / name).write_bytes(drawn())
        print(name)
    for path in notebooks():
        with tempfile.TemporaryDirectory() as name:
            notebook = executed_notebook(json.loads(path.read_text("utf-8")), Path(name))
            path.write_text(dumped(notebook), encoding="utf-8")
        print(path.name)


if __name__ == "__main__":
    main()

"""README's commands and numbers: computed with few trials by the tests, with all by `make`.

`docs/figures.toml` says where every number comes from. Its passages are README's text with marks:
{94} is a figure that is computed, <400> a number of the command or of its study.
"""

import io
import re
import shlex
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from commands import gai
from pages import FENCE

from gai_core import Study, load_study
from gai_core.study import dump_study
from gai_core.study.conduct import WEEKS_PER_MONTH
from gai_core.study.validating import validated

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SQUEEZED = " ".join(TEXT.split())
SOURCES: dict[str, Any] = tomllib.loads((ROOT / "docs" / "figures.toml").read_text("utf-8"))
CLAIMS: list[dict[str, Any]] = SOURCES["claims"]
NUMBER = re.compile(r"(?<![\w.])(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)")
"""Not those of names: ACR20, s2."""
SHIPPED = [path.stem for path in (ROOT / "scenarios").glob("*.toml")]
MARK = re.compile(r"\{([^}]*)\}|<([^>]*)>")
COLUMNS = ("truth", "design", "quantity")
"""Of the tidy table, which a list says in this order."""
UNITS = {"mean": 1, "probability": 100}
"""Statistics that are compared, and README's unit of them: chances are in per cent."""
CONSTANTS = {"weeks_per_month": WEEKS_PER_MONTH}
"""What an expression may name."""


class Found(NamedTuple):
    """A figure of README beside the same one computed anew."""

    said: float
    rounding: float
    """Half of the last digit that is said."""
    value: float
    error: float
    """Monte Carlo standard error of the value; none where it is exact."""


class Asked(NamedTuple):
    """Names of the truths and designs that a claim needs."""

    truths: tuple[str, ...]
    designs: tuple[str, ...]


def prose(text: str) -> str:
    """What README says, on one line: without blocks of code and headings."""
    return " ".join(re.sub(r"^#.*$", "", FENCE.sub("", text), flags=re.MULTILINE).split())


def passages(claim: dict[str, Any]) -> list[str]:
    """README's text that a claim is about, with marks; one passage, or several of one command."""
    says: str | list[str] = claim["says"]
    return [says] if isinstance(says, str) else says


def unmarked(passage: str) -> str:
    """A passage as it stands in README."""
    return MARK.sub(lambda mark: mark[1] or mark[2], passage)


def marked(claim: dict[str, Any], group: int) -> list[str]:
    """The figures (1) or parameters (2) of a claim."""
    marks = [mark[group] for passage in passages(claim) for mark in MARK.finditer(passage)]
    return [mark for mark in marks if mark]


def computed(claim: dict[str, Any], trials: int | None) -> list[Found]:
    """The figures of a claim, computed with so many trials, or exactly."""
    said = marked(claim, 1)
    if "worked_out" in claim:
        values = [(float(eval(text, CONSTANTS)), 0.0) for text in claim["worked_out"]]
    elif "prints" in claim:
        output = _typed(claim["command"], _asked(claim), trials, csv=False)
        values = [(float(re.findall(text, output)[0]), 0.0) for text in claim["prints"]]
    else:
        rows = claim.get("rows", [])  # none: a passage with numbers of a study alone
        values = [_value(_table(claim, trials), row) for row in rows]
    return [
        Found(number(figure), 0.5 / 10 ** len(figure.partition(".")[2]), *value)
        for figure, value in zip(said, values, strict=True)
    ]


def chances(claim: dict[str, Any], trials: int | None) -> list[Found]:
    """The chances that the n_max of a claim's command is the smallest for."""
    aims = claim.get("reaches", [])
    return [Found(aim["chance"], 0, *_value(_table(claim, trials), aim["row"])) for aim in aims]


def _table(claim: dict[str, Any], trials: int | None) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(_typed(claim["command"], _asked(claim), trials, csv=True)))


def _asked(claim: dict[str, Any]) -> Asked:
    """The truths and designs that a claim names."""
    rows = [_columns(row) for row in claim.get("rows", [])]
    rows += [_columns(aim["row"]) for aim in claim.get("reaches", [])]
    truths = {truth for row in rows for truth in _truths(row)}
    designs = {row["design"] for row in rows if "design" in row} | set(claim.get("designs", []))
    return Asked(tuple(sorted(truths)), tuple(sorted(designs)))


def _columns(row: list[str] | dict[str, Any]) -> dict[str, Any]:
    """A row by the names of its columns."""
    return row if isinstance(row, dict) else dict(zip(COLUMNS, row, strict=True))


def _truths(row: dict[str, Any]) -> list[str]:
    return row["truth"] if isinstance(row["truth"], list) else [row["truth"]]


def _value(table: pd.DataFrame, row: list[str] | dict[str, Any]) -> tuple[float, float]:
    """Value and standard error of a row of a tidy table; a list of truths stands for their mean."""
    wanted = _columns(row)
    chosen = table[table.truth.isin(_truths(wanted))]
    for column in wanted.keys() - {"truth"}:
        chosen = chosen[chosen[column] == wanted[column]]
    if "statistic" in chosen:
        chosen = chosen[chosen.statistic.isin(UNITS)]
    assert len(chosen) == len(_truths(wanted)), (row, chosen)
    units = chosen.statistic.map(UNITS) if "statistic" in chosen else 1
    errors = units * chosen.mcse if "mcse" in chosen else 0 * chosen.value
    return float((units * chosen.value).mean()), float(errors.mean())


@cache
def _typed(command: str, asked: Asked, trials: int | None, *, csv: bool) -> str:
    """What a command prints or, with csv, its tidy table."""
    name, verb, study, *words = shlex.split(command)
    assert name == "gai"
    words += ["--runs", str(trials)] if trials else []
    words += ["--csv", "-"] if csv else []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "study.toml").write_text(dump_study(_study(study, asked)), encoding="utf-8")
        done = gai(verb, "study.toml", *words, cwd=Path(folder))
    assert done.returncode == 0, done
    return done.stdout if csv else " ".join((done.stderr + done.stdout).split())


def _study(name: str, asked: Asked) -> Study:
    """A study with what is asked of it, so that no test simulates more.

    The first truth stays: a margin may be over its control.
    """
    parts = SOURCES["studies"].get(name, {"base": name})
    data = load_study(parts["base"]).model_dump() | parts.get("change", {})
    data = {key: value for key, value in data.items() if key not in parts.get("without", [])}
    first, *others = data["truths"]
    data["truths"] = [first, *(truth for truth in others if truth["name"] in asked.truths)]
    known = {design["name"]: design for design in [*SOURCES["designs"], *data["designs"]]}
    data["designs"] = [known[design] for design in asked.designs if design in known] or data[
        "designs"
    ]
    return validated(data, f"the study {name} of figures.toml")


def parameters(claim: dict[str, Any]) -> set[float]:
    """Numbers of a claim's command and of its study; chances also in per cent."""
    study = dump_study(_study(shlex.split(claim["command"])[2], _asked(claim)))
    numbers = {number(text) for text in NUMBER.findall(f"{claim['command']} {study}")}
    return numbers | {round(100 * value, 10) for value in numbers}


def number(text: str) -> float:
    """A number as README writes it."""
    return float(text.replace(",", ""))


def numbers_from_nowhere(text: str) -> list[str]:
    """README's numbers that no claim computes and no entry of `given` explains, with their place.

    Code in a sentence and the targets of links are no numbers of README.
    """
    line = prose(text)
    known = {place for passage in _known() for place in _places(passage, line)}
    known |= set(_described(line))
    seen = re.sub(r"`[^`]*`|\]\([^)]*\)", lambda code: "_" * len(code[0]), line)
    return [
        line[max(0, found.start() - 40) : found.end() + 20]
        for found in NUMBER.finditer(seen)
        if found.start() not in known
    ]


def _known() -> Iterator[str]:
    """Every passage, with a mark around each number of it that is explained."""
    for claim in CLAIMS:
        yield from passages(claim)
    for given in SOURCES["given"]:
        for passage in given["says"]:
            yield NUMBER.sub(r"{\g<0>}", passage)


def _places(passage: str, line: str) -> Iterator[int]:
    """Where the marked numbers of a passage begin, wherever the passage stands."""
    for start in re.finditer(re.escape(unmarked(passage)), line):
        for marks, mark in enumerate(MARK.finditer(passage)):
            yield start.start() + mark.start() - 2 * marks


def _described(line: str) -> Iterator[int]:
    """Where numbers in the tables of shipped studies begin that are those of the studies.

    That is how many doses or regimens a study has, or what stands in its file.
    """
    for row in re.finditer(r"\| (`[^|]+`) (\|[^|]+\|[^|]+)\|", line):
        names = re.findall(r"`([^`]+)`", row[1])
        if not set(names) <= set(SHIPPED):
            continue
        studies = [load_study(name) for name in names]
        for found in NUMBER.finditer(line, row.start(2), row.end(2)):
            counts = re.match(r"(?:blinded )?(?:doses|regimens)", line[found.end() + 1 :])
            if all(_has(study, number(found[0]), counted=bool(counts)) for study in studies):
                yield found.start()


def _has(study: Study, value: float, *, counted: bool) -> bool:
    """Whether a study has so many doses or, not counted, this number in its file."""
    if counted:
        return value == sum(not arm.control for arm in study.arms)
    numbers = {number(text) for text in NUMBER.findall(dump_study(study))}
    return value in numbers | {round(100 * part, 10) for part in numbers}


def commands() -> list[list[str]]:
    """Every `gai ...` of README, in words."""
    blocks = re.findall(r"^gai [^\n#]*", TEXT, re.MULTILINE)
    inline = re.findall(r"`(gai [^`]+)`", SQUEEZED)
    return [shlex.split(command) for command in dict.fromkeys(map(str.strip, [*blocks, *inline]))]


def main() -> None:
    """Print every figure beside the one of whole runs; a star where it is said otherwise."""
    for claim in CLAIMS:
        print("\n".join(passages(claim)))
        for found in computed(claim, claim.get("trials", [None])[-1]):
            star = "*" if abs(found.said - found.value) > found.rounding else " "
            print(f"{star} {found.said:,} said, {found.value:,.3f} ± {found.error:.3f} computed")


if __name__ == "__main__":
    main()

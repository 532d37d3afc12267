"""README's commands and figures: typed, run with few trials by the tests, with all by `make`."""

import io
import json
import re
import shlex
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from commands import gai

from gai_core import load_study
from gai_core.study import dump_study
from gai_core.study.validating import validated

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SQUEEZED = " ".join(TEXT.split())
CLAIMS: list[dict[str, Any]] = tomllib.loads(
    (ROOT / "docs" / "figures.toml").read_text(encoding="utf-8")
)["claims"]


STATISTICS = {"mean": 1, "probability": 100}
"""What is compared, and README's unit of it: chances are in per cent."""


class Found(NamedTuple):
    """A figure of README beside the same one computed anew."""

    said: float
    rounding: float
    """Half of the last digit that is said."""
    value: float
    error: float
    """Monte Carlo standard error of the value."""


@cache
def _table(command: str, trials: int, base: str, change: str) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as name:
        if base:
            data = load_study(base).model_dump() | json.loads(change)
            text = dump_study(validated(data, "a claim's study"))
            (Path(name) / "study.toml").write_text(text, encoding="utf-8")
        words = shlex.split(command)[1:]
        done = gai(*words, "--runs", str(trials), "--csv", "-", cwd=Path(name))
    assert done.returncode == 0, done
    return pd.read_csv(io.StringIO(done.stdout))


def computed(claim: dict[str, Any], trials: int) -> list[Found]:
    """The figures of a claim, computed with so many trials."""
    change = json.dumps(claim.get("change", {}))
    table = _table(claim["command"], trials, claim.get("base", ""), change)
    found = []
    for said, (truth, design, quantity) in zip(claim["figures"], claim["rows"], strict=True):
        rows = table[
            (table.truth == truth)
            & (table.design == design)
            & (table.quantity == quantity)
            & table.statistic.isin(STATISTICS)
        ]
        (row,) = rows.itertuples()
        unit = STATISTICS[row.statistic]
        digits = len(said.partition(".")[2])
        value, error = unit * float(row.value), unit * float(row.mcse)
        found.append(Found(float(said.replace(",", "")), 0.5 / 10**digits, value, error))
    return found


def commands() -> list[list[str]]:
    """Every `gai ...` of README, in words."""
    blocks = re.findall(r"^gai [^\n#]*", TEXT, re.MULTILINE)
    inline = re.findall(r"`(gai [^`]+)`", SQUEEZED)
    return [shlex.split(command) for command in dict.fromkeys(map(str.strip, [*blocks, *inline]))]


def main() -> None:
    """Print every figure beside the one of whole runs."""
    for claim in CLAIMS:
        print(claim["says"])
        for found in computed(claim, claim["whole"]):
            print(f"  {found.said:,} said, {found.value:,.2f} ± {found.error:.2f} computed")


if __name__ == "__main__":
    main()

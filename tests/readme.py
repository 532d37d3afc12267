"""README's commands and figures: typed, run with few trials by the tests, with all by `make`."""

import io
import re
import shlex
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from commands import gai

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SQUEEZED = " ".join(TEXT.split())
CLAIMS: list[dict[str, Any]] = tomllib.loads(
    (ROOT / "docs" / "figures.toml").read_text(encoding="utf-8")
)["claims"]


class Found(NamedTuple):
    """A figure of README beside the same one computed anew."""

    said: float
    rounding: float
    """Half of the last digit that is said."""
    value: float
    error: float
    """Monte Carlo standard error of the value."""


@cache
def _table(command: str, trials: int) -> pd.DataFrame:
    done = gai(*shlex.split(command)[1:], "--runs", str(trials), "--csv", "-")
    assert done.returncode == 0, done
    return pd.read_csv(io.StringIO(done.stdout))


def computed(claim: dict[str, Any], trials: int) -> list[Found]:
    """The figures of a claim, computed with so many trials."""
    table = _table(claim["command"], trials)
    found = []
    for said, (truth, design, quantity) in zip(claim["figures"], claim["rows"], strict=True):
        rows = table[
            (table.truth == truth)
            & (table.design == design)
            & (table.quantity == quantity)
            & (table.statistic == "mean")
        ]
        (row,) = rows.itertuples()
        digits = len(said.partition(".")[2])
        found.append(
            Found(float(said.replace(",", "")), 0.5 / 10**digits, float(row.value), float(row.mcse))
        )
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

"""README cannot go stale: its commands are typed, its figures computed with fewer trials."""

import math
import shutil
from pathlib import Path
from typing import Any

import pytest
import readme
from commands import gai

from gai_core.cli.commands import COMMANDS
from gai_core.cli.program import _Loaded

SURE = 4.0
"""Standard errors: some 20 figures with fixed seeds, so this is settled once and for all."""
CHEAP = {
    "list": [], "show": [], "schema": [], "bounds": [], "boundaries": [], "check": [], "cache": [],
    "rerun": [], "extend": ["--runs", "12"], "table": ["--runs", "5", "--n-max", "200"],
    "run": ["--runs", "10", "--n-max", "200"],
    "verify": ["--runs", "10", "--n-max", "200"],
}  # fmt: skip
"""Commands that are run here, and what makes them cheap; the others have tests of their own."""


@pytest.mark.parametrize("claim", readme.CLAIMS, ids=lambda claim: claim["says"][:40])
def test_a_figure_is_what_its_command_computes(claim: dict[str, Any]) -> None:
    assert claim["says"] in readme.SQUEEZED
    for figure in claim["figures"]:
        assert figure in claim["says"]
    for found in readme.computed(claim, claim["few"]):
        whole = found.error * math.sqrt(claim["few"] / claim["whole"])
        bound = SURE * math.hypot(found.error, whole) + found.rounding
        assert abs(found.value - found.said) <= bound, found
        assert bound < 0.8 * found.said, "so few trials show nothing"


@pytest.mark.parametrize("words", readme.commands(), ids=" ".join)
def test_every_command_is_understood_as_printed(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, name, *rest = words
    assert name in COMMANDS
    if rest:
        study = ["medical-1" if word == "STUDY" else word for word in rest]
        assert _Loaded()[name].make_context(name, study).params


def test_every_command_is_named() -> None:
    assert {name for _, name, *_ in readme.commands()} == set(COMMANDS)


def test_the_cheap_commands_work_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    shutil.copy(readme.ROOT / "scenarios" / "medical-1.toml", tmp_path / "scenarios")
    done = 0
    for _, name, *rest in readme.commands():
        if name not in CHEAP or {"--cluster", "--clear", "--precision", "--figure"} & set(rest):
            continue
        if not rest and name not in {"list", "schema", "cache"}:
            continue  # named in a sentence
        ran = gai(name, *rest, *CHEAP[name], cwd=tmp_path)
        assert ran.returncode == 0, ran
        done += 1
    assert done >= 12

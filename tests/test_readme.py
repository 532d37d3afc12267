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
"""Standard errors: some 200 figures with fixed seeds, so this is settled once and for all."""
STEP = 3.0
"""Points of chance between one n_max and the next that a design with few looks can have."""
CHEAP = {
    "list": [], "show": [], "schema": [], "bounds": [], "boundaries": [], "check": [], "cache": [],
    "rerun": [], "extend": ["--runs", "12"], "table": ["--runs", "5", "--n-max", "200"],
    "run": ["--runs", "10", "--n-max", "200"],
    "verify": ["--runs", "10", "--n-max", "200"],
}  # fmt: skip
"""Commands that are run here, and what makes them cheap; the others have tests of their own."""


@pytest.mark.parametrize("claim", readme.CLAIMS, ids=lambda claim: readme.passages(claim)[-1][:40])
def test_a_figure_is_what_its_command_computes(claim: dict[str, Any]) -> None:
    few, whole = claim.get("trials", [None, None])
    for found in readme.computed(claim, few):
        error = found.error * math.hypot(1, math.sqrt(few / whole)) if few else 0.0
        bound = SURE * error + found.rounding
        assert abs(found.value - found.said) <= bound, found
        assert bound < 0.5 * found.said, "so few trials show nothing"
    for found in readme.chances(claim, few):
        assert abs(found.value - found.said) <= SURE * found.error + STEP, found


@pytest.mark.parametrize("claim", readme.CLAIMS, ids=lambda claim: readme.passages(claim)[-1][:40])
def test_a_passage_stands_in_the_readme_with_numbers_of_its_command(claim: dict[str, Any]) -> None:
    for passage in readme.passages(claim):
        assert readme.prose(readme.TEXT).count(readme.unmarked(passage)) == 1, passage
    if given := {readme.number(text) for text in readme.marked(claim, 2)}:
        assert given <= readme.parameters(claim)
    for text in claim.get("worked_out", []):
        for part in readme.NUMBER.findall(text):
            assert part == "100" or f"{float(part):,g}" in readme.TEXT, text


def test_every_number_of_the_readme_comes_from_somewhere() -> None:
    assert readme.numbers_from_nowhere(readme.TEXT) == []
    for given in readme.SOURCES["given"]:
        assert given["why"]
        for passage in given["says"]:
            assert passage in readme.prose(readme.TEXT), "explained, but not there"


@pytest.mark.parametrize(
    ("place", "more"),
    [
        ("So it saves patients", "It takes 98,765 patients. "),
        ("| | Fixed | 251 |", "| | Another | 250 |\n"),
        ("Not yet there, and refused", "Placebo does 93% of it. "),
        ("ACR20, 5 doses; the app opens", "9 doses, "),
    ],
)
def test_a_number_that_nobody_computes_is_found(place: str, more: str) -> None:
    text = readme.TEXT.replace(place, more + place, 1)
    assert text != readme.TEXT
    (added,) = readme.NUMBER.findall(more)
    assert any(added in part for part in readme.numbers_from_nowhere(text))


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

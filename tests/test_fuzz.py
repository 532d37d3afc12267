"""No valid study crashes or hangs: extreme numbers, alone and in pairs, in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fuzzing import BASES, all_leaves, changed

from gai_core import Study
from gai_core.study import study_or_problems

SCRIPT = Path(__file__).parent / "fuzzing.py"
SECONDS = 1_800
"""A base takes seconds; the script ends by itself when one study takes minutes."""
AT_A_TIME = 3
TOGETHER = [[*BASES][i : i + AT_A_TIME] for i in range(0, len(BASES), AT_A_TIME)]
"""Bases of one process: to start one takes longer than many studies."""


@pytest.mark.parametrize("bases", TOGETHER, ids=" and ".join)
def test_every_valid_study_is_simulated(bases: list[str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w", encoding="utf-8") as out:
        done = subprocess.run(
            [sys.executable, SCRIPT, *bases],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    lines = log.read_text(encoding="utf-8").splitlines()
    assert done.returncode == 0, f"{done.stderr[-3000:]}\nwhile this was simulated: {lines[-1:]}"
    ends = [json.loads(line) for line in lines if line.startswith("[")]
    assert [base for base, _, _ in ends] == bases
    for base, tried, simulated in ends:
        assert tried > 500, base
        assert simulated > 100, f"hardly any study of {base} was valid"


def test_every_field_takes_part() -> None:
    """A field that is new must be valid with another value in one of the bases."""
    waiting, taken = set(), set()
    for base in BASES.values():
        for place, values in all_leaves(base):
            field = tuple(step for step in place if isinstance(step, str))
            waiting.add(field)
            if field not in taken and any(
                isinstance(study_or_problems(changed(base, {place: value})), Study)
                for value in values
            ):
                taken.add(field)
    assert len(taken) > 40
    assert taken == waiting

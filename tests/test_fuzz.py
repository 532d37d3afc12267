"""No valid study crashes or hangs: extreme numbers, alone and in pairs, in a process of its own."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fuzzing import BASES, all_leaves, changed

from gai_core import Study
from gai_core.study import study_or_problems

SCRIPT = Path(__file__).parent / "fuzzing.py"
SECONDS = 3_000
"""A process takes a minute, and some on a busy machine that has compiled nothing yet. One that
computes without an end ends by itself; this only ends one that waits for ever."""
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


def test_what_computes_without_an_end_is_ended_and_says_where_but_a_wait_is_not() -> None:
    program = """
import time
from fuzzing import ends
with ends(0.2):
    time.sleep(0.4)
print("waited", flush=True)
with ends(0.2):
    while True:
        pass
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=SCRIPT.parent,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == -signal.SIGPROF
    assert done.stdout == "waited\n"
    assert re.search('File "<string>", line (8|9|10) in <module>', done.stderr)


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

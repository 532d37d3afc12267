"""Speed and results beside hand-written C, in the same run: `make yardstick`.

Compiles tests/yardstick.c, runs it and the engine in turns on the paper's
settings with one thread and the same random streams, checks that both simulate
exactly the same trials, and prints the ratio of their best times.
"""

import json
import math
import os
import subprocess
import tempfile
from pathlib import Path

from gai_core import simulate
from gai_core.evidence.random_streams import truth_key
from gai_core.study.changing import changed
from gai_core.study.study import Study
from gai_core.tools.bench import measure, settings

ROUNDS = 15
IN_C = ("hdoc", "lucb-g", "apt-g")


def compiled_yardstick(folder: Path) -> Path:
    """The C program, compiled for this machine."""
    program = folder / "yardstick"
    source = Path(__file__).with_name("yardstick.c")
    subprocess.run(["cc", "-O3", "-march=native", "-o", program, source, "-lm"], check=True)
    return program


def run_yardstick(program: Path, study: Study, *, dump: bool = False) -> tuple[float, list[str]]:
    """Nanoseconds per patient of the C program, and its trials if they are to be dumped."""
    design, truth, simulation = study.designs[0], study.truths[0], study.simulation
    words = [
        design.rule, study.outcome.kind, study.outcome.s2, study.threshold,
        study.error_rates.declare, design.burn_in, simulation.n_max, simulation.runs,
        simulation.seed, int(truth_key(truth.name)), *truth.means,
    ]  # fmt: skip
    done = subprocess.run(
        [program, *map(str, words)], check=True, capture_output=True, text=True,
        env=os.environ | {"DUMP": "1" if dump else "0"},
    )  # fmt: skip
    *trials, report = done.stdout.splitlines()
    return json.loads(report)["ns_per_patient"], trials


def same_trials(program: Path, study: Study) -> bool:
    """Whether verdict, time, patients and sum of every arm agree in every trial."""
    ours = simulate(study, threads=1)[study.truths[0].name, study.designs[0].name]
    _, theirs = run_yardstick(program, study, dump=True)
    for row, line in enumerate(theirs):
        for arm, text in enumerate(line.split()):
            verdict, decided, assigned, total = text.split(":")
            if (int(verdict), int(decided), int(assigned)) != (
                ours.verdict[row, arm], ours.decided[row, arm], ours.assigned[row, arm],
            ) or not math.isclose(float(total), ours.sums[row, arm], rel_tol=1e-12):  # fmt: skip
                return False
    return len(theirs) == len(ours.verdict)


def main() -> None:
    """Print the table; fail if a trial differs."""
    with tempfile.TemporaryDirectory() as folder:
        program = compiled_yardstick(Path(folder))
        print(f"{'scenario':14}{'rule':10}{'engine ns':>10}{'C ns':>8}{'ratio':>8}")
        for name, study in settings(IN_C):
            if not same_trials(program, changed(study, runs=100)):
                raise SystemExit(f"{name}: the C program simulated other trials")
            ours, theirs = [], []
            for _ in range(ROUNDS):
                ours.append(measure(study).ns_per_patient)
                theirs.append(run_yardstick(program, study)[0])
            ratio = min(ours) / min(theirs)
            rule = study.designs[0].rule
            print(f"{name:14}{rule:10}{min(ours):10.2f}{min(theirs):8.2f}{ratio:8.2f}")


if __name__ == "__main__":
    main()

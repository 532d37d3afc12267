"""Speed and results beside hand-written C, in the same run: `make yardstick`.

Compiles tests/yardstick.c, runs it and the engine in turns on the paper's
settings with one thread and the same random streams, checks that both simulate
exactly the same trials, and prints the ratio of their best times.
"""

import json
import math
import subprocess
import tempfile
from pathlib import Path

from gai_core.bench import Measured, measure, settings
from gai_core.streams import truth_key
from gai_core.study import Study

ROUNDS = 7


def compiled_yardstick(folder: Path) -> Path:
    """The C program, compiled for this machine."""
    program = folder / "yardstick"
    source = Path(__file__).with_name("yardstick.c")
    subprocess.run(["cc", "-O3", "-march=native", "-o", program, source, "-lm"], check=True)
    return program


def run_yardstick(program: Path, study: Study) -> dict[str, float]:
    """The C program's own report on the first design and truth of a study."""
    design, truth, simulation = study.designs[0], study.truths[0], study.simulation
    words = [
        design.rule, study.outcome.kind, study.outcome.s2, study.threshold, study.delta,
        design.burn_in, simulation.n_max, simulation.runs, simulation.seed,
        int(truth_key(truth.name)), *truth.means,
    ]  # fmt: skip
    done = subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True)
    report: dict[str, float] = json.loads(done.stdout)
    return report


def same(report: dict[str, float], measured: Measured) -> bool:
    """Whether both simulated the same trials."""
    return report["patients"] == measured.patients and math.isclose(
        report["sum_outcomes"], measured.outcomes, rel_tol=1e-9
    )


def main() -> None:
    """Print the table; fail if a result differs."""
    with tempfile.TemporaryDirectory() as folder:
        program = compiled_yardstick(Path(folder))
        print(f"{'scenario':14}{'rule':10}{'engine ns':>10}{'C ns':>8}{'ratio':>8}")
        for name, study in settings():
            ours, theirs = [], []
            for _ in range(ROUNDS):
                measured = measure(study)
                report = run_yardstick(program, study)
                if not same(report, measured):
                    raise SystemExit(
                        f"{name}: the C program simulated other trials: {report} {measured}"
                    )
                ours.append(measured.ns_per_patient)
                theirs.append(report["ns_per_patient"])
            ratio = min(ours) / min(theirs)
            print(
                f"{name:14}{study.designs[0].rule:10}{min(ours):10.2f}{min(theirs):8.2f}{ratio:8.2f}"
            )


if __name__ == "__main__":
    main()

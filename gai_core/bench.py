"""Nanoseconds per simulated patient, one thread, for every paper setting and rule.

Beside it, in the same run, a plain Python loop of the same algorithm: speed is
told as a ratio within one run, because a number alone depends on the machine.
"""

import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gai_core.files import load_study
from gai_core.simulate import Progress, empty_trials, runner
from gai_core.study import Study, changed

if TYPE_CHECKING:
    import pandas as pd

SETTINGS = ("threshold-1", "threshold-2", "threshold-3", "medical-1", "medical-2")
RULES = ("hdoc", "lucb-g", "apt-g")
PATIENTS = 6_000_000
"""Patients to simulate in one measurement, about."""
PYTHON_PATIENTS = 60_000
ROUNDS = 3
COLUMNS = ["scenario", "rule", "ns_per_patient", "python_ns_per_patient"]


@dataclass(frozen=True)
class Measured:
    """One timed simulation: how long, how many patients, and the sum of all outcomes."""

    seconds: float
    patients: int
    outcomes: float

    @property
    def ns_per_patient(self) -> float:
        """Nanoseconds for one patient."""
        return 1e9 * self.seconds / self.patients


def settings() -> Iterator[tuple[str, Study]]:
    """Every paper setting with every rule, as a study of one design and one truth."""
    for name in SETTINGS:
        study = load_study(name)
        for design in study.designs:
            if design.rule in RULES and design.criterion == "union":
                one = study.model_copy(
                    update={"designs": (design,), "truths": (study.truth("published"),)}
                )
                pilot = measure(changed(one, runs=20))
                yield name, changed(one, runs=max(1, 20 * PATIENTS // pilot.patients))


def measure(study: Study) -> Measured:
    """Simulate a study of one design and one truth on one thread, after a warm-up.

    The curves and tables are made before the clock starts, as they are made once
    for any number of trials.
    """
    (design,), (truth,) = study.designs, study.truths
    run, trials = runner(study, design), empty_trials(study)
    run(truth, 0, trials.rows(0, 1))
    start = time.perf_counter()
    run(truth, 0, trials)
    seconds = time.perf_counter() - start
    return Measured(seconds, int(trials.patients.sum()), float(trials.sums.sum(dtype=float)))


def benchmark(progress: Progress | None = None) -> "pd.DataFrame":
    """The best of a few measurements per setting and rule, and the plain loop beside it."""
    import pandas as pd

    rows = []
    studies = list(settings())
    for done, (name, study) in enumerate(studies, start=1):
        best = min(measure(study).ns_per_patient for _ in range(ROUNDS))
        rows.append((name, study.designs[0].rule, best, plain_ns_per_patient(study)))
        if progress:
            progress(done, len(studies))
    return pd.DataFrame(rows, columns=COLUMNS)


def plain_ns_per_patient(study: Study) -> float:
    """The same for the plain Python loop."""
    rng = random.Random(study.simulation.seed)
    patients = 0
    start = time.perf_counter()
    while patients < PYTHON_PATIENTS:
        patients += plain_trial(study, rng, PYTHON_PATIENTS - patients)
    return 1e9 * (time.perf_counter() - start) / patients


def plain_trial(study: Study, rng: random.Random, most: int) -> int:
    """Algorithm 1 as a Python programmer would write it; how many patients it took."""
    design, xi, s2 = study.designs[0], study.threshold, study.outcome.s2
    draw = _plain_draw(study, rng)
    log_base = math.log(4 * len(study.arms) / study.delta)
    arms = range(len(study.arms))
    sums = [sum(draw(arm) for _ in range(design.burn_in)) for arm in arms]
    counts = [design.burn_in for _ in arms]

    def radius(n: int) -> float:
        return math.sqrt(2 * s2 * (log_base + 2 * math.log(n)) / n)

    def undecided(arm: int) -> bool:
        mean, r = sums[arm] / counts[arm], radius(counts[arm])
        return mean - r < xi <= mean + r

    score: dict[str, Callable[[int], float]] = {
        "hdoc": lambda i: sums[i] / counts[i] + math.sqrt(2 * s2 * math.log(t) / counts[i]),
        "lucb-g": lambda i: sums[i] / counts[i] + radius(counts[i]),
        "apt-g": lambda i: -math.sqrt(counts[i]) * abs(xi - sums[i] / counts[i]),
    }
    open_arms = [arm for arm in arms if undecided(arm)]
    t = len(study.arms) * design.burn_in
    limit = max(t, min(most, study.simulation.n_max))
    while open_arms and t < limit:
        arm = max(open_arms, key=score[design.rule])
        sums[arm] += draw(arm)
        counts[arm] += 1
        t += 1
        if not undecided(arm):
            open_arms.remove(arm)
    return t


def _plain_draw(study: Study, rng: random.Random) -> Callable[[int], float]:
    means = study.truths[0].means
    if study.outcome.kind == "bernoulli":
        return lambda arm: float(rng.random() < means[arm])
    sigma = math.sqrt(study.outcome.s2)
    return lambda arm: rng.gauss(means[arm], sigma)

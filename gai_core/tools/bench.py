"""Nanoseconds per simulated patient, one thread, for every paper setting and rule.

Beside it, in the same run, a plain Python loop of the same algorithm, for conducted trials the
plain compiled loop, and for scores of unknown variance those of a known one: speed is told as a
ratio within one run, because a number alone depends on the machine. Time is the processor's, so
that others on it count as little as can be.
"""

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gai_core.engine import Progress, empty_trials, runner
from gai_core.rules import RULES
from gai_core.study import Design, Study, changed, load_study, validated

if TYPE_CHECKING:
    import pandas as pd

SETTINGS = ("threshold-1", "threshold-2", "threshold-3", "medical-1", "medical-2")
PATIENTS = 4_000_000
"""Patients to simulate in one measurement, about."""
PYTHON_PATIENTS = 30_000
ROUNDS = 3
COLUMNS = ["scenario", "rule", "ns_per_patient", "python_ns_per_patient"]
CONDUCT_SETTING = "tofacitinib"
CONDUCTS: Mapping[str, Mapping[str, Any]] = {
    "no delay": {},
    "delay": {"delay": {"weeks": 12.0}},
    "delay, cohorts": {"delay": {"weeks": 12.0}, "cohort": 8},
    "all at random": {
        "accrual": {"pattern": "poisson"},
        "delay": {"weeks": 12.0, "pattern": "lognormal", "spread": 1.0},
        "cohort": 8,
        "randomisation": {"kind": "mixed"},
        "dropout": {"probability": 0.05, "counted": "left out"},
    },
}
"""Ways to run a trial whose cost is set beside that of the plain loop."""
CONDUCT_COLUMNS = ["conduct", "rule", "ns_per_patient", "plain_ns_per_patient"]

VARIANCE_SETTINGS = "sirukumab-das28", "sirukumab-das28-unknown"
"""The same trial with scores of known and of unknown variance."""
VARIANCE_COLUMNS = ["variance", "rule", "ns_per_patient", "known_ns_per_patient"]


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


def settings(rules: Iterable[str] = tuple(RULES)) -> Iterator[tuple[str, Study]]:
    """Every paper setting with every rule, as a study of one design and one truth."""
    for name in SETTINGS:
        study = load_study(name)
        for rule in rules:
            if study.outcome.kind not in RULES[rule].outcomes:
                continue
            design = Design(name=rule, rule=rule, criterion="union", burn_in=5)
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
    start = time.thread_time()
    run(truth, 0, trials)
    seconds = time.thread_time() - start
    return Measured(seconds, int(trials.patients.sum()), float(trials.sums.sum(dtype=float)))


def conduct_benchmark(progress: Progress | None = None) -> "pd.DataFrame":
    """Conducted trials of a usual size beside the plain loop, measured in turns."""
    import pandas as pd

    base = load_study(CONDUCT_SETTING)
    rows = []
    rules = [key for key, rule in RULES.items() if base.outcome.kind in rule.outcomes]
    for done, rule in enumerate(rules, start=1):
        design = Design(name=rule, rule=rule, criterion="mixture", burn_in=5)
        plain = base.model_copy(update={"designs": (design,), "truths": base.truths[:1]})
        plain = changed(plain, runs=PATIENTS // base.simulation.n_max)
        conducted = {
            name: validated(plain.model_dump() | {"conduct": conduct}, name)
            for name, conduct in CONDUCTS.items()
        }
        best = dict.fromkeys(["plain", *CONDUCTS], math.inf)
        for _ in range(ROUNDS):
            for name, study in {"plain": plain, **conducted}.items():
                best[name] = min(best[name], measure(study).ns_per_patient)
        rows += [(name, rule, best[name], best["plain"]) for name in CONDUCTS]
        if progress:
            progress(done, len(rules))
    return pd.DataFrame(rows, columns=CONDUCT_COLUMNS)


def variance_benchmark(progress: Progress | None = None) -> "pd.DataFrame":
    """Scores of unknown variance beside those of a known one in the plain loop, in turns."""
    import pandas as pd

    known, unknown = map(load_study, VARIANCE_SETTINGS)
    rules = [key for key, rule in RULES.items() if rule.works_for(unknown.outcome)]
    rows = []
    for done, rule in enumerate(rules, start=1):
        design = Design(name=rule, rule=rule, criterion="mixture", burn_in=5)
        update = {"conduct": None, "designs": (design,)}
        pair = [
            changed(
                study.model_copy(update=update | {"truths": study.truths[:1]}),
                runs=PATIENTS // study.simulation.n_max,
            )
            for study in (known, unknown)
        ]
        best = [math.inf, math.inf]
        for _ in range(ROUNDS):
            best = [
                min(so_far, measure(study).ns_per_patient)
                for so_far, study in zip(best, pair, strict=True)
            ]
        rows.append(("unknown", rule, best[1], best[0]))
        if progress:
            progress(done, len(rules))
    return pd.DataFrame(rows, columns=VARIANCE_COLUMNS)


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
    trial = plain_trial(study, rng)
    patients = 0
    start = time.thread_time()
    while patients < PYTHON_PATIENTS:
        patients += trial(PYTHON_PATIENTS - patients)
    return 1e9 * (time.thread_time() - start) / patients


def plain_trial(study: Study, rng: random.Random) -> Callable[[int], int]:
    """Algorithm 1 in plain Python with the design's own curves and index.

    The function simulates one trial of at most so many patients and says how many it took.
    """
    (design,), (truth,) = study.designs, study.truths
    (rule, _), outcome = design.sampling, study.outcome
    curves, tables = study.curves(design), study.tables(design)
    accept, reject = curves.accept.tolist(), curves.reject.tolist()
    of_n, of_t = tables.of_n.tolist(), tables.of_t.tolist()
    xi = study.stream.target
    scale = math.sqrt(outcome.variance_at(xi))
    summary, index = rule.summary, rule.index_for(outcome)

    def draw(arm: int) -> float:
        return outcome.sample(rng, truth.means[arm])

    def trial(most: int) -> int:
        counts = [design.burn_in] * len(truth.means)
        sums = [sum(draw(arm) for _ in range(n)) for arm, n in enumerate(counts)]
        t = sum(counts)

        def undecided(arm: int) -> bool:
            return bool(reject[counts[arm]] < sums[arm] < accept[counts[arm]])

        def score(arm: int) -> float:
            n = counts[arm]
            x = rng.gauss(0.0, 1.0) if rule.varies == "at random" else of_t[t]
            return index(*summary(sums[arm] / n, n, of_n[n], xi, scale, 1.0), x)

        open_arms = [arm for arm in range(len(counts)) if undecided(arm)]
        while open_arms and t < min(most, study.simulation.n_max):
            arm = max(open_arms, key=score)
            sums[arm] += draw(arm)
            counts[arm] += 1
            t += 1
            if not undecided(arm):
                open_arms.remove(arm)
        return t

    return trial

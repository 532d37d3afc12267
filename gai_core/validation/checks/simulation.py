"""Simulated trials: their streams, their verdicts, threads and files."""

import hashlib
import math

import numpy as np

from gai_core.basics import InputError
from gai_core.engine import Runs, Trials, simulate
from gai_core.results import characteristics, differences, load_saved, save_runs
from gai_core.study import Study, changed, validated
from gai_core.validation.check import Check, Effort, Found
from gai_core.validation.checks.exact import chances_of_verdicts

LARGEST = 60
"""Patients on one dose at most: n_max is enough for both, so every verdict is given."""
MEANS = {"first": (0.35, 0.55), "second": (0.35, 0.55)}
STREAM = "f7d2e87b253e4da918892c4803b1479ffad86acb166daa2ebd4a488ae236e978"
"""SHA-256 of the sums and verdicts of 50 trials with seed 1."""
WIDE = 4.5
"""Standard errors within which a simulated chance must be; a right one is outside in 1 of 10^5."""


def small_study(**changes: object) -> Study:
    """Two doses, two assumptions that differ in name only, one exact design."""
    data: dict[str, object] = {
        "title": "Two doses",
        "threshold": 0.4,
        "delta": 0.2,
        "outcome": {"kind": "bernoulli"},
        "simulation": {"runs": 50, "n_max": 2 * LARGEST, "seed": 1},
        "arms": [{"label": "low"}, {"label": "high"}],
        "truths": [{"name": name, "means": list(means)} for name, means in MEANS.items()],
        "designs": [
            {
                "name": "Equal",
                "rule": "equal",
                "criterion": "exact",
                "criterion_parameters": {"largest": LARGEST},
                "burn_in": 1,
            }
        ],
    }
    return validated(data | changes, "validation")


def digest(trials: Trials) -> str:
    """SHA-256 of what trials ended with, in the same order of bytes everywhere."""
    numbers = (trials.verdict, trials.decided, trials.assigned, trials.sums)
    content = b"".join(np.asarray(array, "<i8").tobytes() for array in numbers)
    return hashlib.sha256(content).hexdigest()


def _same_stream(_effort: Effort) -> Found:
    found = digest(simulate(small_study())["first", "Equal"])
    return Found(found == STREAM, f"SHA-256 {found[:16]}…")


def _own_streams(_effort: Effort) -> Found:
    study = small_study()
    runs, other = simulate(study), simulate(changed(study, seed=2))
    first = runs["first", "Equal"]
    same = {
        "two assumptions": digest(first) == digest(runs["second", "Equal"]),
        "two seeds": digest(first) == digest(other["first", "Equal"]),
        "trials of one run": digest(first.rows(0, 25)) == digest(first.rows(25, 50)),
    }
    copies = [name for name, equal in same.items() if equal]
    return Found(not copies, f"the same patients: {', '.join(copies) or 'none'}")


def _simulated_chances(effort: Effort) -> Found:
    study = changed(small_study(), runs=effort.trials(4_000, 40_000))
    curves, table = study.curves(study.designs[0]), characteristics(simulate(study))
    largest, apart = 0.0, []
    for arm, mean in zip(study.arms, MEANS["first"], strict=True):
        exact = dict(
            zip(
                ("good", "bad"),
                chances_of_verdicts(mean, curves.accept, curves.reject),
                strict=True,
            )
        )
        for verdict, chance in exact.items():
            row = table[
                (table.truth == "first") & (table.arm == arm.label) & (table.quantity == verdict)
            ]
            simulated = float(row.value.iloc[0])
            error = math.sqrt(chance * (1 - chance) / study.simulation.runs)
            gap = abs(simulated - chance) / error
            largest = max(largest, gap)
            if gap > WIDE:
                apart.append(f"{arm.label}, {verdict}: {simulated:.4f}, not {chance:.4f}")
    if apart:
        return Found(False, "; ".join(apart))
    return Found(True, f"4 chances; the largest gap is {largest:.1f} standard errors")


def _threads(effort: Effort) -> Found:
    """So many patients may come that the work is cut into pieces."""
    design = {"name": "Equal", "rule": "equal", "criterion": "union", "burn_in": 5}
    simulation = {"runs": effort.trials(120, 400), "n_max": 100_000, "seed": 1}
    truths = [{"name": "first", "means": [0.1, 0.9]}]
    study = small_study(designs=[design], simulation=simulation, truths=truths)
    seen = {
        threads: digest(simulate(study, threads=threads)["first", "Equal"]) for threads in (1, 2, 3)
    }
    different = len(set(seen.values()))
    words = "the same three times" if different == 1 else f"{different} different results"
    return Found(different == 1, words)


def _saved_runs(effort: Effort) -> Found:
    runs, folder = simulate(small_study()), effort.scratch / "saved"
    save_runs(runs, characteristics(runs), folder)
    saved = load_saved(folder)
    other = differences(saved)
    if other:
        return Found(False, "; ".join(other))
    if not _same_arrays(runs, saved.runs):
        return Found(False, "what was read back is not what was written")
    table = folder / "characteristics.csv"
    table.write_text(table.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    try:
        load_saved(folder)
    except InputError:
        return Found(True, "read back, the same when simulated again, a changed file was refused")
    return Found(False, "a changed file was not noticed")


def _same_arrays(one: Runs, other: Runs) -> bool:
    return all(digest(one[names]) == digest(other[names]) for names in one.trials)


SAME_STREAM = Check(
    key="same-stream",
    test="Simulate 50 trials with seed 1.",
    expected=f"the patients and verdicts of every other machine: SHA-256 {STREAM[:16]}…",
    run=_same_stream,
)
OWN_STREAMS = Check(
    key="own-streams",
    test="Simulate two assumptions that differ in name only, two seeds, and compare trials.",
    expected="no two have the same patients",
    run=_own_streams,
)
SIMULATED_CHANCES = Check(
    key="simulated-chances",
    test="Simulate an exact design and set the shares of trials that declare or drop each dose "
    "beside chances from a recursion over all counts.",
    expected=f"no gap of more than {WIDE} standard errors",
    run=_simulated_chances,
)
THREADS = Check(
    key="threads",
    test="Simulate on one, two and three threads, in pieces.",
    expected="the same verdicts, times, patients and sums, bit by bit",
    run=_threads,
)
SAVED_RUNS = Check(
    key="saved-runs",
    test="Save a run, read it, simulate it again, then change one of its files.",
    expected="the same numbers, and the changed file is refused",
    run=_saved_runs,
)

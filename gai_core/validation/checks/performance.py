"""Speed as a ratio within one run, and memory."""

import tracemalloc

from gai_core.engine import simulate
from gai_core.study import Design, changed, load_study
from gai_core.tools import measure, plain_ns_per_patient
from gai_core.validation.check import Check, Effort, Found

LEAST_RATIO = 20.0
ROUNDS = 5
ALLOWED = 3.0
"""Memory in units of that of the results,"""
SPARE = 50_000_000
"""and bytes for tables and what is loaded meanwhile."""


def _speed(_effort: Effort) -> Found:
    """The best of several, so that others who use the machine matter less."""
    study = load_study("medical-1")
    design = Design(name="HDoC", rule="hdoc", burn_in=5)
    study = study.model_copy(update={"designs": (design,), "truths": study.truths[:1]})
    study = changed(study, runs=10)
    ours = min(measure(study).ns_per_patient for _ in range(ROUNDS))
    plain = min(plain_ns_per_patient(study) for _ in range(2))
    words = f"{plain / ours:,.0f} times as fast ({ours:.1f} ns a patient)"
    return Found(plain / ours >= LEAST_RATIO, words)


def _memory(effort: Effort) -> Found:
    study = changed(load_study("tofacitinib"), runs=effort.trials(20_000, 100_000))
    study = study.model_copy(update={"truths": study.truths[:1]})
    tracemalloc.start()
    try:
        runs = simulate(study)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    results = sum(array.nbytes for block in runs.trials.values() for array in block.arrays)
    words = f"{peak / 1e6:.0f} MB at most, for results of {results / 1e6:.0f} MB"
    return Found(peak <= ALLOWED * results + SPARE, words)


SPEED = Check(
    key="speed",
    test="Simulate medical-1 with HDoC on one thread, and the same algorithm in plain Python.",
    expected=f"{LEAST_RATIO:.0f} times as fast or more",
    run=_speed,
)
MEMORY = Check(
    key="memory",
    test="Simulate tofacitinib and look at the largest memory in use meanwhile.",
    expected=f"at most {ALLOWED:.0f} times that of the results and {SPARE / 1e6:.0f} MB",
    run=_memory,
)

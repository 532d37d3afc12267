"""Study -> runs: the compiled loops, chunks, threads, clusters, the cache of runs."""

from gai_core.engine.cluster import connected
from gai_core.engine.conduct_state import room_for_log
from gai_core.engine.prepared import conducted, pairs_of, runner
from gai_core.engine.run_cache import simulate_cached
from gai_core.engine.sampling import Samples, equal_samples
from gai_core.engine.simulation import (
    CancelFlag,
    Progress,
    Simulator,
    check_worker,
    patients_at_most,
    simulate,
)
from gai_core.engine.trials import Calendar, Runs, Trials, empty_trials
from gai_core.engine.work import HERE, Work, at_work

__all__ = [
    "HERE",
    "Calendar",
    "CancelFlag",
    "Progress",
    "Runs",
    "Samples",
    "Simulator",
    "Trials",
    "Work",
    "at_work",
    "check_worker",
    "conducted",
    "connected",
    "empty_trials",
    "equal_samples",
    "pairs_of",
    "patients_at_most",
    "room_for_log",
    "runner",
    "simulate",
    "simulate_cached",
]

"""The checks. To add one: write it, add it to this list and to a requirement."""

from gai_core.basics import Registry
from gai_core.validation.check import Check
from gai_core.validation.checks.exact import DUNNETT_CRITICAL, EXACT_ERRORS, GROUP_SEQUENTIAL
from gai_core.validation.checks.installation import LIBRARIES_THERE, SHIPPED_STUDIES
from gai_core.validation.checks.limits import LIMITS_BY_FORMULA
from gai_core.validation.checks.performance import MEMORY, SPEED
from gai_core.validation.checks.published import LOWER_BOUNDS, MCP_MOD, PAPER
from gai_core.validation.checks.simulation import (
    OWN_STREAMS,
    SAME_STREAM,
    SAVED_RUNS,
    SIMULATED_CHANCES,
    THREADS,
)
from gai_core.validation.checks.summaries import CENSORED_TIMES, COVERAGE, MONTE_CARLO_ERRORS

CHECKS: Registry[Check] = Registry(
    "check",
    [
        LIBRARIES_THERE,
        SHIPPED_STUDIES,
        LIMITS_BY_FORMULA,
        EXACT_ERRORS,
        GROUP_SEQUENTIAL,
        DUNNETT_CRITICAL,
        LOWER_BOUNDS,
        PAPER,
        MCP_MOD,
        SIMULATED_CHANCES,
        SAME_STREAM,
        OWN_STREAMS,
        THREADS,
        SAVED_RUNS,
        CENSORED_TIMES,
        MONTE_CARLO_ERRORS,
        COVERAGE,
        SPEED,
        MEMORY,
    ],
)

"""What is made of simulated trials: times, Monte Carlo errors, intervals."""

import math
import statistics

import numpy as np

from gai_core.engine import Runs, Trials, simulate
from gai_core.evidence import BAD, GOOD, UNDECIDED
from gai_core.results import Values, characteristics
from gai_core.study import changed, load_study
from gai_core.validation.check import Check, Effort, Found, nearest
from gai_core.validation.checks.simulation import small_study

QUICK = ("tofacitinib",)
WHOLE = (*QUICK, "irritable-bowel", "sirukumab-das28-unknown", "tofacitinib-placebo")
"""Responses, scores, scores of unknown variance, pairs with concurrent controls."""


def _censored_times(_effort: Effort) -> Found:
    """Four trials: declared after 30 and 50, cut off at 120, and every dose dropped after 40."""
    study = changed(small_study(), runs=4)
    trials = Trials(
        verdict=np.array([[GOOD, BAD], [BAD, GOOD], [UNDECIDED, UNDECIDED], [BAD, BAD]], np.int8),
        decided=np.array([[30, 10], [20, 50], [0, 0], [40, 35]], np.int32),
        assigned=np.array([[15, 15], [25, 25], [60, 60], [20, 20]], np.int32),
        sums=np.array([[9, 2], [7, 15], [24, 24], [3, 2]], np.int32),
    )
    runs = Runs(study, {(truth.name, "Equal"): trials for truth in study.truths})
    values = Values(characteristics(runs))
    expected = {
        ("tau_1", "reached"): 3 / 4,
        ("tau_1", "mean"): (30 + 50 + 40) / 3,
        ("tau_1", "restricted_mean"): (30 + 50 + 40 + 120) / 4,
        ("tau_stop", "mean"): (30 + 50 + 40) / 3,
        ("first_declaration", "reached"): 2 / 4,
        ("first_declaration", "mean"): (30 + 50) / 2,
        ("first_declaration", "restricted_mean"): (30 + 50 + 120 + 120) / 4,
    }
    found = {
        f"{quantity}, {statistic}": (values("first", "Equal", quantity, statistic)[0], value)
        for (quantity, statistic), value in expected.items()
    }
    return nearest(found, 1e-12)


def _monte_carlo_errors(_effort: Effort) -> Found:
    study = small_study()
    runs = simulate(study)
    values, trials = Values(characteristics(runs)), runs["first", "Equal"]
    patients = [float(n) for n in trials.assigned.sum(axis=1)]
    share = float((trials.verdict == GOOD).any(axis=1).mean())
    number = study.simulation.runs
    return nearest(
        {
            "mean of patients": (
                values("first", "Equal", "n_patients", "mean")[1],
                statistics.stdev(patients) / math.sqrt(number),
            ),
            "chance of a declaration": (
                values("first", "Equal", "any_declared", "probability")[1],
                math.sqrt(share * (1 - share) / number),
            ),
        },
        1e-12,
    )


def _coverage(effort: Effort) -> Found:
    least, number, wide = 1.0, 0, []
    for name in QUICK if effort.quick else WHOLE:
        study = changed(load_study(name), runs=effort.trials(400, 2_000))
        table = characteristics(simulate(study))
        assumed = {truth.name for truth in study.truths if study.as_assumed(truth)}
        covered = table[
            (table.quantity == "covered")
            & (table.statistic == "probability")
            & table.truth.isin(assumed)
        ].value
        least, number = min(least, covered.min()), number + len(covered)
        if covered.min() < 0.95 - 3 * math.sqrt(0.95 * 0.05 / study.simulation.runs):
            wide.append(name)
    words = f"{number} doses, designs and assumptions: {100 * least:.1f}% or more"
    return Found(not wide, f"{words}{f'; too few in {wide}' if wide else ''}")


CENSORED_TIMES = Check(
    key="censored-times",
    test="Summarise four trials written by hand, of which one reaches no verdict.",
    expected="share reached, mean of those and restricted mean as counted by hand",
    run=_censored_times,
)
MONTE_CARLO_ERRORS = Check(
    key="monte-carlo-errors",
    test="Recompute the standard errors of a mean and of a chance from the simulated trials.",
    expected="s/sqrt(R) and sqrt(p (1-p)/R), to 1e-12",
    run=_monte_carlo_errors,
)
COVERAGE = Check(
    key="coverage",
    test=f"Simulate {', '.join(WHOLE)} (quick: {', '.join(QUICK)}) and count how often the "
    "confidence sequence has the true mean when a trial ends, for every dose and design.",
    expected="95% or more, less three Monte Carlo errors",
    run=_coverage,
)

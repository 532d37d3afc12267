"""How far results hold: the study's numbers changed one at a time, in small runs of their own.

Two questions that a protocol's reader asks of a recommended design. Power over the effect: every
dose's difference from the control (without a control: from the target) is multiplied by a factor.
Sensitivity: accrual, dropout, a drift over time, the control's response, the variance. Limits and
sample size stay; each change gets a few hundred trials, seeded by the study's own seed.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gai_core.basics import InputError
from gai_core.engine import HERE, Runs, Work
from gai_core.results import Analysis, judged, quantities_of
from gai_core.study import Study, Truth, changed, in_decimals, narrowed, stated_mean, validated

FACTORS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25)
"""Of the hoped-for effect."""
TRIALS, FEWEST = 400, 100
"""Simulated for every change; where so many would take too many patients, fewer, or none."""
MOST_PATIENTS = 6_000_000
"""Simulated in all for a short report."""
FULL_FACTOR = 10
"""A full one may have so many times as many."""
RATE_STEP, SCORE_STEP = 0.05, 0.25
"""A drift or another response of the control: of a rate, or in standard deviations of a score."""
MORE_DROPOUT = 0.1
MORE_VARIANCE = 1.5


@dataclass(frozen=True)
class Changed:
    """A study with one number changed, and its simulated trials."""

    what: str
    """The change in words."""
    factor: float
    """Of the effect; 1 where something else was changed."""
    runs: Runs

    def value(self, truth: str, design: str, key: str) -> tuple[float, float]:
        """Mean or chance of a quantity, and its Monte Carlo standard error."""
        return quantities_of(self.runs.study)[key].summary(judged(self.runs, truth, design))


@dataclass(frozen=True)
class Robustness:
    """Power over the effect, and what follows from other assumptions."""

    designs: tuple[str, ...]
    """The recommended one first."""
    truths: tuple[str, ...]
    """The hoped-for one first."""
    trials: int
    power: tuple[Changed, ...]
    sensitivity: tuple[Changed, ...]
    """Of the first design alone."""


def effect_over_target(study: Study, truth: Truth) -> float:
    """How far the best dose is above the target."""
    expected = study.expected(truth)
    return max(expected[arm] for arm in study.candidates) - study.target_under(truth)


def robustness(
    analysis: Analysis,
    designs: Sequence[str],
    truths: Sequence[str],
    *,
    full: bool = False,
    work: Work = HERE,
) -> Robustness | None:
    """Simulate the changes; None where even few trials of each would take too many patients."""
    study = analysis.study
    changes = list(_changes(study, truths, designs[:1]))
    effects = list(_effects(study, truths[0], designs))
    cells = sum(len(s.truths) * len(s.designs) for _, s in changes) + len(effects) * len(designs)
    each = max(
        float(analysis.runs[truth, design].patients.mean())
        for truth in truths
        for design in designs
    )
    most = MOST_PATIENTS * (FULL_FACTOR if full else 1)
    trials = min(TRIALS, int(most / (each * cells)), study.simulation.runs)
    if trials < min(FEWEST, study.simulation.runs):
        return None

    def simulated(what: str, factor: float, changed_study: Study) -> Changed:
        return Changed(what, factor, work.simulate(changed(changed_study, runs=trials)))

    return Robustness(
        tuple(designs),
        tuple(truths),
        trials,
        tuple(simulated(f"{factor:g} times", factor, s) for factor, s in effects),
        tuple(simulated(what, 1.0, s) for what, s in changes),
    )


def _effects(study: Study, truth: str, designs: Sequence[str]) -> Iterator[tuple[float, Study]]:
    """The hoped-for truth with its effects multiplied."""
    alone = narrowed(study, [truth], designs)
    means = study.truth(truth).means
    at_target = stated_mean(study.stream.target, study.dropout)
    base = at_target if study.control is None else means[study.control]
    for factor in FACTORS:
        scaled = [round(base + factor * (mean - base), 12) for mean in means]
        yield from ((factor, found) for found in _with_means(alone, {truth: scaled}))


def _with_means(study: Study, means: dict[str, list[float]], **other: Any) -> Iterator[Study]:
    """The study with other means, if a trial can have these; its target stays."""
    data = study.model_dump()
    data["margin"] = None
    for truth in data["truths"]:
        truth |= {"means": means.get(truth["name"], truth["means"])} | other
    yield from _valid(data)


def _valid(data: dict[str, Any]) -> Iterator[Study]:
    try:
        yield validated(data, "changed study")
    except InputError:  # such as a rate above 1
        return


def _changes(
    study: Study, truths: Sequence[str], designs: Sequence[str]
) -> Iterator[tuple[str, Study]]:
    """Every change in words with the study that has it; first none at all."""
    alone = narrowed(study, truths, designs)
    yield "as planned", alone
    first = study.truth(truths[0])
    step = RATE_STEP if study.outcome.all_or_nothing else SCORE_STEP * study.deviation(first)
    yield from _conduct_changes(alone, step)
    for sign in (1, -1):
        shifted = {
            name: [round(mean + sign * step, 12) for mean in study.truth(name).means]
            for name in truths
        }
        arms = "every arm" if study.control is None else "the control and every dose"
        what = f"{arms}: assumed mean {sign * step:+.3g}"
        yield from ((what, found) for found in _with_means(alone, shifted))
    yield from _variances(alone)


def _conduct_changes(study: Study, step: float) -> Iterator[tuple[str, Study]]:
    if study.conduct is None:
        return
    data = study.model_dump() | {"margin": None}
    conduct, rate = data["conduct"], study.conduct.accrual.per_month
    for factor, word in ((0.5, "half"), (2.0, "twice")):
        accrual = conduct["accrual"] | {"per_month": factor * rate}
        what = f"accrual {word} as fast: {factor * rate:g} a month"
        yield from (
            (what, found) for found in _valid(data | {"conduct": conduct | {"accrual": accrual}})
        )
    yield from _dropout(study, data)
    last = study.simulation.n_max
    months = study.conduct.months(last)
    beside = ", beside what is assumed" if any(truth.trend for truth in study.truths) else ""
    for sign in (1, -1):
        moved = [
            truth | {"trend": (truth["trend"] or 0.0) + sign * step / months}
            for truth in data["truths"]
        ]
        cut = ", rates cut off at 0 and 1" if _leaves_the_range(study, moved, months) else ""
        what = f"drift of {sign * step:+.3g} by the time patient {last:,} is expected{beside}{cut}"
        yield from ((what, found) for found in _valid(data | {"truths": moved}))


def _leaves_the_range(study: Study, truths: Sequence[dict[str, Any]], months: float) -> bool:
    """Whether a mean that drifts for so long would be no rate any more."""
    if not study.outcome.all_or_nothing:
        return False
    low, high = study.outcome.mean_range
    ends = (
        mean + truth["trend"] * months
        for truth in truths
        for mean in study.completing(study.truth(truth["name"]))
    )
    return not all(low <= end <= high for end in ends)


def _dropout(study: Study, data: dict[str, Any]) -> Iterator[tuple[str, Study]]:
    """More patients drop out than planned; those who stay do as before."""
    counted = "non-response" if study.outcome.all_or_nothing else "left out"
    now = data["conduct"]["dropout"] or {"probability": 0.0, "counted": counted}
    if now.get("probability_on_target") is not None:
        return
    more = round(now["probability"] + MORE_DROPOUT, 6)
    how = now["counted"] if now["counted"] == "left out" else f"counted as {now['counted']}"
    truths = [
        truth | {"means": [in_decimals(m) for m in study.completing(study.truth(truth["name"]))]}
        for truth in data["truths"]
    ]
    dropout = now | {"probability": more, "in_means": False}
    conduct = data["conduct"] | {"dropout": dropout}
    yield from (
        (f"dropout {100 * more:g}%, {how}", found)
        for found in _valid(data | {"truths": truths, "conduct": conduct})
    )


def _variances(study: Study) -> Iterator[tuple[str, Study]]:
    """Scores that spread more than was assumed."""
    if not study.outcome.has_variance:
        return
    data = study.model_dump() | {"margin": None}
    spread = {truth.name: study.spread(truth) for truth in study.truths}
    for truth in data["truths"]:
        truth["variance"] = MORE_VARIANCE * spread[truth["name"]] ** 2
    # A factor, as every truth may have its own.
    what = f"standard deviation {math.sqrt(MORE_VARIANCE):.3g} times as large"
    yield from ((what, found) for found in _valid(data))

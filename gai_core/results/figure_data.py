"""What the figures show, apart from how they are drawn.

Every function returns small named tuples of numbers and labels. The app draws
them with Plotly, a report with Matplotlib; both show the same.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gai_core.engine import Runs
from gai_core.results.monte_carlo import QUANTILES, share_interval
from gai_core.results.summary import Values, WordTable, shown_times
from gai_core.results.timing import declared_times, known
from gai_core.study import Study, Truth
from gai_core.theory import sharper_bounds

if TYPE_CHECKING:
    import pandas as pd

Numbers = NDArray[np.float64]
LOG_FROM = 5_000
"""Largest sample size from which patients are shown on a logarithmic axis."""
POINTS = 200
"""Points of a curve over patients: more than the eye can tell apart."""


class DoseResponse(NamedTuple):
    """What a truth assumes: means, how far they are from the target, and from the control."""

    labels: list[str]
    means: list[float]
    margins: list[float]
    """Mean minus target."""
    good: tuple[bool, ...]
    effects: list[float] | None
    """Mean minus the control's mean, if there is a control."""
    target: float


def dose_response(study: Study, truth: Truth) -> DoseResponse:
    """The assumed means of a truth beside the target and the control."""
    means, target = study.expected(truth), study.target_under(truth)
    control = None if study.control is None else means[study.control]
    return DoseResponse(
        [arm.label for arm in study.arms],
        list(means),
        [mean - target for mean in means],
        study.good(truth),
        None if control is None else [mean - control for mean in means],
        target,
    )


class DeclarationCurve(NamedTuple):
    """P(at least k doses declared by N patients) of a design, with a 95% interval."""

    design: str
    patients: list[int]
    chance: list[float]
    low: list[float]
    high: list[float]


def declaration_curves(runs: Runs, truth: str, doses: int = 1) -> list[DeclarationCurve]:
    """One curve per design: the chance of having declared so many doses by N patients."""
    n_max = runs.study.simulation.n_max
    grid = _spread_counts(n_max)
    curves = []
    for design in runs.study.designs:
        when = np.sort(declared_times(known(runs, truth, design.name), n_max)[:, doses - 1])
        happened = np.searchsorted(when, grid, side="right")
        low, high = share_interval(happened, when.size)
        chance = happened / when.size
        curves.append(
            DeclarationCurve(
                design.name, grid.tolist(), chance.tolist(), low.tolist(), high.tolist()
            )
        )
    return curves


TABLE_POINTS = 8


def declaration_table(curves: Sequence[DeclarationCurve]) -> WordTable:
    """The curves in words at a few numbers of patients, evenly spread up to the largest."""
    patients = curves[0].patients
    places = [patients.index(count) for count in _table_counts(patients[-1])]
    heads = [f"by {patients[place]:,}" for place in places]
    chances = {curve.design: curve.chance for curve in curves}
    return chances_at("chance of declaration by N patients", chances, places, heads)


def chances_at(
    title: str, chances: Mapping[str, Sequence[float]], places: Sequence[int], heads: Sequence[str]
) -> WordTable:
    """Chances of every design at a few places of its curve."""
    rows = [
        [design, *(f"{100 * chance[place]:.1f}%" for place in places)]
        for design, chance in chances.items()
    ]
    return WordTable(title, ["design", *heads], rows)


def _spread_counts(n_max: int) -> NDArray[np.int64]:
    """Patients 0, ..., n_max, thinned so that they are dense on a linear and on a log axis."""
    even = np.linspace(0, n_max, POINTS)
    early = np.geomspace(1, n_max, POINTS)
    all_counts = np.concatenate([even, early, _table_counts(n_max)])
    return np.unique(np.round(all_counts).astype(np.int64))


def _table_counts(n_max: int) -> list[int]:
    steps = range(1, TABLE_POINTS + 1)
    return list(dict.fromkeys(round(n_max * step / TABLE_POINTS) for step in steps))


class TimeBox(NamedTuple):
    """The distribution of a time under a design; inf for a quantile that is not reached."""

    quantity: str
    design: str
    quantiles: tuple[float, ...]
    """10%, 25%, 50%, 75% and 90%."""
    mean: float
    """Over the trials that reached it."""
    reached: float
    label: str
    """The time in a trialist's words."""


def time_boxes(
    study: Study, truth: Truth, values: Values, *, months: bool = False
) -> list[TimeBox]:
    """The distributions of tau_1, ..., tau_stop under every design, in patients or in months."""
    return [
        TimeBox(
            quantity.key,
            design.name,
            tuple(values(truth.name, design.name, quantity.key, name)[0] for name in QUANTILES),
            values(truth.name, design.name, quantity.key, "mean")[0],
            values(truth.name, design.name, quantity.key, "reached")[0],
            quantity.label,
        )
        for quantity in shown_times(study, truth, months=months)
        for design in study.designs
    ]


def last_end(study: Study, truth: Truth, values: Values) -> float:
    """The month by which 90% of the trials of every design have ended."""
    return max(values(truth.name, d.name, "months_end", "q90")[0] for d in study.designs)


class VerdictShares(NamedTuple):
    """Per dose, the shares of trials with each verdict under one design; errors set apart."""

    design: str
    labels: list[str]
    shares: dict[str, list[float]]
    """By kind of verdict (VERDICT_KINDS), in the order of the labels."""


VERDICT_KINDS = {
    "declared": "declared, rightly",
    "dropped": "dropped, rightly",
    "undecided": "undecided",
    "missed": "dropped, though it meets the target",
    "false": "declared, though it misses the target",
}


def verdict_shares(study: Study, truth: Truth, values: Values) -> list[VerdictShares]:
    """How often every dose is declared, dropped or left undecided, rightly or not."""
    labels, is_good = [study.arms[i].label for i in study.candidates], study.good(truth)
    result = []
    for design in study.designs:
        shares: dict[str, list[float]] = {kind: [] for kind in VERDICT_KINDS}
        for label, good in zip(labels, (is_good[i] for i in study.candidates), strict=True):
            declared, dropped, undecided = (
                values(truth.name, design.name, verdict, "probability", label)[0]
                for verdict in ("good", "bad", "undecided")
            )
            shares["declared"].append(declared if good else 0.0)
            shares["false"].append(0.0 if good else declared)
            shares["dropped"].append(0.0 if good else dropped)
            shares["missed"].append(dropped if good else 0.0)
            shares["undecided"].append(undecided)
        result.append(VerdictShares(design.name, labels, shares))
    return result


class DosePatients(NamedTuple):
    """Patients on every dose under one design: mean, and the middle 80% of the trials."""

    design: str
    labels: list[str]
    mean: list[float]
    low: list[float]
    high: list[float]


def dose_patients(study: Study, truth: Truth, values: Values) -> list[DosePatients]:
    """How many patients every dose gets."""
    labels = [arm.label for arm in study.arms]

    def all_doses(design: str, statistic: str) -> list[float]:
        return [values(truth.name, design, "assigned", statistic, label)[0] for label in labels]

    return [
        DosePatients(
            design.name, labels, *(all_doses(design.name, name) for name in ("mean", "q10", "q90"))
        )
        for design in study.designs
    ]


class BoundLine(NamedTuple):
    """A lower bound on an expected time, worth drawing."""

    quantity: str
    bound: str
    value: float
    note: str


def bound_lines(limits: "pd.DataFrame", truth: str) -> list[BoundLine]:
    """The lower bounds of a truth that have a finite value above zero."""
    lower = limits[(limits.truth == truth) & limits.bound.isin(LOWER_BOUNDS)]
    return [
        BoundLine(row.quantity, row.bound, row.value, row.note)
        for row in lower.itertuples()
        if math.isfinite(row.value) and row.value > 0
    ]


def first_bound_lines(study: Study, truth: Truth, count: int) -> list[BoundLine]:
    """Of the sharper bounds those of the first so many times: all of them take far longer."""
    return [
        BoundLine(quantity, "sharper", bound.value, bound.note)
        for quantity, bound in islice(sharper_bounds(study, truth), count)
        if math.isfinite(bound.value) and bound.value > 0
    ]


LOWER_BOUNDS = {
    "sharper": (
        "Sharper bound: holds at every error rate. No design that always decides within its error "
        "rates can need fewer patients than this on average; where the variance is unknown, none "
        "that keeps them whatever the variance is."
    ),
    "theorem_1": (
        "Theorem 1 of the paper: holds at every error rate, but is loose unless that is small."
    ),
    "asymptotic": (
        "Asymptotic bound: what the best design needs as the error rate goes to 0. At this "
        "one a guide only."
    ),
}
"""The lower bounds and what they say, in a trialist's words."""

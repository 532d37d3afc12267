"""What the figures of conducted trials show: everything by month.

Like figure_data: small named tuples of numbers, drawn with Plotly in the app and with
Matplotlib in reports.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gai_core.engine import Calendar, Runs
from gai_core.evidence import BAD, GOOD
from gai_core.results.figure_data import POINTS, chances_at
from gai_core.results.monte_carlo import share_interval
from gai_core.results.summary import WordTable
from gai_core.results.timing import declared_months, known

Numbers = NDArray[np.float64]
TABLE_MONTHS = 8


class MonthCurve(NamedTuple):
    """P(at least k doses declared by month M) of a design, with a 95% interval."""

    design: str
    months: list[float]
    chance: list[float]
    low: list[float]
    high: list[float]


class EnrolmentCurve(NamedTuple):
    """The course of a design's trials, on average: patients enrolled and verdicts by month."""

    design: str
    months: list[float]
    enrolled: list[float]
    low: list[float]
    high: list[float]
    """The middle 80% of the trials."""
    declared: list[float]
    """Doses declared by then, on average."""
    dropped: list[float]


def calendar_of(runs: Runs, truth: str, design: str) -> Calendar:
    """The calendar of conducted trials."""
    calendar = known(runs, truth, design).calendar
    if calendar is None:
        raise ValueError("the study must have a [conduct] part")
    return calendar


def last_month(runs: Runs, truth: str) -> float:
    """The month by which 99% of the trials of every design have ended."""
    ends = (calendar_of(runs, truth, design.name).end for design in runs.study.designs)
    return max(float(np.quantile(end, 0.99)) for end in ends)


def _grid(runs: Runs, truth: str) -> Numbers:
    months = _table_months(last_month(runs, truth))
    return np.union1d(np.linspace(0, months[-1], POINTS), months)


def _table_months(last: float) -> list[float]:
    """A few months, evenly spread until all is over: whole ones unless the trial is short."""
    step = last / TABLE_MONTHS
    step = math.ceil(step) if step > 1 else max(step, 1e-9)
    return [step * k for k in range(1, math.ceil(last / step - 1e-9) + 1)] or [step]


def months_of_table(months: list[float]) -> list[float]:
    """Those months of a curve that a table shows."""
    return _table_months(months[-1])


def month_curves(runs: Runs, truth: str, doses: int = 1) -> list[MonthCurve]:
    """One curve per design: the chance of having declared so many doses by a month."""
    grid, curves = _grid(runs, truth), []
    for design in runs.study.designs:
        trials, calendar = runs[truth, design.name], calendar_of(runs, truth, design.name)
        when = np.sort(declared_months(trials, calendar)[:, doses - 1])
        happened = np.searchsorted(when, grid, side="right")
        low, high = share_interval(happened, when.size)
        chance = happened / when.size
        columns = (grid, chance, low, high)
        curves.append(MonthCurve(design.name, *(column.tolist() for column in columns)))
    return curves


def month_table(curves: list[MonthCurve]) -> WordTable:
    """The curves in words at a few months."""
    months = curves[0].months
    places = [months.index(month) for month in months_of_table(months)]
    heads = [f"by month {months[place]:.3g}" for place in places]
    chances = {curve.design: curve.chance for curve in curves}
    return chances_at("chance of declaration by month", chances, places, heads)


def enrolment_curves(runs: Runs, truth: str) -> list[EnrolmentCurve]:
    """Patients enrolled and verdicts given by month, one course per design."""
    grid, study = _grid(runs, truth), runs.study
    assert study.conduct is not None
    expected = study.conduct.patients_by(grid)
    curves = []
    for design in study.designs:
        trials, calendar = runs[truth, design.name], calendar_of(runs, truth, design.name)
        enrolled = _enrolled(
            expected, study.conduct.patients_by(calendar.enrolment), trials.patients
        )
        low, high = np.quantile(enrolled, [0.1, 0.9], axis=0)
        declared, dropped = (
            _verdicts_by(np.where(trials.verdict == verdict, calendar.month, np.inf), grid)
            for verdict in (GOOD, BAD)
        )
        columns = (grid, enrolled.mean(axis=0), low, high, declared, dropped)
        curves.append(EnrolmentCurve(design.name, *(column.tolist() for column in columns)))
    return curves


def _enrolled(expected: Numbers, at_end: Numbers, patients: NDArray[np.int64]) -> Numbers:
    """Patients enrolled by each month of a grid, a row per trial.

    Given when the last of N patients came, the others came evenly in the time that counts
    expected patients: N Lambda(month) / Lambda(last), which is exact at even intervals and
    within one patient of the mean of a Poisson process.
    """
    share = np.minimum(expected[None, :] / at_end[:, None], 1.0)
    return np.asarray(share * patients[:, None])


def _verdicts_by(months: Numbers, grid: Numbers) -> Numbers:
    """Mean number of verdicts in a trial by each month."""
    counts = np.searchsorted(np.sort(months.ravel()), grid, side="right")
    return np.asarray(counts / months.shape[0])

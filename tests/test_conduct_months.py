"""Chances, enrolment and verdicts by month are what a slow count over the trials gives."""

import math

import numpy as np
import pytest
from conducted import FIXED, USUAL, conducted_study, without_conduct
from numpy.typing import NDArray

from gai_core import Runs, simulate
from gai_core.evidence import BAD, GOOD
from gai_core.results.month_data import enrolment_curves, last_month, month_curves, month_table
from gai_core.results.replaying import replay

Counts = NDArray[np.int64]


@pytest.fixture(scope="module")
def runs() -> Runs:
    return simulate(conducted_study())


@pytest.mark.parametrize("doses", [1, 2, 3])
@pytest.mark.parametrize("truth", ["clear", "near"])
def test_month_curves_count_trials(runs: Runs, truth: str, doses: int) -> None:
    for curve in month_curves(runs, truth, doses):
        block = runs[truth, curve.design]
        assert block.calendar is not None
        declared = np.where(block.verdict == GOOD, block.calendar.month, math.inf).tolist()
        for month, chance in zip(curve.months, curve.chance, strict=True):
            happened = [sum(m <= month for m in trial) >= doses for trial in declared]
            assert chance == sum(happened) / 40
        assert all(
            low <= p <= high
            for low, p, high in zip(curve.low, curve.chance, curve.high, strict=True)
        )


def test_month_curves_reach_the_end_of_nearly_all_trials(runs: Runs) -> None:
    assert month_curves(runs, "clear")[1].chance[-1] > 0.9
    for truth in ("clear", "near"):
        curves = month_curves(runs, truth)
        assert len({tuple(curve.months) for curve in curves}) == 1
        grid = curves[0].months
        assert grid[0] == 0
        assert grid == sorted(set(grid))
        assert grid[-1] >= last_month(runs, truth) > grid[-1] - 3
        for design in ("HDoC", "Fixed"):
            calendar = runs[truth, design].calendar
            assert calendar is not None
            assert (calendar.end <= last_month(runs, truth)).mean() >= 0.975


@pytest.mark.parametrize("per_month", [0.5, 10.0, 77.0, 4000.0])
def test_the_month_table_is_the_curve_at_a_few_months(per_month: float) -> None:
    found = simulate(conducted_study(USUAL | {"accrual": {"per_month": per_month}}))
    curves = month_curves(found, "clear")
    words = month_table(curves)
    assert 4 <= len(words.columns) - 1 <= 8
    assert len(set(words.columns)) == len(words.columns)
    for curve, row in zip(curves, words.rows, strict=True):
        assert row[0] == curve.design
        assert row[-1] == f"{100 * curve.chance[-1]:.1f}%"
        block = found["clear", curve.design]
        assert block.calendar is not None
        declared = np.where(block.verdict == GOOD, block.calendar.month, math.inf).min(axis=1)
        for column, cell in zip(words.columns[1:], row[1:], strict=True):
            month = float(column.removeprefix("by month "))
            # The heading has three digits, the month itself may have more.
            nearby = [(declared <= month * (1 + e)).mean() for e in (-0.006, 0.006)]
            assert nearby[0] - 1e-3 <= float(cell[:-1]) / 100 <= nearby[1] + 1e-3


def enrolled_by(runs: Runs, truth: str, design: str, grid: list[float]) -> Counts:
    """Patients enrolled by each month in each trial, counted in replayed trials."""
    study = runs.study
    counts = []
    for replicate in range(study.simulation.runs):
        trial = replay(study, study.truth(truth), study.design(design), replicate)
        assert trial.times is not None
        came = [time.enrolled for time in trial.times]
        counts.append(np.searchsorted(came, np.array(grid) + 1e-9, side="right"))
    return np.array(counts)


def test_enrolment_at_even_intervals_is_exact(runs: Runs) -> None:
    """Ten patients a month: at every tenth of a month, where a patient has just come."""
    for truth in ("clear", "near"):
        for curve in enrolment_curves(runs, truth):
            counts = enrolled_by(runs, truth, curve.design, curve.months)
            ahead = np.array(curve.enrolled) - counts.mean(axis=0)
            assert ((ahead > -1e-9) & (ahead < 1)).all()
            whole = [i for i, month in enumerate(curve.months) if month == round(month)]
            assert len(whole) > 3
            assert ahead[whole] == pytest.approx(0, abs=1e-9)
            low, high = np.quantile(counts[:, whole], [0.1, 0.9], axis=0)
            assert np.array(curve.low)[whole] == pytest.approx(low)
            assert np.array(curve.high)[whole] == pytest.approx(high)


def test_enrolment_after_a_ramp_up_is_right_within_a_patient() -> None:
    study = conducted_study(USUAL | {"accrual": {"per_month": 10.0, "ramp_up": 5.0}})
    found = simulate(study)
    curve = enrolment_curves(found, "near")[1]
    counts = enrolled_by(found, "near", "Fixed", curve.months)
    ahead = np.array(curve.enrolled) - counts.mean(axis=0)
    assert ((ahead > -1e-6) & (ahead < 1)).all()
    assert curve.enrolled[-1] == found["near", "Fixed"].patients.mean() == counts[:, -1].mean()


def test_enrolment_at_random_is_right_within_a_patient() -> None:
    """Given the last of N patients in month T, N - 1 others come by month m < T with chance m/T.

    So N m/T is m/T too much, and nothing after T.
    """
    study = conducted_study(
        USUAL | {"accrual": {"per_month": 10.0, "pattern": "poisson"}},
        simulation={"runs": 150, "n_max": 90, "seed": 5},
        designs=[FIXED],
    )
    found = simulate(study)
    (curve,) = enrolment_curves(found, "near")
    trials, grid = found["near", "Fixed"], np.array(curve.months)
    assert trials.calendar is not None
    assert (trials.patients == trials.patients[0]).all()  # the number does not depend on times
    share = np.minimum(grid / trials.calendar.enrolment[:, None], 1)
    too_much = np.where(share < 1, share, 0).mean(axis=0)
    noise = enrolled_by(found, "near", "Fixed", curve.months) - trials.patients[:, None] * share
    error = noise.std(axis=0, ddof=1) / math.sqrt(150)
    assert (np.abs(noise.mean(axis=0) + too_much) <= 4 * error + 1e-9).all()
    assert np.array(curve.enrolled) == pytest.approx(
        (trials.patients[:, None] * share).mean(axis=0)
    )
    assert 0.2 < error.max() < 0.6


def test_verdicts_by_month_are_counted(runs: Runs) -> None:
    for curve in enrolment_curves(runs, "clear"):
        block = runs["clear", curve.design]
        assert block.calendar is not None
        for verdict, mean in ((GOOD, curve.declared), (BAD, curve.dropped)):
            when = block.calendar.month[block.verdict == verdict]
            assert when.size > 10
            by_hand = [(when <= month).sum() / 40 for month in curve.months]
            assert mean == pytest.approx(by_hand)


def test_curves_by_month_need_a_conduct() -> None:
    with pytest.raises(ValueError, match=r"must have a \[conduct\] part"):
        month_curves(simulate(without_conduct(conducted_study())), "clear")

"""Times of simulated trials, in patients and in months, one per replicate.

Times follow the paper: tau_k is the number of patients when the k-th arm is declared good;
when fewer arms are declared and every arm has a verdict, it is tau_stop. A time not reached
is censored: in patients at n_max, in months at the end of its trial. Under a `[conduct]`
patients are those enrolled by then, and the same events have a month.

What people see as the moment of a verdict is read from trials `as_known`.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gai_core.engine import Calendar, Runs, Trials
from gai_core.evidence import BAD, GOOD, NO_CANDIDATE, UNDECIDED

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Time:
    """A time, one per replicate; where not `reached`, it is censored."""

    values: NDArray[Any]
    reached: NDArray[np.bool_]


def as_known(trials: Trials, *, once_at_end: bool) -> Trials:
    """The trials with every verdict when it is known: with one look at the end, then.

    The loops note when the dose itself is complete, which is what tau_k counts.
    """
    if not once_at_end:
        return trials
    given = np.isin(trials.verdict, (GOOD, BAD))
    decided = np.where(given, trials.patients[:, None], 0).astype(np.int32)
    calendar = trials.calendar
    if calendar is not None:
        month = np.where(given, calendar.end[:, None], np.nan)
        calendar = replace(calendar, month=month, waiting=np.zeros_like(calendar.waiting))
    return replace(trials, decided=decided, calendar=calendar)


def known(runs: Runs, truth: str, design: str) -> Trials:
    """The trials of a design under a truth, every verdict when it is known."""
    return as_known(runs[truth, design], once_at_end=runs.study.design(design).once_at_end)


def candidates(trials: Trials) -> int:
    """How many arms get a verdict."""
    return int((trials.verdict[0] != NO_CANDIDATE).sum())


def finished(trials: Trials) -> NDArray[np.bool_]:
    """Whether every arm got its verdict."""
    return np.asarray((trials.verdict != UNDECIDED).all(axis=1))


def times(trials: Trials, n_max: int) -> dict[str, Time]:
    """tau_1, ..., tau_K and tau_stop of every replicate, in patients."""
    stop = np.where(finished(trials), trials.decided.max(axis=1), np.int32(n_max + 1))
    declared = declared_times(trials, n_max)
    return {
        name: Time(np.minimum(values, np.int32(n_max)), values <= n_max)
        for name, values in _taus(declared, stop, candidates(trials)).items()
    }


def declared_times(trials: Trials, n_max: int) -> NDArray[np.int32]:
    """Per replicate the patients at the 1st, 2nd, ... declaration; n_max + 1 where there is none.

    Unlike tau_k this does not count a trial that ends with fewer declarations.
    """
    declared = np.where(trials.verdict == GOOD, trials.decided, np.int32(n_max + 1))
    return np.sort(declared, axis=1)


def first_declaration(
    trials: Trials, n_max: int, *, among: NDArray[np.bool_] | None = None
) -> NDArray[np.int32]:
    """Patients until the first declaration of every replicate; n_max where there is none.

    tau_1 differs: it counts tau_stop where every dose is dropped. `among` says which arms count.
    """
    declared = trials.verdict == GOOD if among is None else (trials.verdict == GOOD) & among
    return np.asarray(np.where(declared, trials.decided, n_max).min(axis=1), np.int32)


def _taus(declared: NDArray[Any], stop: NDArray[Any], arms: int) -> dict[str, NDArray[Any]]:
    taus = {f"tau_{k + 1}": np.minimum(declared[:, k], stop) for k in range(arms)}
    return taus | {"tau_stop": stop}


def months(trials: Trials, calendar: Calendar) -> dict[str, Time]:
    """months_tau_1, ..., months_tau_stop of every replicate."""
    last = np.where(np.isnan(calendar.month), 0.0, calendar.month).max(axis=1)
    stop = np.where(finished(trials), last, np.inf)
    declared = declared_months(trials, calendar)
    return {
        f"months_{name}": Time(np.minimum(values, calendar.end), np.isfinite(values))
        for name, values in _taus(declared, stop, candidates(trials)).items()
    }


def declared_months(trials: Trials, calendar: Calendar) -> Numbers:
    """Per replicate the months of the 1st, 2nd, ... declaration; inf where there is none."""
    return np.sort(np.where(trials.verdict == GOOD, calendar.month, np.inf), axis=1)


def waiting(trials: Trials, calendar: Calendar) -> dict[str, Time]:
    """waiting_1, waiting_2, ...: patients in the pipeline at the k-th declaration.

    Without one it is 0, as at the end of the trial, when every outcome is in.
    """
    month = np.where(trials.verdict == GOOD, calendar.month, np.inf)
    order = np.argsort(month, axis=1, kind="stable")
    then = np.take_along_axis(calendar.waiting, order, axis=1)
    happened = np.isfinite(np.take_along_axis(month, order, axis=1))
    then = np.where(happened, then, 0)
    return {f"waiting_{k + 1}": Time(then[:, k], happened[:, k]) for k in range(candidates(trials))}

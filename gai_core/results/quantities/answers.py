"""When the trial has something to say: its first declaration, and its answer.

tau_1 is the paper's, and counts the last verdict where every dose is dropped. Here a trial without
a declaration counts as its largest sample size. A design that looks once, at the end, declares
nothing before all of its patients are in, whatever the order in which its doses are checked.
"""

import numpy as np

from gai_core.results.quantities.judging import Judged
from gai_core.results.quantities.quantity import COUNT, TIME, Quantity
from gai_core.results.quantities.verdict_times import END, N_MAX
from gai_core.results.timing import Time, declared_months, first_declaration


def _patients(trials: Judged) -> Time:
    return Time(first_declaration(trials.known, trials.n_max), trials.any_declared)


def _months(trials: Judged) -> Time:
    end, known = trials.calendar.end, trials.known
    assert known.calendar is not None
    first = declared_months(known, known.calendar)[:, 0]
    return Time(np.minimum(first, end), trials.any_declared)


FIRST_DECLARATION = Quantity(
    key="first_declaration",
    label="patients until the first declaration",
    short="first declaration",
    meaning="Patients in the trial when a dose is declared, rightly or not, for the first time. In "
    "a trial without a declaration it is not reached, and counts as the largest sample size.",
    kind=TIME,
    unit="patients",
    value=_patients,
    better="less",
    compared=True,
    prominent=True,
    glance=True,
    shown=False,
    otherwise=N_MAX,
)
MONTHS_FIRST_DECLARATION = Quantity(
    key="months_first_declaration",
    label="months until the first declaration",
    short="first declaration",
    meaning="The same event in calendar time, since enrolment began.",
    kind=TIME,
    unit="months",
    value=_months,
    better="less",
    compared=True,
    prominent=True,
    shown=False,
    conducted=True,
    otherwise=END,
)
ENROLLED = Quantity(
    key="enrolled",
    label="patients enrolled until the trial has its answer",
    short="enrolled",
    meaning="The answer is the number of doses wanted, or a verdict on every dose; a trial that "
    "gets neither goes on until no open dose may get more patients, at most to its largest sample "
    "size. The largest value over all simulated trials stands beside mean and quantiles.",
    kind=COUNT,
    unit="patients",
    value=lambda trials: trials.trials.patients,
    better="less",
    compared=True,
    shown=False,
)

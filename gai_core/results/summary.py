"""The operating characteristics of a study as tables of words, for every reader.

The command line, the app and the report show the same cells; what differs is
how a table is drawn.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gai_core.basics import NORMAL_95, in_a_row, number, whole_percent
from gai_core.results.monte_carlo import share_interval
from gai_core.results.quantities import CHANCE, TIME, Quantity, chances_of, quantities_of
from gai_core.study import Study, Truth
from gai_core.theory import within_rates

if TYPE_CHECKING:
    import pandas as pd

MOST_TIMES = 5
"""tau_1 to tau_5 fit on a screen; the CSV has them all."""
NO_DESIGN_CAN_BEAT, ANY_VARIANCE = "lower bound, if always deciding", ", for any variance"


CONDUCTED = (
    " Patients are those enrolled by the time of the event, also those who still wait for their "
    "outcome. In months, the end of the trial counts where a time is not reached."
)


class WordTable(NamedTuple):
    """A table ready to be drawn: the first column names the row."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    symbols: str = ""
    """What the paper calls the columns."""
    bounds: tuple[int, ...] = ()
    """Rows that are no design, but what none can beat."""
    broken: tuple[int, ...] = ()
    """Rows of designs that do not keep what they promise."""


class Values:
    """The tidy table of operating characteristics, looked up by name."""

    def __init__(self, values: "pd.DataFrame | None" = None) -> None:
        self._cells: dict[tuple[str, str, str, str, str], tuple[float, float]] = {}
        if values is not None:
            names = "truth", "design", "quantity", "arm", "statistic", "value", "mcse"
            for row in zip(*(values[name].tolist() for name in names), strict=True):
                self.put(*row)

    def put(
        self,
        truth: str,
        design: str,
        quantity: str,
        arm: str,
        statistic: str,
        value: float,
        mcse: float,
    ) -> None:
        """Take over a row."""
        self._cells[truth, design, quantity, arm, statistic] = value, mcse

    def __call__(
        self, truth: str, design: str, quantity: str, statistic: str, arm: str = ""
    ) -> tuple[float, float]:
        """Value and Monte Carlo standard error."""
        return self._cells[truth, design, quantity, arm, statistic]


def shown_times(study: Study, truth: Truth, *, months: bool = False) -> list[Quantity]:
    """The times of a truth's verdicts, in patients or in months: see `_shown`."""
    unit = "months" if months else "patients"
    return [q for q in _shown(study, truth) if q.kind is TIME and q.unit == unit]


def _shown(study: Study, truth: Truth) -> list[Quantity]:
    """What the tables of a truth show; of a family as many as there are good doses, at least 1."""
    most = min(max(sum(study.good(truth)), 1), MOST_TIMES)
    return [
        q for q in quantities_of(study).values() if q.shown and q.arms is None and q.nth <= most
    ]


def times_table(study: Study, truth: Truth, values: Values, limits: "pd.DataFrame") -> WordTable:
    """Patients until each declaration and the last verdict, and what no design can beat."""
    columns = [q for q in _shown(study, truth) if q.kind is not CHANCE and not q.conducted]
    lower = limits[(limits.truth == truth.name) & (limits.bound == "sharper")]
    unbeaten = dict(zip(lower.quantity, lower.value, strict=True))
    bound = [number(unbeaten.get(q.key, math.nan)) if q.kind is TIME else "" for q in columns]
    title = "patients until each declaration, or the last verdict"
    table = _table(f"{truth.name}: {title}", study, truth, values, columns)
    of_all = "" if study.outcome.knows_variance else ANY_VARIANCE
    rows = [*table.rows, [NO_DESIGN_CAN_BEAT + of_all, *bound]]
    return table._replace(rows=rows, bounds=(len(table.rows),))


def _table(
    title: str, study: Study, truth: Truth, values: Values, columns: Sequence[Quantity]
) -> WordTable:
    """Designs down, quantities across."""
    rows = [
        [design.name, *(_cell(study, values, truth.name, design.name, q) for q in columns)]
        for design in study.designs
    ]
    symbols = ", ".join(f"{q.head} is {q.symbol}" for q in columns if q.symbol)
    return WordTable(title, ["design", *(q.head for q in columns)], rows, symbols)


def _cell(study: Study, values: Values, truth: str, design: str, quantity: Quantity) -> str:
    """A quantity by the statistic that designs are compared by; of a time, who got there."""
    value = values(truth, design, quantity.key, quantity.kind.compared_by)
    words = quantity.in_words(*value, study.simulation.runs)
    if quantity.kind is not TIME:
        return words
    reached = values(truth, design, quantity.key, "reached")[0]
    if reached == 0:
        return "not reached"
    return words if reached == 1 else f"{words}; {whole_percent(reached)} get there"


def months_table(study: Study, truth: Truth, values: Values) -> WordTable:
    """The same events in months, and how a conducted trial ends."""
    columns = [q for q in _shown(study, truth) if q.kind is not CHANCE and q.conducted]
    title = "months until each declaration, or the last verdict, and the end"
    return _table(f"{truth.name}: {title}", study, truth, values, columns)


def truth_tables(
    study: Study, truth: Truth, values: Values, limits: "pd.DataFrame"
) -> list[WordTable]:
    """All tables of one truth, in the order in which they are shown."""
    in_months = [] if study.conduct is None else [months_table(study, truth, values)]
    return [
        times_table(study, truth, values, limits),
        *in_months,
        chances_table(study, truth, values),
        *([which_dose_table(study, truth, values)] if any(study.good(truth)) else []),
        doses_table(study, truth, values),
    ]


def chances_table(study: Study, truth: Truth, values: Values) -> WordTable:
    """Chances of declaring, of the right list, and of each error."""
    columns = [q for q in _shown(study, truth) if q.kind is CHANCE and not q.which_dose]
    return _table(f"{truth.name}: chances", study, truth, values, columns)


def which_dose_table(study: Study, truth: Truth, values: Values) -> WordTable:
    """Chances that the right dose is found: the lowest declared one as the MED, and the best."""
    columns = [q for q in _shown(study, truth) if q.which_dose]
    title = (
        "the lowest declared dose as minimum effective dose"
        if len(columns) > 1
        else "the best dose"
    )
    return _table(f"{truth.name}: {title}", study, truth, values, columns)


def headline(study: Study, truth: Truth, values: Values) -> WordTable:
    """The answer to a trialist's first questions, a row per design."""
    columns = [q for q in quantities_of(study).values() if q.glance]
    table = _table(f"{truth.name}: at a glance", study, truth, values, columns)
    return table._replace(columns=["design", *(q.label for q in columns)])


def doses_table(study: Study, truth: Truth, values: Values) -> WordTable:
    """Per dose: how often each design declares it, and with how many patients."""
    rows = []
    for i, (arm, mean) in enumerate(zip(study.arms, study.expected(truth), strict=True)):
        row = [arm.label, f"{mean:.4g}" if study.dropout else f"{mean:g}"]
        for design in study.designs:
            patients = values(truth.name, design.name, "assigned", "mean", arm.label)[0]
            if i == study.set_apart:
                row.append(f"control, {number(patients)}")
                continue
            declared = values(truth.name, design.name, "good", "probability", arm.label)[0]
            row.append(f"{whole_percent(declared)}, {number(patients)}")
        rows.append(row)
    title = "share of trials that declare the dose, and its mean patients"
    columns = ["arm", "assumed", *(design.name for design in study.designs)]
    return WordTable(f"{truth.name}: {title}", columns, rows)


class Chance(NamedTuple):
    """One simulated chance with its standard error."""

    truth: str
    design: str
    quantity: str
    value: float
    mcse: float


def most_uncertain_chance(study: Study, values: Values) -> Chance | None:
    """The chance with the largest standard error; None where one trial gives no error."""
    chances = [
        Chance(truth.name, design.name, quantity, *values(*place, quantity, "probability"))
        for truth in study.truths
        for design in study.designs
        for place in [(truth.name, design.name)]
        for quantity in chances_of(study)
    ]
    known = [chance for chance in chances if not math.isnan(chance.mcse)]
    return max(known, key=lambda chance: chance.mcse, default=None)


def least_error(runs: int) -> float:
    """Standard error that any chance must be given: even one never seen may be about 3/runs."""
    low, high = share_interval(np.array([0]), runs)
    return float((high - low)[0] / (2 * NORMAL_95))


def largest_error(least: Chance, runs: int) -> float:
    """Of the most uncertain chance, the standard error that it must be given."""
    return max(least.mcse, least_error(runs))


def times_of_one_look(study: Study) -> str:
    """What the times of designs that look once, at the end, count; empty where there is none."""
    names = [design.name for design in study.designs if design.once_at_end]
    if not names:
        return ""
    looks = "looks" if len(names) == 1 else "look"
    return (
        f"{in_a_row(names)} {looks} once, at the end: times of verdicts are the paper's and "
        "count from the last outcome of the dose itself, though the verdict is known only when all "
        "outcomes of the trial are in; curves, examples and first declarations count it then."
    )


def reading_note(study: Study) -> str:
    """How to read the tables."""
    once = times_of_one_look(study)
    return (
        f"± is the Monte Carlo standard error over {study.simulation.runs:,} trials; (< …%) is a "
        "95% limit for what was never seen. A time is a mean over all trials, with the largest "
        "sample size where it is not reached; where not all got there, their share follows. The "
        f"bounds are for designs that always decide {within_rates(study, 'their')}: one that stops "
        "at the largest sample size, or whose guarantee ends there, can lie below them."
        f"{'' if study.conduct is None else CONDUCTED}{f' {once}' if once else ''}"
    )

"""Designs against a baseline on the same simulated patients, over all truths at once."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gai_core.basics import NORMAL_95, in_a_row, places_for
from gai_core.engine import Runs
from gai_core.results.among import COUNTED
from gai_core.results.quantities import Quantity, comparable, judged
from gai_core.results.summary import Values, WordTable
from gai_core.results.tidy import paired_difference
from gai_core.study import Study

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = [
    "truth",
    "design",
    "value",
    "mcse",
    "difference",
    "difference_mcse",
    "low",
    "high",
    "trials",
]


def compare(runs: Runs, values: Values, baseline: str, key: str) -> "pd.DataFrame":
    """Per truth and design: the value, and the paired difference with its 95% interval.

    `trials` are those that have the value.
    """
    import pandas as pd

    study, rows = runs.study, []
    quantity = comparable(study)[key]
    base = {truth.name: judged(runs, truth.name, baseline) for truth in study.truths}
    for design in study.designs:
        for truth, theirs in base.items():
            ours = judged(runs, truth, design.name)
            value = values(truth, design.name, key, quantity.kind.compared_by)
            difference, mcse = paired_difference(quantity, ours, theirs)
            ends = difference - NORMAL_95 * mcse, difference + NORMAL_95 * mcse
            trials = trials_of(values, (truth, design.name), quantity, study.simulation.runs)
            rows.append((truth, design.name, *value, difference, mcse, *ends, trials))
    return pd.DataFrame(rows, columns=COLUMNS)


def trials_of(values: Values, place: tuple[str, str], quantity: Quantity, runs: int) -> int:
    """How many trials, of a truth and a design, have the value of a quantity of the trial."""
    if not quantity.kind.partial:
        return runs
    return round(runs * values(*place, quantity.key, COUNTED)[0])


def best_and_worst(compared: "pd.DataFrame", quantity: Quantity) -> "pd.DataFrame":
    """Per design the truths under which it does best and worst, with the values."""
    import pandas as pd

    rows = []
    for design, block in compared.groupby("design", sort=False):
        less = quantity.better == "less"
        known = block[block.value.notna()]
        if known.empty:
            rows.append((design, "–", math.nan, math.nan, "–", math.nan, math.nan))
            continue
        ordered = known.sort_values("value", ascending=less, kind="stable")
        best, worst = ordered.iloc[0], ordered.iloc[-1]
        rows.append(
            (design, best.truth, best.value, best.mcse, worst.truth, worst.value, worst.mcse)
        )
    columns = ["design", "best_truth", "best", "best_mcse", "worst_truth", "worst", "worst_mcse"]
    return pd.DataFrame(rows, columns=columns)


MOST_LOOKS = 10
"""Of a group-sequential trial; with more it is a sequential one."""


def benchmark_of(study: Study) -> str | None:
    """What a study's designs are set against: its group-sequential design, or else its fixed one.

    Both allocate equally, and what they promise is proven. The first of its kind counts.
    """
    by_kind = {kind_of_benchmark(study, design.name): design.name for design in study.designs[::-1]}
    return by_kind.get(GROUP_SEQUENTIAL) or by_kind.get(FIXED)


GROUP_SEQUENTIAL, FIXED = "group-sequential", "fixed"


def kind_of_benchmark(study: Study, name: str) -> str | None:
    """Whether a design is what trialists would run otherwise, and which: in a word."""
    design = study.design(name)
    criterion, parameters = design.identification
    if design.rule != "equal" or not design.proven:
        return None
    looks = criterion.looks(study.setting(design), parameters).size
    if design.once_at_end or looks == 1:
        return FIXED
    return GROUP_SEQUENTIAL if looks <= MOST_LOOKS else None


def set_against(study: Study, baseline: str) -> str:
    """What designs are compared with at the study's own sample size, and what is equal then."""
    own, kind = benchmark_of(study), kind_of_benchmark(study, baseline)
    against = f"Every design is set against {baseline}"
    if kind is not None:
        against += f", the {kind} benchmark,"
    elif own is not None:
        against += f"; the benchmark is {own}. All are"
    else:
        against = (
            f"The study has no benchmark, neither a group-sequential nor a fixed design. {against}"
        )
    others = "; and for ".join(_bounded_otherwise(study))
    but = f", but for {others}" if others else ""
    return (
        f"{against} on the same simulated patients. All have the same largest sample size, "
        f"{study.simulation.n_max:,}, and the same bounds on errors{but}; their power differs, so "
        "fewer patients are no saving by themselves."
    )


def _bounded_otherwise(study: Study) -> Iterator[str]:
    """The designs whose errors are not surely bounded as those of the others, and why."""
    bare, simulated = (
        [design.name for design in study.designs if design.guarantee == guarantee]
        for guarantee in ("nothing", "simulated")
    )
    if bare:
        yield f"{in_a_row(bare)}, which promise{'s' * (len(bare) == 1)} none"
    if simulated:
        yield f"{in_a_row(simulated)}, for which they are simulated, not proven"
    declared_alone = [
        design.name
        for design in study.designs
        if design.proven and not design.decision.bounds_dropping
    ]
    if declared_alone:
        bound = f"bound{'s' * (len(declared_alone) == 1)}"
        yield f"{in_a_row(declared_alone)}, which {bound} false declarations alone"


def difference_in_words(row: Any, quantity: Quantity) -> str:
    """A row of `compare`: the difference with its 95% interval, in points or patients."""
    if math.isnan(row.difference):
        return "no difference known"
    if row.difference_mcse == 0 and row.difference == 0:
        return "the same"
    values = [quantity.scale * value for value in (row.difference, row.low, row.high)]
    places = 1 if max(abs(value) for value in values) < 100 else 0
    if quantity.unit == "outcome":
        places = places_for(row.difference_mcse, row.difference)
    shown = [f"{value:+,.{places}f}" for value in values if not math.isnan(value)]
    return shown[0] if len(shown) < 3 else f"{shown[0]} [{shown[1]}, {shown[2]}]"


def comparison_table(study: Study, compared: "pd.DataFrame", key: str) -> WordTable:
    """Designs down, truths across: value and difference in words."""
    quantity, rows = comparable(study)[key], []
    for design, block in compared.groupby("design", sort=False):
        cells = (
            f"{quantity.in_words(row.value, row.mcse, row.trials)}; "
            f"{difference_in_words(row, quantity)}"
            for row in block.itertuples()
        )
        rows.append([str(design), *cells])
    columns = ["design", *(truth.name for truth in study.truths)]
    return WordTable(f"{quantity.compared_label}; difference", columns, rows)


def differences_table(study: Study, compared: "pd.DataFrame", key: str) -> WordTable:
    """Designs down, truths across: the differences alone, as the heat map has them."""
    quantity = comparable(study)[key]
    rows = [
        [str(design), *(difference_in_words(row, quantity) for row in block.itertuples())]
        for design, block in compared.groupby("design", sort=False)
    ]
    columns = ["design", *(truth.name for truth in study.truths)]
    return WordTable(f"{quantity.compared_label}: difference", columns, rows)


def values_table(study: Study, compared: "pd.DataFrame", key: str) -> WordTable:
    """Designs down, truths across: the values alone, and where each design is best and worst."""
    quantity = comparable(study)[key]
    extremes = best_and_worst(compared, quantity).set_index("design")
    rows = []
    for design, block in compared.groupby("design", sort=False):
        cells = (quantity.in_words(row.value, row.mcse, row.trials) for row in block.itertuples())
        ends = extremes.loc[design, ["best_truth", "worst_truth"]]
        rows.append([str(design), *cells, *map(str, ends)])
    columns = ["design", *(truth.name for truth in study.truths), "best under", "worst under"]
    return WordTable(quantity.compared_label, columns, rows)

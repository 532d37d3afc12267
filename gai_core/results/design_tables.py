"""The designs of a study as tables of words: what they are, what they promise and exactly do.

Each stands once, for every reader: the command line and the app call designs by their keys, the
report in words, and its body has the errors of the whole list alone.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gai_core.results.design_names import BY_KEY, Names
from gai_core.results.summary import WordTable
from gai_core.study import Study, what_n_counts
from gai_core.theory import is_broken

if TYPE_CHECKING:
    import pandas as pd

Columns = list[tuple[str, Callable[[Any], str]]]
"""Head and cell of each; two columns may have one head."""


def designs_table(study: Study, names: Names = BY_KEY) -> WordTable:
    """Every design: allocation rule, decision rule, burn-in, guarantee."""
    rows = []
    for design in study.designs:
        parts = {
            "name": design.name,
            "allocation": names.entry(design.sampling[0], design.rule_parameters),
            "decision": names.decision(design),
            "burn-in": str(design.burn_in),
            "guarantee": names.promise(design),
        }
        rows.append([parts[part] for part in names.columns.values()])
    return WordTable("Designs considered", list(names.columns), rows)


def exact_errors_table(
    study: Study, worst: "pd.DataFrame", names: Names = BY_KEY, *, brief: bool = False
) -> WordTable:
    """What every design promises, and its exact error when every dose is at its worst mean.

    In brief: that of the whole list alone, in percent.
    """
    title = "Exact errors when every dose has its worst mean"
    counted = what_n_counts(study).replace("the dose", "a dose")
    if brief:
        most = f"{study.simulation.n_max:,} patients"
        title = f"{title}, in trials of at most {most}"
        errors, last = _of_the_list(), f"computed up to {counted}"
    else:
        title = f"{title} (the target)"
        apart = (worst.alpha != worst.beta) | (worst.arm_allowance != worst.drop_allowance)
        errors = _apart() if apart.any() else _together()
        last = f"{counted} up to which this was computed"
    columns: Columns = [
        ("design", lambda row: row.design),
        ("guarantee", lambda row: names.guarantee(row.guarantee)),
        *errors,
        (last, lambda row: f"{row.largest_count:,}"),
    ]
    rows = [[cell(row) for _, cell in columns] for row in worst.itertuples()]
    broken = tuple(i for i, row in enumerate(worst.itertuples()) if _breaks(row))
    return WordTable(title, [head for head, _ in columns], rows, broken=broken)


def _of_the_list() -> Columns:
    return [
        ("any false declaration, at most", lambda row: _percent(row.any_false_declaration)),
        ("allowed", lambda row: f"{100 * row.alpha:g}%"),
        ("any good dose dropped, at most", lambda row: _percent(row.any_miss)),
        ("allowed", lambda row: f"{100 * row.beta:g}%" if _drops(row) else "nothing promised"),
    ]


def _together() -> Columns:
    """Where one rate bounds either error."""
    return [
        ("error of one dose", lambda row: f"{max(row.false_declaration, row.miss):.3g}"),
        ("allowed for one dose", lambda row: f"{row.arm_allowance:.3g}"),
        ("error of the whole list, at most", lambda row: f"{row.whole_list:.3g}"),
        ("promised (delta)", lambda row: f"{row.delta:g}"),
        ("share of delta used", _share),
    ]


def _apart() -> Columns:
    """The same where declaring and dropping have error rates of their own."""
    return [
        ("one bad dose declared", lambda row: f"{row.false_declaration:.3g}"),
        ("allowed", lambda row: f"{row.arm_allowance:.3g}"),
        ("any false declaration, at most", lambda row: f"{row.any_false_declaration:.3g}"),
        ("promised (alpha)", lambda row: f"{row.alpha:g}"),
        ("one good dose dropped", lambda row: f"{row.miss:.3g}"),
        ("allowed", lambda row: f"{row.drop_allowance:.3g}" if _drops(row) else "nothing"),
        ("any good dose dropped, at most", lambda row: f"{row.any_miss:.3g}"),
        ("promised (beta)", lambda row: f"{row.beta:g}" if _drops(row) else "nothing"),
        ("share of alpha or beta used, the larger one", _share),
    ]


def _drops(row: Any) -> bool:
    """Whether the design promises anything about good doses that it drops."""
    return not math.isnan(row.drop_allowance)


def _percent(chance: float) -> str:
    return f"{100 * chance:.3g}%"


def _share(row: Any) -> str:
    above = is_broken(row.share_of_delta)
    words = " BROKEN" if _breaks(row) else " bound, kept in simulation" if above else ""
    return f"{100 * row.share_of_delta:.3g}%{words}"


def _breaks(row: Any) -> bool:
    """Whether its exact worst error is more than its rate.

    Of a design whose error was simulated the bound may be more: it does not rely on that.
    """
    return row.guarantee != "simulated" and is_broken(row.share_of_delta)

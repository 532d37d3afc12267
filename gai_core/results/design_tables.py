"""The designs of a study as tables of words: what they are, what they promise and exactly do."""

import math
from typing import TYPE_CHECKING, Any

from gai_core.basics import Entry
from gai_core.results.summary import WordTable
from gai_core.study import Design, Study
from gai_core.theory import is_broken

if TYPE_CHECKING:
    import pandas as pd

BROKEN = "BROKEN"
"""Marks a design whose exact worst error is more than its rate."""


def designs_table(study: Study) -> WordTable:
    """Every design: allocation rule, decision rule, burn-in, guarantee."""
    rows = [
        [
            design.name,
            _with_parameters(design.sampling[0], design.rule_parameters),
            _decision(design),
            str(design.burn_in),
            _guarantee(design),
        ]
        for design in study.designs
    ]
    columns = ["design", "allocation rule", "decision rule", "burn-in", "guarantee"]
    return WordTable("Designs considered", columns, rows)


def _decision(design: Design) -> str:
    """What declares doses, and what drops them if that is something else."""
    declaring = _with_parameters(design.identification[0], design.criterion_parameters)
    dropping = design.decision.dropping
    if design.order is not None:
        declaring = f"{declaring}, doses in order"
    if dropping is None:
        return declaring
    return f"{declaring}; futility: {_with_parameters(dropping, design.futility_parameters)}"


def _guarantee(design: Design) -> str:
    guarantee = design.guarantee
    return guarantee if design.decision.bounds_dropping else f"{guarantee}; on dropping nothing"


def _with_parameters(entry: Entry, given: dict[str, object]) -> str:
    if not given:
        return entry.key
    return (
        f"{entry.key} ({', '.join(f'{name} = {_written(value)}' for name, value in given.items())})"
    )


def _written(value: object) -> str:
    """A parameter as in a study file, but for quotes."""
    if not isinstance(value, dict):
        return str(value)
    return f"{{ {', '.join(f'{name} = {part}' for name, part in value.items())} }}"


def exact_errors_table(study: Study, worst: "pd.DataFrame") -> WordTable:
    """What every design promises, and its exact error when every dose is at its worst mean."""
    if ((worst.alpha != worst.beta) | (worst.arm_allowance != worst.drop_allowance)).any():
        return _errors_apart(study, worst)
    rows = [
        [
            row.design,
            row.guarantee,
            f"{max(row.false_declaration, row.miss):.3g}",
            f"{row.arm_allowance:.3g}",
            f"{row.whole_list:.3g}",
            f"{row.delta:g}",
            _share(row),
            f"{row.largest_count:,}",
        ]
        for row in worst.itertuples()
    ]
    columns = [
        "design",
        "guarantee",
        "error of one dose",
        "allowed for one dose",
        "error of the whole list, at most",
        "promised (delta)",
        "share of delta used",
        _computed_to(study),
    ]
    return WordTable(EXACT_ERRORS, columns, rows)


def _computed_to(study: Study) -> str:
    """What the largest number of a dose's outcomes, or pairs, is called."""
    counted = study.stream.outcome.count_name.replace("the dose", "a dose")
    return f"{counted} up to which this was computed"


EXACT_ERRORS = "Exact errors when every dose has its worst mean (the target)"


def _errors_apart(study: Study, worst: "pd.DataFrame") -> WordTable:
    """The same where declaring and dropping have error rates of their own."""
    rows = [
        [
            row.design,
            row.guarantee,
            *_one_error(row.false_declaration, row.arm_allowance),
            *_one_error(row.any_false_declaration, row.alpha),
            *_one_error(row.miss, row.drop_allowance),
            *_one_error(row.any_miss, row.beta if row.drop_allowance > 0 else math.nan),
            _share(row),
            f"{row.largest_count:,}",
        ]
        for row in worst.itertuples()
    ]
    columns = [
        "design",
        "guarantee",
        "one bad dose declared",
        "allowed",
        "any false declaration, at most",
        "promised (alpha)",
        "one good dose dropped",
        "allowed",
        "any good dose dropped, at most",
        "promised (beta)",
        "share of alpha or beta used, the larger one",
        _computed_to(study),
    ]
    return WordTable(EXACT_ERRORS, columns, rows)


def _one_error(chance: float, allowed: float) -> list[str]:
    return [f"{chance:.3g}", "nothing" if math.isnan(allowed) else f"{allowed:.3g}"]


def _share(row: Any) -> str:
    """Of a design whose error was simulated the bound may be more: it does not rely on that."""
    above = is_broken(row.share_of_delta)
    words = (" bound, kept in simulation" if row.guarantee == "simulated" else f" {BROKEN}") * above
    return f"{100 * row.share_of_delta:.3g}%{words}"

"""Sweeps and plans on the screen."""

from collections.abc import Sequence

from rich.text import Text

from gai_core.candidates import SOLVABLE
from gai_core.decisions import spread_rows
from gai_core.plan_search import Estimate, Plan
from gai_core.screen import console, table
from gai_core.study import Study
from gai_core.sweep_data import Cell, Measure, sweep_words

ROWS_ON_SCREEN = 40


def show_sweep(study: Study, fields: Sequence[str], found: Sequence[Cell], shown: Measure) -> None:
    """A table per truth: a row for every point, a column for every design."""
    out = console()
    for truth in study.truths:
        words = sweep_words(fields, found, shown, truth.name)
        drawn = table(words.title, words.columns, left=0)
        for i in spread_rows(len(words.rows), ROWS_ON_SCREEN):
            drawn.add_row(*words.rows[i])
        out.print(drawn)
    size = len({cell.point for cell in found})
    if size > ROWS_ON_SCREEN:
        out.print(f"{ROWS_ON_SCREEN} of {size:,} points; --csv and --parquet have them all.")
    out.print("± is the Monte Carlo standard error; (< …%) is a 95% limit for what was never seen.")
    if not any(field.endswith("seed") for field in fields):
        out.print("All points and designs saw the same simulated patients.")


def show_plans(study: Study, plans: Sequence[Plan]) -> None:
    """The answer of every design in words."""
    out = console()
    first = plans[0]
    wish = f"{first.wish.quantity} of {100 * first.wish.chance:g}%"
    out.print(Text(f"{_field(first.field)} that reaches {wish}", style="bold"))
    for found in plans:
        out.print()
        for sentence in plan_sentences(found, study.simulation.runs):
            out.print(sentence)
    out.print(
        f"\n{study.simulation.runs:,} trials per value and assumption, on the same patients; "
        "intervals are Wilson's, 95% for each assumption."
    )


def _field(field: str) -> str:
    return f"{field}, {SOLVABLE[field].words},"


def plan_sentences(found: Plan, runs: int) -> list[str]:
    """A plan in words: the answer, its chances, how sure it is."""
    if found.value is None:
        return [f"{found.design}: {found.why_not}."]
    sentences = [f"{found.design}: {found.field} = {found.value:,}"]
    sentences += [f"  under {text}" for text in map(_chance, found.at)]
    if found.next_value is not None:
        lowest = min(found.at_next, key=lambda estimate: estimate.chance)
        sentences.append(f"  with {found.next_value:,} it is not reached: {_chance(lowest)}")
    if found.fails_again is not None:
        sentences.append(
            f"  A larger value may miss it again, as {found.fails_again:,} does: the decision "
            "rule is calibrated anew for each."
        )
    if found.certain:
        sentences.append("  More trials would not change this (at 95%).")
    elif found.sure is not None:
        sentences.append(
            f"  With {runs:,} trials the right value lies between {found.may:,} and "
            f"{found.sure:,} (95%); {found.sure:,} is sure to reach it."
        )
    else:
        sentences.append(
            f"  With {runs:,} trials the right value may begin at {found.may:,}; no value of the "
            "range is sure to reach it."
        )
    return sentences


def _chance(estimate: Estimate) -> str:
    low, high = 100 * estimate.low, 100 * estimate.high
    return f"{estimate.truth}: {100 * estimate.chance:.1f}% (95%: {low:.1f} to {high:.1f})"

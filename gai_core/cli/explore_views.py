"""Sweeps, plans, designs at equal power and MCP-Mod on the screen."""

from collections.abc import Callable, Iterable, Sequence

from rich.text import Text

from gai_core.cli.screen import console, table
from gai_core.mcp_mod import McpMod, mcp_mod_sentences, mcp_mod_tables
from gai_core.questions import (
    SOLVABLE,
    Advice,
    Candidate,
    Cell,
    EqualPower,
    Measure,
    Optimum,
    Plan,
    Worth,
    design_in_words,
    equal_power_sentences,
    equal_power_tables,
    optimum_sentences,
    optimum_tables,
    plan_sentences,
    sweep_words,
)
from gai_core.results import Values, WordTable, spread_rows
from gai_core.study import Study

ROWS_ON_SCREEN = 40
NOTE = "± is the Monte Carlo standard error; (< …%) is a 95% limit for what was never seen."


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
    out.print(NOTE)
    if not any(field.endswith("seed") for field in fields):
        out.print("All points and designs saw the same simulated patients.")


def show_plans(study: Study, plans: Sequence[Plan]) -> None:
    """The answer of every design in words."""
    out = console()
    first = plans[0]
    out.print(Text(f"{_field(first.field)} for {first.wish.in_words}", style="bold"))
    for found in plans:
        out.print()
        answer, *details = plan_sentences(found, study.simulation.runs)
        out.print(answer)
        for sentence in details:
            out.print(f"  {sentence}")
    out.print(
        f"\n{study.simulation.runs:,} trials per value and assumption, on the same patients; "
        "intervals are Wilson's, 95% for each assumption."
    )


def show_equal_power(found: EqualPower) -> None:
    """What is equal and what is saved, then the tables behind it."""
    _show_compared(list(equal_power_sentences(found)), found)


def show_advice(advice: Advice) -> None:
    """The recommendation in words, and the tables behind it."""
    _show_compared(advice.sentences, advice.found)


def show_optimum(found: Optimum) -> None:
    """The best design in words, then the frontier, the benchmarks and every truth."""
    _show_answer(list(optimum_sentences(found)), optimum_tables(found))


def show_best_so_far() -> Callable[[Worth, int], None] | None:
    """A line on a terminal whenever the leader of a search is another; nothing on a pipe."""
    out = console(stderr=True)
    if not out.is_terminal:
        return None
    shown: set[Candidate] = set()

    def tell(best: Worth, tried: int) -> None:
        if best.candidate not in shown:
            shown.add(best.candidate)
            words = design_in_words(best.candidate.design())
            out.print(f"{tried:,} tried, best so far {best.cost:.0f}: {words}")

    return tell


def _show_compared(sentences: Sequence[str], found: EqualPower) -> None:
    _show_answer(sentences, equal_power_tables(found))


def _show_answer(sentences: Sequence[str], tables: Iterable[WordTable]) -> None:
    out = console()
    first, *others = sentences
    out.print(Text(first, style="bold"))
    for sentence in others:
        out.print(f"• {sentence}")
    for words in tables:
        drawn = table(words.title, words.columns)
        for row in words.rows:
            drawn.add_row(*row)
        out.print(drawn)


def show_mcp_mod(found: McpMod, study: Study, values: Values) -> None:
    """What MCP-Mod does, and the designs beside it on the same patients."""
    _show_answer(list(mcp_mod_sentences(found)), mcp_mod_tables(found, study, values))
    console().print(NOTE)


def _field(field: str) -> str:
    return f"{field}, {SOLVABLE[field].words},"

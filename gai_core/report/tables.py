"""Operating characteristics as tables for a paper: Markdown, LaTeX, or tidy CSV."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from gai_core.report.content import legal
from gai_core.results import Values, WordTable, table_csv, truth_tables
from gai_core.study import Study

if TYPE_CHECKING:
    import pandas as pd

MARKDOWN = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>#|~$&"})
LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "±": r"$\pm$",
        "≤": r"$\le$",
        "–": "--",
        **{char: f"\\{char}" for char in "&%$#_{}"},
    }
)


def tables(study: Study, values: "pd.DataFrame", limits: "pd.DataFrame", style: str) -> str:
    """All tables of a study in one text."""
    if style == "csv":
        return table_csv(values)
    draw: Callable[[WordTable], str] = {"md": markdown_table, "latex": latex_table}[style]
    return "\n".join(draw(table) for table in _all(study, Values(values), limits))


def _all(study: Study, values: Values, limits: "pd.DataFrame") -> Iterator[WordTable]:
    for truth in study.truths:
        yield from truth_tables(study, truth, values, limits)


def markdown_table(table: WordTable) -> str:
    """A table with its title in bold above it; numbers to the right."""

    def line(cells: list[str]) -> str:
        return f"| {' | '.join(legal(cell).translate(MARKDOWN) for cell in cells)} |"

    rule = f"|---|{'---:|' * (len(table.columns) - 1)}"
    rows = [line(row) for row in table.rows]
    title = legal(table.title).translate(MARKDOWN)
    return "\n".join([f"**{title}**", "", line(table.columns), rule, *rows, ""])


def latex_table(table: WordTable) -> str:
    """A floating table with booktabs rules."""

    def line(cells: list[str]) -> str:
        return f"{' & '.join(legal(cell).translate(LATEX) for cell in cells)} \\\\"

    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{legal(table.title).translate(LATEX)}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
            r"\toprule",
            line(table.columns),
            r"\midrule",
            *(line(row) for row in table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )

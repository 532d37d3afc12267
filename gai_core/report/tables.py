"""Operating characteristics as tables for a paper: Markdown, LaTeX, or tidy CSV."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gai_core.basics import Registry
from gai_core.report.content import legal
from gai_core.results import Values, WordTable, table_csv, truth_tables
from gai_core.study import Study

if TYPE_CHECKING:
    import pandas as pd

    Write = Callable[[Study, pd.DataFrame, pd.DataFrame], str]

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


@dataclass(frozen=True)
class TableFormat:
    """How the tables of a study are written."""

    key: str
    write: "Write"
    """From the tidy table of characteristics and that of the bounds."""


def _drawn(draw: Callable[[WordTable], str]) -> "Write":
    """Every table of every truth, one after the other."""

    def write(study: Study, values: "pd.DataFrame", limits: "pd.DataFrame") -> str:
        cells = Values(values)
        return "\n".join(
            draw(table)
            for truth in study.truths
            for table in truth_tables(study, truth, cells, limits)
        )

    return write


TABLE_FORMATS = Registry(
    "table format",
    [
        TableFormat("md", _drawn(markdown_table)),
        TableFormat("latex", _drawn(latex_table)),
        TableFormat("csv", lambda _study, values, _limits: table_csv(values)),
    ],
)

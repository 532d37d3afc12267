"""The decision table that goes into a protocol: when to declare a dose, when to drop it."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import thinned
from gai_core.results.design_names import NEVER
from gai_core.results.summary import WordTable
from gai_core.study import Design, Study, control_label, what_n_counts

if TYPE_CHECKING:
    import pandas as pd

Numbers = NDArray[np.float64]


class Limits(NamedTuple):
    """One design's limits on an arm's outcome sum after n = 1, 2, ... patients; nan where none.

    Where the variance is unknown they are on R = s/sqrt(q) instead, and where pairs are judged by
    their likelihood on the evidence.
    """

    design: str
    n: NDArray[np.int64]
    declare: Numbers
    drop: Numbers
    drawn: tuple[Numbers, Numbers]
    """Both as a figure draws them: as means, or as t-statistics where the variance is unknown."""
    only_at_end: bool = False
    """Whether a dose is judged once, by the limits at the number of outcomes it has then."""

    def as_drawn(self, longest: int | None = None) -> tuple[list[int], list[float], list[float]]:
        """n and the limits where there are any, for drawing: long curves are thinned."""
        n = self.n[:longest]
        looks = np.isfinite(self.declare[: n.size]) | np.isfinite(self.drop[: n.size])
        shown = np.flatnonzero(looks)
        shown = shown[thinned(shown.size)]
        declare, drop = (limits[shown].tolist() for limits in self.drawn)
        return n[shown].tolist(), declare, drop


def limits(study: Study, design: Design, stage: int = 0) -> Limits:
    """From which sum on an arm is declared, and up to which it is dropped.

    After so many declarations, and drops, of other arms.
    """
    curves = study.stages(design).at(stage, stage)
    evidence = study.stream.outcome
    can_declare, can_drop = curves.can_decide(evidence)
    n, target = np.arange(1, len(curves.accept)), study.stream.target
    if evidence.by_controls:
        rows = curves.accept[1:].astype(float), curves.reject[1:].astype(float)
        drawn = evidence.limits_drawn(n, *rows, target)
        return Limits(design.name, n, *drawn, drawn, curves.only_at_end)
    declare = np.where(can_declare, curves.accept, np.nan)[1:]
    drop = np.where(can_drop, curves.reject, np.nan)[1:]
    drawn = evidence.limits_drawn(n, declare, drop, target)
    return Limits(design.name, n, declare, drop, drawn, curves.only_at_end)


def decision_table(study: Study, design: Design) -> "pd.DataFrame":
    """At every n where a limit changes: declare from so many responders on, drop up to so many.

    With step-down for every stage: declare after so many declarations, drop after so many drops.
    The outcome says whether limits are counts or means. nan stands for "cannot happen yet".
    """
    import pandas as pd

    stages = study.stages(design)
    if not stages.several:
        return _table_at(study, design, 0)
    tables = []
    for stage in range(max(len(stages.accept), len(stages.reject))):
        table = _table_at(study, design, stage)
        table.insert(1, VERDICTS, stage)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


VERDICTS = "verdicts_before"
"""The column of a decision table by how many others were declared, or dropped, before."""


LEAST_ROWS = 6
"""Rows of every stage where only some rows are shown."""


def _table_at(study: Study, design: Design, stage: int) -> "pd.DataFrame":
    """The table after so many declarations, and drops."""
    import pandas as pd

    if study.stream.outcome.by_controls:
        return _table_by_controls(study, design, stage)
    _, n, declare, drop, *_ = limits(study, design, stage)
    declare, drop = (study.stream.outcome.limits_shown(n, sums) for sums in (declare, drop))
    table = pd.DataFrame(
        {"design": design.name, "n": n, "declare_at_least": declare, "drop_at_most": drop}
    )
    return table[_changes(declare) | _changes(drop)].reset_index(drop=True)


CONTROLS = "control_responders"
"""The column of a decision table by how many controls respond."""
CONTROLS_AT_ONCE = 8
"""Rows of such a table with the same number of pairs where only some rows are shown."""


def _table_by_controls(study: Study, design: Design, stage: int) -> "pd.DataFrame":
    """At every n with limits and every number of controls that respond: responders on the dose."""
    import pandas as pd

    curves = study.stages(design).at(stage, stage)
    looks = np.flatnonzero(curves.has_limits(study.stream.outcome))
    n = np.repeat(looks, looks + 1)
    b = np.concatenate([np.arange(0), *(np.arange(look + 1) for look in looks)])
    accept, reject = (rows[n, b].astype(float) for rows in (curves.accept, curves.reject))
    values = {
        "design": design.name,
        "n": n,
        CONTROLS: b,
        "declare_at_least": np.where(accept <= n, accept + b, np.nan),
        "drop_at_most": np.where(reject >= -b, reject + b, np.nan),
    }
    table = pd.DataFrame(values)
    return table.dropna(subset=["declare_at_least", "drop_at_most"], how="all", ignore_index=True)


def shown_rows(values: "pd.DataFrame", most: int) -> "pd.DataFrame":
    """Some rows of the decision table of one design, about so many.

    By controls: a few numbers of pairs, ever farther apart, and for each some numbers of controls
    that respond.
    """
    if _by_stage(values):
        import pandas as pd

        stages = [own.drop(columns=VERDICTS) for _, own in values.groupby(VERDICTS)]
        each = max(LEAST_ROWS, most // len(stages))
        return values.loc[pd.concat([shown_rows(own, each) for own in stages]).index]
    if CONTROLS not in values:
        return values.iloc[spread_rows(len(values), most)]
    if len(values) <= most:
        return values
    counts = values.n.unique()
    places = np.geomspace(1, counts.size, max(2, most // CONTROLS_AT_ONCE)).round().astype(int) - 1
    picked: list[int] = []
    for count in counts[np.unique(places)]:
        rows = np.flatnonzero(values.n == count)
        spread = np.linspace(0, rows.size - 1, min(rows.size, CONTROLS_AT_ONCE))
        picked += rows[np.unique(spread.round().astype(int))].tolist()
    return values.iloc[picked]


def _by_stage(values: "pd.DataFrame") -> bool:
    """Whether a table is by stages; beside another design's that is, one has the empty column."""
    return VERDICTS in values and bool(values[VERDICTS].notna().all())


def _changes(values: Numbers) -> NDArray[np.bool_]:
    before = np.concatenate([[np.nan], values[:-1]])
    return np.asarray((values != before) & ~(np.isnan(values) & np.isnan(before)))


def spread_rows(size: int, most: int) -> list[int]:
    """Which rows of a long table to show: the first ones, then ever fewer, and the last."""
    if size <= most:
        return list(range(size))
    half = most // 2
    steps = (size / half) ** (1 / half)
    later = (min(size - 1, int(half * steps**k)) for k in range(half + 1))
    return sorted({*range(half), *later, size - 1})


def verdicts_in_words(study: Study, design: Design) -> str:
    """How to read the table against the control, as a protocol would say it; else nothing."""
    if study.target is None:
        return ""
    label, evidence = control_label(study), study.stream.outcome
    in_order, never = design.order is not None, design.futility == NEVER
    declared, bad = ("found good", "found bad") if in_order else ("declared", "dropped")

    def dropped(clause: str) -> str:
        return "" if never else clause

    if evidence.some_count:
        also = dropped(f" It is {bad} when at most the stated number do.")
        return (
            f"A dose is {declared} when, of its n discordant pairs, at least the stated number "
            f"favour the dose: its patient responded, and the partner on {label} in the same "
            f"cohort did not.{also} Pairs in which both respond, or neither, do not count."
        )
    if evidence.by_controls:
        also = dropped(f"; it is {bad} when at most the stated number have")
        return (
            f"A dose is {declared} when, after n pairs, at least the stated number of its own "
            f"patients have responded, given how many of their partners on {label} in the same "
            f"cohort have{also}."
        )
    if evidence.whole:
        also = dropped(f"; it is {bad} when it is at most the stated one, which may be negative")
        return (
            f"A dose is {declared} when, after n pairs, more of its patients have responded than "
            f"of their partners on {label} in the same cohort, by at least the stated number{also}."
        )
    between, less = "between", ""
    if not evidence.knows_variance:
        pooled = study.target.evidence == "pooled"
        between = "of" if pooled else "of the differences between"
        less = f", less the margin of {study.target.margin:g}," if study.target.margin else ""
    also = dropped(f", and {bad} when it is at most the stated one")
    return (
        f"A dose is {declared} when, after n pairs, the {evidence.limit_name} {between} its "
        f"patients and their partners on {label} in the same cohort{less} is at least the stated "
        f"number{also}."
    )


def decisions_in_words(study: Study, values: "pd.DataFrame") -> WordTable:
    """Rows of a decision table as a protocol prints them."""
    evidence = study.stream.outcome
    what, n = evidence.limit_name, what_n_counts(study)

    def limit(value: float) -> str:
        return "–" if np.isnan(value) else evidence.limit_in_words(value)

    by_controls, by_stage = CONTROLS in values, _by_stage(values)
    rows = [
        [
            *([f"{int(getattr(row, VERDICTS)):,}"] if by_stage else []),
            f"{row.n:,}",
            *([f"{getattr(row, CONTROLS):,}"] if by_controls else []),
            limit(row.declare_at_least),
            limit(row.drop_at_most),
        ]
        for row in values.itertuples()
    ]
    given = [f"responders on {control_label(study)} among them"] if by_controls else []
    before = ["doses declared before, or dropped before"] if by_stage else []
    columns = [*before, n, *given, f"declare if {what} at least", f"drop if {what} at most"]
    of = {"patients on the dose": "its patients"}.get(n, f"its {n.removesuffix(' of the dose')}")
    return WordTable(f"verdict on a dose after n of {of}", columns, rows)

"""A study, its operating characteristics, its bounds and the reproduction, on the screen."""

import math
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from gai_core.basics import Entry, number, percent, printable, with_error
from gai_core.cli.screen import console, table
from gai_core.criteria import Criterion
from gai_core.paper import paper_blocks
from gai_core.results import (
    Values,
    WordTable,
    decisions_in_words,
    designs_table,
    exact_errors_table,
    reading_note,
    shown_rows,
    truth_tables,
    verdicts_in_words,
)
from gai_core.rules import Rule
from gai_core.study import (
    Study,
    futility_in_words,
    good_dose_in_words,
    in_words,
    promised,
    rates_explained,
    rates_in_formulas,
    wanted_in_words,
    which_rules,
    worst_in_words,
)
from gai_core.theory import LABELS

if TYPE_CHECKING:
    import pandas as pd


def show_study(study: Study) -> None:
    """Arms with their assumed means, designs with their guarantees, simulation settings."""
    out = console()
    out.print(Text(study.title, style="bold"))
    for name, text in (("Source", study.source), ("Notes", study.notes)):
        if text:
            out.print(f"{name}: {printable(text)}")
    outcome, settings = study.outcome, study.simulation
    own = "".join(f", {words}" for words in outcome.numbers_in_words)
    out.print(f"Outcome: {printable(outcome.endpoint) or 'not named'} ({outcome.kind}{own})")
    if study.target is None:
        out.print(f"Target response: {study.stream.target:g}{_against_control(study)}")
    else:
        out.print(f"A good dose has {good_dose_in_words(study)}.")
    out.print(rates_explained(study.error_rates))
    size = f"{settings.runs:,} trials of at most {settings.n_max:,} patients"
    out.print(f"Simulation: {size}, seed {settings.seed}")
    if study.conduct is None:
        for sentence in wanted_in_words(study):
            out.print(sentence)
    else:
        out.print(Text(f"Conduct: {' '.join(map(printable, in_words(study)))}"))
    out.print(_arms(study))
    out.print("* meets the target\n")
    out.print(_drawn(designs_table(study), left=5))
    out.print(_reference(study))
    for sentence in (rates_in_formulas(study.error_rates), *futility_in_words(study)):
        if sentence:
            out.print(sentence)


def _against_control(study: Study) -> str:
    """The implied difference from the control, which trialists think in."""
    if study.control is None:
        return ""
    label, first = study.arms[study.control].label, study.truths[0]
    difference = study.stream.target - study.expected(first)[study.control]
    return f" ({label} {difference:+.3g} under {first.name})"


def _arms(study: Study) -> Table:
    arms = table(
        "Dose arms and assumed responses", ["arm", "dose", *(t.name for t in study.truths)]
    )
    for i, arm in enumerate(study.arms):
        dose = "" if arm.dose is None else f"{arm.dose:g} {printable(arm.unit)}".strip()
        means = (
            f"{truth.means[i]:g}{' *' if good[i] else '  '}"
            for truth in study.truths
            for good in [study.good(truth)]
        )
        arms.add_row(f"{arm.label} (control)" if arm.control else arm.label, dose, *means)
    return arms


def _reference(study: Study) -> Table:
    """What the rules and criteria in use are: label, formula, source, guarantee."""
    used: dict[str, Entry] = {}
    for design in study.designs:
        rule, criterion = design.sampling[0], design.identification[0]
        used |= {rule.key: rule, criterion.key: criterion}
    shown = table("Rules in use", ["key", "what it does", "formula", "source"], left=4)
    for key, entry in used.items():
        text = entry.label
        if isinstance(entry, Criterion):
            text = f"{text}. {promised(study, entry)}"
        elif isinstance(entry, Rule) and entry.caution:
            text = f"{text}. {entry.caution}"
        shown.add_row(key, text, entry.formula, entry.citation)
    return shown


def show_characteristics(study: Study, values: "pd.DataFrame", limits: "pd.DataFrame") -> None:
    """Per truth: times and chances of every design, then verdicts and patients per dose."""
    out, cells = console(), Values(values)
    for truth in study.truths:
        for words in truth_tables(study, truth, cells, limits):
            out.print(_drawn(words))
    out.print(reading_note(study))


def _drawn(words: WordTable, left: int = 1) -> Table:
    shown = table(words.title, words.columns, left=left)
    for i, row in enumerate(words.rows):
        style = "dim" if i in words.bounds else "bold red" if i in words.broken else ""
        shown.add_row(*row, style=style)
    return shown


def show_words(words: WordTable, left: int = 1) -> None:
    """A table of words as it is."""
    console().print(_drawn(words, left))


def show_bounds(study: Study, limits: "pd.DataFrame") -> None:
    """Per truth: every bound with what its value does not say."""
    out = console()
    for truth in study.truths:
        shown = table(
            f"{truth.name}: bounds on the expected number of patients",
            ["time", "bound", "value", "note"],
            left=2,
        )
        shown.columns[3].justify = "left"
        for row in limits[limits.truth == truth.name].itertuples():
            value = "–" if math.isnan(row.value) else number(row.value)
            shown.add_row(row.quantity, LABELS[row.bound], value, row.note)
        out.print(shown)


def show_tables(values: "pd.DataFrame") -> None:
    """The paper's tables, block by block, with the reason under a block that does not match."""
    out = console()
    for block in paper_blocks(values):
        shown = table(f"{block.name}, {block.words.title}", block.words.columns, left=3)
        for row, matches in zip(block.words.rows, block.matches, strict=True):
            shown.add_row(*row, style="" if matches else "bold")
        out.print(shown)
        for text in block.reasons:
            out.print(Text(f"Does not match: {text}\n", style="yellow"))


def show_figure(values: "pd.DataFrame") -> None:
    """The paper's figure as numbers: times against the asymptotic bound."""
    columns = ["log(1/delta)", "time", "rule", "computed", "asymptotic bound", "ratio"]
    shown = table("figure1: medical-2, criterion union", columns, left=3)
    for row in values.sort_values(["quantity", "rule", "log_1_over_delta"]).itertuples():
        shown.add_row(
            str(row.log_1_over_delta),
            row.quantity,
            row.rule,
            with_error(row.mean, row.mcse),
            number(row.asymptotic_bound),
            f"{row.mean / row.asymptotic_bound:.2f}",
        )
    out = console()
    out.print(shown)
    out.print(
        "The paper's figure has no numbers to compare; HDoC's ratio falls towards 1, as it says."
    )


def show_benchmark(values: "pd.DataFrame") -> None:
    """Nanoseconds per patient, and how many times faster than plain Python."""
    columns = ["scenario", "rule", "ns per patient", "plain Python", "times faster"]
    shown = table("One thread, nanoseconds per simulated patient", columns, left=2)
    for row in values.itertuples():
        faster = row.python_ns_per_patient / row.ns_per_patient
        shown.add_row(
            row.scenario,
            row.rule,
            f"{row.ns_per_patient:.1f}",
            f"{row.python_ns_per_patient:,.0f}",
            f"{faster:,.0f}",
        )
    console().print(shown)


def show_conduct_benchmark(values: "pd.DataFrame") -> None:
    """Nanoseconds per patient of conducted trials, and how many times the plain loop that is."""
    columns = ["conduct", "rule", "ns per patient", "plain", "times"]
    shown = table("Conducted trials of at most 400 patients", columns, left=2)
    for row in values.itertuples():
        times = row.ns_per_patient / row.plain_ns_per_patient
        shown.add_row(
            row.conduct,
            row.rule,
            f"{row.ns_per_patient:.1f}",
            f"{row.plain_ns_per_patient:.1f}",
            f"{times:.1f}",
        )
    console().print(shown)


def show_variance_benchmark(values: "pd.DataFrame") -> None:
    """Nanoseconds per patient of scores of unknown variance, and how many times a known one's."""
    columns = ["rule", "variance unknown", "known", "times"]
    shown = table("Scores, nanoseconds per simulated patient", columns, left=1)
    for row in values.itertuples():
        shown.add_row(
            row.rule,
            f"{row.ns_per_patient:.1f}",
            f"{row.known_ns_per_patient:.1f}",
            f"{row.ns_per_patient / row.known_ns_per_patient:.2f}",
        )
    console().print(shown)


def show_worst_cases(study: Study, values: "pd.DataFrame") -> None:
    """What every design promises, and its exact error at the worst means."""
    out = console()
    out.print(_drawn(exact_errors_table(study, values), left=2))
    if study.target is not None:
        out.print(printable(worst_in_words(study)))
    out.print("Computed without simulation, up to the number in the last column.\n")


def show_errors(study: Study, values: "pd.DataFrame") -> None:
    """Exact bounds on the errors under every truth, beside the simulated rates."""
    runs = study.simulation.runs
    allowed = "delta" if study.error_rates.same else "alpha or beta"
    columns = [
        "truth",
        "design",
        "false declarations ≤",
        "simulated",
        "good doses dropped ≤",
        "simulated",
        "any wrong verdict",
    ]
    shown = table(
        f"Errors under the study's truths: exact bound for {which_rules(study)}, and simulation",
        columns,
        left=2,
    )
    for row in values.itertuples():
        shown.add_row(
            row.truth,
            row.design,
            _limit(row.false_declaration_bound),
            percent(row.false_declaration, row.false_declaration_mcse, runs),
            _limit(row.missed_dose_bound),
            percent(row.missed_dose, row.missed_dose_mcse, runs),
            f"{percent(row.any_error, row.any_error_mcse, runs)}"
            f"{f' ABOVE {allowed}' if row.above_delta else ''}",
            style="bold red" if row.above_delta else "",
        )
    console().print(shown)


def show_errors_at_the_target(study: Study, values: "pd.DataFrame") -> None:
    """The same where every dose is at the target, under other means of the control and trends."""
    runs, out = study.simulation.runs, console()
    shown = table(
        "Errors with every dose at the target, where they are likeliest",
        ["control", "design", "any dose declared ≤", "simulated", "any dropped ≤", "simulated"],
        left=2,
    )
    for row in values.itertuples():
        shown.add_row(
            row.truth,
            row.design,
            _limit(row.false_declaration_bound),
            f"{percent(row.false_declaration, row.false_declaration_mcse, runs)}"
            f"{' ABOVE what is allowed' if row.above_delta else ''}",
            _limit(row.missed_dose_bound),
            percent(row.missed_dose, row.missed_dose_mcse, runs),
            style="bold red" if row.above_delta else "",
        )
    out.print(shown)
    no_bound = " A dash: nothing is promised there." if values.isna()[BOUND].any() else ""
    out.print(
        "Every dose does what the control does, plus the margin: a declaration is false if it is a "
        "hair less, and a drop wrong if it is a hair more. Means of all arms rise or fall alike "
        f"while patients are enrolled.{no_bound}"
    )


BOUND = "false_declaration_bound"


def _limit(bound: float) -> str:
    return "–" if math.isnan(bound) else f"{100 * bound:.3g}%"


ROWS_ON_SCREEN = 40


def show_decisions(study: Study, values: "pd.DataFrame") -> None:
    """Per design: declare if at least, drop if at most; a selection of rows on the screen."""
    out, said = console(), ""
    for design, rows in values.groupby("design", sort=False):
        verdicts = verdicts_in_words(study, study.design(str(design)))
        if verdicts != said:
            out.print(f"{printable(verdicts)}\n")
        said = verdicts
        picked = shown_rows(rows, ROWS_ON_SCREEN)
        words = decisions_in_words(study, picked)
        out.print(_drawn(words._replace(title=f"{design}: {words.title}"), left=0))
        if len(picked) < len(rows):
            out.print(f"{len(picked)} of {len(rows):,} rows; all of them with --csv -.\n")

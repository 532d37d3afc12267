"""What was asked and how: aims, designs, decision tables, assumptions, data generation."""

from gai_core.basics import Entry, number
from gai_core.criteria import Criterion
from gai_core.evidence import every_outcome
from gai_core.figures import draw_boundaries, draw_dose_response
from gai_core.report.content import Block, Bullets, Paragraph, Picture, Section, Table
from gai_core.results import (
    Analysis,
    decision_table,
    decisions_in_words,
    designs_table,
    limits,
    most_uncertain_chance,
    spread_rows,
    verdicts_in_words,
)
from gai_core.rules import Rule
from gai_core.study import (
    Study,
    Truth,
    allowed_in_words,
    assumption_cautions,
    dropout_cautions,
    futility_in_words,
    good_dose_in_words,
    in_words,
    promised,
    rates_in_formulas,
)

KEPT = (
    "A verdict depends on the dose's own outcomes alone: the limits bound the chance that "
    "these ever cross the wrong one. Accrual, cohorts, looks, randomisation, delay and dropout "
    "that have nothing to do with the outcome, and stopping for a wanted number only choose at "
    "which of them the dose is looked at, so they keep the guarantee."
)
KEPT_BY_PAIRS = (
    "A verdict depends on the dose's own pairs alone: the limits bound the chance that these ever "
    "cross the wrong one. A cohort is allocated before its outcomes, and pairs count in the order "
    "of enrolment, so accrual, cohorts, looks, randomisation, delay and stopping for a wanted "
    "number only choose at which of them the dose is looked at. A trend over time that all arms "
    "share is in both patients of a pair. So they keep the guarantee."
)
DECISION_ROWS = 24
"""Rows of a decision table that are printed; the CSV has them all."""


def aims(analysis: Analysis) -> Section:
    """The questions that the simulation answers."""
    study = analysis.study
    target = (
        f"Which of {len(study.arms)} arms have a mean {study.outcome.endpoint or 'outcome'} of at "
        f"least {study.stream.target:g} (the target)?"
    )
    if study.target is not None:
        target = (
            f"Which of {len(study.candidates)} doses have {good_dose_in_words(study)} "
            f"({study.outcome.endpoint or 'outcome'})?"
        )
    return Section(
        "Aims",
        (
            Paragraph(
                "The trial is to find the doses that meet a target response. The simulation asks, "
                "for every design and every assumed dose-response:"
            ),
            Bullets(
                (
                    target,
                    "What is the chance of having declared at least one dose by N patients?",
                    "How many patients are needed until each verdict, against what no design can "
                    "beat?",
                    "How often is a verdict wrong? A false declaration and a good dose wrongly "
                    f"dropped are counted apart; {_allowed(study)}.",
                    "How do adaptive designs compare with fixed equal allocation on the same "
                    "simulated patients?",
                )
            ),
        ),
    )


def _allowed(study: Study) -> str:
    errors = study.error_rates
    if errors.same:
        return f"together they are allowed in {100 * errors.declare:g}% of the trials (delta)"
    return allowed_in_words(errors)


def designs(analysis: Analysis) -> Section:
    """Design options with formulas, citations and guarantees, from the registry."""
    study = analysis.study
    entries: dict[str, Entry] = {}
    for design in study.designs:
        for entry in (design.sampling[0], design.identification[0]):
            entries[entry.key] = entry
    rates, dropping = rates_in_formulas(study.error_rates), futility_in_words(study)
    scales = ", ".join(f"{kind.scale_formula} for {kind.noun}" for kind in every_outcome())
    return Section(
        "Design options",
        (
            Table.of(designs_table(study)),
            Bullets(tuple(_described(study, entry) for entry in entries.values())),
            Paragraph(
                "In the formulas m is a dose's mean so far, n the patients on it, S their outcome "
                "sum, t the patients in the trial, K the number of arms, xi the target, s2 the "
                f"variance scale ({scales}). A verdict depends on the dose's own "
                f"{'patients' if study.target is None else 'pairs'} alone, "
                "so the guarantee holds under every allocation rule."
            ),
            *([Paragraph(rates)] if rates else []),
            *([Bullets(tuple(dropping))] if dropping else []),
        ),
    )


def _described(study: Study, entry: Entry) -> str:
    text = f"{entry.key}: {entry.label}. {entry.formula}. Source: {entry.citation}."
    if isinstance(entry, Criterion):
        return f"{text} Guarantee: {promised(study, entry)}"
    return f"{text} Beware: {entry.caution}" if isinstance(entry, Rule) and entry.caution else text


def conduct(analysis: Analysis) -> Section:
    """How the trial is run, what keeps the guarantee, and what would not."""
    study = analysis.study
    kept = KEPT if study.target is None else KEPT_BY_PAIRS
    broken = [
        *dropout_cautions(study),
        *(
            caution
            for truth in study.truths
            if not study.covered(truth)
            for caution in assumption_cautions(study, truth)
        ),
    ]
    blocks: list[Block] = [Bullets(tuple(in_words(study))), Paragraph(kept)]
    if broken:
        blocks += [Paragraph("This study goes beyond that:"), Bullets(tuple(broken))]
    return Section("Conduct", tuple(blocks))


def decisions(analysis: Analysis) -> Section:
    """Accept and reject limits as a figure, and the decision table of every design."""
    study = analysis.study
    blocks: list[Block] = [
        Paragraph(
            "After each of its patients (or at each look) a dose is declared if its outcomes reach "
            "the upper limit, and dropped if they do not exceed the lower one."
        ),
        *([Paragraph(verdicts_in_words(study))] if study.target else []),
        Picture(
            "Limits of the designs, as means over the patients of a dose",
            "Two curves per design that narrow towards the target as patients are added.",
            lambda: draw_boundaries(study, [limits(study, design) for design in study.designs]),
        ),
    ]
    blocks += [_decision_table(study, i) for i in range(len(study.designs))]
    return Section("Decision rules", tuple(blocks))


def _decision_table(study: Study, position: int) -> Table:
    design = study.designs[position]
    rows = decision_table(study, design)
    picked = rows.iloc[spread_rows(len(rows), DECISION_ROWS)]
    shown = "all rows" if len(picked) == len(rows) else f"{len(picked)} of {len(rows):,} rows"
    words = decisions_in_words(study, picked)
    return Table.of(words._replace(title=f"{design.name}: {words.title} ({shown})"))


def truths(analysis: Analysis) -> Section:
    """The assumed dose-responses with figure and source."""
    study = analysis.study
    columns = ("arm", *(truth.name for truth in study.truths))
    rows = tuple(
        (
            f"{arm.label} (control)" if arm.control else arm.label,
            *(_mean(study, truth, i) for truth in study.truths),
        )
        for i, arm in enumerate(study.arms)
    )
    notes = tuple(f"{truth.name}: {truth.note}" for truth in study.truths if truth.note)
    blocks: list[Block] = [
        Picture(
            "Assumed dose-responses and the target",
            "Assumed mean of every arm, one line per assumption, and the target.",
            lambda: draw_dose_response(study),
        ),
        Table(_means_title(study), columns, rows),
    ]
    if study.control is not None and study.target is None:
        control = study.arms[study.control].label
        differences = ", ".join(
            f"{study.target_under(truth) - study.expected(truth)[study.control]:+.3g} "
            f"under {truth.name}"
            for truth in study.truths
        )
        blocks.append(Paragraph(f"The target minus the mean of {control}: {differences}."))
    if study.margin is not None and study.control is not None:
        label, first = study.arms[study.control].label, study.truths[0]
        blocks.append(
            Paragraph(
                f"The target was given as {label} {study.margin:+g}; with the mean of {label} "
                f"assumed under {first.name}, {study.expected(first)[study.control]:g}, that is "
                f"{study.stream.target:g}, and it stays so under every assumption. It is a fixed "
                "target, from an assumed control."
            )
        )
    if notes:
        blocks.append(Bullets(notes))
    for name, text in (("Source of the study", study.source), ("Notes", study.notes)):
        if text:
            blocks.append(Paragraph(f"{name}: {text}"))
    return Section("Assumed truths", tuple(blocks))


def _mean(study: Study, truth: Truth, arm: int) -> str:
    """The stated mean; in brackets the one that a verdict is about, where it is another."""
    stated, about = truth.means[arm], study.expected(truth)[arm]
    text = f"{stated:g}" if stated == about else f"{stated:g} ({about:.4g})"
    return f"{text} *" if study.good(truth)[arm] else text


def _means_title(study: Study) -> str:
    others = any(study.expected(truth) != truth.means for truth in study.truths)
    beside = "in brackets, the mean that a verdict is about, with dropouts as the study says; "
    return f"Assumed means ({beside if others else ''}* meets the target)"


def generation(analysis: Analysis) -> Section:
    """How data were generated, how many trials, and the Monte Carlo error reached."""
    study, settings = analysis.study, analysis.study.simulation
    others = (truth for truth in study.truths if truth.variance is not None)
    drawn = study.outcome.drawn + "".join(
        f", {truth.variance:g} under {truth.name}" for truth in others
    )
    least = most_uncertain_chance(study, analysis.values)
    precision = (
        "With one simulated trial there is no Monte Carlo error to report."
        if least is None
        else f"The largest standard error of any reported chance is {100 * least.mcse:.2g} "
        "percentage points."
    )
    return Section(
        "Data generation",
        (
            Paragraph(
                f"Every design was simulated on every assumption with {settings.runs:,} trials of "
                f"at most {settings.n_max:,} patients, seed {settings.seed}. One patient's outcome "
                f"is {drawn}. The n-th patient on a dose has the same outcome under every design "
                "(one random stream per seed, assumption, trial and arm), so designs are compared "
                "on the same patients, and the results are the same bit by bit for any number of "
                "threads."
            ),
            Paragraph(precision),
            Table(
                "What no design that always decides can beat (expected patients)",
                ("assumption", "time", "at least"),
                tuple(
                    (row.truth, row.quantity, number(row.value))
                    for row in analysis.bounds[analysis.bounds.bound == "sharper"].itertuples()
                ),
            ),
        ),
    )

"""How it is done: designs considered, randomisation, decision rules, multiplicity."""

import re
from collections.abc import Iterator

from gai_core.basics import Entry
from gai_core.criteria import Criterion
from gai_core.evidence import every_outcome
from gai_core.figures import draw_boundaries
from gai_core.report.content import (
    Block,
    Bullets,
    Formula,
    Heading,
    Paragraph,
    Picture,
    Section,
    Table,
)
from gai_core.report.formulas import in_a_line
from gai_core.report.promises import (
    kept_by_conduct,
    kept_under_rules,
    looks,
    of_proven,
    own_alone,
    proven,
    rules_in_words,
    when_looked,
    without_proof,
)
from gai_core.report.subject import Subject, every_dose
from gai_core.results import (
    IN_WORDS,
    NEVER,
    decision_table,
    decisions_in_words,
    designs_table,
    exact_errors_table,
    limits,
    shown_rows,
    verdicts_in_words,
)
from gai_core.rules import Rule
from gai_core.study import (
    Design,
    Study,
    assumption_cautions,
    doses_in_words,
    dropout_cautions,
    in_words,
    kept_by_pairs,
    links_in_words,
    not_binding,
    promised,
    rates_in_formulas,
    wanted_in_words,
    which_rules,
    worst_in_words,
)
from gai_core.theory import worst_case

NO_CONDUCT = (
    "The study states no conduct: patients are simulated one at a time, each outcome known before "
    "the next patient comes, and the allocation rule chooses the dose. A protocol must say how "
    "patients are randomised"
)
SHORT_ROWS, ALL_ROWS = 10, 24
"""Rows of a decision table that are printed; the CSV has them all."""


def designs(subject: Subject) -> Section:
    """Design options with formulas and guarantees, from the registry."""
    study = subject.considered
    dropped, rates = _dropping(study), rates_in_formulas(study.error_rates)
    blocks: list[Block] = [Table.of(designs_table(study, IN_WORDS))._replace(words=4)]
    rules = {design.rule: design.sampling[0] for design in study.designs}
    deciding = {design.criterion: design.identification[0] for design in study.designs}
    blocks.append(Heading("Allocation rules: which dose the next patient gets"))
    for rule in rules.values():
        blocks += _described(study, rule)
    blocks.append(Heading("Decision rules: when a dose is declared or dropped"))
    for criterion in deciding.values():
        blocks += _described(study, criterion)
    for dropping in _only_dropping(study):
        blocks.append(Formula(dropping.label, dropping.formula))
    blocks.append(Paragraph(_symbols(study)))
    blocks += [Paragraph(rates)] if rates else []
    blocks += [Bullets(tuple(dropped))] if dropped else []
    return Section("Design and alternatives considered", tuple(blocks))


SYMBOLS = {
    r"\bd\(": "d(p, q) the Kullback-Leibler divergence of two means",
    r"\bv\b": "v the variance of an outcome at the target",
    r"\bN\(": "N(a, b) the normal distribution with mean a and variance b",
    r"\bN\^(?!.*N the last look)": "N the last look",
    r"\bsigma\b": "σ the standard deviation of an outcome",
    r"\bc\b": "c a number calibrated for the error rate",
    r"\be\b": "e the exponent of the limits' shape, 0 to 1/2",
    r"\bP\(": "P a probability",
    r"\bE\b": "E the evidence against the target",
    r"n_i/r": "r the patients after which caution grows",
    r"c_good": "c good and c bad the chances at which the design declares and drops",
    r"\bamount\b": "amount how far below the target, after the outcomes before that",
}
"""Letters that only some formulas have."""


def symbols(formulas: str) -> str:
    """What the letters of formulas stand for."""
    scales = ", ".join(f"{kind.scale_formula} for {kind.noun}" for kind in every_outcome())
    others = "".join(f", {words}" for sign, words in SYMBOLS.items() if re.search(sign, formulas))
    return (
        "In the formulas m is a dose's mean so far, n the patients on it, S their outcome sum, t "
        "the patients in the trial, K the number of doses, i one dose, ξ the target, s² the "
        f"variance scale ({in_a_line(scales)}){others}."
    )


def _symbols(study: Study) -> str:
    entries = [
        *(entry for d in study.designs for entry in (d.sampling[0], d.identification[0])),
        *_only_dropping(study),
    ]
    used = " ".join(entry.formula for entry in entries)
    return (
        f"{symbols(used)} A verdict depends on the dose's own "
        f"{'patients' if study.target is None else 'pairs'} {own_alone(study)}"
        f"{kept_under_rules(study)}."
    )


def _only_dropping(study: Study) -> list[Criterion]:
    """What drops doses and declares none, each once; a design that drops none needs no formula."""
    deciding = {design.criterion for design in study.designs}
    found = {d.futility: d.decision.dropping for d in study.designs if d.futility not in deciding}
    return [entry for entry in found.values() if entry is not None and entry.key != NEVER]


def _dropping(study: Study) -> list[str]:
    """How designs with a futility of their own drop doses, and that it is not binding."""
    found = []
    for design in study.designs:
        dropping = design.decision.dropping
        if dropping is not None:
            if dropping.key == NEVER:
                found.append(f"{design.name} drops no dose.")
                continue
            how = f"{design.name} drops doses so: {dropping.label}."
            rate = f"{100 * study.error_rates.drop:g}%"
            bounded = (
                f"If outcomes are as assumed, any good dose is dropped in at most {rate} of the "
                "trials."
            )
            kept = design.decision.bounds_dropping
            found.append(f"{how} {bounded if kept else dropping.guarantee_text}")
    return [*found, *not_binding(study)]


def _described(study: Study, entry: Entry) -> Iterator[Block]:
    yield Formula(entry.label, entry.formula)
    if isinstance(entry, Criterion):
        yield Paragraph(f"Guarantee: {promised(study, entry)}")
    elif isinstance(entry, Rule) and entry.caution:
        yield Paragraph(f"Beware: {entry.caution}")


def randomisation(subject: Subject) -> Section:
    """How patients are enrolled and allocated, what keeps the guarantee, and what would not."""
    study = subject.considered
    if study.conduct is None:
        blocked = f"; permuted blocks of a cohort keep the guarantee{of_proven(study)}"
        said = (f"{NO_CONDUCT}{blocked if proven(study) else ''}.", *wanted_in_words(study))
        return Section("Randomisation and conduct", (Paragraph(" ".join(said)),))
    broken = [
        *dropout_cautions(study),
        *(
            caution
            for truth in study.truths
            if not all(study.covered(truth, design) for design in study.designs)
            for caution in assumption_cautions(study, truth)
        ),
    ]
    kept = [*kept_by_conduct(study)]
    if study.target is not None and proven(study):
        kept.append(kept_by_pairs(study))
    blocks: list[Block] = [Bullets(tuple(in_words(study))), Paragraph(" ".join(kept))]
    if broken:
        blocks += [Paragraph("This study goes beyond that:"), Bullets(tuple(broken))]
    return Section("Randomisation and conduct", tuple(blocks))


def decisions(subject: Subject) -> Section:
    """When a dose is declared or dropped: in words, and the table of the design to use."""
    study, design = subject.planned
    blocks: list[Block] = [
        Paragraph(
            f"The rules of {design.name} in a trial of at most {study.simulation.n_max:,} "
            f"patients. {rules_in_words(design)}"
        ),
        *([Paragraph(verdicts_in_words(study, design))] if study.target else []),
        Picture(
            _limits_title(study, design),
            "Two lines: evidence for a dose above 0, and against it below."
            if study.stream.outcome.by_controls
            else "Two curves that narrow towards the target as patients are added.",
            lambda: draw_boundaries(study, [limits(study, design)]),
            "limits",
            0.8,
        ),
        decision_rows(study, design, SHORT_ROWS)._replace(key="decision table"),
    ]
    title = "Decision rules" if design.once_at_end else "Interim decision rules"
    return Section(title, tuple(blocks))


def _limits_title(study: Study, design: Design) -> str:
    if study.stream.outcome.by_controls:
        return f"Limits of {design.name}, on the evidence from a dose's pairs"
    return f"Limits of {design.name}, over the {'pairs' if study.target else 'patients'} of a dose"


def decision_rows(study: Study, design: Design, most: int) -> Table:
    """The decision table of a design, or as many of its rows as are asked for."""
    rows = decision_table(study, design)
    picked = shown_rows(rows, most)
    shown = "all rows" if len(picked) == len(rows) else f"{len(picked)} of {len(rows):,} rows"
    words = decisions_in_words(study, picked)
    return Table.of(words._replace(title=f"{design.name}: {words.title} ({shown})"))


def multiplicity(subject: Subject) -> Section:
    """What keeps the error over all doses and looks, and the exact worst case."""
    study, rates = subject.considered, subject.study.error_rates
    doses = len(study.candidates)
    tested = (
        f"{doses_in_words(study)} are tested, each at {looks(study)}."
        if doses > 1
        else f"One dose is tested, at {looks(study)}."
    )
    rate = f"The rate of {100 * rates.declare:g}% is one-sided and family-wise"
    over = (
        f"the chance of any false declaration over {every_dose(study)} and all looks of a trial"
        f"{', whichever doses are good' if doses > 1 else ''}"
    )
    said = [tested, f"{rate}: it is for {over}.", *without_proof(study)]
    if proven(study):
        with_them = f"with the limits{of_proven(study)} " if of_proven(study) else ""
        bounded = (
            f"{rate}: {with_them}it bounds {over} (strong control), if outcomes are as the designs "
            "assume them. Each dose gets its share of it "
            f"(Bonferroni, unless a design says otherwise), and the limits{of_proven(study)} bound "
            "the chance that a dose's outcomes ever cross the wrong one. No part of it is spent "
            "by allocation, dropping or stopping."
        )
        linked = links_in_words([design for design in study.designs if design.proven])
        said = [tested, bounded, *linked, *without_proof(study)]
    exact = (
        "Computed without simulation: the chance of a wrong verdict on a dose exactly at the "
        f"target, the worst case, looked at {when_looked(study, study.designs)}; and the most that "
        "follows for the whole list if every dose is at its worst, under "
        f"{which_rules(study)} and any choice of looks. Both are for outcomes as the designs "
        "assume them."
    )
    return Section(
        "Multiplicity and exact error",
        (
            Paragraph(" ".join(said)),
            Paragraph(exact),
            *([Paragraph(worst_in_words(study))] if study.target else []),
            _exact(subject),
            *_as_planned(subject),
        ),
    )


def _as_planned(subject: Subject) -> Iterator[Paragraph]:
    """The exact error of the design to use at its own size, where the table has none of it."""
    study, design = subject.planned
    if subject.planned_apart:
        error = f"{100 * worst_case(study, design).any_false_declaration:.2g}%"
        yield Paragraph(
            f"{design.name} with at most {study.simulation.n_max:,} patients, as planned on the "
            f"first page, makes any false declaration with a chance of at most {error}, so "
            "computed."
        )


def _exact(subject: Subject) -> Table:
    """The exact worst errors of every design beside what is allowed."""
    words = exact_errors_table(subject.study, subject.exact_errors, IN_WORDS, brief=True)
    return Table.of(words, "exact")._replace(words=2)

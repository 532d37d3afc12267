"""What a full report adds: all decision tables, all characteristics, figures, comparisons."""

from functools import partial

from gai_core.figures import (
    draw_declarations,
    draw_enrolment,
    draw_month_declarations,
    draw_patients,
    draw_times,
    draw_verdict_months,
    draw_verdicts,
)
from gai_core.report.content import Block, Listing, Paragraph, Picture, Section, Table, typed
from gai_core.report.methods import ALL_ROWS, decision_rows
from gai_core.report.subject import Subject
from gai_core.results import (
    IN_WORDS,
    bound_lines,
    comparable,
    comparison_table,
    declaration_curves,
    declaration_table,
    dose_patients,
    enrolment_curves,
    exact_errors_table,
    month_curves,
    month_table,
    reading_note,
    set_against,
    time_boxes,
    times_of_one_look,
    truth_tables,
    verdict_shares,
)
from gai_core.study import Study, Truth, dump_study, which_rules
from gai_core.theory import error_bounds

SCRIPT = """from gai_core import characteristics, load_study, simulate

runs = simulate(load_study("study.toml"))
characteristics(runs).to_csv("characteristics.csv", index=False, lineterminator="\\n")
"""


def all_decisions(subject: Subject) -> Section:
    """The decision table of every design, and what dropping costs exactly."""
    study = subject.study
    tables = (decision_rows(study, design, ALL_ROWS) for design in study.designs)
    exact = Table.of(exact_errors_table(study, subject.exact_errors, IN_WORDS))
    return Section(
        "Decision tables and exact errors of all designs", (*tables, exact, *_dropped(study))
    )


def _dropped(study: Study) -> list[Table]:
    """What dropping costs where a design has a futility of its own: good doses dropped, exactly."""
    if all(design.futility is None for design in study.designs):
        return []
    rows = tuple(
        (
            design.name,
            *(
                f"{100 * error_bounds(study, design, truth)[1]:.3g}%"
                if study.covered(truth, design)
                else "–"
                for truth in study.truths
            ),
        )
        for design in study.designs
    )
    title = f"Chance that any good dose is dropped, at most (exact, under {which_rules(study)})"
    return [Table(title, ("design", *(truth.name for truth in study.truths)), rows)]


def all_characteristics(subject: Subject) -> Section:
    """Every table of every truth with standard errors, beside what no design can beat."""
    study = subject.study
    blocks: list[Block] = [
        Table.of(words)
        for truth in study.truths
        for words in truth_tables(study, truth, subject.values, subject.bounds)
    ]
    return Section("All operating characteristics", (*blocks, Paragraph(reading_note(study))))


def figures(subject: Subject) -> Section:
    """The figures of every truth; one that is the same under several stands once."""
    once = times_of_one_look(subject.study)
    blocks: list[Block] = [Paragraph(once)] if once else []
    for truth in subject.study.truths:
        blocks += _figures(subject, truth)
    if subject.study.conduct is not None:
        blocks += _enrolment(subject)
    return Section("Figures", tuple(blocks))


def _figures(subject: Subject, truth: Truth) -> list[Block]:
    study, n_max = subject.study, subject.study.simulation.n_max
    lines = bound_lines(subject.bounds, truth.name)
    curves = declaration_curves(subject.runs, truth.name)
    words = declaration_table(curves)
    return [
        Picture(
            f"{truth.name}: chance of having declared a dose by N patients (bands: 95%)",
            "One rising curve per design.",
            lambda: draw_declarations(curves, n_max, lines),
        ),
        Table.of(words._replace(title=f"{truth.name}: {words.title}")),
        Picture(
            f"{truth.name}: patients until each verdict. Boxes: middle half; whiskers: middle 80%; "
            "lines: lower bounds on the mean (solid: sharper; dashed: Theorem 1; dotted: "
            "asymptotic)",
            "A box per design and time.",
            lambda: draw_times(time_boxes(study, truth, subject.values), n_max, lines),
        ),
        Picture(
            f"{truth.name}: verdicts per dose",
            "Shares of trials in which each dose is declared, dropped or undecided, per design.",
            lambda: draw_verdicts(verdict_shares(study, truth, subject.values)),
        ),
        Picture(
            f"{truth.name}: patients per dose (mean, and the middle 80% of the trials)",
            "Mean patients on every dose, per design.",
            lambda: draw_patients(dose_patients(study, truth, subject.values)),
        ),
        *([] if study.conduct is None else _month_figures(subject, truth)),
    ]


def _month_figures(subject: Subject, truth: Truth) -> list[Block]:
    """What conducted trials show beside that: everything by month."""
    curves = month_curves(subject.runs, truth.name)
    courses = enrolment_curves(subject.runs, truth.name)
    words = month_table(curves)
    return [
        Picture(
            f"{truth.name}: chance of having declared a dose by month (bands: 95%)",
            "One rising curve per design.",
            lambda: draw_month_declarations(curves),
        ),
        Table.of(words._replace(title=f"{truth.name}: {words.title}")),
        Picture(
            f"{truth.name}: doses with a verdict by month, on average",
            "Rising curves of doses declared and dropped, per design.",
            lambda: draw_verdict_months(courses),
        ),
    ]


def _enrolment(subject: Subject) -> list[Block]:
    """Patients enrolled by month: truths under which they are the same share a figure."""
    groups: dict[str, list[str]] = {}
    courses = {
        truth.name: enrolment_curves(subject.runs, truth.name) for truth in subject.study.truths
    }
    for name, course in courses.items():
        enrolled = repr([curve._replace(declared=[], dropped=[]) for curve in course])
        groups.setdefault(enrolled, []).append(name)
    return [
        Picture(
            f"{', '.join(names)}: patients enrolled by month (mean; bands: middle 80% of the "
            "trials)",
            "One curve per design that rises until enrolment ends.",
            partial(draw_enrolment, courses[names[0]]),
        )
        for names in groups.values()
    ]


def comparison(subject: Subject) -> Section:
    """Paired differences from the baseline on the same simulated patients."""
    study, baseline = subject.study, subject.baseline
    text = (
        f"{set_against(study, baseline)} {typed('gai compare')} sets designs side by side "
        "at equal power. Brackets hold 95% intervals."
    )
    blocks: list[Block] = [Paragraph(text)]
    for key, quantity in comparable(study).items():
        if quantity.prominent:
            compared = subject.comparison(key)
            blocks.append(Table.of(comparison_table(study, compared, key)))
    return Section("Paired comparison", tuple(blocks))


def files(subject: Subject) -> Section:
    """Study file and script in full."""
    return Section(
        "Study file and script",
        (Listing("study.toml", dump_study(subject.study)), Listing("Script", SCRIPT)),
    )

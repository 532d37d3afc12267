"""What was found: characteristics, figures, comparison, examples, exact errors."""

from gai_core.evidence import GOOD
from gai_core.figures import (
    draw_declarations,
    draw_enrolment,
    draw_month_declarations,
    draw_patients,
    draw_times,
    draw_trial,
    draw_verdict_months,
    draw_verdicts,
)
from gai_core.report.content import Block, Bullets, Paragraph, Picture, Section, Table
from gai_core.report.summary import soonest
from gai_core.results import (
    Analysis,
    Example,
    Replay,
    bound_lines,
    comparable,
    comparison_table,
    declaration_curves,
    declaration_table,
    dose_patients,
    enrolment_curves,
    exact_errors_table,
    kind_of_benchmark,
    month_curves,
    month_table,
    reading_note,
    replay,
    time_boxes,
    truth_tables,
    typical,
    unlucky,
    verdict_shares,
)
from gai_core.study import Design, Study, Truth, worst_in_words
from gai_core.theory import error_bounds


def characteristics_section(analysis: Analysis) -> Section:
    """Operating characteristics per truth and design with standard errors."""
    study = analysis.study
    blocks: list[Block] = [
        Table.of(words)
        for truth in study.truths
        for words in truth_tables(study, truth, analysis.values, analysis.bounds)
    ]
    return Section("Operating characteristics", (*blocks, Paragraph(reading_note(study))))


def figures_section(analysis: Analysis) -> Section:
    """The figures of every truth."""
    blocks = [block for truth in analysis.study.truths for block in _figures(analysis, truth)]
    return Section("Figures", tuple(blocks))


def _figures(analysis: Analysis, truth: Truth) -> list[Block]:
    study, n_max = analysis.study, analysis.study.simulation.n_max
    lines = bound_lines(analysis.bounds, truth.name)
    curves = declaration_curves(analysis.runs, truth.name)
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
            lambda: draw_times(time_boxes(study, truth, analysis.values), n_max, lines),
        ),
        Picture(
            f"{truth.name}: verdicts per dose",
            "Shares of trials in which each dose is declared, dropped or undecided, per design.",
            lambda: draw_verdicts(verdict_shares(study, truth, analysis.values)),
        ),
        Picture(
            f"{truth.name}: patients per dose (mean, and the middle 80% of the trials)",
            "Mean patients on every dose, per design.",
            lambda: draw_patients(dose_patients(study, truth, analysis.values)),
        ),
        *([] if study.conduct is None else _month_figures(analysis, truth)),
    ]


def _month_figures(analysis: Analysis, truth: Truth) -> list[Block]:
    """What conducted trials show beside that: everything by month."""
    curves = month_curves(analysis.runs, truth.name)
    courses = enrolment_curves(analysis.runs, truth.name)
    words = month_table(curves)
    return [
        Picture(
            f"{truth.name}: chance of having declared a dose by month (bands: 95%)",
            "One rising curve per design.",
            lambda: draw_month_declarations(curves),
        ),
        Table.of(words._replace(title=f"{truth.name}: {words.title}")),
        Picture(
            f"{truth.name}: patients enrolled by month (mean; bands: middle 80% of the trials)",
            "One curve per design that rises until enrolment ends.",
            lambda: draw_enrolment(courses),
        ),
        Picture(
            f"{truth.name}: doses with a verdict by month, on average",
            "Rising curves of doses declared and dropped, per design.",
            lambda: draw_verdict_months(courses),
        ),
    ]


def comparison_section(analysis: Analysis) -> Section:
    """Paired differences from the baseline on the same simulated patients."""
    study, baseline = analysis.study, analysis.baseline
    kind = kind_of_benchmark(study, baseline)
    intro = (
        f"Every design against {baseline}, the {kind} benchmark, on the same simulated patients."
        if kind
        else f"The study has no benchmark, neither a group-sequential nor a fixed design; every "
        f"design is set against {baseline}."
    )
    equal = (
        f"All have the same error rates and the same largest sample size, "
        f"{study.simulation.n_max:,}; their power differs, so fewer patients are no saving by "
        "themselves. `gai compare` sets designs side by side at equal power."
    )
    blocks: list[Block] = [Paragraph(f"{intro} {equal} Brackets hold 95% intervals.")]
    for key, quantity in comparable(study).items():
        if quantity.prominent:
            compared = analysis.comparison(key)
            blocks.append(Table.of(comparison_table(study, compared, key)))
    return Section("Paired comparison", tuple(blocks))


def examples_section(analysis: Analysis) -> Section:
    """A typical and an unlucky trial of the design that declares soonest."""
    study, truth = analysis.study, analysis.study.truths[0]
    design = study.design(soonest(analysis, truth))
    blocks: list[Block] = []
    for name, pick in (("A typical trial", typical), ("An unlucky trial", unlucky)):
        example = pick(analysis.runs, truth.name, design.name)
        trial = replay(study, truth, design, example.replicate)
        blocks += _example(analysis, truth, design, name, example, trial)
    return Section("Example trials", tuple(blocks))


def _example(
    analysis: Analysis, truth: Truth, design: Design, name: str, example: Example, trial: Replay
) -> list[Block]:
    study = analysis.study
    place = f"trial {example.replicate + 1:,} of {design.name} under {truth.name}"
    verdicts = tuple(
        f"after patient {moment.patient:,}"
        f"{'' if moment.month is None else f', in month {moment.month:.1f}'}: "
        f"{study.arms[moment.arm].label} is "
        f"{'declared' if moment.verdict == GOOD else 'dropped'}"
        for moment in trial.moments
    )
    end = trial.after(len(trial.arms))
    rows = tuple(
        (
            arm.label,
            f"{state.assigned:,}",
            *([] if trial.times is None else [f"{state.seen:,}"]),
            f"{state.mean:.3f}" if state.seen else "–",
        )
        for arm, state in zip(study.arms, end, strict=True)
    )
    outcomes = () if trial.times is None else ("outcomes",)
    columns = ("arm", "patients", *outcomes, "mean outcome")
    return [
        Paragraph(f"{name}: {place} ({example.why})."),
        Bullets(verdicts)
        if verdicts
        else Paragraph(f"No dose gets a verdict within {len(trial.arms):,} patients."),
        Picture(
            f"{name}: every patient of {place}",
            "A mark for every patient on the line of the dose; stars and crosses are verdicts.",
            lambda: draw_trial(study, trial),
        ),
        Table(f"{name}: at the end", columns, rows),
    ]


def exact_section(analysis: Analysis) -> Section:
    """Promised and exact errors of every design."""
    return Section(
        "Exact error check",
        (
            Paragraph(
                "Computed without simulation: the chance of a wrong verdict on a dose exactly at "
                "the target, the worst case, looked at after every outcome; and the most that "
                "follows for the whole list if every dose is at its worst, under any allocation "
                "rule and any choice of looks. Both are for outcomes as the designs assume them."
            ),
            *([Paragraph(worst_in_words(analysis.study))] if analysis.study.target else []),
            Table.of(exact_errors_table(analysis.study, analysis.exact_errors)),
            *_dropped(analysis.study),
        ),
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
                if study.covered(truth)
                else "–"
                for truth in study.truths
            ),
        )
        for design in study.designs
    )
    title = "Chance that any good dose is dropped, at most (exact, under any allocation rule)"
    return [Table(title, ("design", *(truth.name for truth in study.truths)), rows)]

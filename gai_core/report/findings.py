"""What was found: characteristics, errors over nulls, power, sensitivity, example trials."""

import math
from collections.abc import Iterator

import numpy as np

from gai_core.basics import in_a_row, percent, with_error
from gai_core.evidence import GOOD
from gai_core.figures import LAST_DRAWN, draw_sweep, draw_trial
from gai_core.questions import FULL_FACTOR, Cell, Robustness, measure
from gai_core.report.content import (
    Block,
    Bullets,
    Heading,
    Paragraph,
    Picture,
    Section,
    Table,
    typed,
)
from gai_core.report.promises import when_looked
from gai_core.report.subject import HOPED_FOR, Subject
from gai_core.report.summary import summary
from gai_core.results import Example, Replay, replay, typical, unlucky
from gai_core.study import Design, Study, Truth, control_label, highest_mean, which_rules
from gai_core.theory import error_below

NOT_RUN = (
    "Not computed: the trials of this study are so large that small runs of changed studies would "
    f"take longer than a report should. {typed('gai report --full')} allows {FULL_FACTOR} times as "
    f"many patients, and {typed('gai sweep')} any number."
)
NULLS = {True: (0.02, 0.05, 0.1), False: (0.1, 0.25, 0.5)}
"""How far below the target: of rates, or in standard deviations of scores."""
SLOW_NULLS = (0.25,)
"""The same where the variance is unknown, whose laws take long."""


def characteristics_section(subject: Subject) -> Section:
    """In words, then a table of all designs under every truth."""
    blocks: list[Block] = [Paragraph(text) for text in summary(subject, subject.considered)]
    blocks += [_overview(subject, truth) for truth in subject.study.truths]
    return Section("Operating characteristics", tuple(blocks))


def _overview(subject: Subject, truth: Truth) -> Table:
    """Enrolled, chances, errors and months of every design under one truth."""
    study, values, runs = subject.study, subject.values, subject.study.simulation.runs
    found = any(study.good(truth))
    rows = []
    for design in study.designs:
        place = truth.name, design.name

        def chance(key: str, place: tuple[str, str] = place) -> str:
            return percent(*values(*place, key, "probability"), runs)

        rows.append(
            (
                design.name,
                with_error(*values(*place, "enrolled", "mean")),
                f"{int(subject.runs[place].patients.max()):,}",
                *((chance("good_declared"),) if found else ()),
                chance("false_declaration"),
                *((chance("missed_dose"),) if found else ()),
                *((with_error(*values(*place, "months_end", "mean")),) if study.conduct else ()),
            )
        )
    columns = (
        "design",
        "enrolled (mean)",
        "largest seen",
        *(("a good dose declared",) if found else ()),
        "any false declaration",
        *(("a good dose wrongly dropped",) if found else ()),
        *(("months to the end",) if study.conduct else ()),
    )
    nothing = "" if found else " (no dose meets the target)"
    return Table(
        f"{truth.name}{nothing}: all designs, each with at most {study.simulation.n_max:,} "
        "patients",
        columns,
        tuple(rows),
    )


def errors_section(subject: Subject) -> Section:
    """The exact error when doses are at, or some way below, the target."""
    study = subject.study
    names = [name for name in subject.beside if name in {d.name for d in study.designs}]
    shown = [study.design(name) for name in names] or list(study.designs)
    worst = dict(
        zip(subject.exact_errors.design, subject.exact_errors.any_false_declaration, strict=True)
    )
    assumed = _as_assumed(study)
    where = "at the target" if study.target is not None else "just below the target"
    rows = (
        (f"every dose {where}", *(_chance(worst[design.name]) for design in shown)),
        *(
            (words, *(_chance(error_below(study, design, assumed, step)) for design in shown))
            for words, step in _nulls(study, assumed)
        ),
    )
    rate = 100 * study.error_rates.declare
    control = _control_of(study, assumed) if len(rows) > 1 else ""
    return Section(
        "Error over a grid of nulls",
        (
            Paragraph(
                "The chance of any false declaration when no dose is good, computed without "
                "simulation, for outcomes as the designs assume them: exact for each dose looked "
                f"at {when_looked(study, shown)}, and so an upper bound for the trial, under "
                f"{which_rules(study)}. {rate:g}% are allowed.{control}"
            ),
            Table(
                "Any false declaration, exactly at most, in trials of at most "
                f"{study.simulation.n_max:,} patients",
                ("if", *(design.name for design in shown)),
                rows,
                "nulls",
            ),
        ),
    )


def _chance(exact: float) -> str:
    """An exact chance; what is practically never is said to be so."""
    return "< 0.001%" if exact < 1e-5 else f"{100 * exact:.3g}%"


def _as_assumed(study: Study) -> Truth:
    """The first truth with outcomes of the variance that the designs assume, if they know one."""
    first = study.truths[0]
    return first.model_copy(update={"variance": None}) if study.outcome.knows_variance else first


def _control_of(study: Study, assumed: Truth) -> str:
    """Where the control responds, if the law of a dose's pairs depends on it."""
    control = study.control_mean(assumed)
    if study.target is None or not study.outcome.all_or_nothing or control is None:
        return ""
    return (
        f" Below the target, {control_label(study)} has its mean under “{assumed.name}”, "
        f"{control:.4g}."
    )


def _nulls(study: Study, assumed: Truth) -> Iterator[tuple[str, float]]:
    """How far every dose is below the target, in words and as a number, if a dose can be there."""
    outcome, target = study.outcome, study.target_under(assumed)
    unit = 1.0 if outcome.all_or_nothing else study.deviation(assumed)
    low, high = outcome.mean_range
    for below in NULLS[outcome.all_or_nothing] if outcome.knows_variance else SLOW_NULLS:
        step = below * unit
        if low < target - step < highest_mean(high, study.dropout):
            # Where the variance is unknown only the number of standard deviations matters.
            in_deviations = f"{below:g} standard deviations of an outcome"
            how_far = f"{step:.3g}" if outcome.knows_variance else in_deviations
            yield f"every dose {how_far} below the target", step


def power_section(subject: Subject) -> Section:
    """The chance of a declaration over the size of the effect."""
    title, found = "Power over the effect", subject.robustness
    if found is None:
        return Section(title, (Paragraph(_why_not(subject)),))
    study, hoped, trials = subject.study, found.truths[0], found.trials
    axis = "effect, as a multiple of the hoped-for one"
    base = "the target" if study.control is None else study.arms[study.control].label
    cells = [
        Cell((change.factor,), hoped, name, *change.value(hoped, name, "any_declared"), trials)
        for change in found.power
        for name in found.designs
    ]
    rows = tuple(
        (
            f"{change.factor:g}",
            *(
                percent(*change.value(found.truths[0], name, "any_declared"), found.trials)
                for name in found.designs
            ),
        )
        for change in found.power
    )
    nothing = "every dose at the target" if study.control is None else "an inert drug"
    said = (
        f"Every dose's difference from {base} under “{found.truths[0]}” is multiplied by a factor: "
        f"1 is what is hoped for, 0 {nothing}. {found.trials:,} trials each, seed "
        f"{study.simulation.seed}, at most {study.simulation.n_max:,} patients."
    )
    return Section(
        title,
        (
            Paragraph(said),
            Picture(
                "Chance of declaring any dose over the size of the effect (bands: 95%)",
                "One rising curve per design.",
                lambda: draw_sweep(cells, measure(study, "any_declared"), [axis]),
                "power figure",
                0.8,
            ),
            Table("Chance of declaring any dose", ("effect, times", *found.designs), rows),
        ),
    )


def _why_not(subject: Subject) -> str:
    if subject.role(HOPED_FOR) is None:
        return "Not computed: under no assumed dose-response is a dose above the target."
    return NOT_RUN


def sensitivity_section(subject: Subject) -> Section:
    """The recommended design when something else than the effect is not as planned."""
    title, found = "Sensitivity to assumptions", subject.robustness
    if found is None:
        return Section(title, (Paragraph(_why_not(subject)),))
    study = subject.study
    said = (
        f"{found.designs[0]} in {found.trials:,} small trials for every change, seed "
        f"{study.simulation.seed}, at most {study.simulation.n_max:,} patients; one thing is "
        f"changed at a time, and limits stay as planned{_but_with(study, found)}. Standard errors "
        f"of chances are at most {math.ceil(500 / found.trials**0.5) / 10:.1f} points."
    )
    missing = (
        ["The study states no conduct, so accrual, dropout and drift are not varied."]
        if study.conduct is None
        else []
    )
    return Section(
        title,
        (
            Paragraph(" ".join([said, *missing])),
            *(_sensitivity(study, found, name) for name in found.truths),
        ),
    )


def _but_with(study: Study, found: Robustness) -> str:
    """The changes for which the design makes other limits, as it does for missing outcomes."""
    name = found.designs[0]
    planned = study.curves(study.design(name))
    others = []
    for change in found.sensitivity:
        made = change.runs.study.curves(change.runs.study.design(name))
        kept = np.array_equal(made.accept, planned.accept)
        if not (kept and np.array_equal(made.reject, planned.reject)):
            others.append(f"“{change.what}”")
    return f" (but with {in_a_row(others)}, as missing outcomes are planned for)" if others else ""


def _sensitivity(study: Study, found: Robustness, truth: str) -> Table:
    design, good = found.designs[0], any(study.good(study.truth(truth)))
    rows = []
    for change in found.sensitivity:
        place = truth, design
        rows.append(
            (
                change.what,
                with_error(*change.value(*place, "enrolled")),
                percent(*change.value(*place, "any_declared"), found.trials),
                percent(*change.value(*place, "false_declaration"), found.trials),
                *((with_error(*change.value(*place, "months_end")),) if study.conduct else ()),
            )
        )
    months = ("months to the end",) if study.conduct else ()
    key = "sensitivity table" if truth == found.truths[0] else ""
    said = "" if good else " (no dose meets the target as planned)"
    return Table(
        f"{truth}{said}: {design} if one thing is changed",
        ("change", "enrolled (mean)", "any dose declared", "any false declaration", *months),
        tuple(rows),
        key,
    )


def examples_section(subject: Subject) -> Section:
    """A typical trial of the design to use; a full report has an unlucky one, too."""
    study, design = subject.study, subject.study.design(subject.shown_design)
    truth = subject.role(HOPED_FOR) or study.truths[0]
    picks = [("A typical trial", typical), ("An unlucky trial", unlucky)]
    blocks: list[Block] = []
    for name, pick in picks if subject.full else picks[:1]:
        example = pick(subject.runs, truth.name, design.name)
        trial = replay(study, truth, design, example.replicate)
        blocks += _example(study, truth, design, name, example, trial)
    return Section("Example trials", tuple(blocks))


def _example(
    study: Study, truth: Truth, design: Design, name: str, example: Example, trial: Replay
) -> list[Block]:
    place = f"trial {example.replicate + 1:,} of {design.name} under “{truth.name}”"
    at_most = f"with at most {study.simulation.n_max:,} patients"
    verdicts = tuple(
        f"after patient {moment.patient:,}"
        f"{'' if moment.month is None else f', in month {moment.month:.1f}'}: "
        f"{study.arms[moment.arm].label} is "
        f"{'declared' if moment.verdict == GOOD else 'dropped'}"
        for moment in trial.moments
    )
    whole = len(trial.arms) <= LAST_DRAWN
    drawn = "every patient" if whole else f"the last {LAST_DRAWN:,} patients and all verdicts"
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
        Heading(name),
        Paragraph(f"It is {place}, {at_most} ({example.why})."),
        Bullets(verdicts)
        if verdicts
        else Paragraph(f"No dose gets a verdict within {len(trial.arms):,} patients."),
        Picture(
            f"{name}: {drawn} of {place}",
            "A mark for every patient on the line of the dose; stars and crosses are verdicts.",
            lambda: draw_trial(study, trial),
        ),
        Table(f"{name}: at the end", columns, rows),
    ]

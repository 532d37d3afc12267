"""What is assumed and how data are made: truths, data generation, Monte Carlo error."""

from gai_core.basics import in_a_row
from gai_core.figures import draw_dose_response
from gai_core.report.content import Block, Bullets, Paragraph, Picture, Section, Table
from gai_core.report.subject import Subject
from gai_core.results import largest_error, least_error, most_uncertain_chance
from gai_core.study import Study, Truth


def truths(subject: Subject) -> Section:
    """The assumed dose-responses with figure and source."""
    study = subject.study
    columns = ("arm", *(truth.name for truth in study.truths))
    rows = tuple(
        (
            f"{arm.label} (control)" if arm.control else arm.label,
            *(_mean(study, truth, i) for truth in study.truths),
        )
        for i, arm in enumerate(study.arms)
    )
    notes = tuple(f"{truth.name}: {truth.note}" for truth in study.truths if truth.note)
    target = " and the target" if study.target is None else ""  # else every assumption has its own
    blocks: list[Block] = [
        Picture(
            f"Assumed dose-responses{target}",
            f"Assumed mean of every arm, one line per assumption{target}.",
            lambda: draw_dose_response(study),
            width=0.8,
        ),
        Table(_means_title(study), columns, rows),
        *_margins(study),
    ]
    if notes:
        blocks.append(Bullets(notes))
    for name, text in (("Source of the study", study.source), ("Notes", study.notes)):
        if text:
            blocks.append(Paragraph(f"{name}: {text}"))
    return Section("Assumed dose-responses", tuple(blocks))


def _margins(study: Study) -> list[Paragraph]:
    """How far the target is from the control."""
    blocks = []
    if study.control is not None and study.target is None:
        control = study.arms[study.control].label
        differences = ", ".join(
            f"{study.target_under(truth) - study.expected(truth)[study.control]:+.3g} "
            f"under “{truth.name}”"
            for truth in study.truths
        )
        blocks.append(Paragraph(f"The target minus the mean of {control}: {differences}."))
    if study.margin is not None and study.control is not None:
        label, first = study.arms[study.control].label, study.truths[0]
        blocks.append(
            Paragraph(
                f"The target was given as {label} {study.margin:+g}; with the mean of {label} "
                f"assumed under “{first.name}”, {study.expected(first)[study.control]:g}, that is "
                f"{study.stream.target:g}, and it stays so under every assumption. It is a fixed "
                "target, from an assumed control."
            )
        )
    return blocks


def _mean(study: Study, truth: Truth, arm: int) -> str:
    """The stated mean; in brackets the one that a verdict is about, where it is another."""
    stated, about = truth.means[arm], study.expected(truth)[arm]
    text = f"{stated:g}" if stated == about else f"{stated:g} ({about:.4g})"
    return f"{text} *" if study.good(truth)[arm] else text


def _means_title(study: Study) -> str:
    others = any(study.expected(truth) != truth.means for truth in study.truths)
    beside = "in brackets, the mean that a verdict is about, with dropouts as the study says; "
    return f"Assumed means ({beside if others else ''}* meets the target)"


def generation(subject: Subject) -> Section:
    """How data were generated, how many trials, and the Monte Carlo error reached."""
    study, settings = subject.study, subject.study.simulation
    others: dict[float, list[str]] = {}
    for truth in study.truths:
        if truth.variance is not None:
            others.setdefault(truth.variance, []).append(f"“{truth.name}”")
    drawn = study.outcome.drawn + "".join(
        f", {variance:g} under {in_a_row(names)}" for variance, names in others.items()
    )
    return Section(
        "Data generation",
        (
            Paragraph(
                f"Every design was simulated on every assumption with {settings.runs:,} trials of "
                f"at most {settings.n_max:,} patients, seed {settings.seed}. One patient's outcome "
                f"is {drawn}. The n-th patient on a dose {_in_common(study)} "
                "(one random stream per seed, assumption, trial and arm), so designs are compared "
                "on the same patients, and the results are the same bit by bit for any number of "
                f"threads. {_precision(subject)}"
            ),
        ),
    )


def with_trend(study: Study) -> list[str]:
    """The assumptions under which means move."""
    return [f"“{truth.name}”" for truth in study.truths if truth.trend]


def _in_common(study: Study) -> str:
    """What the n-th patient on a dose has under every design; when one comes depends on it."""
    names = with_trend(study)
    if not names:
        return "has the same outcome under every design"
    under = "it" if len(names) == len(study.truths) else f"under {in_a_row(names)} it"
    moved = f"{under} depends on the month of enrolment, too"
    return f"has the same random number under every design, which gives the outcome; {moved}"


def _precision(subject: Subject) -> str:
    """The largest standard error of the chances that every trial tells."""
    study, runs = subject.study, subject.study.simulation.runs
    least = most_uncertain_chance(study, subject.values)
    if least is None:
        return "With one simulated trial there is no Monte Carlo error to report."
    return (
        "Over these trials, the largest standard error of a chance of the whole trial, such as "
        f"that of any false declaration, is {100 * largest_error(least, runs):.2g} percentage "
        f"points, where what was never or always seen is given {100 * least_error(runs):.2g}."
    )

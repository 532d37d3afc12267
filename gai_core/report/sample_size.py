"""The sample-size paragraph, ready to paste into a protocol: every number is from the trials."""

from collections.abc import Iterator

from gai_core.basics import in_a_row, percent, with_error
from gai_core.questions import interval_in_words
from gai_core.report.subject import HOPED_FOR, INERT, Subject, every_dose, middle
from gai_core.results import MOST_LOOKS, wishes
from gai_core.study import (
    Design,
    Study,
    Truth,
    coming_in_words,
    doses_in_words,
    dropout_in_words,
    good_dose_in_words,
    looks_in_words,
    what_n_counts,
)
from gai_core.theory import worst_case
from gai_core.version import __version__

MOST_ARMS = 8
"""Whose assumed means are written out."""


def sample_size(subject: Subject) -> Iterator[str]:
    """How the size was chosen, what it gives, and what happens if the drug is inert."""
    source, study, design = subject.source, subject.source.study, subject.design
    hoped = subject.role(HOPED_FOR)
    assert hoped is not None
    yield _size(subject, design)
    yield analyses(*subject.planned)
    if study.conduct is not None:
        yield from coming_in_words(study.conduct)
    if study.dropout is not None:
        yield dropout_in_words(study.dropout)
    endpoint = f" ({study.outcome.endpoint})" if study.outcome.endpoint else ""
    bound = f"{_bound(*subject.planned)}{_but_not_here(subject)}"
    yield f"A good dose has {good_dose_in_words(study)}{endpoint}; {bound}."
    place = hoped.name, design
    chance = percent(*source.value(*place, "good_declared"), source.trials)
    yield (
        f"Assuming {_means(study, hoped)}, at least one good dose is declared in {chance} of "
        f"{source.trials:,} simulated trials, and {_patients(subject, hoped)}."
    )
    inert = subject.role(INERT)
    if inert is not None:
        false = percent(*source.value(inert.name, design, "false_declaration"), source.trials)
        yield (
            f"If no dose meets the target ({_means(study, inert)}), a dose is declared in {false} "
            f"of the trials, and {_patients(subject, inert)}."
        )
    if subject.usual is not None and subject.usual != design:
        enrolled = with_error(*source.value(hoped.name, subject.usual, "enrolled"))
        power = (
            "At equal error and for the same wished power"
            if subject.reaches
            else "At equal error and largest sample size, not at equal power"
        )
        usual = percent(*source.value(hoped.name, subject.usual, "good_declared"), source.trials)
        declares = "" if subject.reaches else f" and declares a good dose in {usual}"
        yield (
            f"{power}, the usual design ({subject.usual}) enrols {enrolled} on "
            f"average{declares} under the first assumption."
        )
    yield (
        f"Simulated with gai-planner {__version__}; ± is the Monte Carlo standard error, of "
        "chances in percentage points."
    )


def _size(subject: Subject, design: str) -> str:
    n_max, study = subject.source.n_max(design), subject.source.study
    arms = doses_in_words(study) + (
        f" and {study.arms[study.set_apart].label}"
        if study.set_apart is not None and study.control_has_patients
        else ""
    )
    text = f"At most {n_max:,} patients are enrolled on {arms}"
    if subject.reaches:
        assert subject.equal is not None
        wish, interval = subject.equal.wish, interval_in_words(subject.equal.plan(design))
        return (
            f"{text}, the smallest number{interval} with which "
            f"{wishes()[wish.quantity].wish} in {100 * wish.chance:g}% of the trials with the "
            f"design {design}."
        )
    return f"{text}, with the design {design}."


def analyses(study: Study, design: Design) -> str:
    """At how many outcomes of a dose, and of all, it is analysed."""
    criterion, parameters = design.identification
    looks = [int(n) for n in criterion.looks(study.setting(design), parameters)]
    if design.once_at_end:
        return "The doses are analysed once, when the last outcome is known."
    if len(looks) > MOST_LOOKS:
        return (
            "A dose is analysed after each of its outcomes."
            if study.conduct is None
            else looks_in_words(study.conduct)
        )
    counted, due = what_n_counts(study), _due(study, design, looks)
    if study.conduct is None or study.conduct.look_outcomes == 1:
        own = counted.replace("the dose", "a dose")
        return f"Analyses are planned at {_listed(looks)} {own}{due}."
    when, first = looks_in_words(study.conduct), _listed(looks, "or")
    return f"{when} A dose is then judged on the first {first} {counted}{due}."


def _due(study: Study, design: Design, looks: list[int]) -> str:
    """How many patients that takes in all: N with N (1-q) / n_max of a dose's equal share.

    A share q of outcomes is expected to be missing. Empty for doses in a ratio, which are not
    looked at together, and where fewer are expected than the first look needs.
    """
    setting = study.setting(design)
    most, each = study.simulation.n_max, setting.equal_count * (1 - setting.missing_share)
    if design.rule != "equal" or study.has_ratio or each < looks[0]:
        return ""
    due = _listed([min(most, round(most * n / each)) for n in looks])
    return f" (without a verdict it has them when the outcomes of about {due} patients are due)"


def _listed(counts: list[int], word: str = "and") -> str:
    *first, last = (f"{count:,}" for count in counts)
    return f"{', '.join(first)} {word} {last}" if first else last


def _bound(study: Study, design: Design) -> str:
    """Whether false declarations are bounded: proven, or in simulated trials alone."""
    if design.guarantee == "nothing":
        return "the design bounds no error rate"
    rate = (
        f"{100 * study.error_rates.declare:g}% over {every_dose(study)} and all analyses together"
    )
    declared = "the chance of declaring any dose that is not good"
    if design.proven:
        return f"if outcomes are as the design assumes, {declared} is at most {rate}"
    exact = 100 * worst_case(study, design).any_false_declaration
    return (
        f"in simulated trials {declared} was at most {rate}; proven is at most {exact:.2g}%, if "
        "outcomes are as the design assumes"
    )


def _but_not_here(subject: Subject) -> str:
    """Under which truths of the paragraph a bound says nothing; empty where there is none."""
    study, design = subject.planned
    roles = [subject.role(HOPED_FOR), subject.role(INERT)]
    truths = [truth for truth in roles if truth is not None and not study.covered(truth, design)]
    if not truths or design.guarantee == "nothing":
        return ""
    return f" (they are not under {in_a_row(f'“{truth.name}”' for truth in truths)})"


def _patients(subject: Subject, truth: Truth) -> str:
    place = truth.name, subject.design
    mean = with_error(*subject.source.value(*place, "enrolled"))
    months = ""
    if subject.source.study.conduct is not None:
        end = with_error(*subject.source.value(*place, "months_end"))
        months = f"; the last outcome is known after {end} months on average"
    enrolled = subject.source.enrolled(*place)
    low, high = middle(enrolled)
    most = f"{enrolled.max():,.0f} in the largest simulated trial"
    if low < high:
        most = f"{low:,} to {high:,} in the middle 80% of the trials, {most}"
    return f"{mean} patients are enrolled on average, {most}{months}"


def _means(study: Study, truth: Truth) -> str:
    """The assumed means, written out where they are few, and how they change."""
    name = "response rates" if study.outcome.all_or_nothing else "means"
    expected, spread = study.expected(truth), _spread(study, truth)
    if expected != truth.means:  # stated without what dropouts do to them, or with it
        name = f"{name}, as analysed,"
    if truth.trend:
        spread = f" at the start, changing by {truth.trend:+g} a month{spread}"
    if len(set(expected)) == 1:
        return f"{name} of {expected[0]:.3g} on every arm{spread}"
    if len(study.arms) > MOST_ARMS:
        return f"the {name} of “{truth.name}”{spread}"
    each = ", ".join(
        f"{mean:.3g} ({arm.label})" for arm, mean in zip(study.arms, expected, strict=True)
    )
    return f"{name} of {each}{spread}"


def _spread(study: Study, truth: Truth) -> str:
    """The standard deviation of scores, whose it is, and what the analysis takes it for."""
    if not study.outcome.has_variance:
        return ""
    spread, assumed = study.spread(truth), study.outcome.spread
    counted = study.dropout is not None and not study.dropout.left_out
    of, estimated = (" of those who stay", "that of all") if counted else ("", "it")
    taken = ""
    if not study.outcome.knows_variance:
        taken = f" (the analysis estimates {estimated})"
    elif spread != assumed:
        taken = f" (the analysis assumes {assumed:.3g})"
    return f" and a standard deviation of {spread:.3g}{of}{taken}"

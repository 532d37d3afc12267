"""The sample-size paragraph, ready to paste into a protocol: every number is from the trials."""

from collections.abc import Iterator

from gai_core.basics import percent, with_error
from gai_core.report.subject import HOPED_FOR, INERT, Subject
from gai_core.results import wishes
from gai_core.study import Study, Truth, good_dose_in_words
from gai_core.version import __version__

MOST_ARMS = 8
"""Whose assumed means are written out."""


def sample_size(subject: Subject) -> Iterator[str]:
    """How the size was chosen, what it gives, and what happens if the drug is inert."""
    source, study, design = subject.source, subject.source.study, subject.design
    hoped = subject.role(HOPED_FOR)
    assert hoped is not None
    if subject.recommended is None:
        yield f"This is for {design}, one of the study's designs; none is recommended here."
    yield _size(subject, design)
    yield (
        f"A good dose has {good_dose_in_words(study)}. The chance of declaring any dose that is "
        f"not good is at most {100 * study.error_rates.declare:g}% over all "
        f"{len(study.candidates)} doses and all analyses together."
        if _promised(study, design)
        else f"A good dose has {good_dose_in_words(study)}. The design bounds no error rate."
    )
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
            f"If no dose meets the target ({_means(study, inert)}), {_patients(subject, inert)}, "
            f"and a dose is declared in {false}."
        )
    if subject.usual is not None and subject.usual != design:
        enrolled = with_error(*source.value(hoped.name, subject.usual, "enrolled"))
        power = "and power" if subject.reaches else "and largest sample size, not at equal power"
        yield (
            f"At equal error {power}, the usual design ({subject.usual}) enrols {enrolled} on "
            "average under the first assumption."
        )
    yield (
        f"Simulated with gai-planner {__version__}; ± is the Monte Carlo standard error, of "
        "chances in percentage points."
    )


def _size(subject: Subject, design: str) -> str:
    n_max, study = subject.source.n_max(design), subject.source.study
    arms = f"{len(study.candidates)} doses" + (
        "" if study.set_apart is None else f" and {study.arms[study.set_apart].label}"
    )
    text = f"At most {n_max:,} patients are enrolled on {arms}"
    if subject.reaches:
        assert subject.equal is not None
        wish = subject.equal.wish
        return (
            f"{text}, the smallest number with which {wishes()[wish.quantity].wish} in "
            f"{100 * wish.chance:g}% of the trials with the design {design}."
        )
    return f"{text}, with the design {design}."


def _promised(study: Study, design: str) -> bool:
    return study.design(design).identification[0].guarantee != "nothing"


def _patients(subject: Subject, truth: Truth) -> str:
    place = truth.name, subject.design
    mean = with_error(*subject.source.value(*place, "enrolled"))
    months = ""
    if subject.source.study.conduct is not None:
        months = f" in {with_error(*subject.source.value(*place, 'months_end'))} months"
    return (
        f"{mean} patients are enrolled on average{months}, "
        f"{subject.source.largest(*place):,} at most"
    )


def _means(study: Study, truth: Truth) -> str:
    """The assumed means, written out where they are few."""
    name = "response rates" if study.outcome.all_or_nothing else "means"
    expected = study.expected(truth)
    if len(set(expected)) == 1:
        return f"{name} of {expected[0]:.3g} on every arm"
    if len(study.arms) > MOST_ARMS:
        return f"the {name} of “{truth.name}”"
    each = ", ".join(
        f"{mean:.3g} ({arm.label})" for arm, mean in zip(study.arms, expected, strict=True)
    )
    return f"{name} of {each}"

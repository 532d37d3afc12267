"""The first page: the question, the design to use, its numbers, the sample-size paragraph.

A reader who has nothing else can say how many patients it takes (mean and largest), with which
design, at which error, against which usual design, and what happens if the drug is inert.
"""

import math
from collections.abc import Iterator

from gai_core.basics import percent, with_error
from gai_core.figures import draw_declarations
from gai_core.questions import answer_sentences, average_ratio
from gai_core.report.content import Block, Bullets, Heading, Paragraph, Picture, Table, refer
from gai_core.report.sample_size import sample_size
from gai_core.report.subject import HOPED_FOR, INERT, LESS, Role, Subject
from gai_core.results import bound_lines, declaration_curves, overestimation_in_words, wishes
from gai_core.study import Study, good_dose_in_words
from gai_core.theory import worst_case

SURE = 2.0
"""Standard errors from which on a difference is called one."""
FIGURE_WIDTH = 0.68


def first_page(subject: Subject) -> Iterator[Block]:
    """The blocks of the first page, in their order."""
    yield Paragraph(question(subject.study))
    yield Paragraph(" ".join(recommendation(subject)))
    yield characteristics(subject)
    yield from _figure(subject)
    if subject.recommended is not None:
        yield Heading("Sample size, for the protocol")
        yield Paragraph(" ".join(sample_size(subject)))
    yield Heading("What is not guaranteed")
    yield Bullets(tuple(not_guaranteed(subject)))


def question(study: Study) -> str:
    """What the trial asks, in one sentence."""
    doses, endpoint = len(study.candidates), study.outcome.endpoint or "outcome"
    wanted = study.doses_wanted
    which = "find all" if wanted is None else "find one" if wanted == 1 else f"find {wanted}"
    rate = 100 * study.error_rates.declare
    return (
        f"Question: how many patients does it take to {which} of {doses} doses with "
        f"{good_dose_in_words(study)} ({endpoint}), if any dose may be declared falsely in at most "
        f"{rate:g}% of the trials?"
    )


def recommendation(subject: Subject) -> Iterator[str]:
    """Which design, and what it needs beside the usual one."""
    if subject.recommended is None:
        yield from answer_sentences(subject)
        yield from _not_reached(subject)
        return
    yield f"Recommended design: {subject.recommended}. {_needs(subject)}"
    if subject.usual is None:
        yield "The study has no usual design, group sequential or fixed, to set beside it."
        return
    if subject.usual == subject.recommended:
        yield f"It is itself the usual design ({subject.kind_of_usual()})."
    if subject.reaches:
        yield _at_equal_power(subject)
        return
    yield _at_equal_size(subject)
    yield from _not_reached(subject)


def _needs(subject: Subject) -> str:
    """Patients that the recommended design takes, if the drug works and if it does not."""
    source, design = subject.source, subject.recommended
    assert design is not None
    parts = [
        f"{with_error(*source.value(role.truth.name, design, 'enrolled'))} if {_said(role)}"
        for role in subject.roles
    ]
    return (
        f"It enrols at most {source.n_max(design):,} patients; on average "
        f"{', '.join(parts)} ({refer('first')})."
    )


def _said(role: Role) -> str:
    """A truth in a sentence, with what it stands for."""
    return f"“{role.truth.name}” is true ({role.words})"


def _at_equal_power(subject: Subject) -> str:
    """What is saved against the usual design, on average over the truths."""
    found, usual = subject.equal, subject.usual
    assert found is not None
    wish, itself = found.wish, subject.recommended == usual
    design = subject.runner_up if itself else subject.recommended
    which = "" if itself else f"The usual design is {usual} ({subject.kind_of_usual()}). "
    equal = (
        f"{which}At equal error (any false declaration in at most "
        f"{100 * subject.study.error_rates.declare:g}% of the trials) and equal power "
        f"({wishes()[wish.quantity].wish} in {100 * wish.chance:g}% if “{found.under}” is true), "
        "each limited to the fewest patients that give it,"
    )
    if design is None or usual is None:
        return f"{equal} no other guaranteed design reaches the power."
    ratio, error = average_ratio(found, design)
    fewer = "fewer" if ratio < 1 else "more"
    than = f"than {usual}, averaged over assumptions with and without a dose above the target"
    sure = "" if abs(1 - ratio) > SURE * error else ": no sure difference"
    return (
        f"{equal} {design} enrols {100 * abs(1 - ratio):.0f}% {fewer} patients {than} (standard "
        f"error {100 * error:.1g} points{sure})."
    )


def _at_equal_size(subject: Subject) -> str:
    """The other design at the same error and sample size, whose power is another."""
    source, hoped = subject.source, subject.roles[0].truth.name
    *_, other = subject.beside
    if other == subject.recommended:
        return "No other design of the study declares a good dose."
    chances = {
        name: percent(*source.value(hoped, name, "good_declared"), source.trials)
        for name in subject.beside
    }
    both = " and ".join(f"{name} in {chance}" for name, chance in chances.items())
    enrolled = with_error(*source.value(hoped, other, "enrolled"))
    which = (
        f"The usual design is {other} ({subject.kind_of_usual()})"
        if other == subject.usual
        else f"The best of the others is {other}"
    )
    return (
        f"{which}, with the same error rates and the same largest sample size; it enrols "
        f"{enrolled} if “{hoped}” is true. Their power is not equal: a good dose is declared by "
        f"{both}{_lost(subject, other, hoped)}."
    )


def _lost(subject: Subject, other: str, truth: str) -> str:
    """That the recommended design finds a good dose less often, where that is sure."""
    assert subject.recommended is not None
    (own, own_error), (theirs, error) = (
        subject.source.value(truth, name, "good_declared") for name in (subject.recommended, other)
    )
    if theirs - own > SURE * math.hypot(own_error, error):
        return f". {other} finds one more often with as many patients: allow more, or use it"
    return ""


def _not_reached(subject: Subject) -> Iterator[str]:
    """That no search was made, or that it found nothing."""
    found = subject.equal
    if found is None:
        yield (
            "Designs were not compared at equal power in this report (`gai report --at "
            "good_declared=0.9` does it)."
        )
        return
    if not subject.reaches:
        yield (
            f"No design with a guarantee reaches a chance of {100 * found.wish.chance:g}% that "
            f"{wishes()[found.wish.quantity].wish} if “{found.under}” is true; so nothing is said "
            "at equal power."
        )


def characteristics(subject: Subject) -> Table:
    """Operating characteristics of the recommended and the usual design."""
    source, study = subject.source, subject.source.study
    designs = subject.beside or tuple(design.name for design in study.designs)
    roles = subject.roles or [Role("assumed", truth, "assumed") for truth in study.truths[:1]]
    rows = tuple(
        _row(subject, role, design, first=design == designs[0])
        for role in roles
        for design in designs
    )
    months = ("months to the end",) if study.conduct else ()
    at = (
        "at equal error and power, each at its own largest sample size"
        if subject.reaches
        else f"each with at most {study.simulation.n_max:,} patients"
    )
    columns = (
        "if this is true", "design", "at most", "enrolled (mean)", "largest seen",
        "a good dose declared", "any false declaration", *months,
    )  # fmt: skip
    error = "±: standard error over " if source.trials > 1 else ""
    return Table(
        f"Operating characteristics, {at} ({error}{source.trials:,} simulated trials each)",
        columns,
        rows,
        "first",
        words=2,
    )


def _row(subject: Subject, role: Role, design: str, *, first: bool) -> tuple[str, ...]:
    source, place = subject.source, (role.truth.name, design)
    study = source.study
    chance = (
        percent(*source.value(*place, "good_declared"), source.trials)
        if any(study.good(role.truth))
        else "none to find"
    )
    months = [with_error(*source.value(*place, "months_end"))] if study.conduct else []
    name = role.truth.name
    return (
        f"{name} ({role.words})" if first else "",
        design,
        f"{source.n_max(design):,}",
        with_error(*source.value(*place, "enrolled")),
        f"{source.largest(*place):,}",
        chance,
        percent(*source.value(*place, "false_declaration"), source.trials),
        *months,
    )


def _figure(subject: Subject) -> Iterator[Picture]:
    """The chance of a declaration by N patients under the hoped-for truth."""
    if not subject.roles:
        return
    role = subject.roles[0]
    names = {design.name for design in subject.study.designs}
    shown = [name for name in subject.beside if name in names] or list(names)
    curves = declaration_curves(subject.only(shown).runs, role.truth.name)
    n_max = subject.study.simulation.n_max
    lines = bound_lines(subject.bounds, role.truth.name)
    yield Picture(
        f"Chance of having declared a dose by N patients if “{role.truth.name}” is true, with at "
        f"most {n_max:,} patients (bands: 95%)",
        "One rising curve per design.",
        lambda: draw_declarations(curves, n_max, lines),
        "chance",
        FIGURE_WIDTH,
    )


def not_guaranteed(subject: Subject) -> Iterator[str]:
    """What the bound on the error does not cover, and what is only simulated."""
    study = subject.source.study
    if subject.recommended is not None:
        yield _bound(subject)
        if not study.design(subject.recommended).decision.bounds_dropping:
            yield "Nothing bounds the chance that a good dose is dropped; it is simulated."
    uncovered = [truth.name for truth in study.truths if not study.covered(truth)]
    if uncovered:
        listed = ", ".join(f"“{name}”" for name in uncovered)
        yield f"The bound does not cover {listed}, where outcomes are not as the designs assume."
    missing = [
        words
        for name, words in (
            (LESS, "a less favourable dose-response than the one hoped for"),
            (INERT, "that no dose meets the target"),
        )
        if subject.role(name) is None
    ]
    if missing:
        yield f"The study does not assume {' or '.join(missing)}; nothing is said about it."
    simulated = "Patients, chances and months" if study.conduct else "Patients and chances"
    where = (
        f" ({refer('power figure')}, {refer('sensitivity table')})" if subject.robustness else ""
    )
    yield (
        f"{simulated} are simulated under the stated assumptions; if doses do something else, they "
        f"are others{where}."
    )
    hoped = subject.role(HOPED_FOR)
    if hoped is not None and subject.recommended is not None:
        said = overestimation_in_words(subject.only([subject.shown_design]), hoped)
        yield f"{said} ({refer('estimation')})".replace(". (", " (") + "."
    yield f"The limitations are in {refer('limitations')}."


def _bound(subject: Subject) -> str:
    """How far the promise of the recommended design goes, and its exact worst error."""
    study, name = subject.source.study, subject.recommended
    assert name is not None
    sized = study
    if subject.reaches:
        assert subject.equal is not None
        sized = subject.equal.fresh[name].study
    design = sized.design(name)
    worst = 100 * worst_case(sized, design).any_false_declaration
    rate = f"{100 * study.error_rates.declare:g}%"
    guarantee = design.identification[0].guarantee
    if guarantee == "nothing":
        return (
            f"{name} promises nothing about errors: any false declaration is allowed in {rate} of "
            f"the trials, and its exact worst case is {worst:.2g}%."
        )
    until = "for every sample size" if guarantee == "always" else "up to its largest sample size"
    return (
        f"The bound of {rate} on any false declaration holds {until}, if outcomes are as assumed "
        f"({refer('multiplicity')}); the exact worst case is {worst:.2g}%."
    )

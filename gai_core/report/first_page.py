"""The first page: the question, the design to use, its numbers, the sample-size paragraph.

A reader who has nothing else can say how many patients it takes (mean and largest), with which
design, at which error, against which usual design, and what happens if the drug is inert.
"""

from collections.abc import Iterator

from gai_core.basics import in_a_row, percent, with_error
from gai_core.figures import draw_declarations
from gai_core.questions import USUAL_POWER, answer_sentences
from gai_core.report.content import Block, Bullets, Heading, Paragraph, Picture, Table, refer, typed
from gai_core.report.estimation import overestimation
from gai_core.report.sample_size import sample_size
from gai_core.report.subject import HOPED_FOR, INERT, LESS, Role, Subject, every_dose
from gai_core.results import bound_lines, declaration_curves
from gai_core.study import Study, doses_in_words, good_dose_in_words
from gai_core.theory import worst_case

NO_LIMIT = 99.95
"""Per cent that would be printed as all: an upper limit that says nothing."""
FIGURE_WIDTH, FIGURE_HEIGHT = 0.72, 1.55
"""Share of the text's width, and inches: a flat figure leaves room for what must be read."""


def first_page(subject: Subject) -> Iterator[Block]:
    """The blocks of the first page, in their order."""
    yield Paragraph(question(subject.study))
    yield Paragraph(" ".join(recommendation(subject)))
    yield characteristics(subject)
    yield from _figure(subject)
    if subject.role(HOPED_FOR) is not None:
        yield Heading("Sample size, for the protocol")
        if subject.recommended is None:
            yield Paragraph(_for_whom(subject))
        yield Paragraph(" ".join(sample_size(subject)))
    yield Heading("What is not guaranteed")
    yield Bullets(tuple(not_guaranteed(subject)))


def _for_whom(subject: Subject) -> str:
    """Whose paragraph it is where no design is recommended: what a protocol does not need."""
    kind = "the usual design" if subject.design == subject.usual else "one of the designs"
    return f"No design is recommended here; this is for {subject.design}, {kind} of the study:"


def question(study: Study) -> str:
    """What the trial asks, in one sentence."""
    several, endpoint = len(study.candidates) > 1, study.outcome.endpoint or "outcome"
    wanted = study.doses_wanted
    number = "all" if wanted is None else "one" if wanted == 1 else f"{wanted}"
    found = f"find {number} of {doses_in_words(study)} with"
    which = found if several else "see whether the dose has"
    rate = 100 * study.error_rates.declare
    return (
        f"Question: how many patients does it take to {which} {good_dose_in_words(study)} "
        f"({endpoint}), with a chance of at most {rate:g}% that any dose that is not good is "
        f"declared, over {every_dose(study)} and all analyses together?"
    )


def recommendation(subject: Subject) -> Iterator[str]:
    """Which design to use, in the words that the app and `gai advise` have for it."""
    yield from answer_sentences(subject, subject.advice)
    if subject.advice is None and subject.roles and subject.role(HOPED_FOR) is not None:
        wish = f"{USUAL_POWER.quantity}={USUAL_POWER.chance:g}"
        command = typed(f"gai report --at {wish}")
        more = "" if subject.study.simulation.runs > 1 else ", with more than one simulated trial"
        yield f"This report was made without that comparison ({command} makes it{more})."


def characteristics(subject: Subject) -> Table:
    """Operating characteristics of the recommended design, the usual one and the fixed one."""
    source, study = subject.source, subject.source.study
    designs = subject.tabled
    roles = subject.roles or [Role("assumed", truth, "assumed") for truth in study.truths[:1]]
    rows = tuple(
        _row(subject, role, design, first=design == designs[0])
        for role in roles
        for design in designs
    )
    months = ("months to the end",) if study.conduct else ()
    at = (
        "at equal error and for the same wished power, each at its own largest sample size"
        if subject.reaches
        else f"each with at most {study.simulation.n_max:,} patients"
    )
    columns = (
        "if this is true",
        "design",
        "at most",
        "enrolled (mean)",
        "largest seen",
        "a good dose declared",
        "any false declaration",
        *months,
    )
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
        f"{source.enrolled(*place).max():,.0f}",
        chance,
        percent(*source.value(*place, "false_declaration"), source.trials),
        *months,
    )


def _figure(subject: Subject) -> Iterator[Picture]:
    """The chance of a declaration by N patients under the hoped-for truth."""
    if not subject.roles:
        return
    if subject.reaches and subject.equal is not None:
        truth = subject.equal.under
        curves = [subject.equal.declarations(name) for name in subject.beside]
        n_max = max(subject.source.n_max(name) for name in subject.beside)
        at_most = "each design with its own largest sample size"
    else:
        truth = subject.roles[0].truth.name
        names = {design.name for design in subject.study.designs}
        shown = [name for name in subject.beside if name in names] or list(names)
        curves = declaration_curves(subject.only(shown).runs, truth)
        n_max = subject.study.simulation.n_max
        at_most = f"with at most {n_max:,} patients"
    lines = bound_lines(subject.bounds, truth)
    yield Picture(
        f"Chance of having declared a dose by N patients if “{truth}” is true, {at_most} "
        "(bands: 95%)",
        "One rising curve per design.",
        lambda: draw_declarations(curves, n_max, lines, FIGURE_HEIGHT),
        "chance",
        FIGURE_WIDTH,
    )


def not_guaranteed(subject: Subject) -> Iterator[str]:
    """What the bound on the error does not cover, and what is only simulated."""
    study = subject.source.study
    if subject.role(HOPED_FOR) is not None:
        yield _bound(subject)
        if not study.design(subject.design).decision.bounds_dropping:
            yield _dropping(subject)
    bounded = study.design(subject.design).guarantee != "nothing"
    if study.target is None and study.control is not None:
        bound = "the bound says nothing" if bounded else "nothing is said"
        yield (
            f"A dose is judged by a fixed target: {bound} about doses against "
            f"{study.arms[study.control].label} treated at the same time."
        )
    design = study.design(subject.design)
    uncovered = [truth.name for truth in study.truths if not study.covered(truth, design)]
    if uncovered:
        listed = ", ".join(f"“{name}”" for name in uncovered)
        what = "The bound does" if bounded else "What is computed does"
        yield f"{what} not cover {listed}, where outcomes are not as the designs assume."
    missing = [
        words
        for name, words in (
            (LESS, "a less favourable dose-response than the one hoped for"),
            (INERT, "that no dose meets the target"),
        )
        if subject.role(name) is None
    ]
    if missing:
        yield f"The study does not assume {in_a_row(missing, 'or')}; nothing is said about it."
    simulated = "Patients, chances and months" if study.conduct else "Patients and chances"
    found = [refer("power figure"), refer("sensitivity table")] if subject.robustness else []
    where = ", ".join([*found, f"limitations: {refer('limitations')}"])
    yield (
        f"{simulated} are simulated under the stated assumptions and differ under others ({where})."
    )
    hoped = subject.role(HOPED_FOR)
    if hoped is not None:
        yield f"{overestimation(subject, hoped)} ({refer('estimation')})".replace(". (", " (") + "."


def _dropping(subject: Subject) -> str:
    """What is known of good doses that a design drops without a promise."""
    study, design = subject.planned
    worst = 100 * worst_case(study, design).any_miss
    said = "No bound on the chance that a good dose is dropped is promised: it is simulated"
    if worst > NO_LIMIT:
        return f"{said}, and what can be computed leaves it open."
    return (
        f"{said}, and computed exactly it is at most {worst:.3g}% in trials of at most "
        f"{study.simulation.n_max:,} patients, if outcomes are as assumed."
    )


def _bound(subject: Subject) -> str:
    """How far the promise of the design goes, and its exact worst error."""
    study, design = subject.planned
    rate = f"{100 * study.error_rates.declare:g}%"
    worst = f"exact worst case with at most {study.simulation.n_max:,} patients"
    exact = f"{100 * worst_case(study, design).any_false_declaration:.2g}%"
    if design.guarantee == "nothing":
        return (
            f"{design.name} promises nothing about errors: any false declaration is allowed in "
            f"{rate} of the trials, and its {worst} is {exact}, if outcomes are as assumed."
        )
    if not design.proven:
        return (
            f"That {design.name} makes any false declaration in at most {rate} of the trials was "
            f"found in simulated trials, without proof ({refer('multiplicity')}); proven is its "
            f"{worst}, {exact}, if outcomes are as assumed."
        )
    always = design.guarantee == "always"
    until = "for every sample size" if always else "up to its largest sample size"
    return (
        f"The bound of {rate} on any false declaration holds {until}, if outcomes are as assumed "
        f"({refer('multiplicity')}); the {worst} is {exact}."
    )

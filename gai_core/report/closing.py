"""What the numbers do not say, what a DMC does with them, and how to recreate them."""

import platform
import shlex
from collections.abc import Iterator
from importlib import metadata

from gai_core.basics import in_a_row
from gai_core.criteria import ASSUMED, ASSUMED_OF_PAIRS
from gai_core.questions import EqualPower
from gai_core.report.assumptions import with_trend
from gai_core.report.content import Bullets, Paragraph, Section, Table, refer, typed
from gai_core.report.promises import charter, may_stop
from gai_core.report.sample_size import analyses
from gai_core.report.subject import Subject
from gai_core.results import limits
from gai_core.study import Design, Study, wanted_in_words, what_n_counts
from gai_core.theory import cautions
from gai_core.version import LIBRARIES, __version__

BOUNDS = (
    "The lower bounds are for designs that always decide; a design that may leave doses undecided "
    "can need fewer patients."
)
NO_CONDUCT = (
    "Outcomes are known at once: enrolment, delay, cohorts and interim calendars are not modelled.",
    "No patient drops out, and no outcome is missing.",
)
NOBODY = "–"
"""Whom an entry cites that needs no source."""
GUIDANCE = (
    "ICH E20, Adaptive designs for clinical trials, draft (Step 2b), June 2025.",
    "ICH M11, Clinical electronic structured harmonised protocol, Step 4, November 2025.",
    "ICH E9(R1), Addendum on estimands and sensitivity analysis in clinical trials, 2019.",
    "FDA, Adaptive designs for clinical trials of drugs and biologics, guidance, 2019.",
    "Morris, White and Crowther, Using simulation studies to evaluate statistical methods, Stat "
    "Med 2019;38:2074 (ADEMP).",
)


def monitoring(subject: Subject) -> Section:
    """What a data monitoring committee is given and does."""
    study, design = subject.planned
    return Section(
        "Data monitoring committee",
        (
            Paragraph("A text to adapt for the charter:"),
            Bullets(tuple(_charter(study, design))),
        ),
    )


def _charter(study: Study, design: Design) -> Iterator[str]:
    yield (
        "An independent statistician who is not blinded keeps the allocation and the decision "
        "table; sponsor, investigators and patients see neither interim outcomes nor the "
        "allocation ratio in use."
    )
    if study.conduct is None:
        yield "The study states no conduct: the charter must say when looks take place."
    else:
        yield analyses(study, design)
    yield from charter(design, refer("decision table"))
    if not design.once_at_end:  # which goes on, whatever is found
        yield from wanted_in_words(study.model_copy(update={"designs": (design,)}))
    yield f"No more than {study.simulation.n_max:,} patients are enrolled. {may_stop(design)}"
    yield "Rules, limits, looks and sample size are fixed before the first outcome is seen."


def limitations(subject: Subject) -> Section:
    """What follows from the study itself, and what is not modelled."""
    study = subject.considered
    count = what_n_counts(study).replace("the dose", "a dose")
    ending = (
        f"{design.name}, with at most {sized.simulation.n_max:,} patients: its guarantee ends at "
        f"{limits(sized, design).n[-1]:,} {count}, for which its limits were made; no dose may be "
        "extended beyond them."
        for sized, design in subject.with_limits
        if design.guarantee == "up to n_max"
    )
    simplified = (*(() if study.conduct else NO_CONDUCT), _same_patients(study))
    assumed = ASSUMED if study.target is None else ASSUMED_OF_PAIRS
    kept = any(design.guarantee != "nothing" for design in study.designs)
    rests = (f"The guarantees rest on this. {' '.join(assumed)}",) if kept else ()
    return Section(
        "Limitations", (Bullets((*cautions(study), *rests, *ending, BOUNDS, *simplified)),)
    )


def _same_patients(study: Study) -> str:
    """In what patients of a dose differ."""
    same, names = "All patients of a dose have the same outcome distribution", with_trend(study)
    if not names:
        return f"{same}: no time trend, no covariates."
    return f"{same}, but for the time trend under {in_a_row(names)}: no covariates."


def recreation(subject: Subject) -> Section:
    """How every number comes again: commands, versions and hashes."""
    study, found = subject.study, subject.equal
    versions = (("gai-planner", __version__), ("Python", platform.python_version()))
    libraries = tuple((name, metadata.version(name)) for name in LIBRARIES)
    whole = (
        "The study file is in the appendix."
        if subject.full
        else f"{typed('gai report study.toml --full -o report.pdf')} prints the study file too."
    )
    searched = "" if found is None else f" Sample sizes at equal power: {typed(_comparing(found))}."
    return Section(
        "How to recreate",
        (
            Paragraph(
                f"{typed('gai run study.toml --csv characteristics.csv')} gives all operating "
                f"characteristics again ({study.simulation.runs:,} trials, seed "
                f"{study.simulation.seed}), and the same version gives the same numbers, bit by "
                f"bit.{searched} {whole}"
            ),
            Table("Versions", ("software", "version"), (*versions, *libraries), words=2),
            Table(
                "Hashes (SHA-256)",
                ("of", "hash"),
                (
                    ("study.toml", subject.study_hash),
                    ("characteristics.csv", subject.results_hash),
                ),
                words=2,
            ),
        ),
    )


def _comparing(found: EqualPower) -> str:
    wish = f"{found.wish.quantity}={found.wish.chance:g}"
    return f"gai compare study.toml --at {wish} --under {shlex.quote(found.under)}"


def references(subject: Subject) -> Section:
    """Where methods and figures come from."""
    study, cited = subject.considered, {}
    for design in study.designs:
        for entry in (design.sampling[0], design.identification[0], design.decision.dropping):
            if entry is not None and entry.citation != NOBODY:
                cited[entry.citation] = f"{entry.label}: {entry.citation}."
    source = (f"Figures of this study: {study.source}",) if study.source else ()
    return Section("References", (Bullets((*cited.values(), *source, *GUIDANCE)),))

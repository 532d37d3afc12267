"""What the numbers do not say, how to recreate them, and where each required item stands."""

import platform
from collections.abc import Callable, Mapping
from importlib import metadata

from gai_core.criteria import ASSUMED, ASSUMED_OF_PAIRS
from gai_core.report.content import Bullets, Listing, Paragraph, Section, Table
from gai_core.results import Analysis, benchmark_of, limits
from gai_core.study import Study, dump_study
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
SAME_PATIENTS = "All patients of a dose have the same outcome distribution: no {trend}covariates."
SUMMARY = "Summary"
SCRIPT = """from gai_core import characteristics, load_study, simulate

runs = simulate(load_study("study.toml"))
characteristics(runs).to_csv("characteristics.csv", index=False, lineterminator="\\n")
"""
E20, ADEMP = "ICH E20 draft", "ADEMP"
CHECKLIST = (
    ("Aims and key questions", f"{E20}; {ADEMP}: aims", "aims"),
    ("Estimand and intercurrent events", f"{E20}; {ADEMP}: estimands", None),
    ("Design and options considered", f"{E20}; {ADEMP}: methods", "designs"),
    ("Decision rules", E20, "decisions"),
    ("Accrual, delay, interim looks, missing outcomes", E20, "conduct"),
    ("Prior knowledge, assumed truths and why", f"{E20}; {ADEMP}: data", "truths"),
    ("Data generation, number of trials", f"{E20}; {ADEMP}: data", "generation"),
    ("Operating characteristics", f"{E20}; {ADEMP}: performance", "characteristics"),
    ("Monte Carlo error", f"{ADEMP}: performance", "generation"),
    ("Interpretation of the results", E20, SUMMARY),
    ("Benchmark design", E20, "comparison"),
    ("Example trials", E20, "examples"),
    ("Error control", E20, "exact"),
    ("Reliability of estimation", E20, None),
    ("Departures from the assumptions", E20, "truths"),
    ("Limitations", E20, "limitations"),
    ("Software, version, seed, recreation", f"{E20}; {ADEMP}", "recreation"),
)
"""Item, who asks for it, and the key of the section that has it; None where none has it yet."""
NEEDS: dict[str, Callable[[Study], bool]] = {
    "Benchmark design": lambda study: benchmark_of(study) is not None,
    "Departures from the assumptions": lambda study: any(
        not study.as_assumed(truth) for truth in study.truths
    ),
    "Prior knowledge, assumed truths and why": lambda study: bool(
        study.source or any(truth.note for truth in study.truths)
    ),
}
"""Items that a section has only if the study gives it something to say."""


def limitations(analysis: Analysis) -> Section:
    """What follows from the study itself, and what is not modelled."""
    study = analysis.study
    count = study.stream.outcome.count_name.replace("the dose", "a dose")
    ending = (
        f"{design.name}: its guarantee ends at {limits(study, design).n[-1]:,} {count}, "
        "for which its limits were made; no dose may be extended beyond them."
        for design in study.designs
        if design.identification[0].guarantee == "up to n_max"
    )
    trend = any(truth.trend for truth in study.truths)
    same = SAME_PATIENTS.format(trend="" if trend else "time trend, no ")
    simplified = (*(() if study.conduct else NO_CONDUCT), same)
    assumed = ASSUMED if study.target is None else ASSUMED_OF_PAIRS
    rests = (f"The guarantees rest on this. {' '.join(assumed)}",)
    return Section(
        "Limitations", (Bullets((*cautions(study), *rests, *ending, BOUNDS, *simplified)),)
    )


def recreation(analysis: Analysis) -> Section:
    """Study file and script in full, versions and hashes."""
    versions = tuple((name, metadata.version(name)) for name in LIBRARIES)
    return Section(
        "How to recreate",
        (
            Paragraph(
                "Save the study file as study.toml and run the script, or `gai run study.toml "
                "--csv characteristics.csv`. The same version gives the same numbers, bit by bit."
            ),
            Listing("study.toml", dump_study(analysis.study)),
            Listing("Script", SCRIPT),
            Table(
                "Versions",
                ("software", "version"),
                (
                    ("gai-planner", __version__),
                    ("Python", platform.python_version()),
                    *versions,
                ),
            ),
            Table(
                "Hashes (SHA-256)",
                ("of", "hash"),
                (
                    ("study.toml", analysis.study_hash),
                    ("characteristics.csv", analysis.results_hash),
                ),
            ),
        ),
    )


def checklist(study: Study, sections: Mapping[str, Section]) -> Section:
    """Where the items of the ICH E20 draft and of ADEMP stand in this report, if they do."""
    rows = tuple((item, by, _place(study, sections, item, key)) for item, by, key in CHECKLIST)
    return Section(
        "Checklist",
        (Table("Required items and their place", ("item", "asked for by", "section"), rows),),
    )


def _place(study: Study, sections: Mapping[str, Section], item: str, key: str | None) -> str:
    if key == SUMMARY:
        return SUMMARY
    needs = NEEDS.get(item)
    if key is None or key not in sections or (needs is not None and not needs(study)):
        return "not addressed"
    return f"{[*sections].index(key) + 1} {sections[key].title}"

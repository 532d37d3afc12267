"""What the numbers do not say, how to recreate them, and where each required item stands."""

import platform
from importlib import metadata

from gai_core.report.content import Bullets, Listing, Paragraph, Section, Table
from gai_core.report.material import Material
from gai_core.study import dump_study
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
SCRIPT = """from gai_core import characteristics, load_study, simulate

runs = simulate(load_study("study.toml"))
characteristics(runs).to_csv("characteristics.csv", index=False, lineterminator="\\n")
"""
CHECKLIST = (
    ("Aims and key questions", "ICH E20 draft; ADEMP: aims", "Aims"),
    ("Design and options considered", "ICH E20 draft; ADEMP: methods", "Design options"),
    ("Decision rules", "ICH E20 draft", "Decision rules"),
    ("Accrual, delay, interim looks, missing outcomes", "ICH E20 draft", "Conduct"),
    ("Prior knowledge, assumed truths and why", "ICH E20 draft; ADEMP: data", "Assumed truths"),
    ("Data generation, number of trials", "ICH E20 draft; ADEMP: data", "Data generation"),
    ("Operating characteristics", "ICH E20 draft; ADEMP: estimands, performance",
     "Operating characteristics"),
    ("Monte Carlo error", "ADEMP: performance", "Data generation"),
    ("Results with interpretation", "ICH E20 draft", "Figures"),
    ("Benchmark design", "ICH E20 draft", "Paired comparison"),
    ("Example trials", "ICH E20 draft", "Example trials"),
    ("Error control", "ICH E20 draft", "Exact error check"),
    ("Limitations", "ICH E20 draft", "Limitations"),
    ("Software, version, seed, recreation", "ICH E20 draft; ADEMP", "How to recreate"),
)  # fmt: skip


def limitations(material: Material) -> Section:
    """What follows from the study itself, and what is not modelled."""
    study = material.study
    ending = (
        f"{design.name}: its guarantee ends at the largest sample size of "
        f"{study.simulation.n_max:,} patients; the trial must not be extended beyond it."
        for design in study.designs
        if design.identification[0].guarantee == "up to n_max"
    )
    trend = any(truth.trend for truth in study.truths)
    same = SAME_PATIENTS.format(trend="" if trend else "time trend, no ")
    simplified = (*(() if study.conduct else NO_CONDUCT), same)
    return Section("Limitations", (Bullets((*cautions(study), *ending, BOUNDS, *simplified)),))


def recreation(material: Material) -> Section:
    """Study file and script in full, versions and hashes."""
    versions = tuple((name, metadata.version(name)) for name in LIBRARIES)
    return Section(
        "How to recreate",
        (
            Paragraph(
                "Save the study file as study.toml and run the script, or `gai run study.toml "
                "--csv characteristics.csv`. The same version gives the same numbers, bit by bit."
            ),
            Listing("study.toml", dump_study(material.study)),
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
                    ("study.toml", material.study_hash),
                    ("characteristics.csv", material.results_hash),
                ),
            ),
        ),
    )


def checklist(titles: list[str]) -> Section:
    """Where the items of the ICH E20 draft and of ADEMP stand in this report."""
    rows = tuple(
        (item, source, f"{titles.index(section) + 1} {section}")
        for item, source, section in CHECKLIST
        if section in titles
    )
    return Section(
        "Checklist",
        (Table("Required items and their place", ("item", "asked for by", "section"), rows),),
    )

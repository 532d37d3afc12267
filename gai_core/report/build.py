"""Runs -> one Report."""

import datetime
from collections.abc import Iterator

from gai_core.basics import number, percent, with_error
from gai_core.engine import Runs
from gai_core.report import closing, findings
from gai_core.report.content import Report, legal
from gai_core.report.material import Material
from gai_core.report.sections import made
from gai_core.study import Truth
from gai_core.theory import sharper_bounds
from gai_core.version import __version__


def build_report(runs: Runs, *, date: str | None = None) -> Report:
    """The report of a simulated study; `date` is today unless it is given."""
    material = Material(runs)
    study = runs.study
    sections = list(made(material).values())
    sections.append(closing.checklist([section.title for section in sections]))
    return Report(
        title=study.title,
        subtitle="Simulation report of a dose-finding trial",
        facts=(
            ("Date", legal(date or datetime.datetime.now(datetime.UTC).date().isoformat())),
            ("Software", f"gai-planner {__version__}"),
            ("Study", f"SHA-256 {material.study_hash[:16]}…"),
            ("Results", f"SHA-256 {material.results_hash[:16]}…"),
        ),
        summary=tuple(_summary(material)),
        sections=tuple(sections),
    )


def _summary(material: Material) -> Iterator[str]:
    study, size = material.study, material.study.simulation
    yield (
        f"{len(study.designs)} designs were simulated on {len(study.truths)} assumed "
        f"dose-responses of {len(study.arms)} arms, {size.runs:,} trials each of at most "
        f"{size.n_max:,} patients. A good dose has a mean of at least {study.threshold:g}; any "
        f"wrong verdict is allowed in {100 * study.delta:g}% of the trials."
    )
    for truth in study.truths:
        yield _on_truth(material, truth)


def _on_truth(material: Material, truth: Truth) -> str:
    study, size = material.study, material.study.simulation
    best = findings.soonest(material, truth)

    def chance(design: str, quantity: str) -> str:
        return percent(*material.values(truth.name, design, quantity, "probability"), size.runs)

    errors = f"Any wrong verdict: {chance(best, 'any_error')}."
    if not any(study.good(truth)):
        return (
            f"If {truth.name} is true, no dose meets the target. {best} declares one wrongly in "
            f"{chance(best, 'false_declaration')} of the trials. {errors}"
        )
    if material.values(truth.name, best, "any_declared", "probability")[0] == 0:
        return (
            f"If {truth.name} is true, no design declares a dose within {size.n_max:,} patients in "
            f"any simulated trial. {errors}"
        )
    first = with_error(*material.values(truth.name, best, "tau_1", "restricted_mean"))
    text = (
        f"If {truth.name} is true, {best} declares a dose soonest: in "
        f"{chance(best, 'any_declared')} of the trials, after {first} patients on average "
        f"(counting {size.n_max:,} where there is none). {errors}"
    )
    if study.conduct is not None:
        month, end = (
            with_error(*material.values(truth.name, best, quantity, statistic))
            for quantity, statistic in (("months_tau_1", "mean"), ("months_end", "mean"))
        )
        text += (
            f" Where it comes, the first declaration (or the last verdict) is in month {month}; "
            f"the last outcome is in month {end}."
        )
    if material.baseline != best:
        text += f" {material.baseline} declares one in {chance(material.baseline, 'any_declared')}."
    bound = next(sharper_bounds(study, truth))[1].value
    if 0 < bound < float("inf"):
        text += f" No design that always decides needs fewer than {number(bound)} on average."
    return text

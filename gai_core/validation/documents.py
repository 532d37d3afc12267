"""A validation as documents: HTML and PDF by the report's own writers, JSON for programs."""

import json
from pathlib import Path
from typing import Any

from gai_core.basics import InputError, check_writable, writable, written_whole
from gai_core.report import Block, Heading, Paragraph, Report, Section, Table, write_report
from gai_core.results import WordTable
from gai_core.validation.validating import Checked, Fulfilled, Validation
from gai_core.version import __version__

NAME = "validation"
FORMATS = (".html", ".pdf")
PASSED, FAILED = "passed", "FAILED"
PARTS = {
    "installation": "Installation qualification",
    "operation": "Operational qualification",
    "performance": "Performance qualification",
}
READING = (
    "Every requirement has the risk that it keeps away, and checks that were run on this machine "
    "when the file was written. A check sets the software beside something else: a formula "
    "written a second time, a published figure, a recursion over all counts, a count by hand."
)


def check_new_folder(folder: Path) -> None:
    """Before long work: refuse a folder that is there already, or one that cannot be made."""
    with writable(folder):
        if folder.exists():
            raise InputError("exists already; choose a new folder", source=str(folder))
    check_writable(folder)


def write_validation(validation: Validation, folder: Path) -> None:
    """HTML, PDF and JSON in a new folder, or nothing."""
    check_new_folder(folder)
    document = validation_report(validation)
    with written_whole(folder, folder=True) as draft:
        for ending in FORMATS:
            write_report(document, draft / f"{NAME}{ending}")
        text = json.dumps(as_data(validation), indent=2, ensure_ascii=False)
        (draft / f"{NAME}.json").write_text(f"{text}\n", encoding="utf-8")


def outcome_in_words(validation: Validation) -> str:
    """Whether everything passed, and if not, what did not."""
    failed, number = validation.failed, len(validation.results)
    if not failed:
        return f"All {number} requirements are met."
    names = "; ".join(f"{one.id} {one.title}" for one in failed)
    return f"{len(failed)} of {number} requirements are not met: {names}."


def validation_report(validation: Validation) -> Report:
    """The document: the answer first, then every requirement with its risk, tests and results."""
    first: tuple[Block, ...] = (
        Paragraph(outcome_in_words(validation)),
        *([Paragraph(QUICK)] if validation.quick else []),
        Table.of(results_table(validation))._replace(words=3),
    )
    parts = [
        Section(title, tuple(block for one in found for block in _blocks(one)))
        for part, title in PARTS.items()
        if (found := [one for one in validation.results if one.requirement.part == part])
    ]
    return Report(
        title="Validation of the dose-finding planner",
        subtitle=f"gai-planner {__version__} on this machine",
        facts=(
            ("Written", validation.began),
            ("Software", f"gai-planner {__version__}"),
            ("Time taken", f"{validation.seconds:.0f} s"),
            ("Requirements", f"SHA-256 {validation.hashes['requirements'][:16]}…"),
        ),
        first=first,
        sections=(*parts, _machine(validation)),
    )


QUICK = (
    "This is the quick form: simulations are smaller and the paper is reproduced for one setting. "
    "The whole form is that without --quick."
)


def results_table(validation: Validation) -> WordTable:
    """Every requirement with its result and the time that its checks took."""
    rows = [
        [
            one.requirement.id,
            one.requirement.title,
            PASSED if one.passed else FAILED,
            f"{sum(checked.seconds for checked in one.checked):.1f} s",
        ]
        for one in validation.results
    ]
    return WordTable("Requirements and results", ["id", "requirement", "result", "time"], rows)


def _blocks(one: Fulfilled) -> tuple[Block, ...]:
    asked = one.requirement
    rows = tuple(map(_row, one.checked))
    columns = ("test", "expected", "found", "result")
    result = PASSED if one.passed else FAILED
    return (
        Heading(f"{asked.id} {asked.title}: {result}"),
        Paragraph(f"Requirement: {asked.requirement}"),
        Paragraph(f"Risk: {asked.risk}"),
        Table(f"{asked.id}: tests and results", columns, rows, words=len(columns)),
    )


def _row(one: Checked) -> tuple[str, ...]:
    check, found = one.check, one.found
    return (
        f"{check.key}: {check.test}",
        check.expected,
        found.words,
        PASSED if found.passed else FAILED,
    )


def _machine(validation: Validation) -> Section:
    return Section(
        "Machine, versions and hashes",
        (
            Paragraph(READING),
            Table("Machine and versions", ("what", "is"), tuple(validation.facts.items()), words=2),
            Table("Hashes (SHA-256)", ("of", "hash"), tuple(validation.hashes.items()), words=2),
        ),
    )


def as_data(validation: Validation) -> dict[str, Any]:
    """The same for programs."""
    return {
        "package": "gai-planner",
        "version": __version__,
        "began": validation.began,
        "seconds": round(validation.seconds, 3),
        "quick": validation.quick,
        "passed": not validation.failed,
        "facts": validation.facts,
        "sha256": validation.hashes,
        "requirements": [
            {
                **{
                    name: value
                    for name, value in one.requirement._asdict().items()
                    if name != "checks"
                },
                "passed": one.passed,
                "checks": [
                    {
                        "check": checked.check.key,
                        "test": checked.check.test,
                        "expected": checked.check.expected,
                        "found": checked.found.words,
                        "passed": checked.found.passed,
                        "seconds": round(checked.seconds, 3),
                    }
                    for checked in one.checked
                ],
            }
            for one in validation.results
        ],
    }

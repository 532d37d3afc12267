"""Where the items that regulators ask for stand in a report, found from what is there."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from gai_core.report.content import Section, Table, refer
from gai_core.report.objectives import states_events
from gai_core.report.subject import HOPED_FOR, LESS, Subject

E20, ADEMP, FDA = "ICH E20", "ADEMP", "FDA 2019"
FIRST = "first page"
NOT_ADDRESSED = "not addressed"


def always(_subject: Subject) -> bool:
    """An item that its section has in every report."""
    return True


class Item(NamedTuple):
    """What is asked for, by whom, in which section it stands, and when that has it."""

    asked: str
    by: str
    section: str
    there: Callable[[Subject], bool] = always


def _conducted(subject: Subject) -> bool:
    return subject.study.conduct is not None


def _looks_before_the_end(subject: Subject) -> bool:
    return not subject.planned[1].once_at_end


def _less_than_hoped_for(subject: Subject) -> bool:
    return None not in (subject.role(HOPED_FOR), subject.role(LESS))


def _robust(subject: Subject) -> bool:
    return subject.robustness is not None


CHECKLIST = (
    Item("Aims and key questions", f"{E20}; {ADEMP}: aims; {FDA}", "objectives"),
    Item(
        "Estimand",
        f"{E20}; {ADEMP}: estimands",
        "estimand",
        lambda subject: subject.study.estimand is not None,
    ),
    Item("Intercurrent events", E20, "estimand", lambda subject: states_events(subject.study)),
    Item(
        "Design and alternatives considered",
        f"{E20}; {ADEMP}: methods; {FDA}",
        "designs",
        lambda subject: len(subject.study.designs) > 1,
    ),
    Item("Randomisation, accrual, delay, interim looks", E20, "randomisation", _conducted),
    Item(
        "Missing outcomes",
        E20,
        "randomisation",
        lambda subject: subject.study.dropout is not None,
    ),
    Item("Interim decision rules", f"{E20}; {FDA}", "decisions", _looks_before_the_end),
    Item("Multiplicity and error control", f"{E20}; {FDA}", "multiplicity"),
    Item("Error over a grid of nulls", f"{E20}; {FDA}", "errors"),
    Item(
        "Assumed truths and why",
        f"{E20}; {ADEMP}: data; {FDA}",
        "truths",
        lambda subject: bool(
            subject.study.source or any(truth.note for truth in subject.study.truths)
        ),
    ),
    Item("Data generation and number of trials", f"{E20}; {ADEMP}: data; {FDA}", "generation"),
    Item(
        "Monte Carlo error",
        f"{ADEMP}: performance",
        "generation",
        lambda subject: subject.study.simulation.runs > 1,
    ),
    Item("Operating characteristics", f"{E20}; {ADEMP}: performance; {FDA}", "characteristics"),
    Item("Interpretation of the results", f"{E20}; {FDA}", FIRST, lambda subject: subject.reaches),
    Item("Benchmark design", E20, FIRST, lambda subject: subject.usual is not None),
    Item("Comparison at equal error and power", E20, FIRST, lambda subject: subject.reaches),
    Item("A less favourable truth", E20, FIRST, _less_than_hoped_for),
    Item("Power over the effect", f"{E20}; {FDA}", "power", _robust),
    Item("Sensitivity to assumptions", f"{E20}; {FDA}", "sensitivity", _robust),
    Item("Reliability of estimation", f"{E20}; {FDA}", "estimation"),
    Item("Example trials", f"{E20}; {FDA}", "examples"),
    Item("Monitoring and integrity", E20, "monitoring", _conducted),
    Item("Limitations", E20, "limitations"),
    Item("Software, version, seed, recreation", f"{E20}; {ADEMP}; {FDA}", "recreation"),
)


def checklist(subject: Subject, sections: Mapping[str, Section]) -> Section:
    """Where the items of ICH E20, ADEMP and FDA's guidance stand in this report, if they do."""
    rows = tuple((item.asked, item.by, _place(subject, sections, item)) for item in CHECKLIST)
    columns = ("item", "asked for by", "where")
    return Section(
        "Checklist", (Table("Required items and their place", columns, rows, words=3),), "checklist"
    )


def _place(subject: Subject, sections: Mapping[str, Section], item: Item) -> str:
    if not item.there(subject):
        return NOT_ADDRESSED
    if item.section == FIRST:
        return FIRST
    if item.section not in sections:
        return NOT_ADDRESSED
    return f"{refer(item.section)}, {sections[item.section].title}"

"""What a report may say of errors and verdicts: of which designs it is proven, and how they end."""

from collections.abc import Iterator, Sequence

from gai_core.basics import in_a_row
from gai_core.results import MOST_LOOKS, NEVER
from gai_core.study import NOT_BINDING, Design, Study, linked_in_words, which_rules

SIMULATED = (
    "the rate was found in simulated trials of this very study, without proof, and for no other "
    "conduct or size"
)
NOTHING = "no error rate is promised"
DROPS_SO = (
    "The simulated trials, which the error rate rests on, drop doses so; they do not cover keeping "
    "one."
)
ADDS_NOTHING = "leaves the bound on false declarations as it is"
ALLOWED, ONCE = "whenever its limits allow", "once, at the end"
ONCE_OF_ANY = f"{ONCE}, with the number of outcomes that errs most"
"""Where doses may end with unlike numbers, each number has its own test."""
AT_EACH = "After each of its patients (or at each look)"


def proven(study: Study) -> list[str]:
    """The designs whose bound on false declarations is proven."""
    return [design.name for design in study.designs if design.proven]


def of_proven(study: Study) -> str:
    """Of which designs limits bound the error, where not of all."""
    names = proven(study)
    return "" if len(names) == len(study.designs) else f" of {in_a_row(names)}"


def without_proof(study: Study) -> Iterator[str]:
    """What stands in place of a proof, for the designs that have none."""
    for guarantee, words in (("simulated", SIMULATED), ("nothing", NOTHING)):
        names = [design.name for design in study.designs if design.guarantee == guarantee]
        if names:
            yield f"{in_a_row(names)}: {words}."


def own_alone(study: Study) -> str:
    """What a verdict on a dose depends on: its own outcomes, or those of other doses, too."""
    linked = [design.name for design in study.designs if linked_in_words(design)]
    return f"and, with {in_a_row(linked)}, on the verdicts on other doses" if linked else "alone"


def kept_under_rules(study: Study) -> str:
    """The clause that says under which allocation rules the guarantee holds; empty without one."""
    if not proven(study):
        return ""
    return f", so the guarantee{of_proven(study)} holds under {which_rules(study)}"


def kept_by_conduct(study: Study) -> Iterator[str]:
    """Why a conduct keeps the guarantee of the designs that have one."""
    fixed = study.target is None
    own = "outcomes" if fixed else "pairs"
    limits, of = f"A verdict depends on the dose's own {own} {own_alone(study)}", of_proven(study)
    if not proven(study):
        yield f"{limits}."
        yield from without_proof(study)
        return
    yield (
        f"{limits}: the limits{of} bound the chance that the dose's {own} ever cross the wrong one."
    )
    parts = (
        "Accrual, cohorts, looks, randomisation, delay and dropout that have nothing to do with "
        "the outcome, and stopping for a wanted number"
        if fixed
        else "A cohort is allocated before its outcomes, and pairs count in the order of "
        "enrolment, so accrual, cohorts, looks, randomisation, delay and stopping for a wanted "
        "number"
    )
    yield (
        f"{parts} only choose at which of them the dose is looked at, so they keep the "
        f"guarantee{of}."
    )
    if own_alone(study) != "alone":
        yield "It holds whichever verdicts come first."
    equal = [design.name for design in study.designs if design.needs_equal]
    if equal:
        yield f"That of {in_a_row(equal)} holds under {which_rules(study)}."
    yield from without_proof(study)


def looks(study: Study) -> str:
    """How often a dose is looked at, at most, with each of the designs."""
    found: dict[str, list[str]] = {}
    for design in study.designs:
        found.setdefault(_looks_of(study, design), []).append(design.name)
    if len(found) == 1:
        return next(iter(found))
    return ", ".join(f"{words} ({in_a_row(names)})" for words, names in found.items())


def when_looked(study: Study, designs: Sequence[Design]) -> str:
    """When a dose is looked at where an exact error is computed: as each design does it."""
    at_end = [design.name for design in designs if design.once_at_end]
    if not at_end:
        return ALLOWED
    once = ONCE_OF_ANY if study.setting(designs[0]).missing else ONCE
    if len(at_end) == len(designs):
        return once
    return f"{ALLOWED} (with {in_a_row(at_end)}: {once})"


def _looks_of(study: Study, design: Design) -> str:
    criterion, parameters = design.identification
    number = criterion.looks(study.setting(design), parameters).size
    if design.once_at_end or number == 1:
        return "one look"
    return f"up to {number} looks" if number <= MOST_LOOKS else "up to as many looks as outcomes"


def never_drops(design: Design) -> bool:
    """Whether it drops no dose, whatever its outcomes."""
    return design.futility == NEVER


def rules_in_words(design: Design) -> str:
    """When a dose is declared and when it is dropped, at its limits."""
    when = "When the last outcome is known" if design.once_at_end else AT_EACH
    upper, lower = "its outcomes reach the upper limit", "they do not exceed the lower one"
    if design.order is None:
        drops = "; none is ever dropped" if never_drops(design) else f", and dropped if {lower}"
        return f"{when} a dose is declared if {upper}{drops}."
    if never_drops(design):
        return (
            f"{when} a dose is found good if {upper}, and declared when all higher doses are; "
            "none is ever dropped."
        )
    return (
        f"{when} a dose is found good if {upper}, and bad if {lower}. It is declared when all "
        "higher doses are, and dropped when all lower ones are."
    )


def charter(design: Design, table: str) -> Iterator[str]:
    """What a committee does with the doses at a look; `table` says where the limits are."""
    at = "When the last outcome is known" if design.once_at_end else "At a look"
    end = "" if design.once_at_end else ", and its enrolment ends"
    verdict = (
        f"declared{end}."
        if design.order is None
        else f"found good{end}; it is declared when all higher doses are declared, too."
    )
    yield (
        f"{at} every dose without a verdict is set against the decision table of {design.name} "
        f"({table}): a dose that reaches its limit is {verdict}"
    )
    yield _dropping(design)


def _dropping(design: Design) -> str:
    lower = "A dose at or below its lower limit is"
    dropped = "dropped"
    if design.order is not None:
        dropped = "found bad, and dropped when all lower doses are dropped, too"
    if never_drops(design):
        return "No dose is dropped, whatever its outcomes are."
    if design.once_at_end:
        return f"{lower} {dropped}: by then all patients are enrolled."
    if not design.proven:
        kept = f" {DROPS_SO}" if design.guarantee == "simulated" else ""
        return f"{lower} {dropped}.{kept}"
    if design.decision.bounds_dropping:
        return f"{lower} {dropped}. Keeping one that could be dropped {ADDS_NOTHING}."
    return f"Dropping is the committee's advice. {NOT_BINDING}"


def may_stop(design: Design) -> str:
    """What a committee may do at any time, and what that does to the error."""
    stops = "The committee may stop a dose, or the trial, for safety at any time"
    if design.proven:
        return f"{stops}; that {ADDS_NOTHING}."
    if design.guarantee == "simulated":
        return f"{stops}; the simulated trials, which the error rate rests on, did not."
    return f"{stops}."

"""What drops doses where the decision rule does not do so itself, in sentences."""

from collections.abc import Iterator, Sequence

from gai_core.basics import in_a_row
from gai_core.criteria import CRITERIA, EQUAL_RULE, NO_DROPPING, ONE_RATE, SAME_CONTROLS, Criterion
from gai_core.study.judged_in_order import IN_ORDER
from gai_core.study.parts import Design
from gai_core.study.study import Study

NOT_BINDING = (
    "Dropping is not binding: the limits for declaring were made as if no dose were ever dropped. "
    "So a proven bound on false declarations holds whatever drops a dose, and also if one is kept "
    "that could be dropped. What dropping costs is power: a good dose that is "
    "dropped is not declared."
)

DROPS_COUNT = (
    "the error rate was found in simulated trials in which doses are dropped so, and does not "
    "cover keeping one that would be dropped."
)
"""Of designs whose rate was simulated."""


def futility_in_words(study: Study) -> list[str]:
    """How designs with a futility of their own drop doses, and that it is not binding."""
    found = [_of_design(study, design) for design in study.designs if design.futility is not None]
    return [*found, *not_binding(study)]


def not_binding(study: Study) -> list[str]:
    """That futility is not binding, and for which designs that is not known."""
    apart = [design for design in study.designs if design.futility is not None]
    simulated = [
        design.name
        for design in apart
        if design.guarantee == "simulated" and design.futility != NO_DROPPING.key
    ]
    found = [NOT_BINDING] if apart else []
    return [*found, *([f"{in_a_row(simulated)}: {DROPS_COUNT}"] if simulated else [])]


def _of_design(study: Study, design: Design) -> str:
    dropping, errors = design.decision.dropping, study.error_rates
    assert dropping is not None
    how = f"{design.name}, futility {dropping.key}: {dropping.label}, {dropping.formula}."
    if dropping.guarantee == "nothing" or dropping.key not in CRITERIA:
        return f"{how} {dropping.guarantee_text}"
    rate = "delta" if errors.same else "beta"
    return f"{how} The chance of dropping any good dose is at most {rate} = {errors.drop:g}."


def futility_cautions(study: Study) -> Iterator[str]:
    """Designs that drop doses without a promise about good ones."""
    for design in study.designs:
        dropping = design.decision.dropping
        if dropping is not None and dropping.guarantee == "nothing":
            yield (
                f"{design.name}: doses are not dropped by its decision rule ({dropping.label}). "
                f"{dropping.guarantee_text}"
            )


def promised(study: Study, criterion: Criterion) -> str:
    """What a criterion promises in a study; nothing on dropping where a design drops otherwise."""
    designs = [design for design in study.designs if design.criterion == criterion.key]
    text = criterion.promise(study.error_rates, drops=all(d.futility is None for d in designs))
    equal = [d.name for d in designs if d.needs_equal]
    steady = [d.name for d in designs if criterion.needs_one_rate(d.identification[1])]
    if steady:
        text = f"{text} {in_a_row(steady)}: only if the {ONE_RATE}."
    if equal:
        text = f"{text} {in_a_row(equal)}: {SAME_CONTROLS}."
    return " ".join([text, *links_in_words(designs)])


def links_in_words(designs: Sequence[Design]) -> list[str]:
    """How verdicts depend on each other, with the designs for which they do."""
    linked: dict[str, list[str]] = {}
    for design in designs:
        linked.setdefault(linked_in_words(design), []).append(design.name)
    return [f"{in_a_row(names)}: {words}" for words, names in linked.items() if words]


def which_rules(study: Study) -> str:
    """Under which allocation rules bounds hold: any, but for designs that count on an equal one."""
    equal = [d.name for d in study.designs if d.needs_equal]
    if not equal:
        return "any allocation rule"
    if len(equal) == len(study.designs):
        return EQUAL_RULE
    return f"any allocation rule (of {in_a_row(equal)}: {EQUAL_RULE})"


def promise_of(study: Study, design: Design) -> str:
    """What the decision rule of a design promises in a study."""
    criterion, parameters = design.identification
    text = criterion.promise(study.error_rates, parameters, drops=design.futility is None)
    return f"{text} {linked_in_words(design)}".strip()


def linked_in_words(design: Design) -> str:
    """How a verdict on one dose depends on those on others, if it does."""
    if design.order is not None:
        return IN_ORDER
    declares, drops = design.decision.steps_down
    return IN_STEPS[declares, drops] if declares or drops else ""


_LEFT = "leaves its share of the error to the doses that are open (step-down)"
IN_STEPS = {
    (True, True): f"A verdict {_LEFT}: a declaration that of declaring, a drop that of dropping.",
    (True, False): f"A declaration {_LEFT}.",
    (False, True): f"A drop {_LEFT}.",
}

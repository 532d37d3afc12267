"""What drops doses where the decision rule does not do so itself, in sentences."""

from collections.abc import Iterator, Sequence

from gai_core.criteria import CRITERIA, ONE_RATE, SAME_CONTROLS, Criterion
from gai_core.study.judged_in_order import IN_ORDER
from gai_core.study.parts import Design
from gai_core.study.study import Study

NOT_BINDING = (
    "Dropping is not binding: the limits for declaring were made as if no dose were ever dropped. "
    "So the chance of a false declaration stays within its rate whatever drops a dose, and also "
    "if one is kept that could be dropped. What dropping costs is power: a good dose that is "
    "dropped is not declared."
)


def futility_in_words(study: Study) -> list[str]:
    """How designs with a futility of their own drop doses, and that it is not binding."""
    found = [_of_design(study, design) for design in study.designs if design.futility is not None]
    return [*found, NOT_BINDING] if found else []


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
    equal = [d.name for d in designs if criterion.needs_equal(d.identification[1])]
    steady = [d.name for d in designs if criterion.needs_one_rate(d.identification[1])]
    if steady:
        text = f"{text} {' and '.join(steady)}: only if the {ONE_RATE}."
    if equal:
        text = f"{text} {' and '.join(equal)}: {SAME_CONTROLS}."
    linked = {words: _named(designs, words) for d in designs if (words := linked_in_words(d))}
    return " ".join([text, *(f"{names}: {words}" for words, names in linked.items())])


def _named(designs: Sequence[Design], words: str) -> str:
    return " and ".join(d.name for d in designs if linked_in_words(d) == words)


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

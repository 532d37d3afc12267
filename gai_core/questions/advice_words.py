"""The sentences of `gai advise`: every number comes from the comparison at equal power."""

from collections.abc import Iterator

from gai_core.basics import percent, with_error
from gai_core.questions.comparing import SURE, EqualPower
from gai_core.questions.comparing_words import named, ratio_in_words, what_is_equal
from gai_core.results import wishes
from gai_core.study import Truth

NOT_COVERED = "the guarantee does not cover this assumption"
NO_SAVING = "No design surely saves anything here"
Beside = tuple[str, float, float]
"""A design, its average ratio to the benchmark, and the error of that."""


def nothing_reached(found: EqualPower) -> Iterator[str]:
    """What to say where no design with a guarantee reaches the power."""
    wished = f"{100 * found.wish.chance:g}%"
    yield (
        f"No design with a guarantee reaches a chance of {wished} that "
        f"{wishes()[found.wish.quantity].wish}, assuming “{found.under}”: lower the wish, the "
        "target or the demands on the error rates."
    )
    yield from what_is_equal(found)


def sentences(found: EqualPower, chosen: str, beside: Beside | None = None) -> Iterator[str]:
    """The recommendation, what it saves or that nothing does, what is equal, then every truth.

    `beside` is the best design that is not the benchmark, recommended or not.
    """
    yield _recommended(found, chosen)
    yield from _saving(found, chosen, beside)
    yield from what_is_equal(found)
    for truth in found.study.truths:
        yield f"{truth.name}: {'; '.join(_on_truth(found, truth, chosen))}."


def _recommended(found: EqualPower, chosen: str) -> str:
    design = found.study.design(chosen)
    futility = "" if design.futility is None else f", futility {design.futility}"
    criterion, parameters = design.identification
    promise = criterion.promise(found.study.error_rates, parameters, drops=design.futility is None)
    return (
        f"Recommended: {chosen} (rule {design.rule}, criterion {design.criterion}{futility}) with "
        f"at most {found.plan(chosen).value:,} patients. {promise}"
    )


def _saving(found: EqualPower, chosen: str, beside: Beside | None) -> Iterator[str]:
    """On average over the truths, against the benchmark."""
    benchmark = found.benchmark
    if benchmark is None:
        return
    if beside is None:
        yield f"{NO_SAVING}: no other guaranteed design reaches the power."
        return
    name, value, error = beside
    average = (
        f"{ratio_in_words(value, error)} times the patients of "
        f"{named(found, benchmark)}, averaged over truths with and without a dose above the target"
    )
    counted = "(± counts the searches for both n_max, too)"
    if chosen != benchmark:
        yield f"It enrols {average} {counted}."
    else:
        yield f"{NO_SAVING}: {name}, the best of the others, enrols {average} {counted}."


def _on_truth(found: EqualPower, truth: Truth, chosen: str) -> Iterator[str]:
    place = truth.name, chosen
    enrolled = with_error(*found.value(*place, "enrolled"))
    times = ""
    if found.benchmark is not None and chosen != found.benchmark:
        times = f", {ratio_in_words(*found.ratio(*place))} times {found.benchmark}'s"
    months = ""
    if found.study.conduct is not None:
        months = f", in {with_error(*found.value(*place, 'months_end'))} months"
    yield (
        f"{enrolled} patients are enrolled on average and {found.largest(*place):,} at most"
        f"{times}{months}"
    )
    yield from _fewest(found, truth, chosen)
    if found.study.above(truth):
        yield f"a good dose is declared in {_chance(found, truth, chosen, 'good_declared')}"
    else:
        yield "no dose is above the target"
    false = _chance(found, truth, chosen, "false_declaration")
    allowed = f"{100 * found.study.error_rates.declare:g}% are allowed"
    covered = allowed if found.study.covered(truth) else NOT_COVERED
    yield f"any false declaration in {false}, {covered}"


def _chance(found: EqualPower, truth: Truth, design: str, quantity: str) -> str:
    return percent(*found.value(truth.name, design, quantity), found.fresh_runs)


def _fewest(found: EqualPower, truth: Truth, chosen: str) -> Iterator[str]:
    """Another guaranteed design that surely enrols fewer here."""
    if found.benchmark is None:
        return
    able = [name for name in found.reached if found.promised(name)]
    best = min(able, key=lambda name: found.ratio(truth.name, name)[0])
    ratios = (found.ratio(truth.name, name)[0] for name in (best, chosen))
    errors = (found.ratio_error(truth.name, name) for name in (best, chosen))
    fewest, own = ratios
    if best != chosen and own - fewest > SURE * sum(errors):
        patients = with_error(*found.value(truth.name, best, "enrolled"))
        yield f"fewest here are {patients} with {best}"

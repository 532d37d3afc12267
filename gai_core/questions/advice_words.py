"""The recommendation in words: every number comes from the comparison at equal power."""

import math
from collections.abc import Iterator

from gai_core.basics import percent, with_error
from gai_core.questions.comparing import SURE, EqualPower
from gai_core.questions.comparing_words import named, ratio_in_words, what_is_equal
from gai_core.questions.plan_wording import interval_in_words
from gai_core.questions.truth_weights import truth_weights, uncounted
from gai_core.study import Truth, promise_of

NOT_COVERED = "the guarantee does not cover this assumption"
NO_SAVING = "No design surely enrols fewer"
Beside = tuple[str, float, float]
"""A design, its average ratio to the benchmark, and the error of that."""


def nothing_reached(found: EqualPower) -> str:
    """What to say where no design with a guarantee reaches the power, of those compared."""
    return (
        f"No compared design with a proven guarantee reaches {found.wish.in_words}, assuming "
        f"“{found.under}”, within the sample sizes tried: lower the wish, the target or the "
        "demands on the error rates."
    )


def answer(found: EqualPower, chosen: str, beside: Beside | None = None) -> Iterator[str]:
    """The recommendation and its patients, then what it saves or that nothing does.

    `beside` is the best design that is not the benchmark, recommended or not.
    """
    yield (
        f"Use {chosen}: for {found.wish.in_words}, assuming “{found.under}”, it "
        f"{_needs(found, chosen)}."
    )
    benchmark = found.benchmark
    if benchmark is None:
        yield "No group-sequential or fixed design that was compared reaches that."
    elif beside is None:
        yield (
            f"It is {named(found, benchmark)}; no other compared design with a proven guarantee "
            "reaches that."
        )
    elif chosen != benchmark:
        where = _where(found)
        yield (
            f"For that chance at the same error {named(found, benchmark)}, "
            f"{_needs(found, benchmark)} if “{found.under}” is true. "
            f"{where[0].upper()}{where[1:]}, {chosen} enrols {_times(found, beside)}."
        )
    else:
        yield (
            f"{NO_SAVING} for that chance at the same error, {_where(found)}: {beside[0]}, the "
            f"best of the others, enrols {_times(found, beside)}; it {_needs(found, beside[0])} if "
            f"“{found.under}” is true."
        )


def _needs(found: EqualPower, design: str) -> str:
    """The largest sample size of a design, its interval, and patients where the chance is asked."""
    plan = found.plan(design)
    enrolled = with_error(*found.value(found.under, design, "enrolled"))
    size = f"{plan.value:,} patients{interval_in_words(plan)}"
    return f"needs up to {size} and enrols {enrolled} on average"


def _times(found: EqualPower, beside: Beside) -> str:
    """The ratio to the benchmark, over the truths that count."""
    _, value, error = beside
    if math.isinf(error):  # a search could not say which size is surely enough
        return f"about {value:.2g} times as many as {found.benchmark}, which is not known well"
    return f"{ratio_in_words(value, error)} times as many as {found.benchmark}"


def _where(found: EqualPower) -> str:
    """The truths that count, which are those of `truth_weights`, and those that do not."""
    counted = list(truth_weights(found.study))
    if len(counted) == 1:
        where = f"if “{counted[0]}” is true"
    elif _both_kinds(found):
        where = "averaged over assumptions with and without a dose above the target"
    else:
        where = "averaged over the assumed dose-responses"
    others = "; ".join(f"“{truth.name}”, {_why_not(truth)}" for truth in uncounted(found.study))
    return f"{where} (not counted: {others})" if others else where


def _both_kinds(found: EqualPower) -> bool:
    """Whether truths with a dose above the target count and truths without."""
    study = found.study
    return len({study.above(study.truth(name)) for name in truth_weights(study)}) > 1


def _why_not(truth: Truth) -> str:
    """Why a truth does not count: what it has that designs do not know of."""
    return "whose means move with time" if truth.trend else "which has a variance of its own"


def details(found: EqualPower, chosen: str, beside: Beside | None) -> Iterator[str]:
    """What the recommended design is, what is equal, then every truth."""
    yield _what_it_is(found, chosen)
    yield from what_is_equal(found)
    if beside is not None:
        yield from _of_the_ratio(found)
    for truth in found.study.truths:
        yield f"{truth.name}: {'; '.join(_on_truth(found, truth, chosen))}."


def _of_the_ratio(found: EqualPower) -> Iterator[str]:
    """Of what the ratio in the recommendation is, and how uncertain."""
    if len(truth_weights(found.study)) == 1:
        yield "The ± of the ratio in the recommendation counts both searches, too."
        return
    halves = (
        ", in which assumptions with a dose above the target count one half and those without the "
        "other"
        if _both_kinds(found)
        else ""
    )
    yield (
        f"The ratio in the recommendation is one of averages{halves}; its ± counts both searches, "
        "too."
    )


def _what_it_is(found: EqualPower, chosen: str) -> str:
    design = found.study.design(chosen)
    futility = "" if design.futility is None else f", futility {design.futility}"
    promise = promise_of(found.study, design)
    return f"{chosen} is rule {design.rule}, criterion {design.criterion}{futility}. {promise}"


def _on_truth(found: EqualPower, truth: Truth, chosen: str) -> Iterator[str]:
    place = truth.name, chosen
    enrolled = with_error(*found.value(*place, "enrolled"))
    times = ""
    if found.benchmark is not None and chosen != found.benchmark:
        times = f", {ratio_in_words(*found.ratio(*place))} times as many as with {found.benchmark},"
    yield (
        f"{enrolled} patients are enrolled on average{times} and {found.largest(*place):,} in the "
        "largest simulated trial"
    )
    if found.study.conduct is not None:
        yield f"a trial takes {with_error(*found.value(*place, 'months_end'))} months on average"
    yield from _fewest(found, truth, chosen)
    if found.study.above(truth):
        yield f"a good dose is declared in {_chance(found, truth, chosen, 'good_declared')}"
    else:
        yield "no dose is above the target"
    false = _chance(found, truth, chosen, "false_declaration")
    allowed = f"{100 * found.study.error_rates.declare:g}% are allowed"
    kept = found.study.covered(truth, found.study.design(chosen))
    covered = allowed if kept else NOT_COVERED
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

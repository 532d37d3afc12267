"""Designs at equal error and power in words: what is equal, what is not, what is saved."""

import math
from collections.abc import Iterator

from gai_core.basics import error_in_words, in_a_row, mean_share, number, percent, with_error
from gai_core.questions.comparing import SURE, EqualPower, fresh_seed
from gai_core.results import WordTable, kind_of_benchmark, wishes
from gai_core.study import Truth, wanted_in_words

NOT_PROVEN = {
    "nothing": "Promising nothing, and so not at equal error",
    "simulated": "Kept in simulated trials without proof, and so not known to be at equal error",
}
NOT_ASSUMED = "outcomes are not as the designs assume here, so no error is promised"


def equal_power_sentences(found: EqualPower) -> Iterator[str]:
    """What is equal, how it was computed, and what is saved under every truth."""
    yield from what_is_equal(found)
    if found.benchmark is not None:
        for truth in found.study.truths:
            yield saved_in_words(found, truth)


def what_is_equal(found: EqualPower) -> Iterator[str]:
    """What is equal and what is not, how it was computed, and who does not reach it."""
    yield _equal(found)
    yield from _ends(found)
    yield from _computed(found)
    yield from _not_equal(found)
    yield from _more_power(found)
    for plan in found.plans:
        if plan.value is None:
            yield f"{plan.design}: {plan.why_not}."


def _equal(found: EqualPower) -> str:
    """What is the same for all that are set side by side; the error where it is bounded."""
    power = f"the wished power ({found.wish.in_words}, assuming “{found.under}”)"
    if not found.reached:
        return f"Nothing is set side by side: none of the designs compared reaches {power}."
    size = "the largest sample size n_max, which is the smallest that reaches this with each design"
    bare = _unproven(found)
    if len(bare) == len(found.reached):
        return f"Equal: {power} alone. Not equal: the error, which no proof bounds, and {size}."
    rate = 100 * found.study.error_rates.declare
    but = f"; not with {in_a_row(bare)}" if bare else ""
    error = f"any false declaration in at most {rate:g}% of the trials, exactly"
    return f"Equal: the error ({error}{_if_as_assumed(found)}{but}) and {power}. Not equal: {size}."


def _unproven(found: EqualPower) -> list[str]:
    """Designs in the tables whose error no proof bounds."""
    return [name for name in found.reached if not found.promised(name)]


def _if_as_assumed(found: EqualPower) -> str:
    """A condition of the bound, where a truth of the study breaks it."""
    left = any(_uncovered(found, truth) for truth in found.study.truths)
    return ", if outcomes are as assumed" if left else ""


def _uncovered(found: EqualPower, truth: Truth) -> list[str]:
    """The designs whose guarantee does not cover a truth, were they to have one."""
    study = found.study
    return [name for name in found.reached if not study.covered(truth, study.design(name))]


def _unless_assumed(found: EqualPower, truth: Truth) -> str:
    """That a truth is none that the designs assume, or some of them."""
    names = _uncovered(found, truth)
    whose = "" if len(names) == len(found.reached) else f"for {in_a_row(names)}, "
    return f" ({whose}{NOT_ASSUMED})" if names else ""


def _ends(found: EqualPower) -> Iterator[str]:
    """When a trial has its answer, on which the patients enrolled depend."""
    ends = list(wanted_in_words(found.study))
    if not ends:
        yield (
            "The study does not say how many doses are wanted, so a trial goes on until every dose "
            "has a verdict or no open dose may get more patients, at most to its n_max."
        )
        return
    yield from ends


def _computed(found: EqualPower) -> Iterator[str]:
    study = found.study
    searched = (
        f"n_max was searched for with {study.simulation.runs:,} trials per value (seed "
        f"{study.simulation.seed}); its 95% interval stands beside it."
    )
    if not found.fresh:
        yield searched
        return
    yield (
        f"{searched} All else comes from {found.fresh_runs:,} fresh trials per assumption (seed "
        f"{fresh_seed(study)}), on the same patients for all designs; ± is the Monte Carlo "
        "standard error at that n_max."
    )
    if found.benchmark is None:
        yield "No benchmark reaches the wish, so nothing is said about savings."
    else:
        yield f"Benchmark: {named(found, found.benchmark)}. Ratios are of patients enrolled to it."


def named(found: EqualPower, benchmark: str) -> str:
    """The benchmark and what it is."""
    kind = kind_of_benchmark(found.study, benchmark)
    trial = "a group-sequential trial" if kind == "group-sequential" else "the fixed design"
    return f"{benchmark}, {trial}"


def _not_equal(found: EqualPower) -> Iterator[str]:
    """Designs without a proven bound are in the table, but their error is another."""
    for guarantee, words in NOT_PROVEN.items():
        names = [name for name in found.reached if found.study.design(name).guarantee == guarantee]
        if names:
            errors = ", ".join(f"{name} {100 * found.exact_error(name):.2g}%" for name in names)
            yield f"{words} (exact worst case): {errors}."


def _more_power(found: EqualPower) -> Iterator[str]:
    """Designs that could not be smaller: their power need not be close to the wished one."""
    for plan in found.plans:
        if plan.value is not None and plan.next_value is None:
            yield (
                f"{plan.design} reaches the wished power with the smallest n_max that was tried, "
                f"{plan.value:,}, and may have much more."
            )


def savers(found: EqualPower, truth: str) -> list[str]:
    """Guaranteed designs that surely enrol fewer than the benchmark; the fewest first."""
    return [
        name
        for name in _others(found)
        if found.ratio(truth, name)[0] + SURE * found.ratio_error(truth, name) < 1
    ]


def _others(found: EqualPower) -> list[str]:
    """Those that may be set against the benchmark."""
    return [n for n in found.reached if n != found.benchmark and found.promised(n)]


def saved_in_words(found: EqualPower, truth: Truth) -> str:
    """Under a truth: who enrols fewer than the benchmark, or that nobody does."""
    benchmark = found.benchmark
    assert benchmark is not None
    theirs = with_error(*found.value(truth.name, benchmark, "enrolled"))
    base = f"{truth.name}: {benchmark} enrols {theirs} patients"
    if not _others(found):
        return f"{base}; no other compared design with a proven guarantee reaches the wish."
    fewer = sorted(savers(found, truth.name), key=lambda name: found.ratio(truth.name, name)[0])
    caution = _unless_assumed(found, truth)
    if not fewer:
        return f"{base}, and no design {_nearest(found, truth, caution)}."
    each = ", ".join(f"{name} {_times(found, truth, name)}" for name in fewer)
    return f"{base}; fewer are enrolled by {each} as many{caution}."


def _nearest(found: EqualPower, truth: Truth, caution: str) -> str:
    """That no design (surely) saves anything, the one that comes nearest to it, and how near."""
    best = min(_others(found), key=lambda name: found.ratio(truth.name, name)[0])
    words = f"saves anything{caution}: {best} enrols {_times(found, truth, best)} as many"
    if found.ratio(truth.name, best)[0] >= 1:
        return words
    why = "which these trials cannot tell from 1, as uncertain as both n_max are"
    return f"surely {words}, {why}"


def _times(found: EqualPower, truth: Truth, design: str) -> str:
    return f"{ratio_in_words(*found.ratio(truth.name, design))} times"


def ratio_in_words(value: float, error: float) -> str:
    """A ratio with its standard error, which nobody knows where a search ended at its limit."""
    if math.isnan(value):
        return "–"
    if math.isinf(error):
        return f"{value:.3f} (± unknown: a search for n_max ended at the largest allowed)"
    return f"{value:.3f}" if math.isnan(error) else f"{value:.3f} ± {error_in_words(error, 3)}"


def equal_power_tables(found: EqualPower) -> list[WordTable]:
    """What each design needs and errs, then a table per truth."""
    if not found.fresh:
        return []
    return [_sizes(found), *(_on_truth(found, truth) for truth in found.study.truths)]


def _sizes(found: EqualPower) -> WordTable:
    rows = []
    for name in found.reached:
        plan, sized = found.plan(name), found.fresh[name].study
        upper = "more" if plan.sure is None else f"{plan.sure:,}"
        chance = found.value(found.under, name, found.wish.quantity)
        rows.append(
            [
                f"{name} (benchmark)" if name == found.benchmark else name,
                f"{plan.value:,}",
                f"{plan.may:,} to {upper}",
                percent(*chance, found.fresh_runs),
                f"{100 * found.exact_error(name):.2f}%",
                sized.design(name).guarantee,
            ]
        )
    wished = wishes()[found.wish.quantity].label
    columns = [
        "design",
        "n_max",
        "95% interval",
        f"{wished}, fresh trials",
        "any false declaration, exactly at most",
        "guarantee",
    ]
    return WordTable("Each design at its own smallest n_max", columns, rows)


def _on_truth(found: EqualPower, truth: Truth) -> WordTable:
    conducted, runs = found.study.conduct is not None, found.fresh_runs
    good = any(found.study.good(truth))
    rows = []
    for name in found.reached:
        place = truth.name, name
        months = [with_error(*found.value(*place, "months_end"))] if conducted else []
        rows.append(
            [
                name,
                with_error(*found.value(*place, "enrolled")),
                number(found.largest(*place)).removesuffix(".0"),
                "1" if name == found.benchmark else ratio_in_words(*found.ratio(*place)),
                *months,
                percent(*found.value(*place, "any_declared"), runs),
                percent(*found.value(*place, "false_declaration"), runs),
                mean_share(*found.value(*place, "share_on_good")) if good else "–",
            ]
        )
    columns = [
        "design",
        "enrolled",
        "largest seen",
        "ratio to the benchmark",
        *(["months to the end"] if conducted else []),
        "any dose declared",
        "false declaration",
        "patients on good doses",
    ]
    return WordTable(f"{truth.name}: {_what(found)}", columns, rows)


def _what(found: EqualPower) -> str:
    """What is equal, for the head of a table: of the power only what was wished for."""
    bare, power = _unproven(found), "for the same wished power"
    if len(bare) == len(found.reached):
        return power
    return f"at equal error {f'but for {in_a_row(bare)}, ' if bare else 'and '}{power}"

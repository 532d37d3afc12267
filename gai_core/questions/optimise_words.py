"""The best design in words: what it is, what it needs and saves, and what was traded for what."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gai_core.basics import given_in_words, percent, with_error
from gai_core.questions.comparing import SURE, equal_power_table, fresh_seed
from gai_core.questions.comparing_words import equal_power_tables, ratio_in_words
from gai_core.questions.design_trials import Minimise
from gai_core.questions.optimum import Optimum
from gai_core.results import WordTable, kind_of_benchmark, wishes
from gai_core.study import Design, promise_of, wanted_in_words

if TYPE_CHECKING:
    import pandas as pd

NEEDS: dict[Minimise, str] = {
    "enrolled": "patients on average",
    "largest": "patients at most",
    "months": "months on average",
}
"""What is minimised, after a number."""
HEADS: dict[Minimise, str] = {
    "enrolled": "enrolled on average",
    "largest": "n_max",
    "months": "months on average",
}


@dataclass(frozen=True)
class FrontierPoint:
    """A design in the figure of expected against largest enrolment."""

    name: str
    n_max: int
    enrolled: float
    error: float
    """Standard error of the patients enrolled."""
    benchmark: bool
    on_frontier: bool
    """Whether no other has both numbers smaller."""


def frontier_points(found: Optimum) -> list[FrontierPoint]:
    """Every design that was judged."""
    kept = found.on_frontier
    return [
        FrontierPoint(
            name,
            found.n_max(name),
            *found.enrolled(name),
            benchmark=name not in found.found,
            on_frontier=name in kept,
        )
        for name in found.names
    ]


def optimum_sentences(found: Optimum) -> Iterator[str]:
    """The best design and what it is set against; or that none reaches the wish."""
    if found.best is None:
        yield _nothing(found)
    else:
        yield _needs(found, found.best)
        yield f"It is: {design_in_words(found.compared.study.design(found.best))}."
        if found.best in found.found:
            yield from _saving(found, found.best)
        else:
            yield f"{found.best} is a benchmark, and nothing that was found needs less."
        yield _promise(found, found.best)
        yield _both_figures(found, found.best)
    yield from wanted_in_words(found.compared.study)
    yield _searched(found)
    for plan in found.compared.plans:
        if plan.value is None:
            yield f"{plan.design}: {plan.why_not}."


def _nothing(found: Optimum) -> str:
    return (
        f"No design with a guarantee that was tried reaches {_wish(found)} with at most "
        f"{found.aim.limit:,} patients: allow a larger n_max, lower the wish or the target."
    )


def _wish(found: Optimum) -> str:
    wish = found.aim.wish
    return (
        f"a chance of {100 * wish.chance:g}% that {wishes()[wish.quantity].wish}, assuming "
        f"“{found.aim.under}”,"
    )


def _average(found: Optimum) -> str:
    """What an average is over."""
    weights = found.aim.weights
    if len(weights) == 1:
        return f"assuming “{next(iter(weights))}”"
    parts = (f"“{truth}” {100 * weight:.3g}%" for truth, weight in weights.items())
    return f"over {', '.join(parts)}"


def _needs(found: Optimum, best: str) -> str:
    enrolled = with_error(*found.enrolled(best))
    months = ""
    if found.aim.minimise == "months":
        months = f", in {with_error(*found.cost(best))} months"
    return (
        f"{best}: at most {found.n_max(best):,} patients, {enrolled} on average {_average(found)}"
        f"{months}, for {_wish(found).rstrip(',')}."
    )


def design_in_words(design: Design) -> str:
    """Rule, criterion, futility and burn-in with the parameters that differ from their defaults."""
    parts = [
        f"rule {design.rule}{_parameters(design.rule_parameters)}",
        f"criterion {design.criterion}{_parameters(design.criterion_parameters)}",
    ]
    if design.futility is not None:
        parts.append(f"futility {design.futility}{_parameters(design.futility_parameters)}")
    if design.order is not None:
        parts.append("doses in order")
    return ", ".join([*parts, f"burn-in {design.burn_in}"])


def _parameters(given: dict[str, Any]) -> str:
    words = ", ".join(f"{name} {given_in_words(value)}" for name, value in given.items())
    return f" ({words})" if words else ""


def _saving(found: Optimum, best: str) -> Iterator[str]:
    """Against the best benchmark of each kind."""
    for kind in ("group-sequential", "fixed"):
        name = found.benchmark_of_kind(kind)
        if name is None:
            yield f"No {kind} benchmark reaches the wish."
            continue
        value, error = found.ratio(best, name)
        theirs = f"{with_error(*found.cost(name))} {NEEDS[found.aim.minimise]}"
        against = f"the best {kind} benchmark, {name}, which needs {theirs}"
        if value + SURE * error < 1:
            yield f"It needs {ratio_in_words(value, error)} times those of {against}."
        else:
            yield (
                f"It does not surely save anything against {against}: the ratio is "
                f"{ratio_in_words(value, error)}."
            )


def _promise(found: Optimum, best: str) -> str:
    design, rates = found.compared.study.design(best), found.aim.study.error_rates
    promise = promise_of(found.aim.study, design)
    exact = 100 * found.compared.exact_error(best)
    return (
        f"{promise} Exactly, any false declaration has a chance of at most {exact:.2f}% of the "
        f"{100 * rates.declare:g}% that are allowed."
    )


def _both_figures(found: Optimum, best: str) -> str:
    """What the search saw and what fresh trials say."""
    plan = found.compared.plan(best)
    runs = found.compared.fresh_runs
    chance = percent(*found.compared.value(found.aim.under, best, found.aim.wish.quantity), runs)
    before = f"{100 * plan.at[0].chance:.1f}%"
    return (
        f"On the {runs:,} trials of the search {found.costs[best]:.1f} "
        f"{NEEDS[found.aim.minimise]} and a chance of {before}; on {runs:,} fresh trials "
        f"{with_error(*found.cost(best))} and {chance}."
    )


def _searched(found: Optimum) -> str:
    seed = found.aim.study.simulation.seed
    return (
        f"{found.tried:,} designs were tried on the same patients (seed {seed}). Every n_max shown "
        "is the smallest found that surely reaches the wish (Wilson's 95% interval lies above it); "
        f"all else is from fresh trials (seed {fresh_seed(found.aim.study)}); ± is the Monte Carlo "
        "standard error, and that of a ratio counts both searches for n_max, too."
    )


def optimum_tables(found: Optimum) -> list[WordTable]:
    """What was found and the benchmarks, what each design is, then a table per truth."""
    if not found.compared.fresh:
        return []
    _, *of_truths = equal_power_tables(found.compared)
    return [_judged(found), _designs(found), *of_truths]


def _judged(found: Optimum) -> WordTable:
    against = found.benchmark
    minimise = found.aim.minimise
    rows = []
    for name in found.names:
        chance = found.compared.value(found.aim.under, name, found.aim.wish.quantity)
        enrolled = with_error(*found.enrolled(name))
        rows.append(
            [
                name,
                role(found, name),
                f"{found.n_max(name):,}",
                enrolled,
                *([with_error(*found.cost(name))] if minimise == "months" else []),
                "–" if against is None else ratio_in_words(*found.ratio(name, against)),
                percent(*chance, found.compared.fresh_runs),
                f"{100 * found.compared.exact_error(name):.2f}%",
                "yes" if name in found.on_frontier else "no",
            ]
        )
    wished = wishes()[found.aim.wish.quantity].label
    columns = [
        "design",
        "what",
        "n_max",
        HEADS["enrolled"],
        *([HEADS["months"]] if minimise == "months" else []),
        "ratio" if against is None else f"ratio to {against}",
        f"{wished}, fresh trials",
        "any false declaration, exactly at most",
        "on the frontier",
    ]
    return WordTable("Designs that reach the wish", columns, rows)


def role(found: Optimum, name: str) -> str:
    """What a design is in the answer."""
    if name == found.best:
        return "best"
    kind = kind_of_benchmark(found.compared.study, name)
    return "smaller n_max" if name in found.found else f"{kind} benchmark"


def _designs(found: Optimum) -> WordTable:
    rows = []
    for name in found.names:
        cohort = found.searched[name].candidate.cohort
        more = "" if cohort is None else f", cohorts of {cohort}"
        rows.append([name, f"{design_in_words(found.compared.study.design(name))}{more}"])
    return WordTable("What they are", ["design", "what it is"], rows)


def optimum_table(found: Optimum) -> "pd.DataFrame":
    """A row per truth and design, as of designs at equal power, and what the search saw."""
    table = equal_power_table(found.compared)
    aim, named = found.aim, found.searched
    reached = set(found.names)
    table["role"] = [role(found, name) if name in reached else "" for name in table["design"]]
    table["weight"] = [aim.weights.get(truth, 0.0) for truth in table["truth"]]
    table["minimised"] = aim.minimise
    table["search_cost"] = [found.costs.get(name) for name in table["design"]]
    costs = {name: found.cost(name) for name in found.names}
    table["cost"] = [costs[name][0] if name in reached else None for name in table["design"]]
    table["cost_mcse"] = [costs[name][1] if name in reached else None for name in table["design"]]
    table["candidate"] = [named[name].candidate.text for name in table["design"]]
    return table

"""Designs at equal error and equal power: each at its own smallest n_max that reaches a wish.

Saving is a claim about trials that are equally likely to succeed. At one n_max a design that
ends soon may only have given power away. So every design gets the smallest n_max at which its
simulated chance reaches the wish under one truth (the search of `gai plan`), with limits made anew
for it, and is then simulated under all truths. A search keeps the value that came out well on its
own trials, so the numbers that are shown come from fresh ones.

What trialists would run otherwise is always among the designs: a group-sequential trial, and the
fixed one.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gai_core.basics import Argument, InputError, Problem
from gai_core.engine import HERE, Progress, Runs, Work
from gai_core.questions.plan_search import MOST_PATIENTS, Plan, Wish
from gai_core.questions.planning import plan, planned_for, searches
from gai_core.questions.truth_weights import truth_weights
from gai_core.results import (
    NORMAL_95,
    QUANTITIES,
    DeclarationCurve,
    Quantity,
    benchmark_of,
    declaration_curves,
    judged,
    kind_of_benchmark,
    mean,
    paired_ratio,
)
from gai_core.study import (
    LARGEST_SEED,
    Number,
    Study,
    changed,
    fits,
    fixed,
    group_sequential,
    narrowed,
)
from gai_core.theory import worst_case

if TYPE_CHECKING:
    import pandas as pd

USUAL_POWER = Wish("good_declared", 0.8)
"""What trialists ask for first, and what a recommendation rests on unless another is asked."""
LEAST_FRESH_RUNS = 4_000
"""Fresh trials per design and truth, if the study itself has fewer."""
SEARCHING = 0.9
"""Share of the work that is the search."""
SURE = 2.0
"""Standard errors from which on a difference is called one."""
SHOWN = ("enrolled", "any_declared", "false_declaration", "share_on_good")
IN_MONTHS = ("months_first_declaration", "months_end")


@dataclass(frozen=True)
class EqualPower:
    """Every design at its own smallest n_max, simulated on fresh trials."""

    study: Study
    """With the benchmarks that it lacked, and the largest sample size it came with."""
    wish: Wish
    under: str
    """The truth under which the chance is wished for."""
    plans: tuple[Plan, ...]
    fresh: Mapping[str, Runs]
    """Of every design that reaches the wish, under all truths."""
    against: str | None = None
    """The benchmark, where it is chosen."""

    @property
    def reached(self) -> list[str]:
        """The designs that reach the wish, in the study's order."""
        return list(self.fresh)

    @property
    def benchmark(self) -> str | None:
        """What the others are set against: group sequential if that reaches the wish, or fixed."""
        if not self.fresh or self.against is not None:
            return self.against
        return benchmark_of(narrowed(self.study, [self.under], self.reached))

    @property
    def fresh_runs(self) -> int:
        """Fresh trials per design and truth."""
        return next(iter(self.fresh.values())).study.simulation.runs if self.fresh else 0

    def promised(self, design: str) -> bool:
        """Whether a design's error is proven to be bounded, so that others may be set beside it."""
        return self.study.design(design).proven

    def plan(self, design: str) -> Plan:
        """The search for one design."""
        return next(found for found in self.plans if found.design == design)

    def per_trial(self, truth: str, design: str, key: str) -> NDArray[np.float64]:
        """A quantity in every fresh trial of a design."""
        return quantity(key).per_trial(judged(self.fresh[design], truth, design))

    def averaged(self, weights: Mapping[str, float], design: str, key: str) -> NDArray[np.float64]:
        """A quantity in every fresh trial of a design, averaged over truths by their weights."""
        parts = (weight * self.per_trial(truth, design, key) for truth, weight in weights.items())
        return np.asarray(sum(parts), np.float64)

    def value(self, truth: str, design: str, key: str) -> tuple[float, float]:
        """Mean or share of a quantity, and its Monte Carlo standard error."""
        return quantity(key).summary(judged(self.fresh[design], truth, design))

    def largest(self, truth: str, design: str) -> int:
        """The most patients that any fresh trial enrolled."""
        return int(self.per_trial(truth, design, "enrolled").max())

    def declarations(self, design: str) -> DeclarationCurve:
        """The chance of a declaration by N patients, up to the design's own largest number."""
        (curve,) = declaration_curves(self.fresh[design], self.under)
        return curve

    def ratio(self, truth: str, design: str) -> tuple[float, float]:
        """Patients enrolled relative to the benchmark, on the same simulated patients."""
        if self.benchmark is None:
            return math.nan, math.nan
        ours, theirs = (
            self.per_trial(truth, name, "enrolled") for name in (design, self.benchmark)
        )
        return paired_ratio(ours, theirs)

    def over_truths(self, design: str) -> tuple[float, float]:
        """Patients enrolled, averaged over the truths that count, relative to the benchmark's.

        Without a benchmark these are patients. The ratio is that of the averages, as in a search
        for the best design: an average of ratios can be above 1 for each of two designs against
        the other.
        """
        weights = truth_weights(self.study)
        ours = self.averaged(weights, design, "enrolled")
        if self.benchmark is None:
            return mean(ours)
        return paired_ratio(ours, self.averaged(weights, self.benchmark, "enrolled"))

    def ratio_error(self, truth: str, design: str) -> float:
        """The standard error of a ratio that counts how uncertain both searches are, too."""
        ratio, error = self.ratio(truth, design)
        return math.hypot(error, ratio * self.search_error(design))

    def search_error(self, design: str) -> float:
        """What the searches for a design and the benchmark add to the error of a ratio, relatively.

        A sample size is known to about a share of itself, and so are the patients enrolled with
        it. The searches saw the same patients; that their errors go together is not counted on.
        """
        names = {design, self.benchmark or design}
        return math.hypot(*map(self.size_error, names)) if len(names) > 1 else 0.0

    def size_error(self, design: str) -> float:
        """Standard error of a sample size that was searched for, as a share of it."""
        found = self.plan(design)
        assert found.value is not None
        assert found.may is not None
        if found.sure is None:
            return math.inf
        return (found.sure - found.may) / (2 * NORMAL_95) / found.value

    def exact_error(self, design: str) -> float:
        """The most that the chance of any false declaration can be, exactly, at its n_max."""
        sized = self.fresh[design].study
        return worst_case(sized, sized.design(design)).any_false_declaration


def quantity(key: str) -> Quantity:
    """A quantity that every study has."""
    found = QUANTITIES[key]
    assert isinstance(found, Quantity)
    return found


def with_benchmarks(study: Study) -> Study:
    """The study with a group-sequential and a fixed design, where these fit and are missing."""
    kinds = {kind_of_benchmark(study, design.name) for design in study.designs}
    names = {design.name for design in study.designs}
    ready = {"fixed": fixed(study), "group-sequential": group_sequential(study)}
    more = [
        design
        for kind, design in ready.items()
        if kind not in kinds
        and design.name not in names
        and design.identification[0].works_for(study.stream.outcome)
        and fits(study, design)
    ]
    return study.model_copy(update={"designs": (*study.designs, *more)}) if more else study


def hoped_for(study: Study) -> str:
    """The first truth with a dose above the target."""
    return planned_for(study)[0]


def check_equal_power(
    study: Study,
    wish: Wish,
    *,
    under: str | None = None,
    among: tuple[Number, Number] | None = None,
    designs: Sequence[str] = (),
    most_patients: int = MOST_PATIENTS,
) -> tuple[Study, str, list[str]]:
    """The study with its benchmarks, the truth and the designs; refuses what cannot be asked."""
    if study.simulation.runs < 2:
        raise InputError(Problem((Argument("runs"),), "must be at least 2, to know how sure it is"))
    truth = hoped_for(study) if under is None else study.truth(under).name
    for name in designs:
        study.design(name)
    full = with_benchmarks(study)
    every = [design.name for design in full.designs]
    own = {design.name for design in study.designs} - {benchmark_of(full)}
    kept = [name for name in every if not designs or name in designs or name not in own]
    try:
        searches(
            full,
            wish,
            "n_max",
            among=among,
            truths=[truth],
            designs=kept,
            most_patients=most_patients,
        )
    except InputError as error:
        raise InputError(*error.problems) from None
    return full, truth, kept


def equal_power(
    study: Study,
    wish: Wish = USUAL_POWER,
    *,
    under: str | None = None,
    among: tuple[Number, Number] | None = None,
    designs: Sequence[str] = (),
    fresh_runs: int | None = None,
    most_patients: int = MOST_PATIENTS,
    work: Work = HERE,
) -> EqualPower:
    """Every design, or the named ones and the benchmarks, at its own smallest n_max.

    The wish is for one truth, without a name the first with a dose above the target. The search
    simulates the study's own number of trials for every value.
    """
    full, truth, names = check_equal_power(
        study, wish, under=under, among=among, designs=designs, most_patients=most_patients
    )
    searching = replace(work, progress=part_of(work.progress, 0, SEARCHING))
    plans = plan(
        full,
        wish,
        "n_max",
        among=among,
        truths=[truth],
        designs=names,
        most_patients=most_patients,
        work=searching,
    )
    reached = [found for found in plans if found.value is not None]
    runs = fresh_runs or max(study.simulation.runs, LEAST_FRESH_RUNS)
    fresh = {}
    for i, found in enumerate(reached):
        first, last = (SEARCHING + (1 - SEARCHING) * k / len(reached) for k in (i, i + 1))
        sized = _sized(full, found, runs)
        fresh[found.design] = replace(work, progress=part_of(work.progress, first, last)).simulate(
            sized
        )
    return EqualPower(narrowed(full, _all_truths(full), names), wish, truth, tuple(plans), fresh)


def _sized(study: Study, found: Plan, runs: int) -> Study:
    """The study with one design at its sample size, and trials that the search has not seen."""
    alone = narrowed(study, _all_truths(study), [found.design])
    assert found.value is not None
    return changed(alone, n_max=int(found.value), runs=runs, seed=fresh_seed(study))


def fresh_seed(study: Study) -> int:
    """The next seed: every seed gives patients of its own."""
    seed = study.simulation.seed
    return seed + 1 if seed < LARGEST_SEED else 0


def _all_truths(study: Study) -> list[str]:
    return [truth.name for truth in study.truths]


def part_of(progress: Progress | None, first: float, last: float) -> Progress | None:
    """Progress of a part of the work, from one share of the whole to another."""
    if progress is None:
        return None
    whole = 1_000

    def report(done: int, total: int) -> None:
        progress(round(whole * (first + (last - first) * done / max(total, 1))), whole)

    return report


def equal_power_table(found: EqualPower) -> "pd.DataFrame":
    """A row per truth and design; every simulated value with its Monte Carlo standard error."""
    import pandas as pd

    rows = [_row(found, truth.name, name) for truth in found.study.truths for name in found.reached]
    rows += [
        _asked(found, plan_.design) | {"why_not": plan_.why_not}
        for plan_ in found.plans
        if plan_.value is None
    ]
    return pd.DataFrame(rows, columns=_columns(found.study))


def _asked(found: EqualPower, design: str) -> dict[str, object]:
    return {
        "design": design,
        "benchmark": found.benchmark or "",
        "wish": found.wish.quantity,
        "chance": found.wish.chance,
        "under": found.under,
        "why_not": "",
    }


def _row(found: EqualPower, truth: str, design: str) -> dict[str, object]:
    plan_, sized = found.plan(design), found.fresh[design].study
    row = _asked(found, design) | {
        "truth": truth,
        "n_max": plan_.value,
        "n_max_may": plan_.may,
        "n_max_sure": plan_.sure,
        "alpha": found.study.error_rates.declare,
        "exact_false_declaration": found.exact_error(design),
        "guarantee": sized.design(design).guarantee,
        "enrolled_largest": found.largest(truth, design),
        "runs": sized.simulation.runs,
        "seed": sized.simulation.seed,
    }
    ratio = {"enrolled_ratio": found.ratio(truth, design)}
    for key, (value, error) in (
        {key: found.value(truth, design, key) for key in shown_quantities(found.study)} | ratio
    ).items():
        row |= {key: value, f"{key}_mcse": error}
    return row


def shown_quantities(study: Study) -> tuple[str, ...]:
    """What the tables show of every design under every truth."""
    return SHOWN if study.conduct is None else (*SHOWN, *IN_MONTHS)


def _columns(study: Study) -> list[str]:
    simulated = [
        column
        for key in (*shown_quantities(study), "enrolled_ratio")
        for column in (key, f"{key}_mcse")
    ]
    return [
        "truth",
        "design",
        "benchmark",
        "wish",
        "chance",
        "under",
        "n_max",
        "n_max_may",
        "n_max_sure",
        "alpha",
        "exact_false_declaration",
        "guarantee",
        *simulated,
        "enrolled_largest",
        "runs",
        "seed",
        "why_not",
    ]

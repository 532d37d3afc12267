"""The best design for a wish: searched among all that the registries can make, then judged afresh.

Every design that takes part keeps the guaranteed error: only criteria with a proof declare
doses. Each gets the n_max at which it reaches the wish under one truth, and the one that needs
least, averaged over weighted truths, is the best (`design_race.py`). A search keeps what came out
well on its own trials. So the winner, the designs that trade expected for largest enrolment, and
the benchmarks get their n_max anew on many trials (`design_sizes.py`) and are simulated on fresh
ones; both figures are shown.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_args

from gai_core.basics import (
    Argument,
    InputError,
    Problem,
    shown,
    suggestion,
)
from gai_core.engine import HERE, Work
from gai_core.questions.comparing import USUAL_POWER, EqualPower, hoped_for, part_of
from gai_core.questions.design_candidate import Candidate
from gai_core.questions.design_finals import Sized, afresh, each_alone, promising, with_names
from gai_core.questions.design_race import EFFORTS, Effort, Race, Tell
from gai_core.questions.design_space import NO_ORDER, ORDER, Space
from gai_core.questions.design_trials import Aim, Minimise, Worth, all_worth
from gai_core.questions.optimum import Optimum
from gai_core.questions.plan_search import MOST_PATIENTS, Wish, wished_quantity
from gai_core.questions.truth_weights import inert_truth
from gai_core.results import kind_of_benchmark
from gai_core.study import LARGEST_N_MAX, Study, every_ready_made

JUDGED_RUNS = 20_000
"""Trials on which a found design gets its n_max, and fresh ones on which it is judged."""
LEAST_RUNS = 100
MOST_OF_A_KIND = {"group-sequential": 3, "fixed": 2}
"""Benchmarks that are judged: the best of their kind in the search."""
SEARCHING = 0.7
"""Share of the work that is the search."""
N_MAX = "n_max"

Within = Mapping[str, Sequence[Any]]


def optimise(
    study: Study,
    wish: Wish = USUAL_POWER,
    *,
    under: str | None = None,
    over: Mapping[str, float] | None = None,
    minimise: Minimise = "enrolled",
    within: Within | None = None,
    effort: str | Effort = "usual",
    runs: int = JUDGED_RUNS,
    most_patients: int = MOST_PATIENTS,
    work: Work = HERE,
    tell: Tell | None = None,
) -> Optimum:
    """The design that reaches the wish with the fewest patients, and keeps the guaranteed error.

    The chance is wished for `under` one truth, without a name the first with a dose above the
    target. Patients are averaged `over` truths by their weights: without any, half that one and
    half the one in which doses do least. `within` restricts what is tried, {"n_max": [400]} for
    example; without it n_max is the study's at most. `tell` hears of the best so far. The same
    call gives the same answer.
    """
    aim, space = check_optimise(
        study,
        wish,
        under=under,
        over=over,
        minimise=minimise,
        within=within,
        effort=effort,
        runs=runs,
        most_patients=most_patients,
    )
    spent = EFFORTS[effort] if isinstance(effort, str) else effort
    racing = replace(work, progress=part_of(work.progress, 0, SEARCHING))
    race = Race(aim, space, spent, racing)
    last = race.run(space.starts(), tell)
    judging = replace(work, progress=None)
    benchmarks = _benchmarks(aim, spent, judging, in_order=ORDER in (within or {}))
    known = {one.candidate for one in benchmarks.values()}
    candidates = [one for one in promising(last) if one.candidate not in known]
    report = partial(part_of, work.progress)
    asked = [*candidates, *benchmarks.values()]
    sizes = each_alone(Sized.of, aim, asked, runs, replace(work, progress=report(SEARCHING, 0.9)))
    found = with_names(sizes[: len(candidates)])
    chosen = found | dict(zip(benchmarks, sizes[len(candidates) :], strict=True))
    reached = {name: one for name, one in chosen.items() if one.plan.value is not None}
    trials = each_alone(
        afresh, aim, list(reached.items()), runs, replace(work, progress=report(0.9, 1))
    )
    designs = tuple(one.worth.candidate.design(name) for name, one in chosen.items())
    compared = EqualPower(
        study.model_copy(update={"designs": designs}) if designs else study,
        wish,
        aim.under,
        tuple(replace(one.plan, design=name) for name, one in chosen.items()),
        dict(zip(reached, trials, strict=True)),
    )
    answer = Optimum(
        aim,
        compared,
        {name: one.worth for name, one in chosen.items()},
        {name: one.cost for name, one in reached.items()},
        tuple(name for name in found if name in reached),
        race.size,
    )
    return replace(answer, compared=replace(compared, against=answer.benchmark))


def check_optimise(
    study: Study,
    wish: Wish,
    *,
    under: str | None = None,
    over: Mapping[str, float] | None = None,
    minimise: Minimise = "enrolled",
    within: Within | None = None,
    effort: str | Effort = "usual",
    runs: int = JUDGED_RUNS,
    most_patients: int = MOST_PATIENTS,
) -> tuple[Aim, Space]:
    """What is asked, made ready; refuses what cannot be."""
    _check_choice("minimise", minimise, get_args(Minimise))
    if isinstance(effort, str):
        _check_choice("effort", effort, EFFORTS)
    if minimise == "months" and study.conduct is None:
        rule = "months need a study with a [conduct]"
        raise InputError(Problem((Argument("minimise"),), rule, whole=True))
    if runs < LEAST_RUNS:
        raise InputError(Problem((Argument("runs"),), f"must be at least {LEAST_RUNS}"))
    wished_quantity(study, wish.quantity)
    truth = hoped_for(study) if under is None else study.truth(under).name
    others = {name: values for name, values in (within or {}).items() if name != N_MAX}
    limit = _limit(study, (within or {}).get(N_MAX))
    aim = Aim(study, wish, truth, _weights(study, truth, over), minimise, limit)
    space = Space(study, others)
    if not space.starts():
        rule = "no design that fits the study is left to be tried"
        raise InputError(
            Problem((Argument("within"),), rule, remedy="allow more values", whole=True)
        )
    most = runs * limit * len(study.truths)
    if most > most_patients:
        rule = (
            f"one design could need {most:.2g} simulated patients, and at most "
            f"{most_patients:.2g} are allowed"
        )
        remedy = "allow a smaller n_max"
        raise InputError(Problem((Argument("within"),), rule, remedy=remedy, whole=True))
    return aim, space


def _check_choice(argument: str, value: str, known: Iterable[str]) -> None:
    if value not in known:
        rule, remedy = f"{shown(value)} is no choice", suggestion(value, known)
        raise InputError(Problem((Argument(argument),), rule, remedy=remedy, whole=True))


def _limit(study: Study, values: Sequence[Any] | None) -> int:
    """The largest n_max that is allowed: the study's own where none is given."""
    if values is None:
        return study.simulation.n_max
    whole = [value for value in values if isinstance(value, int) and 2 <= value <= LARGEST_N_MAX]
    if not values or len(whole) < len(values):
        rule = f"n_max must be a whole number from 2 to {LARGEST_N_MAX:,}"
        raise InputError(Problem((), rule), source=((Argument("within"),), ""))
    return max(whole)


def _weights(study: Study, under: str, over: Mapping[str, float] | None) -> dict[str, float]:
    """What every truth counts, 1 in all: half the one of the wish, half the inert one."""
    if over is not None:
        given = {study.truth(name).name: float(weight) for name, weight in over.items()}
        if not given or not all(0 < weight < math.inf for weight in given.values()):
            raise InputError(Problem((Argument("over"),), "every weight must be a positive number"))
        whole = sum(given.values())
        return {name: weight / whole for name, weight in given.items()}
    inert = inert_truth(study)
    if inert is None:
        return {under: 1.0}
    return {under: 0.5, inert.name: 0.5}


def _benchmarks(aim: Aim, effort: Effort, work: Work, in_order: bool) -> dict[str, Worth]:
    """The benchmarks that need least in the search, by their names: fixed, and group sequential.

    A fixed test in order is one where the order is assumed: asked for, or stated by a design.
    """
    assumed = in_order or any(design.order is not None for design in aim.study.designs)
    plain = Space(aim.study, {ORDER: (NO_ORDER, "increasing")} if assumed else None)
    ready = every_ready_made(aim.study)
    full = aim.study.model_copy(update={"designs": tuple(ready)})
    kinds: dict[str, dict[str, Candidate]] = {kind: {} for kind in MOST_OF_A_KIND}
    for design in ready:
        kind = kind_of_benchmark(full, design.name)
        made = plain.made(design.model_dump(exclude={"name"})) if kind in kinds else None
        if kind is not None and made is not None:
            kinds[kind][design.name] = made
    found: dict[str, Worth] = {}
    for kind, candidates in kinds.items():
        guesses = [(candidate, aim.limit / 2) for candidate in candidates.values()]
        worths = all_worth(
            aim, guesses, effort.more, effort.nears[effort.more], replace(work, progress=None)
        )
        named = zip(candidates, worths, strict=True)
        ranked = sorted((pair for pair in named if pair[1].reaches), key=lambda pair: pair[1].cost)
        found |= dict(ranked[: MOST_OF_A_KIND[kind]])
    return found

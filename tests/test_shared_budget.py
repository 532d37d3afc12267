"""Doses that share the patients share the error: never more than allowed, however patients go."""

import itertools
from functools import cache

import numpy as np
import pytest

from gai_core import simulate
from gai_core.criteria.exact import EXACT, ExactParameters
from gai_core.evidence import Bernoulli, ErrorRates, Gaussian, Outcome, Setting
from gai_core.evidence.shared_budget import best_price, price_value, shared_bound
from gai_core.study import Design, Study, load_study
from gai_core.theory import error_bounds, is_broken, worst_case


def counts(last: int, limits: dict[int, int]) -> np.ndarray:
    """Counts from which a dose is declared: at some n, else never."""
    accept = np.arange(last + 1) + 1
    for n, count in limits.items():
        accept[n] = count
    return accept


SMALL = [
    (0.4, counts(4, {2: 2, 3: 2, 4: 3}), 1),
    (0.4, counts(4, {2: 2, 4: 3}), 0),
    (0.2, counts(4, {1: 1}), 1),
    (0.7, counts(4, {4: 4}), 2),
    (0.5, counts(4, {3: 2, 4: 4}), 1),
]


@pytest.mark.parametrize(("p", "accept", "burn_in"), SMALL)
@pytest.mark.parametrize("price", [0.001, 0.02, 0.1, 0.4])
def test_the_value_of_a_price_is_the_best_of_all_stopping_rules(
    p: float, accept: np.ndarray, burn_in: int, price: float
) -> None:
    """Independent: every set of states in which a dose might be stopped is tried."""
    last = accept.size - 1
    states = [(n, s) for n in range(burn_in, last) for s in range(n + 1)]
    best = -np.inf
    for chosen in itertools.product([False, True], repeat=len(states)):
        stops = {state for state, stop in zip(states, chosen, strict=True) if stop}
        best = max(best, _value_of(p, accept, price, stops))
    found, patients = price_value(p, accept, burn_in, price)
    assert found == pytest.approx(best, abs=1e-12)
    assert burn_in - 1e-12 <= patients <= last


def _value_of(p: float, accept: np.ndarray, price: float, stops: set[tuple[int, int]]) -> float:
    """E[1{crossed} - price N] of one stopping rule, over all paths."""
    last = accept.size - 1

    def of(n: int, s: int) -> float:
        if n > 0 and s >= accept[n]:
            return 1.0
        if n == last or (n, s) in stops:
            return 0.0
        return p * of(n + 1, s + 1) + (1 - p) * of(n + 1, s) - price

    return of(0, 0)


@pytest.mark.parametrize(("p", "accept", "burn_in"), SMALL)
@pytest.mark.parametrize("together", [4, 5, 7])
def test_no_allocation_of_two_doses_errs_more_than_the_bound(
    p: float, accept: np.ndarray, burn_in: int, together: int
) -> None:
    """Independent: the allocation that errs most, found over all states of both doses."""
    last = accept.size - 1

    @cache
    def worst(first: tuple[int, int], second: tuple[int, int]) -> float:
        """The most wrong verdicts to come, with the patients that are left."""
        values = [0.0]
        left = together - first[0] - second[0]
        for arms in ((first, second), (second, first)):
            (n, s), other = arms
            if left == 0 or n == last or (n > 0 and s >= accept[n]):
                continue
            after = []
            for outcome in (1, 0):
                new = n + 1, s + outcome
                after.append(worst(new, other) + (new[1] >= accept[new[0]]))
            values.append(p * after[0] + (1 - p) * after[1])
        return max(values)

    bound = shared_bound([p, p], accept, 0, together)
    assert worst((0, 0), (0, 0)) <= bound + 1e-12
    if together >= 2 * burn_in:  # a burn-in for both leaves fewer choices
        assert shared_bound([p, p], accept, burn_in, together) <= bound + 1e-12


def test_the_best_price_gives_the_least_bound() -> None:
    accept = EXACT.curves_of(
        Setting(3, 0.4, ErrorRates.both(0.1), Bernoulli(), 60, 3), ExactParameters()
    ).accept
    found = shared_bound([0.4] * 3, accept, 3, 60)
    price = best_price([0.4] * 3, accept, 3, 60)
    for other in price * np.geomspace(0.1, 10, 21):
        assert found <= 3 * price_value(0.4, accept, 3, other)[0] + other * 60 + 1e-9
    ever, _ = price_value(0.4, accept, 3, 0.0)
    assert found < 3 * ever  # less than if every dose could have all patients


@pytest.mark.parametrize("xi", [0.5, 0.3, 0.12])
@pytest.mark.parametrize("errors", [(0.05, 0.05), (0.025, 0.1)])
@pytest.mark.parametrize("chosen", [{}, {"shape": "wang-tsiatis"}, {"looks": 20}])
def test_the_exact_bound_is_within_each_error_rate_and_mostly_used(
    xi: float, errors: tuple[float, float], chosen: dict[str, object]
) -> None:
    study = _study(xi, errors, {"share": "budget", "up_to": "possible", **chosen})
    worst = worst_case(study, study.designs[0])
    assert not is_broken(worst.list_share)
    assert worst.list_share > 0.8
    each = worst_case(_study(xi, errors, {"share": "bonferroni", **chosen}), study.designs[0])
    assert worst.false_declaration >= each.false_declaration * 0.98


def _study(xi: float, errors: tuple[float, float], chosen: dict[str, object]) -> Study:
    means = [xi - 1e-9] * 2 + [xi] * 2
    design = {"name": "d", "rule": "nearest-finish", "criterion": "exact", "burn_in": 3}
    study = {
        "title": "corners",
        "threshold": xi,
        "errors": {"declare": errors[0], "drop": errors[1]},
        "outcome": {"kind": "bernoulli"},
        "arms": [{"label": str(arm)} for arm in range(4)],
        "truths": [
            {"name": "half good", "means": means},
            {"name": "all bad", "means": [xi - 1e-9] * 4},
            {"name": "one bad", "means": [xi - 1e-9] + [min(0.99, xi + 0.4)] * 3},
        ],
        "designs": [{**design, "criterion_parameters": chosen}],
        "simulation": {"n_max": 120, "runs": 4000, "seed": 3},
    }
    return Study.model_validate(study)


@pytest.mark.parametrize("xi", [0.5, 0.3])
def test_simulated_errors_at_the_corners_are_within_one_delta_for_both(xi: float) -> None:
    """Doses a hair below the target beside doses at it: every verdict would be wrong."""
    study = _study(xi, (0.1, 0.1), {"share": "budget"})
    for truth in study.truths:
        trials = simulate(study)[truth.name, "d"]
        good = np.array(study.good(truth))
        wrong = np.where(good, trials.verdict == -1, trials.verdict == 1).any(axis=1)
        assert wrong.mean() < 0.1 + 3 * np.sqrt(0.1 * 0.9 / wrong.size)
        false, missed = error_bounds(study, study.designs[0], truth)
        assert max(false, missed) <= 0.1 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("outcome", "looks", "words"),
    [
        (Gaussian(kind="gaussian", variance=1.0), 1, "for scores"),
        (Bernoulli(), "end", "equal share"),
        (Bernoulli(), {"equal": 3}, "equal share"),
    ],
)
def test_scores_and_equal_shares_have_no_budget_and_say_so(
    outcome: Outcome, looks: object, words: str
) -> None:
    setting = Setting(3, 0.5, ErrorRates.both(0.05), outcome, 60, 3)
    problem = EXACT.problem(setting, ExactParameters(share="budget", looks=looks))  # type: ignore[arg-type]
    assert problem is not None
    assert problem.place == ("share",)
    assert words in problem.rule
    assert EXACT.problem(setting, ExactParameters(looks=looks)) is None  # type: ignore[arg-type]


def test_limits_for_as_many_patients_as_one_dose_can_get() -> None:
    """n_max - (K-1) burn_in: the same limits as if that number had been given."""
    study = load_study("tofacitinib")
    possible, given = (
        Design(name=name, rule="equal", criterion="exact", criterion_parameters=chosen)
        for name, chosen in (
            ("possible", {"up_to": "possible"}),
            ("given", {"largest": study.simulation.n_max - 5 * 5}),
        )
    )
    assert possible.burn_in == 5
    assert study.curves(possible).accept.tolist() == study.curves(given).accept.tolist()
    assert study.curves(possible).reject.tolist() == study.curves(given).reject.tolist()


@pytest.mark.parametrize("name", ["tofacitinib-conduct", "tofacitinib-placebo"])
def test_no_dose_with_a_verdict_gets_more_than_is_possible_in_conducted_trials(name: str) -> None:
    study = load_study(name)
    design = study.designs[0].model_copy(
        update={
            "name": "d",
            "rule": "thompson",
            "criterion": "posterior",
            "criterion_parameters": {},
        }
    )
    small = {"n_max": 60, "runs": 200}
    study = study.model_copy(
        update={
            "designs": (design.model_copy(update={"futility": None, "burn_in": 2}),),
            "simulation": study.simulation.model_copy(update=small),
        }
    )
    most = study.setting(study.designs[0]).possible_count
    for truth in study.truths:
        trials = simulate(study)[truth.name, "d"]
        decided = (trials.verdict[:, study.candidates] != 0).any(axis=1)
        assert decided.any()
        assert trials.assigned[decided][:, study.candidates].max(initial=0) <= most

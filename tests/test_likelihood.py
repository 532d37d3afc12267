"""Pairs of responses judged by their likelihood: valid, exact, and worth it where rates are low."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from naive_pairs import likelihood
from test_pairs import LATE, RATES, against_control, assert_as_on_the_page

from gai_core import Study, simulate
from gai_core.evidence import RatePairs, Seen
from gai_core.evidence.bookkeeping import BY_CONTROLS
from gai_core.evidence.pair_crossing import mirrored_rows, one_law, worst_declared
from gai_core.evidence.pair_likelihood import alternatives, least_excess, log_evidence
from gai_core.results import decision_table, decisions_in_words, limits, shown_rows
from gai_core.study import study_or_problems, validated
from gai_core.theory.exact_errors import arm_law, error_bounds, worst_case

MARGINS = [0.0, 0.2, -0.15, 0.9, -0.7]
FREE = 0.0, 1.0


def by_likelihood(
    margin: float = 0.0, design: dict[str, Any] | None = None, **conduct: Any
) -> Study:
    """A placebo and three doses."""
    target = {"over": "control", "margin": margin, "evidence": "likelihood"}
    return against_control(RATES, design or {}, target=target, **conduct)


# --- the evidence -----------------------------------------------------------------------------


@pytest.mark.parametrize("margin", MARGINS)
def test_a_pair_has_a_mean_of_at_most_one_under_every_null(margin: float) -> None:
    """Every alternative of the mixture, over a fine grid of rates at the margin and below it."""
    none, dose, control = np.exp(alternatives(margin))
    for c, below in itertools.product(np.linspace(0, 1, 201), (0.0, 0.01, 0.1, 0.5)):
        rate = min(c + margin - below, 1.0)
        if rate >= 0:
            mean = none * (1 - rate + rate * dose) * (1 - c + c * control)
            assert mean.max() <= 1 + 1e-12


def test_every_alternative_has_its_closest_null() -> None:
    """Random alternatives and margins: the ratio against the closest rates has the same form."""
    generator = np.random.default_rng(5)
    for _ in range(200):
        margin = generator.uniform(-0.6, 0.6)
        t0 = generator.uniform(max(0, -margin), min(1, 1 - margin))
        t1 = generator.uniform(t0 + margin, 1)
        low, high = max(t0, 0.0), min(t1 - margin, 1.0)
        for _ in range(100):  # the slope of d(t1, p+m) + d(t0, p) rises with p
            p = (low + high) / 2
            dose, control = (p + margin) * (1 - p - margin), p * (1 - p)
            rises = (p + margin - t1) / dose + (p - t0) / control > 0
            low, high = (low, p) if rises else (p, high)
        bet = (t1 - p - margin) / dose
        assert bet == pytest.approx((p - t0) / control, rel=1e-6)
        assert 0 < bet <= min(1 / (p + margin), 1 / (1 - p)) * (1 + 1e-6)
        for c in np.linspace(max(0, -margin), min(1, 1 - margin), 41):
            mean = (1 + bet * (c - p)) * (1 - bet * (c - p))
            assert mean <= 1 + 1e-12
        ratio = t1 / (p + margin) * t0 / p
        assert ratio == pytest.approx((1 + bet * (1 - p - margin)) * (1 - bet * (1 - p)), rel=1e-5)


@pytest.mark.parametrize("margin", [0.0, 0.25, -0.1])
def test_the_evidence_is_that_of_the_page(margin: float) -> None:
    generator = np.random.default_rng(3)
    pairs = [(float(x), float(y)) for x, y in generator.integers(0, 2, (30, 2))]
    n, a, b = len(pairs), sum(x for x, _ in pairs), sum(y for _, y in pairs)
    assert log_evidence(margin, n, a, b) == pytest.approx(math.log(likelihood(pairs, margin)))


@pytest.mark.parametrize("margin", MARGINS)
def test_limits_are_the_least_excess_with_enough_evidence(margin: float) -> None:
    last, needed = 25, np.full(26, 2.0)
    needed[7] = np.inf
    rows = least_excess(margin, needed)
    assert (rows[0] == 1).all()
    for n in range(1, last + 1):
        for b in range(last + 1):
            a = np.arange(n + 1)
            enough = np.flatnonzero((log_evidence(margin, n, a, b) >= needed[n]) & (b <= n))
            assert rows[n, b] == (enough[0] - b if enough.size else n + 1)


# --- the law ----------------------------------------------------------------------------------


def some_limits(margin: float, last: int) -> tuple[Any, Any]:
    """Limits of either side for an error that short trials reach."""
    needed = np.full(last + 1, 1.5)
    return least_excess(margin, needed), mirrored_rows(least_excess(-margin, needed))


def worst_by_hand(margin: float, rates: Any, accept: Any, reject: Any) -> float:
    """The largest chance to be declared, the control's rate chosen anew for every pair."""
    last, seen = len(accept) - 1, {}

    def chance(n: int, a: int, b: int) -> float:
        if n and a - b >= accept[n, b]:
            return 1.0
        if n == last or (n and a - b <= reject[n, b]):
            return 0.0
        if (n, a, b) not in seen:
            both = [chance(n + 1, a + x, b + y) for x in (0, 1) for y in (0, 1)]
            dose, control = rates + margin, rates
            weights = (1 - dose) * (1 - control), (1 - dose) * control, dose * (1 - control)
            total = sum(w * v for w, v in zip((*weights, dose * control), both, strict=True))
            seen[n, a, b] = float(np.max(total))
        return seen[n, a, b]

    return chance(0, 0, 0)


@pytest.mark.parametrize("margin", [0.0, 0.2, -0.15])
@pytest.mark.parametrize("ends", [FREE, (0.1, 0.3)])
def test_the_worst_course_is_that_of_a_search_over_all(
    margin: float, ends: tuple[float, float]
) -> None:
    accept, reject = some_limits(margin, 9)
    rates = np.linspace(max(ends[0], -margin), min(ends[1], 1 - margin), 801)
    found = worst_declared(margin, ends, accept, reject)
    assert found == pytest.approx(worst_by_hand(margin, rates, accept, reject), rel=1e-5)
    assert found <= math.exp(-1.5)


def test_one_rate_has_its_own_law() -> None:
    """Against counting every path of six pairs."""
    accept, reject = some_limits(0.1, 6)
    dose, control = 0.5, 0.3
    good, bad = np.zeros(7), np.zeros(7)
    for path in itertools.product([(0, 0), (0, 1), (1, 0), (1, 1)], repeat=6):
        chance, a, b = 1.0, 0, 0
        for n, (x, y) in enumerate(path, 1):
            a, b = a + x, b + y
            chance *= (dose if x else 1 - dose) * (control if y else 1 - control)
            verdict = BY_CONTROLS.judge(n, a - b, b, 0.1, accept[n], reject[n])
            if verdict:
                # All that can follow have the chance 1 together: each path has its part of it.
                (good if verdict > 0 else bad)[n] += chance * 4.0 ** (n - 6)
                break
    found = one_law(dose, control, accept, reject)
    assert found[0] == pytest.approx(good)
    assert found[1] == pytest.approx(bad)


def test_what_is_drawn_decides_as_the_limits_do() -> None:
    outcome, margin, last = RatePairs(), 0.1, 14
    accept, reject = some_limits(margin, last)
    n = np.arange(1, last + 1)
    upper, lower = outcome.limits_drawn(n, accept[1:] * 1.0, reject[1:] * 1.0, margin)
    generator = np.random.default_rng(4)
    for _ in range(200):
        x, y = generator.integers(0, 2, (2, last))
        drawn, b = outcome.running(x - y, margin, y), np.cumsum(y)
        for i in range(last):
            s = np.cumsum(x - y)[i]
            assert (drawn[i] >= upper[i] - 1e-9) == (s >= accept[i + 1, b[i]])
            assert (drawn[i] <= lower[i] + 1e-9) == (s <= reject[i + 1, b[i]])


def test_the_usual_interval_is_that_of_two_rates() -> None:
    """Wald's, by hand: 12 of 20 on the dose and 5 of 20 controls."""
    seen = Seen(np.array([20, 0]), np.array([7, 0]), np.array([5.0, 0.0]), 0.1)
    low, high = RatePairs().usual_interval(seen)
    half = 1.959964 * math.sqrt((0.6 * 0.4 + 0.25 * 0.75) / 20)
    assert (low[0], high[0]) == pytest.approx((0.35 - half, 0.35 + half), rel=1e-6)
    assert np.isnan(low[1])


# --- designs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", [
    {}, {"shape": "obrien-fleming"}, {"shape": "mixture", "looks": 5},
    {"looks": [10, 20, 30]}, {"looks": {"equal": 3}}, {"looks": "end"},
], ids=str)  # fmt: skip
def test_exact_limits_use_what_they_may_and_no_more(parameters: dict[str, Any]) -> None:
    design = {"rule": "equal", "criterion": "exact", "criterion_parameters": parameters}
    study = by_likelihood(0.1, design)
    worst = worst_case(study, study.designs[0])
    assert 0.7 * worst.arm_allowance < worst.false_declaration <= worst.arm_allowance
    assert 0.7 * worst.drop_allowance < worst.miss <= worst.drop_allowance


@pytest.mark.parametrize(("declares", "drops"), [(20, 10), (10, 20)])
def test_limits_of_both_sides_need_not_be_for_as_many_pairs(declares: int, drops: int) -> None:
    def limits_for(largest: int, futility: str | None = None) -> Any:
        design: dict[str, Any] = {"rule": "equal", "criterion": "exact", "futility": futility}
        design["criterion_parameters"] = {"largest": largest}
        if futility is not None:
            design["futility_parameters"] = {"largest": drops}
        study = by_likelihood(0.1, design)
        return study.curves(study.designs[0])

    joined, dropping = limits_for(declares, "exact"), limits_for(drops)
    assert (joined.accept == limits_for(declares).accept).all()
    for n in range(1, declares + 1):
        if n <= drops:
            assert (joined.reject[n, : n + 1] == dropping.reject[n, : n + 1]).all()
        else:
            assert (joined.reject[n, : n + 1] == -n - 1).all()


@pytest.mark.parametrize("margin", [0.0, 0.2, -0.1])
def test_the_mixture_is_within_its_allowance_under_every_rate(margin: float) -> None:
    study = by_likelihood(margin)
    worst = worst_case(study, study.designs[0])
    assert worst.false_declaration <= worst.arm_allowance
    assert worst.miss <= worst.drop_allowance
    for rate in np.linspace(max(0.0, -margin), min(1.0, 1 - margin), 7):
        law = arm_law(study, study.designs[0], margin, control=float(rate))
        assert law.ever_good <= worst.false_declaration * (1 + 1e-9)
        assert law.ever_bad <= worst.miss * (1 + 1e-9)


def test_a_range_of_the_control_allows_more() -> None:
    design = {"rule": "equal", "criterion": "exact"}
    free = by_likelihood(0.1, design)
    target = {"over": "control", "margin": 0.1, "evidence": "likelihood", "control_at_most": 0.2}
    narrow = validated(free.model_dump() | {"target": target}, "test")
    accept = [study.curves(study.designs[0]).accept for study in (free, narrow)]
    assert (accept[1] <= accept[0]).all()
    assert (accept[1] < accept[0]).any()
    worst = worst_case(narrow, narrow.designs[0])
    assert worst.false_declaration <= worst.arm_allowance


@pytest.mark.parametrize("trend", [None, 0.03, -0.03])
def test_doses_like_the_control_are_declared_within_alpha(trend: float | None) -> None:
    truth = {"name": "null", "means": [0.4] * 4, "trend": trend}
    study = by_likelihood(0.0, {"criterion": "exact"})
    runs = {"runs": 4000, "n_max": 90, "seed": 2}
    study = validated(study.model_dump() | {"truths": [truth], "simulation": runs}, "test")
    assert study.covered(study.truths[0])
    false = (simulate(study)["null", "one"].verdict == 1).any(axis=1).mean()
    assert 0.05 < false <= study.error_rates.declare
    assert false <= error_bounds(study, study.designs[0], study.truths[0])[0]


@pytest.mark.parametrize("design", [
    {},
    {"rule": "thompson", "criterion": "exact"},
    {"criterion": "exact", "criterion_parameters": {"looks": [5, 9, 14]}, "futility": "none"},
    {"criterion": "exact", "criterion_parameters": {"largest": 20}, "futility": "mixture"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_every_decision_is_as_on_the_page(design: dict[str, Any], margin: float) -> None:
    dropout = {"probability": 0.1, "counted": "left out", "in_means": False}
    study = by_likelihood(margin, design, n_max=130, dropout=dropout, **LATE)
    assert assert_as_on_the_page(study) > 10


def test_low_rates_need_fewer_pairs_than_by_discordant_pairs_or_differences() -> None:
    def declared(evidence: str) -> float:
        truth = {"name": "low", "means": [0.2, 0.05, 0.2, 0.2]}
        design = {"rule": "thompson", "criterion": "mixture"}
        target = {"over": "control", "evidence": evidence}
        study = against_control(RATES | {"truths": [truth]}, design, target=target, n_max=300)
        runs = {"runs": 1000, "n_max": 300, "seed": 1}
        study = validated(study.model_dump() | {"simulation": runs, "delta": 0.05}, "test")
        return float((simulate(study)["low", "one"].verdict == 1).any(axis=1).mean())

    by_pairs = declared("likelihood")
    assert by_pairs > declared("discordant") + 0.05
    assert by_pairs > declared("differences") + 0.3


# --- what is said -----------------------------------------------------------------------------


def test_the_decision_table_counts_responders_of_both() -> None:
    study = by_likelihood(0.1, {"criterion": "exact"}, n_max=60)
    table = decision_table(study, study.designs[0])
    curves = study.curves(study.designs[0])
    for row in table.sample(60, random_state=1).itertuples():
        s = row.declare_at_least - row.control_responders
        if not np.isnan(s):
            enough = BY_CONTROLS.judge(row.n, s, row.control_responders, 0.1,
                                       curves.accept[row.n], curves.reject[row.n])  # fmt: skip
            less = BY_CONTROLS.judge(row.n, s - 1, row.control_responders, 0.1,
                                     curves.accept[row.n], curves.reject[row.n])  # fmt: skip
            assert (enough, less == 1) == (1, False)
    shown = shown_rows(table, 40)
    assert 10 < len(shown) <= 64
    assert shown.n.nunique() > 3
    words = decisions_in_words(study, shown)
    assert words.columns[1] == "responders on placebo among them"
    drawn = limits(study, study.designs[0])
    assert np.nanmin(drawn.declare) > 0 > np.nanmax(drawn.drop)


@pytest.mark.parametrize(("changes", "words"), [
    ({"designs": [{"criterion": "union"}]}, "'union' does not work for pairs judged by their"),
    ({"designs": [{"criterion": "posterior"}]}, "choose 'mixture', 'exact'"),
    ({"designs": [{"criterion": "mixture", "futility": "posterior"}]},
     "'posterior' does not work for"),
    ({"designs": [{"criterion": "exact", "criterion_parameters": {"shape": "posterior"}}]},
     "must be another one where pairs are judged by their likelihood"),
    ({"simulation": {"runs": 5, "n_max": 5000}}, "must be at most 4,000 where target.evidence"),
    ({"outcome": {"kind": "gaussian", "variance": 1.0}}, "all differences count"),
])  # fmt: skip
def test_what_it_cannot_do_is_refused_in_words(changes: dict[str, Any], words: str) -> None:
    data = by_likelihood(0.1).model_dump() | changes
    for design in data["designs"]:
        data["designs"] = [{"name": "one", "rule": "hdoc", "burn_in": 2} | design]
    found = study_or_problems(data)
    assert not isinstance(found, Study)
    assert words in " ".join(map(str, found))

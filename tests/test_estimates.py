"""Estimates when a trial ends: limits are roots, coverage is as promised, nothing is hidden."""

import math
from typing import Any

import numpy as np
import pytest
from conftest import make_study
from test_pairs import against_control
from test_unknown_variance import scores

from gai_core import Runs, characteristics, simulate
from gai_core.basics import measured, percent
from gai_core.criteria import CRITERIA, confidence_sequence
from gai_core.criteria.mixture import MixtureParameters
from gai_core.evidence import (
    GOOD,
    Bernoulli,
    ErrorRates,
    Gaussian,
    GaussianUnknown,
    Outcome,
    RateDifferences,
    Seen,
    Setting,
)
from gai_core.questions.sweep_data import cells, measure, sweep_words
from gai_core.questions.sweeping import sweep
from gai_core.results import (
    Values,
    analyse,
    comparable,
    compare,
    comparison_table,
    differences_table,
    estimation_note,
    estimation_tables,
    judged,
    overestimation_in_words,
    paired_differences,
    quantities_of,
    values_table,
)
from gai_core.results.among import Among, each_mean, each_root, mean_among, root_among
from gai_core.results.estimation_words import ALL_DECLARED, LEAST_TRIALS
from gai_core.study import Variation, changed

UNKNOWN = GaussianUnknown(kind="gaussian", variance="unknown")
SCORE = Gaussian(kind="gaussian", variance=4.0)
DESIGNS = [
    {"name": "HDoC", "rule": "hdoc", "criterion": "mixture"},
    {"name": "Equal", "rule": "equal", "criterion": "mixture"},
]
RUNS = 400
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)


def responses(**changes: Any) -> Any:
    given = {"simulation": {"runs": RUNS, "n_max": 150, "seed": 3}, "designs": DESIGNS}
    return make_study(**(given | changes))


@pytest.fixture(scope="module")
def runs() -> Runs:
    return simulate(responses())


def verdict(outcome: Outcome, xi: float, n: int, value: float, rho: float = 10.0) -> int:
    """What `mixture` at 2.5% for either side says about the target xi, by its own curves."""
    setting = Setting(1, xi, ErrorRates.both(0.025), outcome, n)
    curves = CRITERIA["mixture"].curves(setting, MixtureParameters(rho=rho))
    return int(value >= curves.accept[n]) - int(value <= curves.reject[n])


@pytest.mark.parametrize(("n", "s"), [(1, 1), (9, 0), (12, 5), (40, 40), (60, 33), (150, 31)])
def test_limits_of_a_rate_are_where_the_criterion_begins_to_decide(n: int, s: int) -> None:
    low, high = confidence_sequence(Bernoulli(), Seen(np.array([n]), np.array([s]), None, 0.5))
    for limit, other in ((low[0], 1), (high[0], -1)):
        if limit in (0.0, 1.0):
            assert s in (0, n)
            continue
        inside, outside = limit + other * 1e-3 * limit, limit - other * 1e-3 * limit
        assert verdict(Bernoulli(), inside, n, s) == 0
        if outside < 1:
            assert verdict(Bernoulli(), outside, n, s) == other


@pytest.mark.parametrize("outcome", [SCORE, RateDifferences()], ids=["scores", "differences"])
def test_limits_of_a_mean_are_where_the_criterion_begins_to_decide(outcome: Outcome) -> None:
    n, s = 50, 10
    low, high = confidence_sequence(outcome, Seen(np.array([n]), np.array([s]), None, 0.0))
    step = 1e-6 if outcome is SCORE else 0.02  # sums of differences are whole
    for limit, other in ((low[0], 1), (high[0], -1)):
        assert verdict(outcome, limit + other * step, n, s, 10 * outcome.s2) == 0
        assert verdict(outcome, limit - other * step, n, s, 10 * outcome.s2) == other


def test_limits_without_a_variance_are_where_the_criterion_begins_to_decide() -> None:
    x = np.random.default_rng(1).normal(3.0, 2.0, 25)
    target = 1.2
    seen = Seen(np.array([x.size]), np.array([x.sum()]), np.array([((x - target) ** 2).sum()]), 1.2)
    low, high = confidence_sequence(UNKNOWN, seen)
    for limit, other in ((low[0], 1), (high[0], -1)):
        for step, expected in ((1e-6, 0), (-1e-6, other)):
            xi = limit + other * step
            ratio = (x - xi).sum() / math.sqrt(((x - xi) ** 2).sum())
            assert verdict(UNKNOWN, xi, x.size, ratio) == expected


def test_usual_intervals_are_those_of_the_books() -> None:
    """Wilson 81 of 263: 0.2553 to 0.3662 (Newcombe, Stat. Med. 17:857, 1998); t by hand."""
    low, high = Bernoulli().usual_interval(Seen(np.array([263]), np.array([81]), None, 0.5))
    assert (round(low[0], 4), round(high[0], 4)) == (0.2553, 0.3662)
    x = np.array([4.0, 6.0, 5.0, 9.0])
    seen = Seen(np.array([4]), np.array([24.0]), np.array([((x - 1) ** 2).sum()]), 1.0)
    low, high = UNKNOWN.usual_interval(seen)
    half = 3.182446305284263 * x.std(ddof=1) / 2
    assert (low[0], high[0]) == pytest.approx((6 - half, 6 + half))
    low, high = SCORE.usual_interval(seen)
    assert (low[0], high[0]) == pytest.approx((6 - 1.959964, 6 + 1.959964))
    differences = np.array([1, 0, 0, -1, 1, 1])
    seen = Seen(np.array([6]), np.array([2]), np.array([((differences - 0.2) ** 2).sum()]), 0.2)
    low, high = RateDifferences().usual_interval(seen)
    half = 1.959964 * differences.std() / math.sqrt(6)
    assert (low[0], high[0]) == pytest.approx((1 / 3 - half, 1 / 3 + half))


def test_nothing_is_said_where_nothing_was_seen() -> None:
    nothing = Seen(np.array([0]), np.array([0]), np.array([0.0]), 0.5)
    for outcome in (Bernoulli(), SCORE, UNKNOWN, RateDifferences()):
        for low, high in (confidence_sequence(outcome, nothing), outcome.usual_interval(nothing)):
            assert np.isnan([low[0], high[0]]).all()
    one = Seen(np.array([1]), np.array([2.0]), np.array([1.0]), 1.0)
    assert np.isinf(confidence_sequence(UNKNOWN, one)).all()  # one score says nothing of a spread


def values_of(study: Any) -> tuple[Any, Values]:
    table = characteristics(simulate(study))
    return table, Values(table)


@pytest.mark.parametrize("kind", ["responses", "unknown variance", "pairs"])
def test_the_sequence_covers_at_the_end_of_every_design(kind: str) -> None:
    simulation = {"runs": RUNS, "n_max": 300, "seed": 4}
    study = {
        "responses": responses(),
        "unknown variance": scores(simulation=simulation),
        "pairs": changed(against_control(), runs=RUNS),
    }[kind]
    table, _ = values_of(study)
    covered = table[(table.quantity == "covered") & (table.statistic == "probability")]
    assert len(covered) == len(study.truths) * len(study.designs) * len(study.candidates)
    assert covered.value.min() >= LEAST


def test_every_statistic_is_that_of_a_recount(runs: Runs) -> None:
    study, values = runs.study, Values(characteristics(runs))
    truth, arm = study.truths[0], 1
    trials = runs[truth.name, "HDoC"]
    label, mean = study.arms[arm].label, truth.means[arm]
    errors, errors_declared, of_trials = [], [], []
    for row in range(RUNS):
        estimates = trials.sums[row] / trials.assigned[row]
        declared = [k for k in range(3) if trials.verdict[row, k] == GOOD]
        errors.append(estimates[arm] - mean)
        if arm in declared:
            errors_declared.append(estimates[arm] - mean)
        if declared:
            of_trials.append(np.mean([estimates[k] - truth.means[k] for k in declared]))
    assert 10 < len(errors_declared) < RUNS

    def found(key: str, statistic: str, arm: str = label) -> tuple[float, float]:
        return values(truth.name, "HDoC", key, statistic, arm)

    assert found("bias", "mean")[0] == pytest.approx(np.mean(errors))
    assert found("bias", "counted")[0] == 1
    assert found("rmse", "root_mean_square")[0] == pytest.approx(
        np.sqrt(np.mean(np.square(errors)))
    )
    some = found("bias_if_declared", "mean")
    assert some[0] == pytest.approx(np.mean(errors_declared))
    assert some[1] == pytest.approx(np.std(errors_declared, ddof=1) / len(errors_declared) ** 0.5)
    assert found("bias_if_declared", "counted")[0] == len(errors_declared) / RUNS
    assert found("declared_bias", "mean", "")[0] == pytest.approx(np.mean(of_trials))
    assert found("declared_bias", "counted", "")[0] == len(of_trials) / RUNS
    assert some[0] > found("bias", "mean")[0]


def test_the_error_of_a_ratio_is_that_of_the_jackknife() -> None:
    random = np.random.default_rng(5)
    some = Among(random.normal(1.0, 2.0, 300), random.random(300) < 0.4)
    for statistic, each, name in (
        (mean_among, each_mean, "mean"),
        (root_among, each_root, "root_mean_square"),
    ):
        whole = statistic(some)[name][0]
        assert each(some).mean() == pytest.approx(whole)
        left_out = [statistic(some[np.arange(300) != trial])[name][0] for trial in range(300)]
        jackknife = np.sqrt(299 * np.var(left_out))
        assert each(some).std(ddof=1) / np.sqrt(300) == pytest.approx(jackknife, rel=0.02)


def test_designs_are_compared_by_what_only_some_trials_have(runs: Runs) -> None:
    values = Values(characteristics(runs))
    paired = paired_differences(runs, "HDoC", "Equal").set_index("quantity")
    partial = [key for key, one in comparable(runs.study).items() if one.kind.partial]
    assert len(partial) >= 6
    for key in partial:
        compared = compare(runs, values, "Equal", key).set_index("design")
        difference = compared.value["HDoC"] - compared.value["Equal"]
        assert compared.difference["HDoC"] == pytest.approx(difference)
        assert paired.value[key] == pytest.approx(difference)
        assert compared.trials["HDoC"] == judged(runs, "steep", "HDoC").any_declared.sum()


@pytest.fixture(scope="module")
def silent() -> Runs:
    """So few patients that nothing is declared."""
    return simulate(responses(simulation={"runs": 20, "n_max": 15, "seed": 3}))


def test_where_there_is_no_number_there_is_a_dash(silent: Runs) -> None:
    analysis, study = analyse(silent), silent.study
    assert not judged(silent, "steep", "HDoC").any_declared.any()
    tables = estimation_tables(analysis, study.truths[0])
    assert len(tables) == 1  # none about declared doses
    compared = analysis.comparison("declared_covered")
    words = [make(study, compared, "declared_covered")
             for make in (comparison_table, differences_table, values_table)]  # fmt: skip
    grid, shown = [Variation("n_max", (15,))], measure(study, "covered_if_declared", "high")
    found = [cell for point, table in sweep(study, grid) for cell in cells(point, table, shown)]
    words.append(sweep_words(["n_max"], found, shown, "steep"))
    text = " ".join(cell for table in (*tables, *words) for row in table.rows for cell in row)
    assert "nan" not in text
    assert "–" in text
    assert "no trial declares a dose, so" in overestimation_in_words(analysis, study.truths[0])


def test_the_sentence_changes_with_its_numbers(runs: Runs) -> None:
    analysis, truth = analyse(runs), runs.study.truths[0]
    said = overestimation_in_words(analysis, truth)
    assert "overestimated by" in said
    for key in ("declared_bias", "declared_usual_covered", "declared_covered"):
        other = analyse(runs)
        rows = (other.table.quantity == key) & (other.table.statistic == "mean")
        other.table.loc[rows, "value"] = -0.4
        assert overestimation_in_words(other, truth) != said
        if key == "declared_bias":
            assert "underestimated by 0.4" in overestimation_in_words(other, truth)


def test_few_trials_say_nothing_about_intervals() -> None:
    """What some trials that declare a dose happen to cover is no property of a design."""
    runs = simulate(responses(simulation={"runs": 400, "n_max": 40, "seed": 3}))
    often, few = (
        int((runs["steep", name].verdict == GOOD).any(axis=1).sum()) for name in ("HDoC", "Equal")
    )
    assert 1 < few < LEAST_TRIALS < often
    analysis, truth = analyse(runs), runs.study.truths[0]
    said = overestimation_in_words(analysis, truth)
    assert f"(HDoC, {often} trials) on average; in" in said
    assert said.endswith(
        f". Of Equal fewer than {LEAST_TRIALS} trials declare a dose, too few to say."
    )
    assert overestimation_in_words(analysis.only(["Equal"]), truth) == (
        f"Under “steep” {few} of 400 trials declare a dose (Equal), too few to say how well it is "
        "estimated."
    )


def test_all_declared_doses_together_have_the_limit_of_what_was_never_seen(runs: Runs) -> None:
    analysis = analyse(runs)
    rows = analysis.table.quantity.isin(("declared_covered", "declared_usual_covered"))
    analysis.table.loc[rows & (analysis.table.statistic == "mean"), "value"] = 0.0
    _, declared = estimation_tables(analysis, runs.study.truths[0])
    row = next(row for row in declared.rows if row[:2] == ["HDoC", ALL_DECLARED])
    limit = percent(0.0, 0.0, int(row[3]))
    assert limit.startswith("0% (< ")
    assert row.count(limit) == 2
    said = overestimation_in_words(analysis, runs.study.truths[0])
    assert "covers the truth in 0% (< " in said


def test_numbers_of_outcomes_have_the_places_that_they_are_worth() -> None:
    assert measured(-0.0004, 0.003, "+") == "0.000 ± 0.003"
    assert measured(0.0123, 0.0021, "+") == "+0.012 ± 0.002"
    assert measured(12.34, 0.6) == "12.3 ± 0.6"
    assert measured(0.182, math.nan) == "0.182"
    assert measured(math.nan, math.nan) == "–"


def test_tables_say_how_many_trials_they_rest_on(runs: Runs) -> None:
    analysis, truth = analyse(runs), runs.study.truths[0]
    everyone, declared = estimation_tables(analysis, truth)
    assert [row[:3] for row in everyone.rows[:2]] == [
        ["HDoC", "low", "0.2"],
        ["HDoC", "middle", "0.6"],
    ]
    row = next(row for row in declared.rows if row[:2] == ["HDoC", "high"])
    assert row[3] == f"{(runs['steep', 'HDoC'].verdict[:, 2] == GOOD).sum():,}"
    assert "Wilson" in estimation_note(runs.study)


def test_an_interval_has_one_more_row_of_every_kind(runs: Runs) -> None:
    keys = set(quantities_of(runs.study))
    for subject in ("bias", "rmse", "covered", "width", "usual_covered", "usual_width"):
        assert {subject, f"{subject}_if_declared", f"declared_{subject}"} <= keys


def test_squares_of_differences_are_kept() -> None:
    """q = sum (D - xi)^2: so the sum of D^2 is the number of discordant pairs."""
    study = against_control(target={"over": "control", "margin": 0.1})
    for trials in simulate(study).trials.values():
        assert trials.squares is not None
        assert trials.calendar is not None
        doses = [*study.candidates]
        n, s, q = (array[:, doses] for array in (trials.calendar.seen, trials.sums, trials.squares))
        discordant = q + 2 * 0.1 * s - n * 0.1**2
        assert discordant == pytest.approx(np.round(discordant), abs=1e-9)
        assert (np.abs(s) <= discordant + 1e-9).all()
        assert (discordant <= n + 1e-9).all()

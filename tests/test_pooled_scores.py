"""Scores of unknown variance, with the variance of two samples: Student's law, trends and all."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from test_pairs import EXPONENTIAL, LATE, UNKNOWN, against_control, assert_as_on_the_page

from gai_core import Study
from gai_core.criteria.student_mixture import log_evidence, student_limit
from gai_core.evidence.bookkeeping import POOLED_RATIOS
from gai_core.evidence.student_crossing import student_crossing, student_tails
from gai_core.results import decision_table, limits, verdicts_in_words
from gai_core.results.replaying import replay
from gai_core.study import evidence_in_words, study_or_problems
from gai_core.theory.exact_errors import worst_case

MOVING: dict[str, Any] = UNKNOWN | {
    "truths": [
        *UNKNOWN["truths"],
        {"name": "moving", "means": [0.2, 0.2, 0.2, 0.2], "variance": 0.2, "trend": 0.2},
    ]
}


def pooled(design: dict[str, Any] | None = None, margin: float = 0.0, **conduct: Any) -> Study:
    """A placebo and three doses."""
    target = {"over": "control", "margin": margin, "evidence": "pooled"}
    return against_control(MOVING, design or {}, target=target, **conduct)


def at_end(evidence: str | None, n_max: int = 60) -> Study:
    """The fixed design."""
    design = {"rule": "equal", "criterion": "exact", "burn_in": 1}
    target = {"over": "control"} | ({} if evidence is None else {"evidence": evidence})
    parameters = {"criterion_parameters": {"looks": "end"}}
    return against_control(UNKNOWN, design | parameters, target=target, n_max=n_max)


# --- the law ----------------------------------------------------------------------------------


@pytest.mark.parametrize("effect", [0.0, 0.4])
def test_one_look_is_the_two_sample_t_test(effect: float) -> None:
    """Independent: scipy's noncentral t with 2n - 2 degrees of freedom."""
    outcome: Any = pooled().stream.outcome
    n = np.array([3, 8, 30])
    limit = outcome.test_limit(0.02, n.astype(float), 0.0)
    critical = outcome.limits_shown(n, limit)
    assert critical == pytest.approx(stats.t.isf(0.02, 2 * n - 2))
    expected = stats.nct.sf(critical, 2 * n - 2, effect * np.sqrt(n))
    assert student_tails(effect, n, limit, pooled=True) == pytest.approx(expected, rel=1e-7)
    for count, found in zip(n, expected, strict=True):
        accept = np.full(count + 1, np.inf)
        accept[count] = outcome.test_limit(0.02, np.array([float(count)]), 0.0)[0]
        never = np.full_like(accept, -np.inf)
        law = student_crossing(effect, accept, never, 1e-4, 0.25, pooled=True)
        assert law[0].sum() == pytest.approx(found, rel=1e-6)


def ratios(generator: np.random.Generator, size: int, effect: float, trend: float) -> Any:
    """R after n = 1, 2, ... pairs, from scores of two arms by the textbook's sums of squares."""
    n, last = np.arange(1, 21), 20
    shared = 3.0 + trend * np.arange(last) / last
    dose = generator.normal(shared + effect * math.sqrt(2), 1.0, (size, last))
    control = generator.normal(shared, 1.0, (size, last))
    within = sum(np.cumsum(x**2, 1) - np.cumsum(x, 1) ** 2 / n for x in (dose, control))
    total = np.cumsum(dose - control, 1)
    return total / np.sqrt(2 * within + total**2 / n)


@pytest.mark.parametrize(("effect", "trend"), [(0.0, 0.0), (0.3, 0.0), (0.0, 4.0)])
def test_several_looks_have_the_law_of_simulated_scores(effect: float, trend: float) -> None:
    """And with a trend that all arms share, errors are rarer."""
    looks, size = [4, 8, 14, 20], 100_000
    outcome: Any = pooled().stream.outcome
    accept, reject = np.full(21, np.inf), np.full(21, -np.inf)
    accept[looks] = outcome.at_level(np.array(looks, float), 0.02)
    reject[looks] = -outcome.at_level(np.array(looks, float), 0.1)
    good, bad = student_crossing(effect, accept, reject, 1e-4, 0.25, pooled=True)
    seen = ratios(np.random.default_rng(8), size, effect, trend)[:, np.array(looks) - 1]
    above, below = seen > accept[looks], seen < reject[looks]
    first = np.argmax(above | below, axis=1)
    for law, crossed in ((good, above), (bad, below)):
        share = crossed[np.arange(size), first].mean()
        error = 4 * math.sqrt(law.sum() / size)
        if trend:
            assert share < law.sum() - error
        else:
            assert share == pytest.approx(law.sum(), abs=error)


def test_the_steps_of_the_loop_are_the_squares_of_two_samples() -> None:
    generator = np.random.default_rng(2)
    x, y = generator.normal(5, 2, (2, 9))
    q, both = 0.0, 0.0
    for n, (a, b) in enumerate(zip(x, y, strict=True), 1):
        more, both = POOLED_RATIOS.add_both(n, both, a + b)
        q = POOLED_RATIOS.add(q + more, a - b, b, 0.7)
    about = (x - y).sum() - 9 * 0.7
    within = 8 * (x.var(ddof=1) + y.var(ddof=1))
    assert q == pytest.approx(2 * within + about**2 / 9)
    r = np.array([about / math.sqrt(q)])
    outcome: Any = pooled().stream.outcome
    t = stats.ttest_ind(x, y + 0.7).statistic
    assert outcome.limits_shown(np.array([9]), r)[0] == pytest.approx(t)
    assert outcome.running(x - y, 0.7, y)[-1] == pytest.approx(t)


def test_the_mixture_is_that_of_effects_by_quadrature() -> None:
    """E of R: over effects half normal, and over q chi-square with 2n - 1 degrees of freedom."""
    n, r, g = 6, 1.3, 0.4
    effects = np.linspace(0, 8, 801)
    roots = np.linspace(1e-6, 12, 801)
    prior = 2 * stats.norm.pdf(effects, scale=math.sqrt(g))
    ratio = np.exp(effects[:, None] * r * roots - n * effects[:, None] ** 2 / 2)
    inner = np.trapezoid(ratio * stats.chi.pdf(roots, 2 * n - 1), roots, axis=1)
    found = math.exp(log_evidence(np.array([r]), np.array([float(n)]), g, pooled=True)[0])
    assert found == pytest.approx(np.trapezoid(prior * inner, effects), rel=1e-4)
    alone, more = (student_limit(np.array([8.0]), g, 3.0, pooled=way) for way in (False, True))
    assert more != alone


@pytest.mark.parametrize("parameters", [
    {}, {"looks": "end"}, {"looks": {"equal": 4}, "shape": "obrien-fleming"},
])  # fmt: skip
def test_the_error_is_used_and_kept(parameters: dict[str, Any]) -> None:
    design = {"criterion": "exact", "criterion_parameters": parameters, "rule": "equal"}
    study = pooled(design | {"futility": None if "looks" in parameters else "none"})
    worst = worst_case(study, study.designs[0])
    assert 0.98 * worst.arm_allowance < worst.false_declaration <= worst.arm_allowance * (1 + 1e-4)


def test_it_needs_fewer_patients_than_a_t_test_of_pairs() -> None:
    """Published power: scipy's, of either test, in the same trial."""
    n = 15
    for evidence, degrees in ((None, n - 1), ("pooled", 2 * n - 2)):
        study = at_end(evidence)
        table = decision_table(study, study.designs[0])
        alpha = study.error_rates.declare / 3
        assert table.n.tolist() == [n]
        assert table.declare_at_least[0] == pytest.approx(stats.t.isf(alpha, degrees))


# --- in a study -------------------------------------------------------------------------------


@pytest.mark.parametrize(("design", "conduct"), [
    ({"rule": "nearest-finish"}, LATE),
    ({"rule": "thompson", "criterion": "exact"}, EXPONENTIAL),
    ({"rule": "equal", "criterion": "exact", "criterion_parameters": {"looks": "end"},
      "burn_in": 1}, {"dropout": {"probability": 0.2, "counted": "left out"}}),
])  # fmt: skip
def test_it_is_conducted_as_on_the_page(design: dict[str, Any], conduct: dict[str, Any]) -> None:
    assert assert_as_on_the_page(pooled(design, margin=0.1, **conduct)) > 10


def test_one_trial_and_the_protocol_show_the_two_sample_t() -> None:
    study = pooled()
    shown = replay(study, study.truths[0], study.designs[0], 0)
    paths = shown.paths(study, study.simulation.n_max)
    assert all(np.isfinite(values[1:]).all() for _, values in paths)
    assert "the two-sample t-statistic" in verdicts_in_words(study, study.designs[0])
    assert "two-sample t-test" in " ".join(evidence_in_words(study))
    assert limits(study, study.designs[0]).drawn[0].size > 0


@pytest.mark.parametrize(("outcome", "evidence", "words"), [
    ({"kind": "bernoulli"}, "pooled", "is for scores of unknown variance"),
    ({"kind": "gaussian", "variance": 1.0}, "pooled", "all differences count"),
    ({"kind": "gaussian", "variance": "unknown"}, "likelihood", 'must be "pooled" or left out'),
])  # fmt: skip
def test_what_it_cannot_do_is_refused_in_words(
    outcome: dict[str, Any], evidence: str, words: str
) -> None:
    data = pooled().model_dump()
    data["target"]["evidence"] = evidence
    if outcome.get("variance") != "unknown":
        data["truths"] = [{"name": "clear", "means": [0.2, 0.2, 0.6, 0.9]}]
    found = study_or_problems(data | {"outcome": outcome})
    assert not isinstance(found, Study)
    assert words in " ".join(map(str, found))

"""Dose and control as two samples: the pooled z-test, exact for the worst rate of the control."""

from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from test_likelihood import by_likelihood
from test_pairs import assert_as_on_the_page

from gai_core import Study
from gai_core.evidence.pair_crossing import mirrored_rows, one_law
from gai_core.evidence.pooled_z import least_excess_z, worst_rate
from gai_core.evidence.score_z import (
    least_excess_score,
    used_up_at_the_end,
    worst_rate_with_margin,
)
from gai_core.questions.verification import errors_by_truth
from gai_core.results import decision_table
from gai_core.study import every_ready_made, study_or_problems
from gai_core.study.conduct_words import assumption_cautions
from gai_core.study.futility_words import promised
from gai_core.study.target_words import evidence_in_words, worst_in_words
from gai_core.theory.exact_errors import arm_law, error_bounds, worst_case

FREE = 0.0, 1.0
RATES_TRIED = np.sin(np.linspace(0, np.pi / 2, 2001)) ** 2
AT_END: dict[str, Any] = {"looks": "end", "compared": "samples"}
FOUR_LOOKS: dict[str, Any] = {
    "looks": {"equal": 4}, "shape": "obrien-fleming", "compared": "samples"
}  # fmt: skip


def samples(parameters: dict[str, Any] = AT_END, margin: float = 0.0, **design: Any) -> Study:
    """A placebo and three doses, compared as two samples."""
    own = {"rule": "equal", "criterion": "exact", "criterion_parameters": parameters, "burn_in": 1}
    return by_likelihood(margin, design=own | design)


def at_one_look(rejects: Any) -> tuple[Any, Any]:
    """Limits that declare at the last of n pairs where `rejects[a, b]`, and never drop."""
    n = len(rejects) - 1
    accept = np.tile(np.arange(n + 1, dtype=np.int32)[:, None] + 1, n + 1)
    for b in range(n + 1):
        enough = np.flatnonzero(rejects[:, b])
        accept[n, b] = enough[0] - b if enough.size else n + 1
    return accept, np.full_like(accept, -n - 1)


def pooled_z(n: int) -> Any:
    """[a, b]: z of so many responders on either arm."""
    a, b = np.arange(n + 1)[:, None], np.arange(n + 1)[None, :]
    rate = (a + b) / (2 * n)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(a == b, 0.0, (a - b) / np.sqrt(2 * n * rate * (1 - rate)))


def worst_by_enumeration(rejects: Any) -> float:
    """The largest chance over a fine grid of rates, summed over all pairs of counts."""
    n = len(rejects) - 1
    counts = stats.binom.pmf(np.arange(n + 1), n, RATES_TRIED[:, None])
    return float(np.einsum("pa,ab,pb->p", counts, rejects.astype(float), counts).max())


# --- the limits and their law -----------------------------------------------------------------


@pytest.mark.parametrize("z", [0.7, 1.96, 2.58])
def test_limits_are_the_least_responders_with_such_a_z(z: float) -> None:
    last = 22
    rows = least_excess_z(np.where(np.arange(last + 1) == 9, np.inf, z**2 / 2))
    for n in range(1, last + 1):
        declared = np.arange(n + 1)[:, None] - np.arange(n + 1)[None, :] >= rows[n, : n + 1]
        assert (declared == ((pooled_z(n) >= z) & (n != 9))).all()


@pytest.mark.parametrize(("n", "z"), [(12, 1.7), (25, 2.0), (40, 2.6)])
def test_the_worst_rate_is_that_of_enumeration(n: int, z: float) -> None:
    """At most 0.12% more, never less."""
    rejects = pooled_z(n) >= z
    seen = worst_by_enumeration(rejects)
    found, never = worst_rate(FREE, *at_one_look(rejects))
    assert seen * (1 - 1e-9) <= found <= seen * 1.00125
    assert never == 0.0


@pytest.mark.parametrize(("n", "a", "b"), [(15, 11, 4), (20, 14, 6)])
def test_the_p_value_is_barnards(n: int, a: int, b: int) -> None:
    """Independent: scipy's unconditional exact test by the pooled z."""
    rejects = pooled_z(n) >= pooled_z(n)[a, b] - 1e-9
    theirs = stats.barnard_exact([[a, b], [n - a, n - b]], alternative="greater", n=256)
    assert worst_rate(FREE, *at_one_look(rejects))[0] == pytest.approx(theirs.pvalue, rel=2e-3)


def test_fishers_test_stays_within_its_level_given_every_total() -> None:
    """Its chance given the total is at most alpha, so that at every rate is, and less."""
    n, alpha = 30, 0.025
    a, b = np.arange(n + 1)[:, None], np.arange(n + 1)[None, :]
    rejects = stats.hypergeom.sf(a - 1, 2 * n, a + b, n) <= alpha
    found, _ = worst_rate(FREE, *at_one_look(rejects))
    assert found == pytest.approx(worst_by_enumeration(rejects), rel=1.3e-3)
    assert 0.4 * alpha < found < 0.7 * alpha


def test_several_looks_have_the_law_of_every_rate() -> None:
    """Beside the pair-by-pair law of two verdicts under single rates."""
    study = samples(FOUR_LOOKS, futility="below")
    curves = study.curves(study.designs[0])
    accept, reject = (rows.astype(np.int32) for rows in (curves.accept, curves.reject))
    laws = [one_law(p, p, accept, reject) for p in np.linspace(0.02, 0.98, 49)]
    most = [max(float(law[side].sum()) for law in laws) for side in (0, 1)]
    for found, seen in zip(worst_rate(FREE, accept, reject), most, strict=True):
        assert seen <= found <= seen * 1.02
    narrow = worst_rate((0.1, 0.1), accept, reject)
    assert narrow == pytest.approx([side.sum() for side in one_law(0.1, 0.1, accept, reject)])


@pytest.mark.parametrize("parameters", [AT_END, FOUR_LOOKS], ids=["end", "four looks"])
def test_the_error_is_used_and_kept(parameters: dict[str, Any]) -> None:
    study = samples(parameters)
    worst = worst_case(study, study.designs[0])
    assert 0.8 * worst.arm_allowance < worst.false_declaration <= worst.arm_allowance
    assert 0.8 * worst.drop_allowance < worst.miss <= worst.drop_allowance


def test_limits_are_z_of_one_constant() -> None:
    """O'Brien and Fleming's shape: z >= c sqrt(N/n), with the calibrated c."""
    study = samples(FOUR_LOOKS)
    curves = study.curves(study.designs[0])
    looks = np.flatnonzero(curves.has_limits(study.stream.outcome)).tolist()
    z = None
    for n in looks:
        a, b = np.arange(n + 1)[:, None], np.arange(n + 1)[None, :]
        declared = a - b >= curves.accept[n, : n + 1]
        least, most = pooled_z(n)[declared].min(), pooled_z(n)[~declared].max()
        below, above = (value * np.sqrt(n / looks[-1]) for value in (most, least))
        z = (below, above) if z is None else (max(z[0], below), min(z[1], above))
    assert z is not None
    assert z[0] < z[1]  # one c fits all looks


def test_power_is_that_of_two_binomials() -> None:
    study = samples()
    design, truth = study.designs[0], study.truths[0]
    curves = study.curves(design)
    n = len(curves.accept) - 1
    a, b = np.arange(n + 1)[:, None], np.arange(n + 1)[None, :]
    declared = a - b >= curves.accept[n, : n + 1]
    control = study.control_mean(truth)
    assert control is not None
    for arm in study.candidates:
        law = arm_law(study, design, study.stream_mean(truth, arm), control=control)
        both = (stats.binom.pmf(np.arange(n + 1), n, rate) for rate in (truth.means[arm], control))
        dose, controls = both
        assert law.ever_good == pytest.approx(dose @ declared @ controls, abs=1e-12)


def test_no_course_that_is_fixed_beforehand_was_worse() -> None:
    """One look: the law of (discordant, both respond) under trends and jumps, by convolution."""
    n, alpha = 24, 0.025
    ordered = np.unique(pooled_z(n)[pooled_z(n) > 0].round(9))
    sizes = [worst_rate(FREE, *at_one_look(pooled_z(n) >= z - 1e-8))[0] for z in ordered[-120:]]
    rejects = pooled_z(n) >= ordered[-120:][np.flatnonzero(np.array(sizes) <= alpha)[0]] - 1e-8
    worst = worst_by_enumeration(rejects)
    courses = [np.linspace(low, high, n) for low in (0.0, 0.2, 0.5) for high in (0.3, 0.7, 1.0)]
    courses += [np.repeat([low, high], n // 2) for low in (0.0, 0.1, 0.4) for high in (0.5, 0.9)]
    for rates in courses:
        law = np.zeros((n + 1, n + 1))  # discordant pairs, pairs in which both respond
        law[0, 0] = 1.0
        for p in rates:
            after = law * (1 - p) ** 2
            after[1:] += law[:-1] * 2 * p * (1 - p)
            after[:, 1:] += law[:, :-1] * p**2
            law = after
        error = 0.0
        for m in range(n + 1):
            favour = np.arange(m + 1)
            fair = stats.binom.pmf(favour, m, 0.5)
            for k in range(n + 1 - m):
                error += law[m, k] * float(fair @ rejects[k + favour, k + m - favour])
        assert error <= worst * (1 + 1e-9)


# --- with a margin ----------------------------------------------------------------------------

MARGINS = [0.1, 0.35, -0.2]


def score_z(n: int, margin: float) -> Any:
    """[a, b]: z with the variance at the rates that fit best, found on a fine grid, then nearby."""
    found = np.empty((n + 1, n + 1))
    low, high = max(0.0, -margin), min(1.0, 1.0 - margin)
    for a in range(n + 1):
        for b in range(n + 1):

            def unlikely(p: float, a: int = a, b: int = b) -> float:
                dose, control = (stats.binom.logpmf(k, n, q) for k, q in ((a, p + margin), (b, p)))
                return float(-dose - control)

            p = optimize.minimize_scalar(
                unlikely,
                bounds=(low + 1e-12, high - 1e-12),
                method="bounded",
                options={"xatol": 1e-12},
            ).x
            variance = p * (1 - p) + (p + margin) * (1 - p - margin)
            found[a, b] = (a - b - n * margin) / np.sqrt(n * variance)
    return found  # fmt: skip


@pytest.mark.parametrize("margin", MARGINS)
def test_limits_with_a_margin_are_the_least_responders_with_such_a_score_z(margin: float) -> None:
    n, z = 11, score_z(11, margin)
    for limit in (0.8, 1.7):
        rows = least_excess_score(margin, np.full(n + 1, limit**2 / 2))
        declared = np.arange(n + 1)[:, None] - np.arange(n + 1)[None, :] >= rows[n]
        clear = abs(z - limit) > 1e-6
        assert (declared == (z >= limit))[clear].all()
        assert clear.mean() > 0.9


def test_without_a_margin_it_is_the_pooled_z_and_its_worst_rate() -> None:
    needed = np.where(np.arange(31) % 10 == 0, 1.9, np.inf)
    rows = least_excess_score(0.0, needed)
    assert (rows == least_excess_z(needed)).all()
    never = np.full_like(rows, -31)
    found = worst_rate_with_margin(0.0, FREE, rows, never)
    assert found == pytest.approx(worst_rate(FREE, rows, never), rel=1e-9)


@pytest.mark.parametrize("margin", MARGINS)
def test_the_worst_rate_with_a_margin_is_that_of_the_law_at_every_rate(margin: float) -> None:
    """Two looks and both verdicts, beside the pair-by-pair law under single rates."""
    needed = np.where(np.isin(np.arange(25), (12, 24)), 1.5, np.inf)
    accept = least_excess_score(margin, needed)
    reject = mirrored_rows(least_excess_score(-margin, needed))
    low, high = max(0.0, -margin), min(1.0, 1.0 - margin)
    rates = low + (high - low) * np.sin(np.linspace(0, np.pi / 2, 301)) ** 2
    laws = [one_law(p + margin, p, accept, reject) for p in rates]
    most = [max(float(law[side].sum()) for law in laws) for side in (0, 1)]
    for found, seen in zip(worst_rate_with_margin(margin, FREE, accept, reject), most, strict=True):
        assert seen * (1 - 1e-9) <= found <= seen * 1.002


@pytest.mark.parametrize("parameters", [AT_END, FOUR_LOOKS], ids=["end", "four looks"])
@pytest.mark.parametrize("margin", [0.1, -0.2])
def test_the_error_with_a_margin_is_used_and_kept(
    parameters: dict[str, Any], margin: float
) -> None:
    own = {"rule": "equal", "criterion": "exact", "criterion_parameters": parameters}
    study = by_likelihood(margin, design=own, n_max=240)
    worst = worst_case(study, study.designs[0])
    assert 0.8 * worst.arm_allowance < worst.false_declaration <= worst.arm_allowance
    assert 0.8 * worst.drop_allowance < worst.miss <= worst.drop_allowance


def test_with_a_margin_two_samples_are_sharper_than_pairs_at_one_look() -> None:
    """Power of one dose against all that a control may do, and against one rate throughout."""
    chances = []
    for compared in ("pairs", "samples"):
        study = samples(AT_END | {"compared": compared}, margin=0.1)
        law = arm_law(study, study.designs[0], 0.4, control=0.2)
        chances.append(law.ever_good)
    assert chances[1] > chances[0] + 0.02


@pytest.mark.parametrize("margin", MARGINS)
def test_no_single_count_of_the_last_look_can_be_lowered(margin: float) -> None:
    """Two looks: the error is within alpha by the whole law, and with one count less it is not."""
    alpha, n = 0.05, 24
    accept = least_excess_score(margin, np.where(np.isin(np.arange(n + 1), (12, n)), 2.5, np.inf))
    never = np.full_like(accept, -n - 1)
    found = used_up_at_the_end(margin, FREE, accept, alpha)
    assert (found[:-1] == accept[:-1]).all()
    assert (found[-1] <= accept[-1]).all()
    assert (found[-1] < accept[-1]).any()
    assert worst_rate_with_margin(margin, FREE, found, never)[0] <= alpha * (1 + 1e-9)
    least = np.minimum(found[-1] + np.arange(n + 1), n + 1)
    assert (np.diff(least) >= 0).all()
    for b in range(n + 1):
        a = least[b] - 1
        falls = b > 0 and a < least[b - 1]
        if a - b > n * margin and a >= 0 and not falls:
            lower = found.copy()
            lower[-1, b] = a - b
            assert worst_rate_with_margin(margin, FREE, lower, never)[0] > alpha


# --- in a study -------------------------------------------------------------------------------


@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize("futility", [None, "below"])
def test_it_is_conducted_as_on_the_page(futility: str | None, margin: float) -> None:
    parameters = AT_END if futility is None else FOUR_LOOKS
    assert assert_as_on_the_page(samples(parameters, margin, futility=futility)) > 10


def test_below_drops_doses_with_fewer_responders_than_their_partners() -> None:
    table = decision_table(study := samples(FOUR_LOOKS, futility="below"), study.designs[0])
    dropped = table.dropna(subset="drop_at_most")
    assert (dropped.drop_at_most == dropped.control_responders - 1).all()
    assert dropped.drop_at_most.min() == 0  # fewer than none cannot be


def test_a_trend_is_not_promised_and_every_rate_is() -> None:
    study = samples()
    clear, moving = study.truths
    design, pairs = study.designs[0], by_likelihood().designs[0]
    assert [study.covered(moving, one) for one in (None, design, pairs)] == [True, False, True]
    assert study.covered(clear, design)
    assert error_bounds(study, design, clear)[0] <= study.error_rates.declare
    table = errors_by_truth(study).set_index("truth")
    assert np.isnan(table.false_declaration_bound["moving"])
    assert not np.isnan(table.false_declaration_bound["clear"])


def test_which_z_is_said() -> None:
    assert "by the pooled z" in " ".join(evidence_in_words(samples()))
    assert "by the score z" in " ".join(evidence_in_words(samples(margin=0.1)))


def test_words_say_what_it_rests_on() -> None:
    study, pairs = samples(), by_likelihood()
    moving = study.truths[1]
    for words in (
        lambda one: " ".join(evidence_in_words(one)),
        worst_in_words,
        lambda one: promised(one, one.designs[0].identification[0]),
        lambda one: " ".join(assumption_cautions(one, moving)),
    ):
        assert "the same" in words(study).replace("in the same cohort", "").replace(
            "of the same cohort", ""
        )
        assert "throughout" not in words(pairs)
    criterion, parameters = study.designs[0].identification
    assert "same throughout" in criterion.promise(study.error_rates, parameters)


def test_benchmarks_compare_two_samples_and_others_do_not() -> None:
    ready = {design.name: design for design in every_ready_made(by_likelihood())}
    assert ready["Fixed"].criterion_parameters == {"looks": "end", "compared": "samples"}
    by_samples = [name for name, one in ready.items() if one.decision.needs_one_rate]
    assert by_samples == [name for name in ready if name.startswith(("Fixed", "Group sequential"))]
    with_margin = every_ready_made(by_likelihood(0.1))
    assert [one.name for one in with_margin if one.decision.needs_one_rate] == by_samples


@pytest.mark.parametrize(("study", "words"), [
    (by_likelihood().model_copy(update={"target": None, "threshold": 0.5}),
     "must be 'pairs' where responders on dose and control are not both counted"),
])  # fmt: skip
def test_what_it_cannot_do_is_refused_in_words(study: Study, words: str) -> None:
    data = study.model_dump()
    own = {"criterion": "exact", "criterion_parameters": AT_END}
    found = study_or_problems(data | {"designs": [data["designs"][0] | own]})
    assert not isinstance(found, Study)
    assert words in " ".join(map(str, found))

"""Posterior rules against the beta, normal and Student laws, and calibrated to an error rate."""

import numpy as np
import pytest
from conftest import make_study
from scipy import stats

from gai_core import CRITERIA, InputError
from gai_core.criteria.exact import allowance
from gai_core.criteria.posterior import PosteriorParameters
from gai_core.evidence import Bernoulli, Curves, ErrorRates, Gaussian, GaussianUnknown, Setting
from gai_core.evidence.crossing import law
from gai_core.theory.exact_errors import worst_case

SCORES = Gaussian(kind="gaussian", variance=1.44)


def curves(key: str, setting: Setting, **parameters: object) -> Curves:
    entry = CRITERIA[key]
    return entry.curves_of(setting, entry.parameters(**parameters))


@pytest.mark.parametrize("xi", [0.1, 0.35, 0.5, 0.8])
@pytest.mark.parametrize("prior", [{}, {"prior_mean": 0.3, "prior_patients": 10.0}])
def test_counts_decide_exactly_where_the_beta_posterior_does(
    xi: float, prior: dict[str, float]
) -> None:
    setting = Setting(3, xi, ErrorRates.both(0.05), Bernoulli(), 60, 1)
    pair = curves("posterior", setting, c_good=0.95, c_bad=0.1, **prior)
    mean, weight = prior.get("prior_mean", xi), prior.get("prior_patients", 2.0)
    for n in range(1, 61):
        s = np.arange(n + 1)
        chance = stats.beta.sf(xi, s + weight * mean, n - s + weight * (1 - mean))
        assert np.array_equal(s >= pair.accept[n], chance >= 0.95), n
        assert np.array_equal(s <= pair.reject[n], chance <= 0.1), n


def test_scores_decide_where_the_normal_posterior_does() -> None:
    setting = Setting(3, 1.2, ErrorRates.both(0.05), SCORES, 50, 1)
    pair = curves("posterior", setting, c_good=0.9, c_bad=0.2, prior_mean=0.7, prior_patients=5.0)
    n = np.arange(1, 51)
    for limit, chance in ((pair.accept[1:], 0.9), (pair.reject[1:], 0.2)):
        mean, sd = (limit + 5 * 0.7) / (n + 5), np.sqrt(1.44 / (n + 5))
        assert stats.norm.sf(1.2, mean, sd) == pytest.approx(np.full(50, chance), abs=1e-9)


def test_scores_of_unknown_variance_decide_where_student_s_posterior_does() -> None:
    outcome = GaussianUnknown(kind="gaussian", variance="unknown")
    setting = Setting(3, 1.2, ErrorRates.both(0.05), outcome, 30, 5)
    pair = curves("posterior", setting, c_good=0.9, c_bad=0.2)
    n = np.arange(5, 31)
    for limit, chance in ((pair.accept[5:], 0.9), (pair.reject[5:], 0.2)):
        t = limit * np.sqrt((n - 1) / (n - limit**2))
        assert stats.t.cdf(t, n - 1) == pytest.approx(np.full(n.size, chance), abs=1e-9)


def test_it_promises_nothing_and_its_error_is_shown() -> None:
    study = make_study(
        designs=[{"name": "Bayes", "rule": "equal", "criterion": "posterior"}],
        simulation={"runs": 10, "n_max": 300, "seed": 1},
    )
    worst = worst_case(study, study.designs[0])
    assert CRITERIA["posterior"].guarantee == "nothing"
    assert worst.list_share > 1.5  # looked at after every patient, 0.975 is far from 5%


@pytest.mark.parametrize("outcome", [Bernoulli(), SCORES], ids=["rates", "scores"])
def test_the_calibrated_posterior_keeps_every_allowance(outcome: Bernoulli | Gaussian) -> None:
    for xi in (0.1, 0.35, 0.5, 0.8) if outcome.whole else (1.2,):
        for arms in (2, 5, 10):
            for alpha in (0.2, 0.05, 0.025, 0.001):
                setting = Setting(arms, xi, ErrorRates(declare=alpha, drop=0.1), outcome, 80, 5)
                pair = curves("exact", setting, shape="posterior", looks=10)
                found = law(outcome, xi, pair, smallest=alpha / arms, step=0.125)
                allowed = allowance(setting, "bonferroni"), allowance(setting.at(0.1), "bonferroni")
                assert found.good.sum() <= allowed[0] * (1 + 1e-6), (xi, arms, alpha)
                assert found.bad.sum() <= allowed[1] * (1 + 1e-6), (xi, arms, alpha)
                if not outcome.whole:
                    assert found.good.sum() >= 0.99 * allowed[0]


def test_the_calibrated_posterior_is_one_cut_off_at_every_look() -> None:
    setting = Setting(4, 0.0, ErrorRates.both(0.1), SCORES, 100, 1)
    pair = curves("exact", setting, shape="posterior", looks=20, prior_patients=7.0)
    looks = np.arange(20, 101, 20)
    cut_off = stats.norm.cdf(pair.accept[looks] / np.sqrt(1.44 * (looks + 7)))
    assert cut_off == pytest.approx(np.full(5, cut_off[0]), abs=1e-12)
    assert cut_off[0] > 0.975


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"c_good": 0.1, "c_bad": 0.2}, "c_bad must be less than c_good = 0.1"),
        ({"prior_mean": 1.5}, "prior_mean must lie between 0 and 1"),
    ],
)
def test_cut_offs_that_meet_are_refused_with_the_way_out(
    parameters: dict[str, float], message: str
) -> None:
    design = {"name": "d", "rule": "equal", "criterion": "posterior"}
    with pytest.raises(InputError, match=message):
        make_study(designs=[design | {"criterion_parameters": parameters}])


def test_a_dose_can_be_dropped_by_its_posterior_and_declared_otherwise() -> None:
    futility = {"futility": "posterior", "futility_parameters": {"c_bad": 0.2}}
    design = {"name": "d", "rule": "equal", "criterion": "exact", "burn_in": 3} | futility
    study = make_study(designs=[design])
    setting, pair = study.setting(study.designs[0]), study.curves(study.designs[0])
    own = CRITERIA["posterior"].curves_of(setting, PosteriorParameters(c_bad=0.2))
    assert np.array_equal(pair.reject, own.reject)
    declaring = CRITERIA["exact"].curves_of(setting, CRITERIA["exact"].parameters())
    assert np.array_equal(pair.accept, declaring.accept)

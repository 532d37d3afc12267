"""MCP-Mod: published figures, contrasts, critical values, power and fits by independent means."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from gai_core.mcp_mod import SHAPES, Candidate, check_biom
from gai_core.mcp_mod.biom import PUBLISHED, biom, biom_method
from gai_core.mcp_mod.contrasts import best_contrasts, curves_of, directions
from gai_core.mcp_mod.critical_value import chance_above, critical_value, critical_values
from gai_core.mcp_mod.curve_shapes import Numbers, usual_candidates
from gai_core.mcp_mod.estimates import Estimates, Totals, of_rates, of_scores
from gai_core.mcp_mod.fitting import fit
from gai_core.mcp_mod.one_analysis import Method, analyse_trials, dose_reaching, fits_of

DOSES = np.array([0, 0.05, 0.2, 0.6, 1])
INF = math.inf


# --- the public example ---------------------------------------------------------------------------


@pytest.mark.parametrize("figure", check_biom(), ids=lambda figure: figure.name)
def test_the_published_figures_come_out_to_the_digits_given(figure: object) -> None:
    assert figure.same, figure  # type: ignore[attr-defined]


def test_a_figure_that_differs_in_its_last_digit_is_not_the_same() -> None:
    found = {figure.name: figure for figure in check_biom()}
    assert set(found) == set(PUBLISHED)
    emax = found["t of emax"]
    assert not emax._replace(computed=emax.computed + 0.001).same


def test_the_example_has_twenty_patients_an_arm_and_chooses_emax() -> None:
    doses, estimates = biom()
    assert doses.tolist() == DOSES.tolist()
    assert estimates.df.tolist() == [95.0]
    assert estimates.weight.tolist() == [[20.0] * 5]
    method = biom_method(doses)
    found = analyse_trials(method, estimates)
    assert found.signal.tolist() == [True]
    assert method.candidates[found.chosen[0]].shape.key == "emax"
    fits = fits_of(method, estimates)
    # By hand for Emax: e1 d / (ed50 + d) = 0.4.
    ed50, e1 = float(fits[0].theta[0][0]), float(fits[0].e1[0])
    assert dose_reaching(fits[0], 0.4) == pytest.approx(0.4 * ed50 / (e1 - 0.4), abs=1e-9)
    assert math.isnan(dose_reaching(fits[0], 0.8))
    assert dose_reaching(fits[0], 0.0) == 0


# --- contrasts ------------------------------------------------------------------------------------


def test_contrasts_are_those_of_the_defining_optimisation() -> None:
    """Nobody beats (c'g)^2 / c'Sc, which numerical optimisation from afar reaches too."""
    candidates = usual_candidates(5)
    curves = curves_of(candidates, DOSES)
    variances = np.array([1.0, 0.5, 2.0, 0.25, 1.5])
    for curve, contrast in zip(curves, best_contrasts(curves, variances), strict=True):
        assert contrast.sum() == pytest.approx(0, abs=1e-12)
        assert contrast @ contrast == pytest.approx(1)
        assert contrast @ curve > 0

        def power(free: Numbers, g: Numbers = curve) -> float:
            c = np.append(free, -free.sum())
            return -float((c @ g) ** 2 / (c**2 @ variances))

        best = optimize.minimize(power, np.array([-1.0, -0.5, 0.1, 0.4]), tol=1e-12)
        assert power(contrast[:-1]) <= best.fun * (1 - 1e-7)
        assert power(contrast[:-1]) == pytest.approx(best.fun, rel=1e-5)


def test_directions_have_the_correlations_of_the_statistics() -> None:
    variances = np.array([1.0, 0.5, 2.0, 0.25, 1.5])
    contrasts = best_contrasts(curves_of(usual_candidates(5), DOSES), variances)
    covariance = contrasts @ np.diag(variances) @ contrasts.T
    scale = np.sqrt(np.diag(covariance))
    units = directions(contrasts, variances)
    assert units.shape == (7, 4)  # five doses leave four dimensions
    assert units @ units.T == pytest.approx(covariance / np.outer(scale, scale), abs=1e-12)


# --- critical values ------------------------------------------------------------------------------

DUNNETT = {
    (20.0, 1): 1.72, (20.0, 2): 2.03, (20.0, 3): 2.19, (20.0, 4): 2.30,
    (INF, 1): 1.64, (INF, 2): 1.92, (INF, 3): 2.06, (INF, 4): 2.16,
}  # fmt: skip
"""One-sided 5% points for comparisons with one control: Dunnett, JASA 50:1096, 1955, table 1a."""


@pytest.mark.parametrize(("case", "published"), DUNNETT.items(), ids=str)
def test_dunnetts_published_table_comes_out(case: tuple[float, int], published: float) -> None:
    df, doses = case
    contrasts = np.hstack([-np.ones((doses, 1)), np.eye(doses)])
    found = critical_value(0.05, directions(contrasts, np.ones(doses + 1)), df)
    assert abs(found - published) <= 0.0051


def few(*keys: str) -> Numbers:
    """The directions of some shapes whose correlations have an inverse."""
    candidates = [Candidate(SHAPES[key], SHAPES[key].usual) for key in keys]
    return directions(best_contrasts(curves_of(candidates, DOSES), np.ones(5)), np.ones(5))


@pytest.mark.parametrize("df", [5.0, 95.0, INF])
@pytest.mark.parametrize("q", [0.5, 2.0, 3.0])
def test_chances_agree_with_another_integration(q: float, df: float) -> None:
    units = few("linear", "emax", "exponential")
    other = 1 - below(q, units, np.zeros(3), df)
    assert chance_above(q, units, df) == pytest.approx(other, abs=1e-4)


def below(q: float, units: Numbers, shift: Numbers, df: float) -> float:
    """P(max T <= q) of statistics (u'Z + shift) / s: Genz's integration for every s, and over s."""
    correlation, law = units @ units.T, stats.multivariate_normal

    def given(s: float) -> float:
        return float(law.cdf(q * s - shift, None, correlation, abseps=2e-5, releps=2e-5))

    if math.isinf(df):
        return given(1.0)
    s = stats.chi(df, scale=1 / math.sqrt(df))
    ends = float(s.ppf(1e-7)), float(s.isf(1e-7))
    nodes, weights = np.polynomial.legendre.leggauss(21)
    places = ends[0] + (ends[1] - ends[0]) * (nodes + 1) / 2
    values = [given(float(place)) * s.pdf(place) for place in places]
    return float(np.dot(weights, values)) * (ends[1] - ends[0]) / 2


def test_one_shape_is_the_t_test_and_two_are_a_plain_integral() -> None:
    assert critical_value(0.025, few("linear"), 30) == pytest.approx(stats.t.isf(0.025, 30))
    units = few("linear", "emax")
    rho = float((units @ units.T)[0, 1])
    q = critical_value(0.05, units, INF)

    def density(x: float) -> float:
        return float(stats.norm.pdf(x) * stats.norm.cdf((q - rho * x) / math.sqrt(1 - rho**2)))

    assert integrate.quad(density, -12, q)[0] == pytest.approx(0.95, abs=2e-5)


def test_critical_values_between_degrees_of_freedom_are_those_computed() -> None:
    units = directions(
        best_contrasts(curves_of(usual_candidates(5), DOSES), np.ones(5)), np.ones(5)
    )
    df = np.arange(40.0, 60.0)
    found = critical_values(0.05, units, df)
    for place in (0, 7, 19):
        exact = critical_value(0.05, units, float(df[place]))
        assert found[place] == pytest.approx(exact, abs=1e-4)
    assert (np.diff(found) < 0).all()


def test_an_error_rate_above_that_of_any_rise_asks_for_a_rise() -> None:
    assert critical_value(0.9, few("linear"), 30) == pytest.approx(0, abs=1e-5)


# --- power ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "means",
    [[0.0] * 5, [0, 0.1, 0.25, 0.4, 0.45], [0, 0.3, 0.5, 0.2, 0.0], [0, 0.0, 0.1, 0.1, 0.5]],
    ids=["flat", "Emax", "umbrella", "late"],
)
@pytest.mark.parametrize("size", [4, 25])
def test_simulated_power_is_that_of_the_noncentral_multivariate_t(
    means: list[float], size: int
) -> None:
    keys = ("linear", "emax", "exponential")
    candidates = tuple(Candidate(SHAPES[key], SHAPES[key].usual) for key in keys)
    method = Method(DOSES, candidates, 0.05)
    runs, df = 20_000, 5.0 * (size - 1)
    generator = np.random.default_rng(size)
    observed = generator.normal(means, 1 / math.sqrt(size), (runs, 5))
    squares = generator.chisquare(size - 1, (runs, 5))
    estimates = of_scores(Totals(np.full((runs, 5), float(size)), observed, squares))
    limits = method.limits(estimates)
    share = (method.statistics(estimates) > limits[:, None]).any(axis=1).mean()
    shift = method.contrasts @ means * math.sqrt(size)
    power = 1 - below(float(limits[0]), method.units, shift, df)
    assert share == pytest.approx(power, abs=3.5 * math.sqrt(power * (1 - power) / runs))


# --- fits -----------------------------------------------------------------------------------------


def some(kind: str) -> Estimates:
    """Six trials whose means rise, fall again, or do neither."""
    generator = np.random.default_rng(7)
    count = generator.integers(10, 40, (6, 5)).astype(float)
    rates = np.array([[0.1, 0.2, 0.4, 0.6, 0.6]] * 3 + [[0.2, 0.6, 0.5, 0.3, 0.2]] * 3)
    if kind == "rates":
        return of_rates(Totals(count, generator.binomial(count.astype(int), rates) / count, count))
    means = rates * 4 + generator.normal(0, 1, (6, 5)) / np.sqrt(count)
    return of_scores(Totals(count, means, generator.chisquare(count - 1)))


@pytest.mark.parametrize("kind", ["scores", "rates"])
@pytest.mark.parametrize("key", list(SHAPES))
def test_fits_are_as_good_as_those_of_a_general_optimiser(key: str, kind: str) -> None:
    shape, estimates = SHAPES[key], some(kind)
    candidate = Candidate(shape, shape.usual)
    found = fit(candidate, DOSES, estimates)
    curves = found.at(DOSES)
    misfits = (estimates.weight * (estimates.value - curves) ** 2).sum(axis=1)
    for trial in range(6):
        w, y = estimates.weight[trial], estimates.value[trial]

        def residuals(places: Numbers, w: Numbers = w, y: Numbers = y) -> Numbers:
            theta = [axis.value(place) for axis, place in zip(shape.axes, places[2:], strict=True)]
            g = shape.fitted_curve(DOSES, candidate.guess, theta)
            return np.asarray(np.sqrt(w) * (places[0] + places[1] * g - y))

        spans = [axis.span for axis in shape.axes]
        low = [-np.inf, -np.inf, *(span[0] for span in spans)]
        high = [np.inf, np.inf, *(span[1] for span in spans)]
        others = []
        for part in (0.05, 0.3, 0.6, 0.9):
            start = [y[0], y[-1] - y[0], *(a + part * (b - a) for a, b in spans)]
            others.append(optimize.least_squares(residuals, start, bounds=(low, high)).cost * 2)
        assert misfits[trial] <= min(others) * (1 + 1e-4) + 1e-6


def test_akaikes_criterion_is_that_of_the_normal_likelihood() -> None:
    """Of all outcomes: the data of the public example, fitted by a straight line."""
    doses, estimates = biom()
    line = fit(Candidate(SHAPES["linear"], ()), doses, estimates)
    count, within = float(estimates.count[0]), estimates.within
    assert within is not None
    about = (estimates.weight * (estimates.value - line.at(doses)) ** 2).sum()
    sigma = math.sqrt((float(within[0]) + float(about)) / count)
    log_likelihood = -count * (math.log(sigma * math.sqrt(2 * math.pi)) + 0.5)
    assert line.criterion[0] == pytest.approx(-2 * log_likelihood + 2 * 3)


def test_a_trial_is_analysed_as_it_is_alone() -> None:
    method = Method(DOSES, usual_candidates(5), 0.5)
    estimates = some("scores")
    together = analyse_trials(method, estimates)
    assert together.signal.any()
    for trial in range(6):
        alone = analyse_trials(method, estimates.of(np.array([trial])))
        assert alone.signal[0] == together.signal[trial]
        assert alone.chosen[0] == together.chosen[trial]
        assert alone.fitted[0] == pytest.approx(together.fitted[trial], nan_ok=True)


# --- estimates ------------------------------------------------------------------------------------


def test_logits_are_finite_where_nobody_or_everybody_responds() -> None:
    found = of_rates(
        Totals(np.array([[10.0, 10.0, 8.0]]), np.array([[0.0, 1.0, 0.25]]), np.zeros((1, 3)))
    )
    assert found.value[0] == pytest.approx(
        [math.log(0.5 / 10.5), math.log(21), math.log(2.5 / 6.5)]
    )
    assert found.variance[0] == pytest.approx([2 + 1 / 10.5, 2 + 1 / 10.5, 1 / 2.5 + 1 / 6.5])
    assert np.isinf(found.df).all()


def test_a_trial_that_lost_an_arm_shows_nothing() -> None:
    count = np.array([[5.0, 0.0, 5.0], [5.0, 5.0, 5.0]])
    means = np.array([[0.0, 0.0, 9.0], [0.0, 4.0, 9.0]])
    estimates = of_scores(Totals(count, means, np.ones((2, 3))))
    method = Method(np.array([0, 0.5, 1]), usual_candidates(3), 0.05)
    assert {candidate.shape.key for candidate in method.candidates} == {
        "linear", "linlog", "emax", "exponential", "quadratic",
    }  # fmt: skip
    assert analyse_trials(method, estimates).signal.tolist() == [False, True]

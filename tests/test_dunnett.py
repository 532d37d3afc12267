"""Dunnett's limits, and what pairs cost beside two samples: published, independent."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, multivariate_normal, nct, norm
from scipy.stats import t as student

from gai_core import Study, load_study, simulate
from gai_core.evidence import any_with_shared_control, dunnett_critical, dunnett_share
from gai_core.study import changed, every_ready_made, study_or_problems, validated
from gai_core.theory import error_bounds, worst_case
from gai_core.theory.exact_errors import arm_law

PUBLISHED = {
    0.05: {1: 1.64, 2: 1.92, 3: 2.06, 4: 2.16, 5: 2.23, 6: 2.29, 7: 2.34, 8: 2.38, 9: 2.42},
    0.01: {1: 2.33, 2: 2.56, 3: 2.68, 4: 2.77, 5: 2.84, 6: 2.89, 7: 2.93, 8: 2.97, 9: 3.00},
}
"""Dunnett 1955, tables 1a and 1b: one-sided, infinitely many degrees of freedom."""
TRIAL = "tabalumab-das28-placebo"
DUNNETT = {"looks": "end", "share": "dunnett"}


@pytest.mark.parametrize("alpha", PUBLISHED)
def test_the_published_tables_come_out(alpha: float) -> None:
    found = {doses: round(dunnett_critical(doses, alpha), 2) for doses in PUBLISHED[alpha]}
    assert found == PUBLISHED[alpha]


@pytest.mark.parametrize("doses", [2, 3, 5])
def test_the_chance_is_that_of_a_normal_vector(doses: int) -> None:
    """The integral over the shared control beside SciPy's over the differences."""
    limits = np.linspace(1.5, 2.5, doses)
    law = multivariate_normal(cov=(np.eye(doses) + 1) / 2, seed=1)
    found = any_with_shared_control([float(norm.sf(limit)) for limit in limits])
    assert found == pytest.approx(1 - law.cdf(limits), abs=2e-5)


@pytest.mark.parametrize("alpha", [1e-200, 1e-12, 0.025, 0.4, 0.9])
@pytest.mark.parametrize("doses", [1, 2, 5, 50])
def test_the_whole_error_is_spent_and_a_share_is_more_than_bonferronis(
    doses: int, alpha: float
) -> None:
    share = dunnett_share(doses, alpha)
    assert any_with_shared_control([share] * doses) == pytest.approx(alpha, rel=1e-10)
    assert alpha / doses * (1 - 1e-10) <= share <= alpha * (1 + 1e-10)


def test_what_cannot_happen_adds_nothing_and_what_is_certain_all() -> None:
    assert any_with_shared_control([]) == any_with_shared_control([0.0, 0.0]) == 0
    assert any_with_shared_control([0.1, 0.0]) == pytest.approx(0.1)
    assert any_with_shared_control([0.1, 1.0]) == 1


def trial(runs: int = 10, **changes: Any) -> Study:
    """Both fixed designs of the shipped trial that do not judge doses in order."""
    shipped = changed(load_study(TRIAL), runs=runs)
    ready = every_ready_made(shipped)
    fixed = [design for design in ready if design.once_at_end and design.order is None]
    return validated(shipped.model_dump() | {"designs": fixed} | changes, "test")


def test_of_a_fixed_comparison_with_the_same_controls_the_exact_error_is_alpha() -> None:
    study = trial()
    bonferroni, dunnett = (worst_case(study, design) for design in study.designs)
    assert dunnett.any_false_declaration == pytest.approx(0.025, rel=2e-5)
    assert dunnett.any_miss == pytest.approx(0.1, rel=2e-5)
    assert max(dunnett.any_false_declaration / 0.025, dunnett.any_miss / 0.1) <= 1
    assert dunnett.false_declaration == pytest.approx(dunnett_share(6, 0.025), rel=2e-5)
    assert dunnett.false_declaration > 1.1 * bonferroni.false_declaration


def test_simulated_doses_have_the_correlation_that_the_limits_count_on() -> None:
    """Inert doses: Bonferroni leaves a quarter of the error unspent, Dunnett nothing."""
    study = trial(20_000, truths=[load_study(TRIAL).truth("inert")])
    runs = simulate(study, threads=2)
    found = {
        design.name: (runs["inert", design.name].verdict == 1).any(axis=1).mean()
        for design in study.designs
    }
    error = np.sqrt(0.025 * 0.975 / 20_000)
    assert abs(found["Fixed, Dunnett"] - 0.025) < 3 * error
    assert found["Fixed"] < 0.025 - 4 * error
    sums = runs["inert", "Fixed, Dunnett"].sums[:, study.candidates]
    correlation = np.corrcoef(sums.T)[np.triu_indices(6, 1)]
    assert abs(correlation - 0.5).max() < 4 * 0.75 / np.sqrt(20_000)


def test_under_a_truth_the_bound_is_about_its_bad_doses() -> None:
    study = trial()
    dunnett = study.designs[1]
    assert dunnett.name == "Fixed, Dunnett"
    false, missed = error_bounds(study, dunnett, study.truth("inert"))
    assert false == pytest.approx(0.025, rel=2e-5)
    assert missed == 0
    # Two doses at placebo's mean and one below it, of six.
    few, _ = error_bounds(study, dunnett, study.truth("published"))
    two = any_with_shared_control([dunnett_share(6, 0.025)] * 2)
    assert two <= few < two + 1e-4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"conduct": {"cohort": 10}}, "'dunnett' needs cohorts of a multiple of the number of"),
        (
            {"conduct": {"cohort": 14, "dropout": {"probability": 0.1, "counted": "left out",
                                                   "in_means": False}}},
            "'dunnett' needs all outcomes",
        ),
        ({"rule": "hdoc"}, "'dunnett' needs the allocation rule 'equal'"),
        ({"criterion_parameters": {"share": "dunnett"}}, "'dunnett' needs one look, at the end"),
        (
            {"criterion_parameters": {}, "futility": "exact",
             "futility_parameters": {"share": "dunnett"}},
            "'dunnett' is for one look at the end",
        ),
        ({"target": None, "threshold": 1.8}, "'dunnett' needs scores of known variance"),
        ({"outcome": {"kind": "gaussian", "variance": "unknown"}}, "evidence is of another kind"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_where_doses_share_fewer_controls_it_is_refused(
    changes: dict[str, Any], words: str
) -> None:
    design = {"name": "one", "rule": "equal", "criterion": "exact", "burn_in": 1,
              "criterion_parameters": DUNNETT}  # fmt: skip
    design |= {key: changes[key] for key in changes if key in {*design, "futility"}}
    design |= {key: changes[key] for key in changes if key == "futility_parameters"}
    data = trial().model_dump() | {"designs": [design]}
    data |= {key: value for key, value in changes.items() if key in data}
    if "outcome" in changes:
        data["truths"] = [truth | {"variance": 1.5} for truth in data["truths"]]
    found = study_or_problems(data)
    assert not isinstance(found, Study)
    assert words in " ".join(map(str, found))


def test_it_is_ready_made_where_it_holds_alone() -> None:
    others = "irritable-bowel-placebo", "baricitinib-placebo", "sirukumab-das28", "tofacitinib"
    for name in (TRIAL, *others):
        names = [design.name for design in every_ready_made(load_study(name))]
        assert ("Fixed, Dunnett" in names) is (name == TRIAL), name


def test_what_it_promises_is_about_equal_allocation() -> None:
    study = trial()
    for design in study.designs:
        criterion, parameters = design.identification
        text = criterion.promise(study.error_rates, parameters)
        assert ("under every allocation rule" in text) is (design.name == "Fixed")
        assert ("under equal allocation" in text) is (design.name == "Fixed, Dunnett")


# --- what pairs cost beside two samples -------------------------------------------------------


def test_a_t_test_of_pairs_needs_three_patients_more_on_every_arm() -> None:
    """Power of one dose of five at .005, beside the variance pooled over all six arms."""
    level, doses = 0.005, 5

    def power(pairs: int, effect: float, freedom: int) -> float:
        limit = student.isf(level, freedom)
        return float(nct.sf(limit, freedom, effect * np.sqrt(pairs / 2)))

    for size in (20, 30, 45, 60):
        effect = (norm.isf(level) + norm.isf(0.2)) / np.sqrt(size / 2)
        wanted = power(size, effect, (doses + 1) * (size - 1))
        assert power(size + 2, effect, size + 1) < wanted <= power(size + 3, effect, size + 2)


@pytest.mark.parametrize(("control", "dose"), [(0.22, 0.5), (0.098, 0.3), (0.41, 0.7)])
def test_a_fixed_comparison_by_differences_is_that_of_two_samples(
    control: float, dose: float
) -> None:
    """The sum of the pairs' differences is that of the two arms, whoever is whose partner."""
    shipped, pairs = load_study("tofacitinib-placebo"), 60
    study = validated(changed(shipped, n_max=6 * pairs).model_dump(), "test")
    fixed = study.design("Fixed")
    counts = np.arange(pairs + 1)
    excess = counts[:, None] - counts  # of responders on the dose

    def law(rate: float, other: float) -> Any:
        return np.outer(binom.pmf(counts, pairs, rate), binom.pmf(counts, pairs, other))

    limit = study.curves(fixed).accept[pairs]
    found = arm_law(study, fixed, dose - control, control=control).ever_good
    assert found == pytest.approx(law(dose, control)[excess >= limit].sum(), rel=1e-9)
    # For any course of the control's rate the limit is one more than for any constant rate.
    constant = next(c for c in range(pairs) if law(0.5, 0.5)[excess >= c].sum() <= 0.005)
    assert limit == constant + 1

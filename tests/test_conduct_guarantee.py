"""The guarantee under conduct: kept by delay, cohorts and randomisation, broken by what must."""

from itertools import product
from typing import Any

import pytest
from conftest import make_study

from gai_core import CRITERIA, RULES, Study, simulate
from gai_core.evidence import OUTCOMES
from gai_core.questions.verification import errors_by_truth
from gai_core.results.monte_carlo import share
from gai_core.results.quantities import events
from gai_core.theory.exact_errors import error_bounds

STRESS: dict[str, Any] = {
    "delay": {"weeks": 16.0},
    "cohort": 8,
    "randomisation": {"kind": "mixed", "share": 0.2},
}
EXAMPLES = {key: kind.example() for key, kind in OUTCOMES.items()} | {
    "gaussian": {"kind": "gaussian", "variance": 0.25},
}
GUARANTEED = [
    (key, kind)
    for key, entry in CRITERIA.items()
    for kind in entry.outcomes
    if entry.guarantee != "nothing"
]


def stressed(kind: str, designs: list[dict[str, Any]], runs: int, **conduct: Any) -> Study:
    """Five arms where errors are likeliest: just below the target, and exactly at it."""
    return make_study(
        outcome=EXAMPLES[kind],
        delta=0.2,
        simulation={"runs": runs, "n_max": 400, "seed": 31},
        arms=[{"label": str(i)} for i in range(5)],
        truths=[
            {"name": "just below", "means": [0.4999] * 5},
            {"name": "at the target", "means": [0.5] * 5},
            {"name": "both", "means": [0.4999, 0.5, 0.4999, 0.5, 0.5]},
        ],
        designs=designs,
        conduct=STRESS | conduct,
    )


@pytest.mark.parametrize(("criterion", "kind"), GUARANTEED)
def test_every_guaranteed_design_stays_within_its_allowance_under_stress(
    criterion: str, kind: str
) -> None:
    designs = [{"name": rule, "rule": rule, "criterion": criterion} for rule in RULES]
    study = stressed(kind, designs, runs=2000)
    runs = simulate(study)
    for truth, design in product(study.truths, study.designs):
        seen = events(runs, truth.name, design.name)
        false_bound, miss_bound = error_bounds(study, design, truth)
        place = f"{truth.name}, {design.name}"
        for name, allowed in (
            ("any_error", study.error_rates.declare),
            ("false_declaration", false_bound),
            ("missed_dose", miss_bound),
        ):
            rate, error = share(seen[name])
            assert rate <= allowed + 4 * max(error, 1e-3), f"{place}: {name} {rate} > {allowed}"


def test_the_stress_is_one_some_trials_err() -> None:
    designs = [{"name": "exact", "rule": "nearest-finish", "criterion": "exact"}]
    study = stressed("bernoulli", designs, runs=4000)
    seen = events(simulate(study), "just below", "exact")
    assert 0.02 < share(seen["false_declaration"])[0] <= 0.2


@pytest.mark.parametrize("kind", CRITERIA["exact"].outcomes)
def test_one_look_at_the_end_keeps_its_level_whatever_is_missing(kind: str) -> None:
    designs = [
        {"name": "Fixed", "rule": "equal", "criterion": "exact", "burn_in": 1,
         "criterion_parameters": {"looks": "end", "share": "sidak"}},
    ]  # fmt: skip
    dropout = {"probability": 0.25, "counted": "left out", "in_means": False}
    study = stressed(kind, designs, runs=20_000, dropout=dropout)
    runs = simulate(study)
    rates = {
        truth.name: share(events(runs, truth.name, "Fixed")["any_error"]) for truth in study.truths
    }
    for name, (rate, error) in rates.items():
        assert rate <= study.error_rates.declare + 4 * error, name
    # The test is exact: for scores it uses its whole level.
    if kind == "gaussian":
        rate, error = rates["just below"]
        assert rate == pytest.approx(study.error_rates.declare, abs=4 * error + 0.005)


EXACT = {"name": "exact", "rule": "hdoc", "criterion": "exact"}
BROKEN: dict[str, dict[str, Any]] = {
    "a larger variance": {"truths": [{"name": "t", "means": [0.45] * 5, "variance": 1.0}]},
    "a trend": {"truths": [{"name": "t", "means": [0.45] * 5, "trend": 0.02}]},
    "failures drop out and are left out": {
        "truths": [{"name": "t", "means": [0.45] * 5}],
        "conduct": STRESS
        | {
            "dropout": {
                "probability": 0.4,
                "probability_on_target": 0.0,
                "counted": "left out",
                "in_means": False,
            }
        },
    },
}


@pytest.mark.parametrize("broken", BROKEN)
def test_verify_shows_what_breaks_the_guarantee(broken: str) -> None:
    study = stressed("gaussian", [EXACT], runs=1000)
    sound = [{"name": "t", "means": [0.45] * 5}]
    data = study.model_dump() | {"truths": sound, "delta": 0.05}
    assert not errors_by_truth(Study.model_validate(data)).above_delta.any()
    found = errors_by_truth(Study.model_validate(data | BROKEN[broken]))
    assert found.above_delta.all()
    assert (found.any_error > 2 * 0.05).all()

"""Conformance: what every rule and every criterion must be, whoever adds it."""

import math
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from conftest import make_study
from hypothesis import given
from hypothesis import strategies as st

from gai_core import CRITERIA, RULES, characteristics, simulate
from gai_core.criteria.criterion import PROVEN, Guarantee
from gai_core.evidence import DesignPart
from gai_core.evidence.error_rates import ErrorRates
from gai_core.evidence.outcomes import OUTCOMES
from gai_core.evidence.setting import Setting
from gai_core.results import IN_WORDS

ENTRIES: list[DesignPart] = [*RULES.values(), *CRITERIA.values()]
RULE_PAIRS = [(key, kind) for key, rule in RULES.items() for kind in rule.outcomes]
CRITERION_PAIRS = [(key, kind) for key, entry in CRITERIA.items() for kind in entry.outcomes]
EXAMPLES = {key: kind.example() for key, kind in OUTCOMES.items()} | {
    "gaussian": {"kind": "gaussian", "variance": 2.0},
}


def setting(kind: str, n_max: int = 500) -> Setting:
    outcome = OUTCOMES[kind].model_validate(EXAMPLES[kind])
    return Setting(4, 0.4, ErrorRates.both(0.05), outcome, n_max)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_an_entry_says_what_it_is(entry: DesignPart) -> None:
    assert entry.key == entry.key.lower().replace(" ", "-")
    assert entry.label
    assert entry.formula
    assert entry.citation
    assert entry.outcomes
    entry.parameters()  # every parameter has a default
    for field in entry.parameters.model_fields.values():
        assert field.description


@pytest.mark.parametrize("key", CRITERIA)
def test_a_criterion_says_what_it_guarantees(key: str) -> None:
    assert CRITERIA[key].guarantee in get_args(Guarantee)
    assert CRITERIA[key].guarantee in IN_WORDS.guarantees
    assert CRITERIA[key].guarantee_text


@pytest.mark.parametrize("key", [key for key in CRITERIA if CRITERIA[key].guarantee in PROVEN])
def test_what_is_proven_is_said_with_the_error_rates_of_the_study(key: str) -> None:
    one, apart = ErrorRates(declare=0.05, drop=0.05), ErrorRates(declare=0.05, drop=0.2)
    promise = CRITERIA[key].promise
    assert "any wrong verdict is at most delta," in promise(one)
    assert "at most alpha, and that of dropping any good dose at most beta," in promise(apart)
    assert "any false declaration is at most delta," in promise(one, drops=False)
    assert "any false declaration is at most alpha," in promise(apart, drops=False)


@pytest.mark.parametrize(("key", "kind"), RULE_PAIRS)
def test_tables_cover_every_n_and_t(key: str, kind: str) -> None:
    tables = RULES[key].tables(setting(kind), RULES[key].parameters())
    for table in (tables.of_n, tables.of_t):
        assert table.shape == (501,)
        assert table.dtype == np.float64
        assert np.isfinite(table[1:]).all()


@pytest.mark.parametrize(("key", "kind"), RULE_PAIRS)
@given(mean=st.floats(0.01, 0.99), n=st.integers(1, 500), t=st.integers(4, 499))
def test_an_index_is_finite_and_does_not_fall_with_t(
    key: str, kind: str, mean: float, n: int, t: int
) -> None:
    rule = RULES[key]
    frame = setting(kind)
    tables = rule.tables(frame, rule.parameters())
    scale = math.sqrt(frame.outcome.variance_at(0.4))
    centre, width = rule.summary(mean, n, tables.of_n[n], 0.4, scale, 1.0)
    index = rule.index_for(frame.outcome)
    if rule.varies == "at random":
        low, high = index(centre, width, -1.0), index(centre, width, 1.0)
        assert math.isfinite(low)
        assert high > low
        return
    now, later = (index(centre, width, tables.of_t[time]) for time in (t, t + 1))
    assert math.isfinite(now)
    if rule.varies == "never":
        assert later == now
    elif rule.varies == "with t":
        assert later >= now
    else:
        assert later >= now - 1e-4


@pytest.mark.parametrize("kind", OUTCOMES)
def test_every_rule_runs_with_every_criterion(kind: str) -> None:
    outcome = EXAMPLES[kind] | ({"variance": 0.25} if "variance" in OUTCOMES[kind].numbers else {})
    rules = [key for key, kind_ in RULE_PAIRS if kind_ == kind]
    criteria = [key for key, kind_ in CRITERION_PAIRS if kind_ == kind]
    study = make_study(
        outcome=outcome,
        truths=[{"name": "steep", "means": [0.1, 0.3, 0.9]}],
        designs=[
            {"name": f"{rule} {criterion}", "rule": rule, "criterion": criterion}
            for rule in rules
            for criterion in criteria
        ],
    )
    table = characteristics(simulate(study))
    declared = table[(table.quantity == "good") & (table.arm == "high")]
    assert len(declared) == len(rules) * len(criteria)
    dropped = table[(table.quantity == "bad") & (table.arm == "low")]
    assert (declared.value > 0.9).all()
    assert (dropped.value > 0.9).all()


def test_apt_g_stalls_on_an_arm_at_the_threshold_and_says_so() -> None:
    """Nearly every patient goes to that arm; a good one that others declare at once has to wait."""
    assert "exactly at the target" in RULES["apt-g"].caution
    study = make_study(
        arms=[{"label": "at the target"}, {"label": "good"}],
        truths=[{"name": "truth", "means": [0.5, 0.9]}],
        designs=[
            {"name": rule, "rule": rule, "criterion": "mixture"} for rule in ("apt-g", "equal")
        ],
    )
    runs = simulate(study)
    stalled, others = runs.trials["truth", "apt-g"], runs.trials["truth", "equal"]
    undecided = stalled.verdict[:, 0] == 0
    assert undecided.mean() > 0.9
    assert (stalled.verdict[undecided, 1] == 0).all()
    assert (stalled.assigned[undecided, 1] < 0.02 * study.simulation.n_max).all()
    assert (others.verdict[:, 1] == 1).all()


def test_the_readme_names_every_rule_and_criterion() -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    for entry in ENTRIES:
        assert f"| `{entry.key}` |" in readme, entry.key
    for criterion in CRITERIA.values():
        row = next(
            line for line in readme.splitlines() if line.startswith(f"| `{criterion.key}` |")
        )
        assert criterion.guarantee in row.split("|")[3]

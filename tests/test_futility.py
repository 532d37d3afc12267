"""Futility apart: what drops a dose need not be what declares one, and never touches the error."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from conftest import make_study, outcomes
from naive import algorithm_1
from naive_conduct import conducted_trial, numbers_of

from gai_core import CRITERIA, InputError, Study, cautions, dump_study, parse_study, simulate
from gai_core.criteria import futilities
from gai_core.evidence import BAD, GOOD, UNDECIDED
from gai_core.report import build_report
from gai_core.results import designs_table, exact_errors_table
from gai_core.study import differences, varied
from gai_core.theory import error_bounds, worst_cases
from gai_core.theory.exact_errors import arm_law, worst_case

VERDICTS = {"good": GOOD, "bad": BAD, "undecided": UNDECIDED}
SCORE = {"kind": "gaussian", "variance": 0.3}
LOOKS = {"looks": 20, "largest": 60}


def dropping(futility: str | None, given: dict[str, Any] | None = None, **changes: Any) -> Study:
    """One design that declares by exact limits at looks after every 20 patients of a dose."""
    parts = {"criterion": changes.pop("criterion", "exact")}
    parts |= {"criterion_parameters": changes.pop("criterion_parameters", LOOKS)}
    parts |= {"futility": futility, "futility_parameters": given or {}}
    design = {"name": "D", "rule": changes.pop("rule", "equal"), "burn_in": 2} | parts
    size = {"runs": 40, "n_max": 200, "seed": 3}
    return make_study(**({"designs": [design], "simulation": size} | changes))


WAYS: dict[str, dict[str, Any]] = {
    "none": {},
    "below": {"amount": 0.05, "after": 20},
    "mixture": {},
    "exact": {"shape": "obrien-fleming", "largest": 100},
    "union": {},
}


@pytest.mark.parametrize("futility", WAYS)
@pytest.mark.parametrize("outcome", [{"kind": "bernoulli"}, SCORE])
def test_limits_for_declaring_are_as_before_and_those_for_dropping_at_looks(
    futility: str, outcome: dict[str, Any]
) -> None:
    study = dropping(futility, WAYS[futility], outcome=outcome)
    alone = dropping(None, outcome=outcome)
    design = study.designs[0]
    found, before = study.curves(design), alone.curves(alone.designs[0])
    assert np.array_equal(found.accept, before.accept)
    _, can_drop = found.can_decide(study.outcome)
    assert set(np.flatnonzero(can_drop)) <= {20, 40, 60}
    own = futilities()[futility]
    reject = own.curves_of(study.setting(design), own.parameters(**WAYS[futility])).reject
    assert found.reject[[20, 40, 60]].tolist() == reject[[20, 40, 60]].tolist()
    worst = worst_case(study, design)
    assert worst.any_false_declaration <= 0.1


def test_a_dose_below_the_target_is_dropped_by_hand() -> None:
    rates = dropping("below", {"amount": 0.1, "after": 3}, criterion="mixture",
                     criterion_parameters={}, threshold=0.3)  # fmt: skip
    reject = rates.curves(rates.designs[0]).reject
    # 2 of 10 and 1 of 5 are 0.2: a tenth below 0.3 in decimals, if not in bits.
    assert reject[[2, 3, 4, 5, 9, 10, 11]].tolist() == [-1, 0, 0, 1, 1, 2, 2]
    strict = dropping("below", criterion="mixture", criterion_parameters={}, threshold=0.5)
    assert strict.curves(strict.designs[0]).reject[[2, 3, 4, 5]].tolist() == [0, 1, 1, 2]
    scores = dropping("below", {"amount": 0.25}, criterion="mixture", criterion_parameters={},
                      outcome=SCORE)  # fmt: skip
    assert scores.curves(scores.designs[0]).reject[[2, 8]].tolist() == [0.5, 2.0]


@pytest.mark.parametrize("rule", ["hdoc", "lucb-g", "apt-g", "equal"])
@pytest.mark.parametrize("futility", ["below", "none"])
def test_trials_agree_with_the_naive_oracle(rule: str, futility: str) -> None:
    given = {"amount": 0.1, "after": 8} if futility == "below" else {}

    def dropped(n: int, total: float) -> bool:
        return futility == "below" and n >= 8 and total <= n * 0.4 + 1e-9

    study = dropping(futility, given, rule=rule, criterion="union", criterion_parameters={})
    trials, verdicts = simulate(study)["steep", "D"], []
    for replicate in range(study.simulation.runs):
        trial = algorithm_1(
            outcomes(study, study.truths[0], replicate),
            rule=rule,
            threshold=study.stream.target,
            delta=study.error_rates.declare,
            s2=study.outcome.s2,
            burn_in=2,
            n_max=study.simulation.n_max,
            dropped=dropped,
        )
        assert trials.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict]
        assert trials.decided[replicate].tolist() == [t or 0 for t in trial.decided]
        assert trials.assigned[replicate].tolist() == trial.assigned
        verdicts += trial.verdict
    assert ("bad" in verdicts) is (futility == "below")


@pytest.mark.parametrize("futility", WAYS)
def test_conducted_trials_agree_with_the_naive_oracle(futility: str) -> None:
    conduct = {"delay": {"weeks": 3.0}, "cohort": 4}
    study = dropping(
        futility,
        WAYS[futility],
        rule="thompson",
        conduct=conduct,
        simulation={"runs": 10, "n_max": 150, "seed": 5},
    )
    trials, truth = simulate(study)["steep", "D"], study.truths[0]
    for replicate in range(study.simulation.runs):
        numbers = numbers_of(study, truth, replicate)
        trial = conducted_trial(study, truth, study.designs[0], numbers)
        assert trials.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict]
        assert trials.decided[replicate].tolist() == trial.decided
        assert trials.assigned[replicate].tolist() == trial.assigned


def test_dropping_never_adds_a_false_declaration() -> None:
    """Doses at the target, equal allocation, the same patients: what is dropped cannot err."""
    changes = {
        "truths": [{"name": "null", "means": [0.4999] * 3}],
        "simulation": {"runs": 1500, "n_max": 180, "seed": 9},
    }
    never, soon = (
        simulate(dropping(way, WAYS[way], **changes))["null", "D"].verdict
        for way in ("none", "below")
    )
    assert (soon[never != GOOD] != GOOD).all()
    assert (never == GOOD).any(axis=1).mean() <= 0.1 + 4 * (0.1 * 0.9 / 1500) ** 0.5
    assert (soon == GOOD).sum() < (never == GOOD).sum()


def test_what_dropping_costs_is_exact() -> None:
    """Every dose gets its verdict or all of its 60 patients: then the law is that of each dose."""
    study = dropping(
        "below",
        {"after": 20},
        arms=[{"label": "a"}, {"label": "b"}],
        truths=[{"name": "t", "means": [0.55, 0.65]}],
        simulation={"runs": 4000, "n_max": 120, "seed": 13},
    )
    design, truth = study.designs[0], study.truths[0]
    dropped = simulate(study)["t", "D"].verdict == BAD
    for arm, mean in enumerate(truth.means):
        exact = arm_law(study, design, mean).ever_bad
        assert dropped[:, arm].mean() == pytest.approx(exact, abs=4 * (exact / 4000) ** 0.5)
    assert arm_law(study, design, 0.55).ever_bad > 0.2
    bound = error_bounds(study, design, truth)[1]
    assert dropped.any(axis=1).mean() == pytest.approx(bound, abs=4 * (0.25 / 4000) ** 0.5)


@pytest.mark.parametrize(
    "futility", [key for key, way in futilities().items() if "bernoulli" in way.outcomes]
)
def test_every_way_to_drop_keeps_the_guarantee_on_declarations(futility: str) -> None:
    for delta, xi in product([0.2, 0.01], [0.2, 0.5]):
        study = dropping(futility, delta=delta, threshold=xi,
                         simulation={"runs": 1, "n_max": 150, "seed": 1})  # fmt: skip
        worst = worst_case(study, study.designs[0])
        assert worst.any_false_declaration <= delta * (1 + 1e-6)
        assert worst.list_share <= 1 + 1e-6
        if futilities()[futility].guarantee != "nothing":
            assert worst.any_miss <= delta * (1 + 1e-6)


def test_a_file_keeps_it_and_without_one_nothing_is_written() -> None:
    study = dropping("below", {"amount": 0.05})
    assert 'futility = "below"' in dump_study(study)
    assert parse_study(dump_study(study)) == study
    assert "futility" not in dump_study(dropping(None))
    moved = varied(study, {"futility_parameters.amount": 0.1})
    assert moved.designs[0].futility_parameters["amount"] == 0.1
    assert varied(study, {"after": 30}).designs[0].futility_parameters["after"] == 30
    assert differences(study, moved) == ["D: amount 0.05 → 0.1"]
    assert differences(dropping(None), study) == ["D: futility as the decision rule → below"]


REFUSED: dict[str, dict[str, Any]] = {
    "designs[0].futility 'belov' is no known futility rule; did you mean 'below'?": {
        "futility": "belov"
    },
    "designs[0].futility needs looks before the end, but the decision rule judges every dose once, "
    "at the end; leave it out, or give designs[0].criterion_parameters.looks a number of "
    "patients": {
        "futility": "below",
        "criterion_parameters": {"looks": "end"},
    },
    "designs[0].futility_parameters.looks must have looks before the end, or nothing is saved by "
    'dropping a dose, but is "end"': {"futility": "exact", "given": {"looks": "end"}},
    "designs[0].futility_parameters.amount must be at least 0.0, but is -0.1": {
        "futility": "below",
        "given": {"amount": -0.1},
    },
    "designs[0].futility_parameters.amount must be at most 0.5, or no dose could ever be dropped, "
    'but is 0.7; choose futility = "none"': {"futility": "below", "given": {"amount": 0.7}},
    "designs[0].futility_parameters.after must not go beyond n_max = 200, but is 300": {
        "futility": "below",
        "given": {"after": 300},
    },
    "designs[0].futility_parameters belong to a futility, which is missing": {
        "futility": None,
        "given": {"amount": 0.1},
    },
    "designs[0].futility 'kl-union' works for bernoulli outcomes only, but the outcome is "
    "gaussian": {
        "futility": "kl-union",
        "outcome": SCORE,
    },
}


@pytest.mark.parametrize("message", REFUSED)
def test_nonsense_is_refused_in_words(message: str) -> None:
    with pytest.raises(InputError) as refused:
        dropping(**REFUSED[message])
    assert message in str(refused.value)


def test_it_is_said_what_drops_and_that_it_is_not_binding() -> None:
    study = dropping("below", {"amount": 0.05}, simulation={"runs": 20, "n_max": 150, "seed": 1})
    text = repr(build_report(simulate(study), date="2026-01-01", full=True))
    for words in (
        "Dropping is not binding: the limits for declaring were made as if no dose were ever "
        "dropped",
        "D drops doses so: Dropped where the observed mean is below the target",
        "The chance of any false declaration is at most delta, under every allocation rule",
        "Chance that any good dose is dropped, at most",
        "Dropping: Dropped where the observed mean is below the target (how far below the target: "
        "0.05)",
        "up to the largest sample size, for declarations alone",
    ):
        assert words in text
    assert "any wrong verdict is at most delta" not in text
    assert any("not dropped by its decision rule" in caution for caution in cautions(study))
    assert designs_table(study).rows[0][2:] == [
        "exact (looks = 20, largest = 60); futility: below (amount = 0.05)",
        "2",
        "up to n_max; on dropping nothing",
    ]
    table = exact_errors_table(study, worst_cases(study))
    row = dict(zip(table.columns[4:], table.rows[0][4:], strict=True))
    assert row["promised (beta)"] == "nothing"
    assert float(row["one good dose dropped"]) > 0.1
    assert "BROKEN" not in repr(table)
    safe = dropping("mixture", simulation={"runs": 20, "n_max": 150, "seed": 1})
    text = repr(build_report(simulate(safe), date="2026-01-01"))
    assert (
        "If outcomes are as assumed, any good dose is dropped in at most 10% of the trials." in text
    )
    assert designs_table(safe).rows[0][-1] == "up to n_max"
    plain = repr(build_report(simulate(dropping(None)), date="2026-01-01"))
    assert "Dropping is not binding" not in plain
    assert "any wrong verdict is at most delta" in plain


def test_futility_is_any_criterion_or_a_way_to_drop() -> None:
    assert list(futilities()) == [*CRITERIA, "below", "none"]

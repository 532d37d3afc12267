"""Step-down: a verdict leaves its share of the error to the doses that are still open."""

from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from conducted import conducted_study, when_known
from conftest import make_study, outcomes
from naive import algorithm_1
from naive_conduct import conducted_trial, numbers_of
from scipy.stats import binom
from test_conduct import assert_same
from test_error_rates import VERDICTS
from test_pairs import LATE, RATES, SCORES, against_control, assert_as_on_the_page

from gai_core import InputError, Study, simulate
from gai_core.criteria.mixture import log_evidence
from gai_core.evidence import BAD, GOOD, ErrorRates, Stages
from gai_core.evidence.crossing import law
from gai_core.results import decision_table, decisions_in_words, replay, shown_rows
from gai_core.theory.exact_errors import arm_law, error_bounds, worst_case

RATE_APART = {"declare": 0.1, "drop": 0.3}
STEP: dict[str, Any] = {"share": "step-down"}
DOSES = [{"label": str(i)} for i in range(5)]
MEANS = [0.3, 0.45, 0.5, 0.68, 0.9]


def design(rule: str = "equal", criterion: str = "exact", **changes: Any) -> dict[str, Any]:
    return {"name": "one", "rule": rule, "criterion": criterion, "burn_in": 2,
            "criterion_parameters": STEP} | changes  # fmt: skip


def stepping(*designs: dict[str, Any], **changes: Any) -> Study:
    """Five doses; error rates at which most trials decide something."""
    return make_study(**{
        "delta": None, "errors": RATE_APART, "arms": DOSES,
        "truths": [{"name": "near", "means": MEANS}],
        "designs": [one | {"name": str(i)} for i, one in enumerate(designs)],
        "simulation": {"runs": 25, "n_max": 260, "seed": 3},
    } | changes)  # fmt: skip


def by_evidence(n: int, total: float, alpha: float, beta: float) -> str:
    """The mixture's verdict at two levels, from its formula."""

    def evidence(responders: float) -> float:
        sums, patients = np.array([responders]), np.array([float(n)])
        return float(log_evidence(sums, patients, 0.5, (10.0, 200.0))[0])

    if total > n / 2 and evidence(total) >= -np.log(alpha):
        return "good"
    return "bad" if total < n / 2 and evidence(n - total) >= -np.log(beta) else "undecided"


@pytest.mark.parametrize("wanted", [None, 2])
def test_every_trial_is_the_naive_one(wanted: int | None) -> None:
    study = stepping(design("hdoc", "mixture"), design("equal", "mixture"), wanted=wanted)
    runs, at_once = simulate(study), 0
    for one, replicate in product(study.designs, range(study.simulation.runs)):
        trial = algorithm_1(
            outcomes(study, study.truths[0], replicate), rule=one.rule, threshold=0.5,
            delta=0.1, beta=0.3, s2=0.25, burn_in=2, n_max=260, wanted=wanted, levels=by_evidence,
        )  # fmt: skip
        block = runs["near", one.name]
        assert block.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict]
        assert block.decided[replicate].tolist() == [t or 0 for t in trial.decided]
        assert block.assigned[replicate].tolist() == trial.assigned
        times = [t for t in trial.decided if t is not None and t > 10]
        at_once += len(times) - len(set(times))
    assert at_once > 0  # some verdicts came of another one


def test_every_replay_is_the_trial() -> None:
    """Also doses that have all their patients are judged again."""
    study = stepping(
        design("hdoc", criterion_parameters=STEP | {"looks": 5}),
        design(criterion_parameters=STEP | {"looks": "end"}),
        design("hdoc", futility="exact", futility_parameters=STEP, criterion_parameters={}),
    )
    runs = simulate(study)
    for one, replicate in product(study.designs, range(study.simulation.runs)):
        moments = replay(study, study.truths[0], one, replicate).moments
        found = {moment.arm: (moment.verdict, moment.patient) for moment in moments}
        block = runs["near", one.name]
        block = when_known(block) if one.once_at_end else block
        assert [found.get(arm, (0, 0)) for arm in range(5)] == [
            (block.verdict[replicate, arm], block.decided[replicate, arm]) for arm in range(5)
        ]


def test_a_fixed_design_is_holm_s_procedure() -> None:
    """From its published form: p-values in order against alpha/K, alpha/(K-1), ..."""
    study = stepping(
        design(criterion_parameters=STEP | {"looks": "end"}, futility="none"),
        truths=[{"name": "near", "means": [0.5, 0.65, 0.65, 0.65, 0.65]}],
    )
    block = simulate(study)["near", "0"]
    n, declared = 52, 0
    for row in range(study.simulation.runs):
        assert block.assigned[row].tolist() == [n] * 5
        values = binom.sf(block.sums[row] - 1, n, 0.5)
        found = np.zeros(5, int)
        for j, dose in enumerate(np.argsort(values)):
            if values[dose] > 0.1 / (5 - j):
                break
            found[dose] = GOOD
        assert block.verdict[row].tolist() == found.tolist()
        declared += int((values[found == GOOD] > 0.1 / 5).sum())
    assert declared > 0  # some only because others were


CONDUCTED: dict[str, dict[str, Any]] = {
    "at every outcome": {"looks": {"outcomes": 1}},
    "weeks": {"looks": {"weeks": 5.0}, "wanted": 2},
    "cohorts, dropouts left out": {
        "dropout": {"probability": 0.2, "counted": "left out", "in_means": False}
    },
}


@pytest.mark.parametrize("name", CONDUCTED)
def test_a_conducted_trial_is_the_oracle_s(name: str) -> None:
    conduct: dict[str, Any] = {"accrual": {"per_month": 7.3}, "delay": {"weeks": 8.0}, "cohort": 5}
    end = {"looks": "end"} if "dropout" in CONDUCTED[name] else {"looks": {"equal": 2}}
    study = conducted_study(
        conduct | CONDUCTED[name], delta=None, errors=RATE_APART,
        simulation={"runs": 20, "n_max": 120, "seed": 5},
        designs=[
            design("hdoc") | {"name": "a"},
            design("equal", criterion_parameters=STEP | end) | {"name": "b"},
            design("hdoc", "mixture", futility="below", futility_parameters={"after": 6})
            | {"name": "c"},
        ],
    )  # fmt: skip
    runs = simulate(study)
    for truth, one in product(study.truths, study.designs):
        for replicate in range(study.simulation.runs):
            trial = conducted_trial(study, truth, one, numbers_of(study, truth, replicate))
            assert_same(runs[truth.name, one.name], replicate, trial, f"{truth.name} {one.name}")


@pytest.mark.parametrize("kind", [RATES, SCORES], ids=["rates", "scores"])
def test_pairs_are_as_on_the_page(kind: dict[str, Any]) -> None:
    apart = {"delta": None, "errors": RATE_APART}
    study = against_control(kind | apart, design("thompson"), n_max=120, **LATE)
    assert assert_as_on_the_page(study) > 10


OUTCOMES: dict[str, dict[str, Any]] = {
    "rates": {},
    "scores": {"outcome": {"kind": "gaussian", "variance": 0.3}},
}


@pytest.mark.parametrize("kind", OUTCOMES)
@pytest.mark.parametrize(
    "given", [{}, {"shape": "obrien-fleming"}, {"looks": [8, 31, 52]}], ids=str
)
def test_every_stage_keeps_its_level_and_is_nested_in_the_next(
    given: dict[str, Any], kind: str
) -> None:
    study = stepping(design(criterion_parameters=STEP | given), **OUTCOMES[kind],
                     simulation={"runs": 1, "n_max": 120, "seed": 1})  # fmt: skip
    plan = study.designs[0]
    stages, setting = study.stages(plan), study.setting(plan)
    assert stages.accept.shape == stages.reject.shape == (5, len(study.curves(plan).accept))
    assert (stages.accept[1:] <= stages.accept[:-1]).all()
    assert (stages.reject[1:] >= stages.reject[:-1]).all()
    for stage in range(5):
        for verdict, rate in ((GOOD, 0.1), (BAD, 0.3)):
            never = setting.outcome.never(setting.counts[: stages.accept.shape[1]])
            accept = stages.accept[stage] if verdict == GOOD else never[0]
            reject = stages.reject[stage] if verdict == BAD else never[1]
            kept = type(study.curves(plan))(accept, reject)
            found = law(setting.outcome, study.stream.target, kept, smallest=1e-6, step=0.1)
            chance = (found.good if verdict == GOOD else found.bad).sum()
            assert chance <= rate / (5 - stage) * (1 + 1e-9)
            assert chance > 0.6 * rate / (5 - stage)


def test_limits_that_are_not_nested_are_raised_where_they_come_first() -> None:
    """Lowering the later ones instead would spend more than their level."""
    study = stepping(design())
    one = study.curves(study.designs[0])
    higher, lower = one.accept.copy(), one.accept.copy()
    higher[[20, 30]] += 3
    stages = Stages.of([type(one)(lower, one.reject), type(one)(higher, one.reject)], [one])
    assert stages.accept[1].tolist() == higher.tolist()
    assert stages.accept[0].tolist() == np.maximum(lower, higher).tolist()
    assert stages.at(7, 7).accept.tolist() == higher.tolist()


def test_only_declarations_relax_declaring() -> None:
    study = stepping(design(futility="below"))
    stages = study.stages(study.designs[0])
    assert (len(stages.accept), len(stages.reject)) == (5, 1)
    own = stepping(design(futility="exact", futility_parameters=STEP, criterion_parameters={}))
    stages = own.stages(own.designs[0])
    assert (len(stages.accept), len(stages.reject)) == (1, 5)


def test_errors_are_kept_by_either_rate_whatever_is_good() -> None:
    """For every number of doses at the target, the others far off: exactly, under any rule."""
    for given in ({}, {"shape": "obrien-fleming", "looks": {"equal": 4}}, {"looks": "end"}):
        study = stepping(design(criterion_parameters=STEP | given))
        plan = study.designs[0]
        worst = worst_case(study, plan)
        for bad in range(1, 6):
            truth = study.truths[0].model_copy(update={
                "means": (*[0.5 - 1e-12] * bad, *[0.99] * (5 - bad))})  # fmt: skip
            assert 0.05 < error_bounds(study, plan, truth)[0] <= worst.any_false_declaration + 1e-9
            good = truth.model_copy(update={"means": (*[0.5] * bad, *[0.01] * (5 - bad))})
            assert 0.15 < error_bounds(study, plan, good)[1] <= worst.any_miss + 1e-9
        assert worst.any_false_declaration <= 0.1
        assert worst.any_miss <= 0.3
        assert worst.whole_list == pytest.approx(worst.any_false_declaration + worst.any_miss)
        assert (worst.arm_allowance, worst.drop_allowance) == pytest.approx((0.1, 0.3))


def test_with_one_delta_it_is_refused_because_the_error_would_exceed_it() -> None:
    """One dose just below the target; the others above, looked at after 1 and 400 patients.

    At the first look any of them may be dropped, and after the second all others are declared:
    then the bad one is judged at the whole of delta. Whoever looks at the others first errs so.
    """
    for criterion in ("exact", "mixture"):
        with pytest.raises(InputError, match="must not be 'step-down' with one rate for both"):
            stepping(design(criterion=criterion), errors=None, delta=0.1)

    def any_wrong(share: str) -> float:
        study = stepping(
            design(criterion_parameters={"share": share, "looks": [1, 400]}, burn_in=1),
            errors={"declare": 0.1, "drop": 0.1 + 1e-9}, threshold=0.0,
            outcome={"kind": "gaussian", "variance": 1.0},
            simulation={"runs": 1, "n_max": 2000, "seed": 1},
        )  # fmt: skip
        assert not ErrorRates.model_validate(study.errors).same
        plan = study.designs[0]
        other = arm_law(study, plan, 0.25)
        none = 0.0
        for declared in range(5):
            right = other.ever_good**declared * (1 - other.ever_good - other.ever_bad) ** (
                4 - declared
            )
            bad = arm_law(study, plan, 0.0, stage=(declared, 0)).ever_good
            none += comb(4, declared) * right * (1 - bad)
        return 1 - none

    assert any_wrong("step-down") > 0.115
    assert any_wrong("bonferroni") < 0.1


def test_the_decision_table_has_every_stage() -> None:
    study = stepping(design(criterion_parameters=STEP | {"looks": {"equal": 4}}))
    table = decision_table(study, study.designs[0])
    assert table.verdicts_before.unique().tolist() == [0, 1, 2, 3, 4]
    words = decisions_in_words(study, shown_rows(table, 12))
    assert words.columns[0] == "doses declared before, or dropped before"
    assert {row[0] for row in words.rows} == set("01234")
    last = table[table.n == 52]
    assert (last.declare_at_least.diff().dropna() <= 0).all()
    assert last.declare_at_least.iloc[0] > last.declare_at_least.iloc[-1]

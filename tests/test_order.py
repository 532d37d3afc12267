"""Doses judged in order: declared from the highest down, dropped from the lowest up."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from conducted import conducted_study
from conftest import outcomes
from naive import algorithm_1
from naive_conduct import conducted_trial, numbers_of
from test_conduct import assert_same
from test_error_rates import VERDICTS
from test_pairs import LATE, RATES, against_control, assert_as_on_the_page
from test_step_down import RATE_APART, by_evidence, stepping
from test_step_down import design as stepping_design

from gai_core import InputError, Study, load_study, simulate
from gai_core.evidence import BAD, GOOD, UNDECIDED
from gai_core.questions.design_space import Space
from gai_core.results import designs_table, replay
from gai_core.study import changed, every_ready_made, narrowed
from gai_core.theory import cautions
from gai_core.theory.exact_errors import arm_law, error_bounds, worst_case


def design(rule: str = "equal", criterion: str = "exact", **changes: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {"criterion_parameters": {}, "order": "increasing"}
    return stepping_design(rule, criterion, **(plain | changes))


@pytest.mark.parametrize("wanted", [None, 2])
def test_every_trial_is_the_naive_one(wanted: int | None) -> None:
    study = stepping(
        design("hdoc", "mixture"), design("equal", "mixture"), wanted=wanted,
        truths=[{"name": "near", "means": [0.2, 0.4, 0.6, 0.7, 0.75]}],
    )  # fmt: skip
    runs, waited = simulate(study), 0
    for one, replicate in product(study.designs, range(study.simulation.runs)):
        trial = algorithm_1(
            outcomes(study, study.truths[0], replicate), rule=one.rule, threshold=0.5, delta=0.1,
            beta=0.3, s2=0.25, burn_in=2, n_max=260, wanted=wanted, levels=by_evidence,
            in_order=True,
        )  # fmt: skip
        block = runs["near", one.name]
        assert block.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict]
        assert block.decided[replicate].tolist() == [t or 0 for t in trial.decided]
        assert block.assigned[replicate].tolist() == trial.assigned
        times = [t for t in trial.decided if t is not None]
        waited += len(times) - len(set(times))
        moments = replay(study, study.truths[0], one, replicate).moments
        found = {moment.arm: (moment.verdict, moment.patient) for moment in moments}
        assert [found.get(arm, (0, 0)) for arm in range(5)] == [
            (block.verdict[replicate, arm], block.decided[replicate, arm]) for arm in range(5)
        ]
    assert waited > 5  # some verdicts waited for a higher, or lower, dose
    for block in runs.trials.values():
        good, bad = block.verdict == GOOD, block.verdict == BAD
        assert (np.diff(good.astype(int), axis=1) >= 0).all()
        assert (np.diff(bad.astype(int), axis=1) <= 0).all()


@pytest.mark.parametrize("conduct", [
    {"looks": {"outcomes": 1}, "control_share": 0.25},
    {"looks": {"weeks": 5.0}, "wanted": 2},
], ids=str)  # fmt: skip
def test_a_conducted_trial_is_the_oracle_s(conduct: dict[str, Any]) -> None:
    usual = {"accrual": {"per_month": 7.3}, "delay": {"weeks": 8.0}, "cohort": 5}
    study = conducted_study(
        usual | conduct, delta=None, errors=RATE_APART,
        simulation={"runs": 20, "n_max": 120, "seed": 5},
        designs=[
            design("hdoc") | {"name": "a"},
            design("equal", criterion_parameters={"looks": {"equal": 3}}, futility="below")
            | {"name": "b"},
        ],
    )  # fmt: skip
    runs, verdicts = simulate(study), 0
    for truth, one in product(study.truths, study.designs):
        for replicate in range(study.simulation.runs):
            trial = conducted_trial(study, truth, one, numbers_of(study, truth, replicate))
            assert_same(runs[truth.name, one.name], replicate, trial, f"{truth.name} {one.name}")
            verdicts += sum(verdict in ("good", "bad") for verdict in trial.verdict)
    assert verdicts > 50


def test_pairs_are_as_on_the_page() -> None:
    study = against_control(RATES, design("thompson"), n_max=120, **LATE)
    assert assert_as_on_the_page(study) > 10


def test_limits_are_those_of_one_dose() -> None:
    """The whole of both rates; of one delta for both a half, and all where nothing is dropped."""
    apart = stepping(design())
    setting = apart.setting(apart.designs[0])
    assert (setting.sharing, setting.errors) == (1, apart.error_rates)
    both = stepping(design(), design(futility="none"), errors=None, delta=0.1)
    halves, whole = (both.setting(one).errors for one in both.designs)
    assert (halves.declare, halves.drop) == (0.05, 0.05)
    assert whole.declare == 0.1
    for study in (apart, both):
        for one in study.designs:
            worst = worst_case(study, one)
            assert 0.8 < worst.list_share <= 1
            assert worst.any_false_declaration == worst.false_declaration


BENT = [
    [0.3, 0.5 - 1e-9, 0.8, 0.8, 0.8],
    [0.8, 0.8, 0.8, 0.8, 0.5 - 1e-9],
    [0.5, 0.3, 0.8, 0.5 - 1e-9, 0.9],
    [0.5 - 1e-9] * 5,
]


@pytest.mark.parametrize("means", BENT, ids=str)
@pytest.mark.parametrize("rule", ["equal", "hdoc"])
def test_the_errors_are_kept_whatever_the_doses_do(rule: str, means: list[float]) -> None:
    """Also where the curve bends down; simulated errors are within the exact bound."""
    study = stepping(
        design(rule, burn_in=1), truths=[{"name": "bent", "means": means}],
        simulation={"runs": 4000, "n_max": 260, "seed": 8},
    )  # fmt: skip
    plan, truth = study.designs[0], study.truths[0]
    block, good = simulate(study)["bent", "0"], np.array(study.good(truth))
    false, missed = error_bounds(study, plan, truth)
    assert false <= 0.1
    assert missed <= 0.3
    four_errors = 4 * np.sqrt(0.1 * 0.9 / 4000)
    assert ((block.verdict == GOOD) & ~good).any(axis=1).mean() <= false + four_errors
    assert ((block.verdict == BAD) & good).any(axis=1).mean() <= missed + 2 * four_errors


def test_a_caution_says_what_a_curve_that_bends_down_costs() -> None:
    """In two shipped trials a lower dose does best: it waits for others, which are at the edge."""
    for name, best, higher in (
        ("clazakizumab", "25 mg", ["100 mg", "200 mg"]),
        ("ixekizumab", "30 mg", ["80 mg", "180 mg"]),
    ):
        study, said = _with_order(name)
        assert len(said) == 1
        plan, truth = study.designs[0], study.truth("published")
        arms = {arm.label: i for i, arm in enumerate(study.arms)}
        chances = [
            arm_law(study, plan, study.stream_mean(truth, arms[label])).ever_good
            for label in higher
        ]
        assert said[0].startswith(f"published: responses fall after {best}, and Fixed, in order")
        assert said[0].endswith(f"at most {100 * np.prod(chances):.3g}%.")
        runs = simulate(changed(study, runs=2000))
        declared = (runs["published", plan.name].verdict[:, arms[best]] == GOOD).mean()
        assert declared <= np.prod(chances) + 0.045
        assert declared < 0.5
    straight = stepping(design(), truths=[{"name": "up", "means": [0.1, 0.2, 0.3, 0.6, 0.7]}])
    assert not [text for text in cautions(straight) if "in order" in text]


def test_under_a_trend_no_chance_is_computed_of_what_declares_higher_doses() -> None:
    """Doses below the target do not stay there."""
    truth: dict[str, Any] = {"name": "bent", "means": [0.1, 0.2, 0.7, 0.3, 0.2]}
    for trend, known in ((None, True), (0.03, False)):
        study = stepping(
            design(),
            truths=[truth | {"trend": trend}],
            conduct={"accrual": {"per_month": 10.0}},
        )
        (said,) = [text for text in cautions(study) if "in order" in text]
        assert (", too, which are at most " in said) is known
        assert said.endswith(", too.") is not known


def test_a_label_that_could_be_words_of_the_caution_is_quoted() -> None:
    labels = ["low", "5%", "and", "nan", "20 mg"]
    study = stepping(
        design(),
        arms=[{"label": label} for label in labels],
        truths=[{"name": "bent", "means": [0.1, 0.2, 0.7, 0.3, 0.2]}],
    )
    (said,) = [text for text in cautions(study) if "in order" in text]
    assert "responses fall after “and”, and" in said
    assert "it can declare “and” only in trials in which it declares “nan” and 20 mg, too" in said


def _with_order(name: str) -> tuple[Study, list[str]]:
    shipped = load_study(name)
    ready = next(one for one in every_ready_made(shipped) if one.name == "Fixed, in order")
    study = shipped.model_copy(update={"designs": (ready,)})
    return study, [text for text in cautions(study) if "judges doses in order" in text]


REFUSED = {
    r"designs\[0\].order needs arms that are listed from the lowest to the highest dose, but 1 "
    r"\(1\) comes after 0 \(2\)": {
        "arms": [
            {"label": str(i), "dose": dose} for i, dose in enumerate([2.0, 1.0, 3.0, 4.0, 5.0])
        ]
    },
    "must be left out where doses are judged in order, each at the full rate, but is 'step-down'": {
        "designs": [design(criterion_parameters={"share": "step-down"})]
    },
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_does_not_go_with_it_is_refused(message: str) -> None:
    with pytest.raises(InputError, match=message):
        stepping(design(), **REFUSED[message])


def test_no_search_chooses_it_by_itself() -> None:
    study = stepping(design())
    free, asked = Space(study), Space(study, {"order": ["increasing"]})
    orders = [one.data.get("order") for one in free.starts()]
    assert orders.count("increasing") == 0
    start = free.starts()[0]
    assert not [axis for axis in free.axes(start) if axis == ("order",)]
    assert {one.data["order"] for one in asked.starts()} == {"increasing"}
    either = Space(study, {"order": ["none", "increasing"]})
    assert {one.data.get("order") for _, one in either.steps(either.starts()[0])} == {
        None, "increasing"
    }  # fmt: skip


def test_a_fixed_test_in_order_finds_more_and_says_what_it_is() -> None:
    """Tofacitinib's flatter rates: the highest dose is tested at the whole rate."""
    shipped = load_study("tofacitinib-one-dose")
    ready = {one.name: one for one in every_ready_made(shipped)}
    both = tuple(ready[name] for name in ("Fixed", "Fixed, in order"))
    study = changed(narrowed(shipped, ["flatter"], ["Fixed"]), runs=2000)
    study = study.model_copy(update={"designs": both})
    runs = simulate(study)
    shares = [(runs["flatter", one.name].verdict == GOOD).any(axis=1).mean() for one in both]
    assert shares[1] > shares[0] + 0.03
    assert designs_table(study).rows[1][2] == "exact (looks = end), doses in order; futility: none"
    assert UNDECIDED in runs["flatter", "Fixed, in order"].verdict

"""Two error rates: alpha for declaring, beta for dropping; delta where they are one."""

import json
import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from conftest import make_study, outcomes
from naive import algorithm_1
from naive_conduct import conducted_trial, numbers_of
from scipy.optimize import linprog

from gai_core import CRITERIA, InputError, bounds, dump_study, parse_study, simulate
from gai_core.evidence import BAD, GOOD, OUTCOMES, UNDECIDED, ErrorRates, Setting
from gai_core.questions import Wish, plan, plan_sentences
from gai_core.questions.advice import advise
from gai_core.questions.verification import errors_by_truth
from gai_core.report import build_report
from gai_core.results import exact_errors_table
from gai_core.study import Study, Variation, changed, differences, numbers_at, varied
from gai_core.theory import worst_cases
from gai_core.theory.exact_errors import worst_case
from gai_core.theory.lower_bounds import instance, kappa, sharper_stop
from gai_core.theory.reachable import evidence, evidence_for_any, least_n_max

APART = {"declare": 0.025, "drop": 0.2}
RULES = [
    {"name": "HDoC", "rule": "hdoc"},
    {"name": "LUCB-G", "rule": "lucb-g"},
    {"name": "APT-G", "rule": "apt-g"},
    {"name": "Equal", "rule": "equal"},
]
KINDS = {key: kind.example() for key, kind in OUTCOMES.items()} | {
    "gaussian": {"kind": "gaussian", "variance": 0.3},
}
PAIRS = [(criterion.key, kind) for criterion in CRITERIA.values() for kind in criterion.outcomes]
GUARANTEED = [(key, kind) for key, kind in PAIRS if CRITERIA[key].guarantee != "nothing"]
VERDICTS = {"good": GOOD, "bad": BAD, "undecided": UNDECIDED}


def apart(**changes: Any) -> Study:
    """The usual small study with two error rates."""
    return make_study(**({"delta": None, "errors": APART} | changes))


def text_of(study: Study) -> str:
    return dump_study(study)


def test_a_file_has_delta_or_two_rates_and_keeps_which() -> None:
    one, two = make_study(), apart()
    assert "delta = 0.1" in text_of(one)
    assert "errors" not in text_of(one)
    assert "[errors]\ndeclare = 0.025\ndrop = 0.2" in text_of(two)
    assert "delta" not in text_of(two)
    for study in (one, two):
        assert parse_study(text_of(study)) == study
    assert one.error_rates == ErrorRates(declare=0.1, drop=0.1)
    assert two.error_rates == ErrorRates(declare=0.025, drop=0.2)


REFUSED: dict[str, dict[str, Any]] = {
    "delta must be left out where errors is given, which has a rate for either error, but is 0.1": {
        "delta": 0.1
    },
    "delta must be given, or errors with declare and drop instead": {"errors": None},
    "errors must have rates that add up to less than 1, or a verdict by tossing a coin would do, "
    "but 0.5 and 0.5 do not; lower errors.declare (usually 0.025 or 0.05) or errors.drop (usually "
    "0.1 or 0.2)": {"errors": {"declare": 0.5, "drop": 0.5}},
    "errors.declare must be greater than 0.0, but is 0.0": {"errors": APART | {"declare": 0.0}},
    "errors.drop must be at least 1e-300, but is 1e-305": {"errors": APART | {"drop": 1e-305}},
    "errors.drop is missing": {"errors": {"declare": 0.1}},
    "errors.dropp is not a known key; did you mean 'drop'?": {"errors": APART | {"dropp": 0.1}},
    "errors must be a table, but is 0.1": {"errors": 0.1},
}


@pytest.mark.parametrize("message", REFUSED)
def test_bad_rates_are_refused_in_words(message: str) -> None:
    with pytest.raises(InputError) as refused:
        apart(**REFUSED[message])
    assert message in str(refused.value)


def test_a_study_without_any_rate_says_that_delta_is_missing() -> None:
    text = text_of(make_study()).replace("delta = 0.1\n", "")
    with pytest.raises(InputError, match="delta is missing"):
        parse_study(text)


def test_the_schema_takes_either() -> None:
    schema = json.loads(json.dumps(Study.model_json_schema()))
    assert {"delta", "errors", "threshold", "margin"}.isdisjoint(schema["required"])
    assert {"anyOf": [{"required": ["delta"]}, {"required": ["errors"]}]} in schema["allOf"]


def settings(kind: str, errors: ErrorRates) -> list[Setting]:
    outcome, xi = OUTCOMES[kind].model_validate(KINDS[kind]), 0.35
    return [Setting(arms, xi, errors, outcome, 150, 2) for arms in (2, 5)]


@pytest.mark.parametrize(("key", "kind"), PAIRS)
def test_limits_of_declaring_are_at_alpha_and_those_of_dropping_at_beta(
    key: str, kind: str
) -> None:
    """With either rate alone the same limits come out: neither changes the other's."""
    criterion = CRITERIA[key]
    rates = ErrorRates(declare=0.02, drop=0.3)
    for setting in settings(kind, rates):
        found = criterion.curves_of(setting, criterion.parameters())
        at_alpha, at_beta = (
            criterion.curves_of(setting.at(error), criterion.parameters())
            for error in (rates.declare, rates.drop)
        )
        assert np.array_equal(found.accept, at_alpha.accept)
        assert np.array_equal(found.reject, at_beta.reject)
        # Cut-offs of their own know no error rate.
        own = "c_bad" in criterion.parameters.model_fields
        assert np.array_equal(found.reject, at_alpha.reject) == own


@pytest.mark.parametrize(("key", "kind"), GUARANTEED)
def test_the_exact_worst_errors_are_within_alpha_and_within_beta(key: str, kind: str) -> None:
    for (declare, drop), xi, arms in product(
        [(0.025, 0.2), (0.2, 0.001), (0.05, 0.1)], [0.1, 0.5, 0.8], [2, 5]
    ):
        study = make_study(
            delta=None,
            errors={"declare": declare, "drop": drop},
            threshold=xi,
            outcome=KINDS[kind],
            simulation={"n_max": 120},
            arms=[{"label": str(i)} for i in range(arms)],
            truths=[{"name": "t", "means": [xi] * arms}],
            designs=[{"name": "d", "rule": "equal", "criterion": key, "burn_in": 2}],
        )
        worst = worst_case(study, study.designs[0])
        assert worst.any_false_declaration <= declare * (1 + 1e-6)
        assert worst.any_miss <= drop * (1 + 1e-6)
        assert worst.whole_list <= max(declare, drop) * (1 + 1e-6)
        assert worst.arm_allowance == pytest.approx(declare / arms)
        assert worst.drop_allowance == pytest.approx(drop / arms)
        assert worst.list_share <= 1 + 1e-6
        if key == "exact" and kind == "gaussian":  # a lattice leaves some of it over
            assert worst.false_declaration > 0.85 * declare / arms  # what is dropped cannot err
            assert worst.miss > 0.85 * drop / arms


def test_equal_rates_are_one_delta_bit_by_bit() -> None:
    designs = [*RULES, {"name": "Near", "rule": "nearest-finish", "criterion": "exact"}]
    changes = {"designs": designs, "simulation": {"runs": 20, "n_max": 300, "seed": 5}}
    one = make_study(**changes)
    two = make_study(delta=None, errors={"declare": 0.1, "drop": 0.1}, **changes)
    ours, theirs = simulate(one), simulate(two)
    for names, trials in ours.trials.items():
        for name, array in trials.named_arrays.items():
            assert np.array_equal(array, theirs.trials[names].named_arrays[name])
    assert bounds(one).equals(bounds(two))
    assert worst_cases(one).equals(worst_cases(two))
    assert errors_by_truth(one).equals(errors_by_truth(two))


@pytest.mark.parametrize("kind", CRITERIA["union"].outcomes)
def test_trials_agree_with_the_naive_oracle(kind: str) -> None:
    study = apart(
        outcome=KINDS[kind],
        errors={"declare": 0.05, "drop": 0.4},
        designs=RULES,
        simulation={"runs": 12, "n_max": 900, "seed": 11},
        truths=[{"name": "steep", "means": [0.1, 0.3, 0.85]}],
    )
    runs, found = simulate(study), {"good": 0, "bad": 0}
    for design, replicate in product(study.designs, range(study.simulation.runs)):
        trial = algorithm_1(
            outcomes(study, study.truths[0], replicate),
            rule=design.rule,
            threshold=study.stream.target,
            delta=0.05,
            beta=0.4,
            s2=study.outcome.s2,
            burn_in=design.burn_in,
            n_max=study.simulation.n_max,
        )
        block = runs["steep", design.name]
        assert block.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict]
        assert block.decided[replicate].tolist() == [t or 0 for t in trial.decided]
        assert block.assigned[replicate].tolist() == trial.assigned
        for verdict in found:
            found[verdict] += trial.verdict.count(verdict)
    assert min(found.values()) > 20


def test_conducted_trials_agree_with_the_naive_oracle() -> None:
    study = apart(
        simulation={"runs": 10, "n_max": 150, "seed": 4},
        conduct={
            "delay": {"weeks": 4.0},
            "cohort": 4,
            "dropout": {"probability": 0.1, "counted": "left out", "in_means": False},
        },
        designs=[
            {"name": "LUCB-G", "rule": "lucb-g", "criterion": "mixture"},
            {"name": "Near", "rule": "nearest-finish", "criterion": "exact"},
            {"name": "Fixed", "rule": "equal", "criterion": "exact",
             "criterion_parameters": {"looks": "end"}},
        ],
    )  # fmt: skip
    runs, verdicts = simulate(study), []
    truth = study.truths[0]
    for design, replicate in product(study.designs, range(study.simulation.runs)):
        trial = conducted_trial(study, truth, design, numbers_of(study, truth, replicate))
        block = runs[truth.name, design.name]
        assert block.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict]
        assert block.decided[replicate].tolist() == trial.decided
        assert block.assigned[replicate].tolist() == trial.assigned
        verdicts += trial.verdict
    assert {"good", "bad"} <= set(verdicts)


def test_kappa_is_the_divergence_of_the_two_chances() -> None:
    assert kappa(0.025, 0.1) == pytest.approx(
        0.9 * math.log(0.9 / 0.025) + 0.1 * math.log(0.1 / 0.975)
    )
    assert kappa(0.05, 0.05) == kappa(0.05)
    assert kappa(0.05 * (1 + 1e-12), 0.05) == pytest.approx(kappa(0.05))
    assert kappa(0.6, 0.4) == kappa(0.7, 0.5) == 0
    assert kappa(1e-300, 0.2) == pytest.approx(0.8 * 300 * math.log(10), rel=0.01)


def test_the_bounds_are_linear_programmes_with_the_two_chances() -> None:
    """tau_2 of three good doses: any two of them need kl(1-beta, alpha) together."""
    study = apart(truths=[{"name": "t", "means": [0.55, 0.6, 0.7]}])
    problem = instance(study, study.truths[0])
    d = problem.divergences
    needs = 0.8 * math.log(0.8 / 0.025) + 0.2 * math.log(0.2 / 0.975)
    pairs = [(0, 1), (0, 2), (1, 2)]
    rows = [[-d[i] if i in pair else 0.0 for i in range(3)] for pair in pairs]
    least = linprog(np.ones(3), A_ub=rows, b_ub=[-needs] * 3).fun
    table = bounds(study).set_index(["quantity", "bound"]).value
    assert table["tau_2", "sharper"] == pytest.approx(least)


def test_a_good_dose_needs_other_evidence_than_a_bad_one() -> None:
    study = apart(truths=[{"name": "t", "means": [0.2, 0.4, 0.7]}])
    problem = instance(study, study.truths[0])
    bad, good = problem.all_divergences[:2], problem.all_divergences[2]
    for_good = 0.8 * math.log(0.8 / 0.025) + 0.2 * math.log(0.2 / 0.975)
    for_bad = 0.975 * math.log(0.975 / 0.2) + 0.025 * math.log(0.025 / 0.8)
    expected = for_good / good + for_bad * (1 / bad).sum()
    assert sharper_stop(problem).value == pytest.approx(expected)
    others = bounds(study).set_index(["quantity", "bound"])
    assert math.isnan(others.value["tau_1", "theorem_3"])
    assert "one error rate" in others.note["tau_stop", "corollary_1"]
    assert (
        "delta = 0.2" in others.note["tau_1", "theorem_1"]
        or others.value["tau_1", "theorem_1"] == 0
    )


def test_always_deciding_designs_are_above_the_bounds() -> None:
    study = apart(
        simulation={"runs": 300, "n_max": 20_000, "seed": 2},
        designs=[{"name": "Near", "rule": "nearest-finish", "criterion": "mixture"}],
        truths=[{"name": "t", "means": [0.3, 0.42, 0.7]}],
    )
    trials = simulate(study)["t", "Near"]
    assert (trials.verdict != UNDECIDED).all()
    table = bounds(study).set_index(["quantity", "bound"]).value
    assert trials.decided.max(axis=1).mean() > table["tau_stop", "sharper"] > 100
    assert trials.decided[:, 2].mean() > table["tau_1", "sharper"] > 10


def test_what_is_reachable_depends_on_alpha_alone() -> None:
    study, truth = apart(), apart().truths[0]
    lenient = changed(study, drop=0.5)
    for found in (study, lenient):
        needed = least_n_max(found, truth, evidence_for_any, 0.8)
        d = instance(study, truth).divergences[0]
        assert needed == pytest.approx(evidence(0.8, 0.025) / d)


def test_dropping_leniently_saves_patients_and_leaves_false_declarations() -> None:
    """On the same patients doses are dropped sooner, and never later, with a larger beta."""
    truths = [{"name": "inert", "means": [0.2, 0.2, 0.2]}]
    equal = {"truths": truths, "designs": [RULES[3]], "simulation": {"runs": 200, "n_max": 2000}}
    strict, lenient = (simulate(apart(errors=APART | {"drop": b}, **equal)) for b in (0.025, 0.2))
    ours, theirs = (runs["inert", "Equal"] for runs in (lenient, strict))
    assert (ours.patients <= theirs.patients).all()
    assert ours.patients.mean() < 0.9 * theirs.patients.mean()
    assert (ours.verdict[theirs.verdict == GOOD] == GOOD).all()


def test_rates_can_be_varied_and_changed_in_every_study() -> None:
    one, two = make_study(), apart()
    assert varied(one, {"errors.declare": 0.02}).error_rates == ErrorRates(declare=0.02, drop=0.1)
    assert varied(one, {"drop": 0.2}).error_rates == ErrorRates(declare=0.1, drop=0.2)
    assert varied(two, {"errors.drop": 0.3}).error_rates == ErrorRates(declare=0.025, drop=0.3)
    assert varied(two, {"delta": 0.07}).delta == 0.07
    assert varied(two, {"n_max": 500}).errors == two.errors
    assert varied(one, {"n_max": 500}).delta == 0.1
    assert changed(two, delta=0.07) == changed(one, delta=0.07)
    assert changed(one, declare=0.02, drop=0.2) == changed(two, declare=0.02)
    assert [value for _, value in numbers_at(one, "errors.declare")] == [0.1]
    with pytest.raises(InputError, match="delta and errors change the same number"):
        varied(one, {"delta": 0.1, "errors.drop": 0.2})
    with pytest.raises(InputError, match="must be left out where errors is given"):
        changed(one, delta=0.1, drop=0.2)
    assert Variation("errors.drop", (0.1, 0.2)).values == (0.1, 0.2)


def test_what_changed_is_said_of_either_rate() -> None:
    one, two = make_study(), apart()
    assert differences(one, two) == [
        "error rate of declaring (alpha) 0.1 → 0.025",
        "error rate of dropping (beta) 0.1 → 0.2",
    ]
    assert differences(two, changed(two, drop=0.1)) == ["error rate of dropping (beta) 0.2 → 0.1"]


def test_plans_solve_for_either_rate() -> None:
    study = apart(
        designs=[{"name": "HDoC", "rule": "hdoc", "criterion": "mixture"}],
        simulation={"runs": 60, "n_max": 120, "seed": 3},
        truths=[{"name": "t", "means": [0.2, 0.4, 0.7]}],
    )
    wish = Wish("any_declared", 0.8)
    (alpha,) = plan(study, wish, "errors.declare")
    assert alpha.value is not None
    assert alpha.next_value is not None
    chances = [
        (simulate(changed(study, declare=rate))["t", "HDoC"].verdict == GOOD).any(axis=1).mean()
        for rate in (alpha.next_value, alpha.value)
    ]
    assert chances[0] < 0.8 <= chances[1]
    half = Wish("any_declared", 0.5)
    (beta,) = plan(study, half, "errors.drop", among=(0.1, 0.12), largest=True)
    assert beta.value == 0.12
    hopeless = changed(study, n_max=20, declare=0.001)
    (never,) = plan(hopeless, wish, "n_max", among=(15, 20))
    assert "no design that keeps an alpha of 0.001 and has fewer patients reaches" in " ".join(
        plan_sentences(never, study.simulation.runs)
    )


def test_words_say_alpha_and_beta_where_they_differ() -> None:
    study = apart(
        simulation={"runs": 30, "n_max": 300, "seed": 1},
        designs=[{"name": "HDoC", "rule": "hdoc", "criterion": "mixture"}],
    )
    report = build_report(simulate(study), date="2026-01-01", full=True)
    text = repr(report)
    for words in (
        "any false declaration is allowed in 2.5% of the trials (alpha), dropping any good dose in "
        "20% (beta)",
        "The chance of any false declaration is at most alpha, and that of dropping any good dose "
        "at most beta, under every allocation rule and for every sample size",
        "delta is alpha = 0.025 for the limit from which a dose is declared, and beta = 0.2",
        "promised (alpha)",
        "promised (beta)",
    ):
        assert words in text
    for words in ("any wrong verdict is allowed", "(delta)", "at most delta", "share of delta"):
        assert words not in text
    advice = " ".join(advise(study, Wish("good_declared", 0.5)).sentences)
    assert "any false declaration in at most 2.5% of the trials" in advice
    assert ", 2.5% are allowed." in advice
    assert "wrong verdict" not in advice


def test_a_broken_promise_is_seen_on_either_side() -> None:
    study = apart()
    worst = worst_cases(study)
    table = exact_errors_table(study, worst)
    assert not any("BROKEN" in cell for row in table.rows for cell in row)
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert row["promised (alpha)"] == "0.025"
    assert row["promised (beta)"] == "0.2"
    assert float(row["any false declaration, at most"]) <= 0.025
    assert float(row["any good dose dropped, at most"]) <= 0.2


def test_simulated_errors_are_compared_with_their_own_rate() -> None:
    """A narrow radius without a guarantee breaks a small alpha, though not the larger beta."""
    study = make_study(
        delta=None,
        errors={"declare": 0.02, "drop": 0.6},
        outcome={"kind": "gaussian", "variance": 1.0},
        threshold=0.0,
        simulation={"runs": 400, "n_max": 3000, "seed": 8},
        truths=[{"name": "t", "means": [-0.001] * 3, "variance": 3.0}],
        designs=[{"name": "HDoC", "rule": "hdoc", "criterion": "union-published"}],
    )
    (row,) = errors_by_truth(study).itertuples()
    assert 0.02 < row.any_error < 0.6
    assert row.above_delta

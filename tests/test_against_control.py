"""Doses against the concurrent control: what is good, what is promised, what no design can beat."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from test_pairs import RATES, SCORES, UNKNOWN, against_control
from test_report_words import part_of

from gai_core import InputError, Study, cautions, dump_study, load_study, parse_study, simulate
from gai_core.cli.views import show_decisions
from gai_core.criteria import CRITERIA, PROVEN
from gai_core.evidence import Bernoulli, Gaussian
from gai_core.report import build_report
from gai_core.report.subject import Subject
from gai_core.results import decision_table, decisions_in_words, replay, verdicts_in_words
from gai_core.study import (
    changed,
    differences,
    fixed,
    good_dose_in_words,
    kept_by_pairs,
    narrowed,
    sensible,
    study_or_problems,
    validated,
)
from gai_core.theory import (
    bounds,
    error_bounds,
    evidence_for_any,
    least_n_max,
    truth_cautions,
    worst_case,
)
from gai_core.theory.against_control import (
    Comparison,
    patients_per_evidence,
    patients_to_settle_all,
)
from gai_core.theory.lower_bounds import kappa

PLACEBO = "tofacitinib-placebo"
DOSES = 0.315, 0.392, 0.592, 0.705, 0.719


AT_ONCE = {"cohort": 8, "accrual": {"per_month": 20.0}}
DESIGNS = [
    {"name": name, "rule": rule, "criterion": "exact", "burn_in": 1,
     "criterion_parameters": {"largest": 100}}
    for name, rule in (("Equal", "equal"), ("HDoC", "hdoc"), ("Thompson", "thompson"))
]  # fmt: skip


def by_discordant_pairs() -> Study:
    """The shipped trial with outcomes known at once, counted by discordant pairs."""
    given = {"target": {"over": "control"}, "conduct": AT_ONCE, "designs": DESIGNS}
    return validated(load_study(PLACEBO).model_dump() | given, "test")


def shipped(runs: int, **changes: Any) -> Study:
    """The same under its first truth, with other parts if given."""
    study = changed(by_discordant_pairs(), runs=runs)
    names = [design.name for design in study.designs]
    return validated(narrowed(study, ["published"], names).model_dump() | changes, "test")


def proven_for(study: Study) -> list[str]:
    """The decision rules with a proof that work for what pairs show in this study."""
    proven = (entry for entry in CRITERIA.values() if entry.guarantee in PROVEN)
    return [entry.key for entry in proven if entry.works_for(study.stream.outcome)]


# --- what a study says ------------------------------------------------------------------------


def test_a_good_dose_is_better_than_the_control_of_the_same_truth() -> None:
    study = load_study(PLACEBO)
    assert study.threshold is None
    assert study.good(study.truth("published")) == (False, *[True] * 5)
    assert not any(study.good(study.truth("inert")))  # to declare one is an error
    assert study.target_under(study.truth("placebo does more")) == 0.35
    assert study.candidates == (1, 2, 3, 4, 5)
    scores = against_control(SCORES, target={"over": "control", "margin": 0.3})
    assert scores.target_under(scores.truths[0]) == 0.5  # low, the control's place is second
    assert scores.good(scores.truths[0]) == (False, False, True, True)


def test_a_study_against_the_control_is_read_as_it_was_written() -> None:
    for study in (load_study(PLACEBO), against_control(UNKNOWN)):
        text = dump_study(study)
        assert "threshold" not in text
        assert parse_study(text) == study


def problem(data: dict[str, Any]) -> str:
    found = study_or_problems(data)
    assert not isinstance(found, Study)
    return " ".join(map(str, found))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"threshold": 0.5}, "threshold must be left out where target is given"),
        ({"margin": 0.1}, "margin must be left out where target is given"),
        ({"target": None}, "threshold is missing"),
        ({"conduct": None}, "target.over needs a [conduct] part"),
        (
            {"target": {"over": "control", "margin": 1.1}},
            "target.margin must not be closer than 1e-06 to -1",
        ),
        (
            {"target": {"over": "control", "control_at_most": 0.2}},
            "target.control_at_most must be left out",
        ),
        (
            {
                "target": {
                    "over": "control",
                    "margin": 0.2,
                    "control_at_most": 0.2,
                    "control_at_least": 0.4,
                }
            },
            "target.control_at_most must not be less than control_at_least = 0.4",
        ),
        (
            {"target": {"over": "control", "margin": 0.5, "control_at_least": 0.6}},
            "target.control_at_least must leave room for a dose +0.5 from the control",
        ),
        (
            {"target": {"over": "control", "margin": 0.2, "evidence": "discordant"}},
            'target.evidence must be "differences" or "likelihood" with a margin',
        ),
        (
            {"target": {"over": "control", "evidence": "differences"}} | SCORES,
            "target.evidence must be left out if the outcome is a score",
        ),
        ({"target": {"over": "placebo"}}, "target.over must be 'control'"),
        ({"target": {"over": "control", "by": 0.1}}, "target.by is not a known key"),
        ({"conduct": {"cohort": 1}}, "conduct.cohort must be at least 2"),
        ({"conduct": {"cohort": 8, "control_share": 0.3}}, "conduct.control_share must be left"),
        (
            {"conduct": {"cohort": 8, "randomisation": {"kind": "mixed"}}},
            'conduct.randomisation.kind must be "blocks"',
        ),
        ({"arms": [{"label": str(i)} for i in range(4)]}, "target.over needs an arm with control"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_go_with_a_concurrent_control_is_refused(
    changes: dict[str, Any], words: str
) -> None:
    assert words in problem(against_control().model_dump() | changes)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"criterion_parameters": {"share": "sidak"}}, "must be 'bonferroni'"),
        ({"futility": "below", "futility_parameters": {"amount": 0.1}}, "must be 0 against"),
        (
            {"futility": "posterior", "futility_parameters": {"prior_mean": 0.3}},
            "must be left out against",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_designs_must_not_ask_of_pairs_is_refused(part: dict[str, Any], words: str) -> None:
    design = {"name": "one", "rule": "equal", "criterion": "exact"} | part
    assert words in problem(against_control().model_dump() | {"designs": [design]})


def test_dropout_by_the_score_needs_a_fixed_target() -> None:
    dropout = {"probability": 0.1, "probability_on_target": 0.3, "counted": "left out",
               "in_means": False}  # fmt: skip
    data = against_control(SCORES).model_dump()
    data["conduct"]["dropout"] = dropout
    assert "probability_on_target needs a fixed target" in problem(data)


def test_a_margin_over_an_assumed_control_is_called_that() -> None:
    texts = cautions(load_study("baricitinib"))
    assert any("is a fixed target, from an assumed control" in text for text in texts)
    assert not any("assumed control" in text for text in cautions(load_study(PLACEBO)))


def test_other_margins_of_scores_and_ready_made_designs_are_there() -> None:
    for kind in (RATES, SCORES, UNKNOWN):
        study = against_control(kind, n_max=400)
        for design in (fixed(study), *sensible(study)):
            assert isinstance(study_or_problems(study.model_dump() | {"designs": [design]}), Study)


# --- what is promised -------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", proven_for(shipped(1)))
def test_the_worst_error_of_all_doses_is_the_sum_and_within_what_is_allowed(criterion: str) -> None:
    parameters = {"largest": 60} if criterion == "exact" else {}
    design = {"name": "one", "rule": "hdoc", "criterion": criterion,
              "criterion_parameters": parameters}  # fmt: skip
    study = shipped(1, designs=[design])
    worst = worst_case(study, study.designs[0])
    assert worst.any_false_declaration == pytest.approx(5 * worst.false_declaration)
    assert 0 < worst.any_false_declaration <= 0.025
    assert 0 < worst.any_miss <= 0.1


@pytest.mark.parametrize("kind", [SCORES, UNKNOWN], ids=["known", "unknown"])
def test_the_worst_error_of_differences_is_within_what_is_allowed(kind: dict[str, Any]) -> None:
    design = {"criterion": "exact", "criterion_parameters": {"looks": [10, 20, 30]}}
    worst = worst_case(*(lambda study: (study, study.designs[0]))(against_control(kind, design)))
    assert 0.3 < worst.any_false_declaration <= 0.4
    assert 0.3 < worst.any_miss <= 0.4


def test_exact_errors_are_those_of_the_pairs() -> None:
    """A dose's pairs beside a simulation of one dose that is looked at after every outcome."""
    design = {"rule": "equal", "criterion": "mixture", "burn_in": 1}
    kind = RATES | {"truths": [{"name": "worse", "means": [0.5, 0.6, 0.5, 0.5]}]}
    conduct = {"cohort": 4, "looks": {"outcomes": 1}, "n_max": 600}
    study = changed(against_control(kind, design, **conduct), runs=4000)
    runs, truth = simulate(study)["worse", "one"], study.truths[0]
    bound, _ = error_bounds(study, study.designs[0], truth)
    seen = [(runs.verdict[:, arm] == 1).mean() for arm in study.candidates]
    assert sum(seen) <= bound + 4 * math.sqrt(bound / 4000)
    assert study.stream_mean(truth, 0) == pytest.approx(0.5 * 0.4 / (0.5 * 0.4 + 0.6 * 0.5))


@pytest.mark.parametrize("cohort", [3, 6, 8, 13])
@pytest.mark.parametrize("kind", [RATES, SCORES, UNKNOWN], ids=["rates", "scores", "unknown"])
def test_a_fixed_design_judges_every_dose_at_the_end(kind: dict[str, Any], cohort: int) -> None:
    """Also where cohorts have more controls than equal shares."""
    truth = {"name": "clear", "means": [0.9, 0.1, 0.9, 0.9]} | (
        {"variance": 0.2} if kind is UNKNOWN else {}
    )
    study = against_control(kind | {"truths": [truth]}, cohort=cohort, n_max=97)
    for design in sensible(study)[:4]:
        if design.rule == "equal":
            one = validated(study.model_dump() | {"designs": [design]}, "test")
            trials = simulate(one, threads=1)["clear", design.name]
            assert (trials.verdict[:, [0, 2, 3]] == 1).mean() > 0.8, design.name


def test_one_look_at_the_end_needs_equal_allocation_where_only_some_pairs_count() -> None:
    design = {"name": "one", "rule": "hdoc", "criterion": "exact",
              "criterion_parameters": {"looks": "end"}}  # fmt: skip
    assert "where only discordant pairs count" in problem(
        against_control().model_dump() | {"designs": [design]}
    )
    assert isinstance(study_or_problems(against_control(SCORES, design).model_dump()), Study)


# --- what it is worth -------------------------------------------------------------------------


def test_the_first_dose_of_tofacitinib_is_declared_as_soon_as_was_found_elsewhere() -> None:
    """STATISTICS: 105 patients with Thompson, 153 with equal allocation; HDoC's 117 or sooner."""
    study = shipped(4000)
    runs, mean = simulate(study), {}
    for design in study.designs:
        trials = runs["published", design.name]
        declared = trials.verdict == 1
        assert declared.any(axis=1).mean() >= 0.99
        first = np.where(declared, trials.decided, study.simulation.n_max).min(axis=1)
        mean[design.name] = first.mean()
    assert mean["Thompson"] <= 110
    assert mean["HDoC"] <= 117
    assert 145 <= mean["Equal"] <= 160


# --- what no design can beat ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("margin", "patients"), [(0.0, (22.9, 34.2, 56.3)), (0.2, (60.2, 92.8, 220.9))]
)
def test_the_bounds_of_tofacitinib(margin: float, patients: tuple[float, ...]) -> None:
    problem = Comparison(Bernoulli(), 0.0, 0.22, DOSES, margin)
    found = [kappa(0.025, 0.1) * patients_per_evidence(problem, k) for k in (1, 2, 3)]
    assert found == pytest.approx(patients, rel=0.005)


def test_one_normal_dose_has_a_closed_form() -> None:
    outcome = Gaussian(kind="gaussian", variance=1.44)
    problem = Comparison(outcome, 1.2, 0.3, (1.0,), 0.1)
    assert patients_per_evidence(problem, 1) == pytest.approx(8 * 1.44 / 0.6**2, rel=1e-4)
    assert patients_to_settle_all(problem, 1.0, 9.0) == pytest.approx(8 * 1.44 / 0.36, rel=1e-4)
    worse = Comparison(outcome, 1.2, 1.0, (0.3,), 0.1)
    assert patients_to_settle_all(worse, 9.0, 1.0) == pytest.approx(8 * 1.44 / 0.8**2, rel=1e-4)


def test_one_dose_is_a_game_of_the_share_of_controls() -> None:
    """1 / max over the share a of controls of min over x of a d(mu_0, x) + (1-a) d(mu_1, x)."""
    outcome, x = Bernoulli(), np.linspace(0.2, 0.55, 2001)
    control, dose = outcome.divergence(0.2, x), outcome.divergence(0.55, x)
    value = max(float((a * control + (1 - a) * dose).min()) for a in np.linspace(0, 1, 1001))
    found = patients_per_evidence(Comparison(outcome, 0.0, 0.2, (0.55,), 0.0), 1)
    assert found == pytest.approx(1 / value, rel=1e-3)


def test_a_range_of_the_control_leaves_less_to_be_told_apart() -> None:
    """Designs for such a range err outside of it: no truth from there bounds them."""
    whole = Comparison(Bernoulli(), 0.0, 0.22, DOSES, 0.0)
    for k in (1, 2, 3):
        before = patients_per_evidence(whole, k)
        found = [
            patients_per_evidence(replace(whole, among=(0.0, most)), k)
            for most in (0.22, 0.3, 0.35, 0.9)
        ]
        assert found == sorted(found)
        assert found[2] < 0.9 * before
        assert found[3] == pytest.approx(before, rel=1e-9)
    # A control that is known: the doses alone need patients, as with a fixed target.
    needed = np.cumsum(1 / np.sort(Bernoulli().divergence(np.array(DOSES), 0.22))[::-1])
    alone = min(needed[r] / (r + 1) for r in range(len(DOSES)))
    known = patients_per_evidence(replace(whole, among=(0.0, 0.22)), 1)
    assert known == pytest.approx(alone, rel=1e-4)
    settled = patients_to_settle_all(replace(whole, among=(0.2, 0.24)), 3.0, 2.0)
    assert settled < 0.9 * patients_to_settle_all(whole, 3.0, 2.0)


def test_a_control_outside_of_its_range_has_no_bounds() -> None:
    target = {"over": "control", "evidence": "differences", "control_at_most": 0.2}
    study = validated(load_study(PLACEBO).model_dump() | {"target": target}, "test")
    truth = study.truth("published")  # placebo 0.22
    table = bounds(study)
    assert table[table.truth == "published"].value.isna().all()
    assert evidence_for_any(study, truth) == 0.0


def test_only_bounds_that_apply_are_shown_and_unreachable_sizes_are_known() -> None:
    study = load_study(PLACEBO)
    table = bounds(study)
    assert set(table.bound) == {"sharper"}
    published = table[table.truth == "published"].set_index("quantity").value
    assert published["tau_1"] == pytest.approx(22.9, rel=0.005)
    assert published["tau_stop"] >= published["tau_5"] * (1 - 1e-6)
    assert table[(table.truth == "inert")].value.tolist() == [math.inf]
    assert table[(table.truth == "drifting")].value.isna().all()
    least = least_n_max(study, study.truth("published"), evidence_for_any, 0.8)
    assert 15 < least < published["tau_1"]


def test_what_changed_is_said() -> None:
    before = against_control(SCORES)
    margin = against_control(SCORES, target={"over": "control", "margin": 0.2})
    fixed_target = validated(before.model_dump() | {"target": None, "threshold": 0.5}, "test")
    assert differences(before, margin) == ["margin 0 → 0.2"]
    assert differences(before, fixed_target) == ["target: the concurrent control → a fixed target"]
    assert differences(fixed_target, before) == ["target: a fixed target → the concurrent control"]


# --- what is shown ----------------------------------------------------------------------------


def test_the_decision_table_is_in_the_words_of_a_protocol() -> None:
    study = by_discordant_pairs()
    table = decision_table(study, study.design("Thompson"))
    words = decisions_in_words(study, table)
    assert words.columns[0] == "discordant pairs of the dose"
    assert "of its n discordant pairs, at least" in verdicts_in_words(study, study.designs[0])
    first = table.dropna().iloc[0]
    assert first.declare_at_least <= first.n
    scores = against_control(SCORES)
    text = verdicts_in_words(scores, scores.designs[0])
    assert "the mean difference between its patients" in text
    margin = {"over": "control", "margin": 0.1}
    for target, text in (
        (
            {"over": "control"},
            "the t-statistic of the differences between its patients and their "
            "partners on placebo in the same cohort is at least",
        ),
        (margin, "in the same cohort, less the margin of 0.1, is at least"),
        (margin | {"evidence": "pooled"}, "the two-sample t-statistic of its patients and their"),
    ):
        unknown = against_control(UNKNOWN, target=target)
        assert text in verdicts_in_words(unknown, unknown.designs[0])


@pytest.mark.parametrize(
    ("kind", "evidence"),
    [(RATES, "discordant"), (RATES, "differences"), (RATES, "likelihood"), (SCORES, None)],
)
def test_a_table_is_read_as_its_design_judges(kind: dict[str, Any], evidence: str | None) -> None:
    """In order, a limit makes a finding and no verdict; a design may drop no dose."""
    target = {"over": "control", "evidence": evidence}
    at_end = {"rule": "equal", "criterion": "exact", "criterion_parameters": {"looks": "end"}}

    def words(**changes: Any) -> str:
        study = against_control(kind, at_end | changes, target=target)
        return verdicts_in_words(study, study.designs[0])

    plain, ordered = words(), words(order="increasing")
    assert "A dose is declared when" in plain
    assert "dropped when" in plain
    assert "A dose is found good when" in ordered
    assert "found bad when" in ordered
    for said in (words(futility="none"), words(futility="none", order="increasing")):
        assert "dropped" not in said
        assert "bad" not in said
        assert "at most" not in said


def test_the_report_reads_the_table_of_its_own_design() -> None:
    kept = {"rule": "equal", "criterion": "exact", "futility": "none", "order": "increasing"}
    subject = Subject(simulate(against_control(RATES, kept)))
    (said,) = [text for text in part_of(subject, "decisions") if "discordant pairs, at" in text]
    assert said.startswith("A dose is found good when, of its n")
    assert not any("is dropped when" in text for text in part_of(subject, "decisions"))


def test_tables_on_screen_are_read_once_where_their_designs_judge_alike(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exact = {"rule": "equal", "criterion": "exact", "burn_in": 1}
    orders = ("one", None), ("two", None), ("three", "increasing")
    designs = [exact | {"name": name, "order": order} for name, order in orders]
    study = validated(against_control(RATES).model_dump() | {"designs": designs}, "test")
    show_decisions(study, pd.concat([decision_table(study, one) for one in study.designs]))
    shown = capsys.readouterr().out
    assert shown.count("A dose is declared when") == 1
    assert shown.index("two: verdict") < shown.index("A dose is found good when")
    assert shown.index("A dose is found good when") < shown.index("three: verdict")


def test_a_negative_margin_is_said_as_how_far_a_dose_may_fall_short() -> None:
    study = against_control(SCORES, target={"over": "control", "margin": -0.1})
    said = "a mean less than 0.1 below that of placebo treated at the same time"
    assert good_dose_in_words(study) == said
    control = study.truths[0].means[study.control or 0]
    means = tuple(control - 0.1 for _ in study.arms)
    at_target = study.truths[0].model_copy(update={"means": (*means[:1], control, *means[2:])})
    assert "what placebo does less 0.1: not good" in " ".join(truth_cautions(study, at_target))
    above = against_control(SCORES, target={"over": "control", "margin": 0.1})
    assert "a mean more than 0.1 above that of placebo" in good_dose_in_words(above)


@pytest.mark.parametrize("kind", [RATES, SCORES], ids=["rates", "scores"])
def test_a_replay_shows_the_pairs_that_the_verdicts_rest_on(kind: dict[str, Any]) -> None:
    dropout = {"probability": 0.1, "counted": "left out", "in_means": False}
    conduct = {"delay": {"weeks": 6.0, "pattern": "exponential"}, "dropout": dropout}
    study = against_control(kind, **conduct)
    trials = simulate(study)["clear", "one"]
    assert trials.calendar is not None
    for i in range(study.simulation.runs):
        trial = replay(study, study.truths[0], study.designs[0], i)
        streams = trial.streams(study, len(trial.arms))
        for arm in study.candidates:
            assert streams[arm].size == trials.calendar.seen[i, arm]
            assert streams[arm].sum() == pytest.approx(trials.sums[i, arm])
        assert streams[1].size == 0
        trial.paths(study, 40)


def test_the_report_says_what_doses_are_compared_with() -> None:
    study = changed(by_discordant_pairs(), runs=20)
    text = str(build_report(simulate(study))).replace("\\'", "'")
    for words in (
        "A good dose has a mean above that of placebo treated at the same time",
        "of its n discordant pairs, at least the stated number",
        "A verdict depends on the dose's own pairs alone",
        "doses share controls",
    ):
        assert words in text
    assert "The target minus the mean" not in text
    assert "No design guarantees its error rate" not in text


def test_what_a_trend_does_is_said_for_the_evidence_at_hand() -> None:
    """Never of two samples that they are protected, and of a range only while rates are in it."""
    samples = {
        "criterion": "exact",
        "criterion_parameters": {"looks": "end", "compared": "samples"},
    }
    by_likelihood = {"over": "control", "evidence": "likelihood"}
    study = against_control(RATES, {"rule": "equal"} | samples, target=by_likelihood)
    assert "not surely that of one, whose limits take one rate" in kept_by_pairs(study)
    assert "not surely that of one" in str(build_report(simulate(study)))
    for target in ({"over": "control", "margin": 0.1}, by_likelihood | {"control_at_most": 0.9}):
        words = kept_by_pairs(against_control(RATES, target=target))
        assert "while rates stay in the range" in words
        assert "not surely" not in words
    for kind in (RATES, SCORES, UNKNOWN):
        assert kept_by_pairs(against_control(kind)).endswith("so it keeps the guarantee, too.")


def test_a_problem_is_raised_with_its_remedy() -> None:
    data = against_control().model_dump() | {"conduct": None}
    with pytest.raises(InputError, match=r"add conduct = \{ cohort = 8 \}"):
        validated(data, "test")


def test_a_dose_a_hair_from_the_target_needs_what_it_needs_alone() -> None:
    rates, near = Bernoulli(kind="bernoulli"), 0.22 + 1e-9
    both = Comparison(rates, 1.0, 0.22, (near, 0.5), 0.0)
    alone = Comparison(rates, 1.0, 0.22, (near,), 0.0)
    found = patients_to_settle_all(both, 3.0, 2.0)
    assert found == patients_to_settle_all(alone, 3.0, 2.0)
    # 8 p (1-p) / Delta^2 per unit of evidence; rounded divergences keep Pinsker's inequality.
    assert 1e18 < found / 3 < 8 * 0.25 / 1e-18 * 1.01


@pytest.mark.parametrize(
    ("control", "doses"), [(0.0, (1e-300,)), (0.0, (1.0,)), (1.0, (0.0, 0.5)), (5e-324, (1.0, 0.9))]
)
def test_bounds_against_extreme_controls_are_numbers(
    control: float, doses: tuple[float, ...]
) -> None:
    problem = Comparison(Bernoulli(kind="bernoulli"), 1.0, control, doses, 0.0)
    assert patients_per_evidence(problem, 1) >= 0
    assert patients_to_settle_all(problem, 3.0, 2.0) >= 0

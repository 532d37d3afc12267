"""What a report says of errors and verdicts is what its designs are proven, and made, to do."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from commands import gai
from conducted import FIXED, HDOC, SCORE, USUAL, conducted_study
from conftest import make_study
from promises import POSTERIOR, STUDIES, calibrated, design, of, with_rates
from test_report_words import part_of

from gai_core import Study, simulate
from gai_core.basics import in_a_row
from gai_core.questions import Wish, advice_on, answer_sentences, equal_power
from gai_core.questions.plan_search import Plan
from gai_core.questions.plan_wording import best_plan
from gai_core.report.content import Table
from gai_core.report.promises import looks
from gai_core.report.sections import SECTIONS
from gai_core.report.subject import Subject
from gai_core.results import benchmark_of, designs_table, set_against
from gai_core.study import dump_study, not_binding
from gai_core.theory import design_cautions, is_broken, worst_case
from gai_core.theory.exact_errors import arm_law

PARTS = ("first page", "randomisation", "decisions", "multiplicity", "monitoring", "limitations")
BOUNDED = re.compile(
    r"The bound of .* holds|not good is at most|it bounds the chance|limits( of [^.]*)? bound|"
    r"the guarantee( of [^.]*)? holds|keep the guarantee|The guarantees rest on this|"
    r"leaves the bound on false declarations as it is"
)
"""What is said of a proven bound alone."""


@cache
def subject(name: str) -> Subject:
    return Subject(simulate(STUDIES[name]()))


@cache
def said(name: str, *parts: str) -> str:
    """What parts of the report of a study say, in sentences of no order."""
    return " ".join(" ".join(sorted(part_of(subject(name), part))) for part in parts or PARTS)


def worst_of(study: Study, name: str) -> float:
    return worst_case(study, study.design(name)).any_false_declaration


@pytest.mark.parametrize("name", STUDIES)
def test_what_is_called_bounded_is_proven_and_its_worst_case_is_within_the_rate(name: str) -> None:
    study, rate = subject(name).study, subject(name).study.error_rates.declare
    shown = subject(name).planned[1]
    for one in study.designs:
        if one.proven:
            assert not is_broken(worst_case(study, one).any_false_declaration / rate)
    first = said(name, "first page")
    assert ("The bound of" in first) is shown.proven
    assert ("good is at most" in first) is shown.proven
    worst = f"{100 * worst_of(study, shown.name):.2g}%"
    assert f"exact worst case with at most {study.simulation.n_max} patients" in first
    assert worst in first
    proven = [one.name for one in study.designs if one.proven]
    for part in PARTS:
        if part == "limitations":
            continue
        about = said(name, part)
        if not proven:
            assert not BOUNDED.search(about), part
        if "leaves the bound on false declarations as it is" in about:
            assert shown.proven
    of_some = f"of {' and '.join(proven)} " if len(proven) < len(study.designs) else ""
    if proven:
        assert f"the limits {of_some}bound the chance that a dose's" in said(name, "multiplicity")
        assert f"so the guarantee {of_some}holds under" in said(name, "designs")


def test_a_simulated_design_says_what_is_proven_beside_what_trials_kept() -> None:
    study = subject("simulated").study
    exact = 100 * worst_of(study, "Simulated")
    assert exact > 1.5 * 100 * study.error_rates.declare
    first = said("simulated", "first page")
    assert (
        "That Simulated makes any false declaration in at most 10% of the trials was found in "
        "simulated trials, without proof"
    ) in first
    assert f"proven is its exact worst case with at most 120 patients, {exact:.2g}%" in first
    assert (
        "in simulated trials the chance of declaring any dose that is not good was at most 10% "
        "over all 3 doses and all analyses together; proven is at most "
        f"{exact:.2g}%, if outcomes are as the design assumes."
    ) in first
    assert "No design of the study has a proven bound on errors; that of Simulated was" in first
    for part in ("randomisation", "multiplicity"):
        assert "Simulated: the rate was found in simulated trials of this very study" in said(
            "simulated", part
        )
    charter = said("simulated", "monitoring")
    assert "they do not cover keeping one." in charter
    assert "for safety at any time; the simulated trials, which the error rate rests" in charter


ZEROS: dict[str, Any] = {
    "outcome": {"kind": "gaussian", "variance": "unknown"},
    "truths": [
        {"name": "works", "means": [0.0, 0.1, 0.5, 1.0], "variance": 0.25},
        {"name": "inert", "means": [0.1, 0.1, 0.1, 0.1], "variance": 0.25},
    ],
    "conduct": USUAL | {"dropout": {"probability": 0.2, "counted": "baseline"}},
}
"""Scores of which some are zeros: not normal, whatever their variance is."""


def test_a_bound_is_said_to_end_where_scores_are_not_as_assumed() -> None:
    inside = "if outcomes are as the design assumes, the chance of declaring any dose that is not"
    for changes, covered in (
        (ZEROS | {"conduct": USUAL | {"dropout": None}}, True),
        (ZEROS, False),
    ):
        subject = Subject(simulate(conducted_study(**changes)))
        assert all(subject.study.covered(truth) is covered for truth in subject.study.truths)
        first = " ".join(part_of(subject, "first page"))
        assert inside in first
        assert ("(they are not under “works” and “inert”)" in first) is not covered
        assert ("The bound does not cover “works”, “inert”" in first) is not covered
        how = " ".join(part_of(subject, "randomisation"))
        zeros = "scores are not distributed as the designs assume: their error rate is no longer"
        assert (zeros in how) is not covered
        assert ("This study goes beyond that:" in how) is not covered
        assert "if outcomes are as the designs assume them" in " ".join(
            part_of(subject, "multiplicity")
        )


def test_what_is_computed_of_a_design_without_a_bound_has_the_same_condition() -> None:
    """A posterior rule errs far more often than computed where scores vary more than assumed."""
    wide = {"name": "wide", "means": [0.1, 0.2, 0.3, 0.5], "variance": 4.0}
    normal = USUAL | {"dropout": None}
    study = conducted_study(normal, designs=[POSTERIOR], outcome=SCORE, truths=[wide])
    subject = Subject(simulate(study))
    first = " ".join(part_of(subject, "first page"))
    assert f"{100 * worst_of(study, 'Posterior'):.2g}%, if outcomes are as assumed." in first
    assert "What is computed does not cover “wide”, where outcomes are not as the des" in first
    as_assumed = study.model_copy(
        update={"truths": (study.truths[0].model_copy(update={"variance": None}),)}
    )
    first = " ".join(part_of(Subject(simulate(as_assumed)), "first page"))
    assert "does not cover" not in first


def test_a_trend_that_a_design_does_not_stand_is_said_of_it() -> None:
    """Pairs in which both change alike keep a bound; one rate of the control does not."""
    for by in ({}, {"compared": "samples"}):
        plan = FIXED | {"criterion_parameters": {"looks": "end"} | by}
        study = conducted_study(
            {"accrual": {"per_month": 10.0}, "cohort": 4},
            threshold=None,
            target={"over": "control", "evidence": "likelihood"},
            truths=[{"name": "drift", "means": [0.2, 0.2, 0.5, 0.6], "trend": 0.01}],
            designs=[plan],
        )
        first = " ".join(part_of(Subject(simulate(study)), "first page"))
        assert ("The bound does not cover “drift”" in first) is bool(by)


def test_another_rate_that_was_found_has_another_proven_bound() -> None:
    other = Subject(simulate(calibrated(nominal=0.15)))
    exact = f"{100 * worst_of(other.study, 'Simulated'):.2g}%"
    assert exact in " ".join(part_of(other, "first page"))
    assert exact not in said("simulated", "first page")


def test_without_a_rate_limits_are_those_of_exact_and_so_is_the_promise() -> None:
    study = subject("without a rate yet").study
    plain = study.designs[0].model_copy(update={"criterion": "exact"})
    exact = study.model_copy(update={"designs": (plain,)})
    for part in PARTS:
        if part != "limitations":  # which cites nothing else
            expected = part_of(Subject(simulate(exact)), part)
            assert part_of(subject("without a rate yet"), part) == expected, part
    assert study.designs[0].guarantee == "up to n_max"
    assert not list(design_cautions(study))


def test_designs_without_a_proof_are_cautioned_against() -> None:
    (caution,) = design_cautions(subject("simulated").study)
    assert caution.startswith("Simulated: At a rate that was found by calibration")
    assert "It is not proven" in caution
    assert "It is not proven" in said("simulated", "limitations")
    (caution,) = design_cautions(subject("posterior").study)
    assert caution.startswith("Posterior: ")
    assert not list(design_cautions(subject("step-down").study))
    assert "The guarantees rest on this" in said("simulated", "limitations")
    assert "The guarantees rest on this" not in said("posterior", "limitations")


def test_a_posterior_rule_alone_promises_nothing_anywhere() -> None:
    for part in PARTS:
        assert not BOUNDED.search(said("posterior", part)), part
    assert "Posterior promises nothing about errors" in said("posterior", "first page")
    assert "the design bounds no error rate" in said("posterior", "first page")
    for part in ("randomisation", "multiplicity"):
        assert "Posterior: no error rate is promised." in said("posterior", part)
        assert "no error rate is promised" not in said("step-down", part)
    beside = said("posterior beside a proven one", "multiplicity", "randomisation")
    assert "with the limits of Fixed it bounds the chance" in beside
    assert "so they keep the guarantee of Fixed" in beside
    assert "Posterior: no error rate is promised." in beside


LINKED = {"step-down": "Step", "in order": "In order", "never dropping, in order": "Kept"}


@pytest.mark.parametrize("name", STUDIES)
def test_verdicts_that_depend_on_those_on_other_doses_are_said_to(name: str) -> None:
    for part in ("randomisation", "designs") if subject(name).study.conduct else ("designs",):
        text = said(name, part)
        linked = LINKED.get(name)
        assert (f"and, with {linked}, on the verdicts on other doses" in text) is bool(linked)
        assert bool(re.search(r"own (outcomes|patients|pairs) alone", text)) is not bool(linked)
    words = said(name, "multiplicity")
    assert ("leaves its share of the error" in words) is (name == "step-down")
    assert ("Doses are judged in order" in words) is ("in order" in name)


@pytest.mark.parametrize("name", STUDIES)
def test_equal_allocation_is_named_where_a_guarantee_rests_on_it(name: str) -> None:
    equal = "Fixed, Dunnett: equal allocation, with all doses compared with the same controls"
    rule = f"any allocation rule (of {equal})"
    for part in ("designs", "multiplicity", "errors"):
        text = said(name, part)
        assert ("equal allocation, with all" in text) is (name == "Dunnett"), part
        assert f"under {rule if name == 'Dunnett' else 'any allocation rule'}" in text or (
            part == "designs" and not any(one.proven for one in subject(name).study.designs)
        )


def test_where_every_design_rests_on_equal_allocation_no_other_is_named() -> None:
    study = subject("Dunnett").study
    alone = study.model_copy(update={"designs": (study.design("Fixed, Dunnett"),)})
    words = part_of(Subject(simulate(alone)), "multiplicity")
    assert any("at its worst, under equal allocation, with all doses" in text for text in words)
    assert not any("any allocation rule" in text for text in words)


def test_names_with_commas_can_be_told_apart_in_a_row() -> None:
    names = ["Equal, mixture", "Equal again, mixture", "Step-down"]
    assert in_a_row(names) == "Equal, mixture; Equal again, mixture; and Step-down"
    assert in_a_row(names[1:], "or") == "Equal again, mixture; or Step-down"
    assert in_a_row(["Fixed", *names[:1]]) == "Fixed and Equal, mixture"
    assert in_a_row(["a", "b", "c"]) == "a, b and c"
    designs = [HDOC | {"name": name} for name in names]
    assert looks(make_study(designs=[*designs, FIXED])) == (
        "up to as many looks as outcomes (Equal, mixture; Equal again, mixture; and Step-down), "
        "one look (Fixed)"
    )


def test_looks_are_those_of_the_designs() -> None:
    looks = "3 doses are tested, each at "
    both = said("never dropping", "multiplicity")
    assert f"{looks}up to as many looks as outcomes (Kept), one look (Fixed)." in both
    assert f"{looks}up to as many looks as outcomes." in said("simulated", "multiplicity")
    assert "doses are tested, each at one look." in said("Dunnett", "multiplicity")
    few = of(design("Group", rule="equal", criterion_parameters={"looks": {"equal": 3}}))
    assert f"{looks}up to 3 looks." in " ".join(part_of(Subject(simulate(few)), "multiplicity"))


def test_charter_and_rules_are_about_when_a_design_drops_and_declares() -> None:
    charter, rules = said("never dropping", "monitoring"), said("never dropping", "decisions")
    assert "No dose is dropped, whatever its outcomes are." in charter
    assert "none is ever dropped" in rules
    assert "lower" not in charter + rules
    charter, rules = said("in order", "monitoring"), said("in order", "decisions")
    assert "is found good, and its enrolment ends; it is declared when all higher" in charter
    assert "is found bad, and dropped when all lower doses are dropped, too." in charter
    assert "It is declared when all higher doses are, and dropped when all lower ones" in rules
    both = said("never dropping, in order", "decisions", "monitoring")
    assert "declared when all higher doses are; none is ever dropped" in both
    assert "No dose is dropped" in both
    charter, rules = said("step-down", "monitoring"), said("step-down", "decisions")
    assert "a dose that reaches its limit is declared, and its enrolment ends." in charter
    assert "A dose at or below its lower limit is dropped." in charter
    assert "dropped leaves the bound on false declarations as it is." in charter
    assert "a dose is declared if its outcomes reach the upper limit, and dropped if" in rules
    assert "After each of its patients (or at each look)" in rules
    charter, rules = said("Dunnett", "monitoring"), said("Dunnett", "decisions")
    assert "When the last outcome is known every dose without a verdict is set against" in charter
    assert "When the last outcome is known a dose is declared if" in rules
    assert "enrolment ends" not in charter
    assert "or at each look" not in rules


def test_a_dose_that_is_kept_may_be_declared_falsely_within_the_bound() -> None:
    """So keeping one adds a false declaration, if rarely, and leaves the bound as it is."""
    made = of(design("Drops"), design("Kept", futility="none"))
    drops, kept = (arm_law(made, one, 0.39).ever_good for one in made.designs)
    assert drops < kept < worst_case(made, made.designs[1]).false_declaration
    assert worst_case(made, made.designs[0]).false_declaration <= made.error_rates.declare / 3
    assert "that leaves the bound on false declarations as it is." in said("step-down")


@pytest.mark.parametrize("name", ["never dropping", "in order", "step-down"])
def test_verdicts_of_the_trials_are_as_the_charter_says(name: str) -> None:
    """A design that is said to drop nothing drops nothing; in order a declared dose is on top."""
    runs = subject(name).runs
    trials = [runs[truth.name, runs.study.designs[0].name] for truth in runs.study.truths]
    dropped = sum(int((one.verdict == -1).sum()) for one in trials)
    assert (dropped == 0) is ("No dose is dropped" in said(name, "monitoring"))
    declared = [one.verdict[:, list(runs.study.candidates)] == 1 for one in trials]
    in_order = all((found[:, 1:] >= found[:, :-1]).all() for found in declared)
    assert in_order or "higher doses" not in said(name, "monitoring")


def test_dropping_is_binding_where_the_rate_was_simulated() -> None:
    futility = {"futility": "below"}
    study = calibrated(design("Exact", **futility))
    assert not_binding(study)[0].startswith("Dropping is not binding")
    assert len(not_binding(study)) == 1
    apart = of(design("Simulated", criterion="simulated", **futility))
    assert len(not_binding(apart)) == 1  # without a rate it is that of exact
    given = {"criterion_parameters": {"nominal": 0.2}}
    rated = apart.model_copy(update={"designs": (apart.designs[0].model_copy(update=given),)})
    assert not_binding(rated)[1].startswith("Simulated: the error rate was found in simulated")
    assert not_binding(of(FIXED)) == []


def test_a_simulated_design_is_no_benchmark_and_no_usual_one() -> None:
    fixed = {"criterion_parameters": {"looks": "end"}, "rule": "equal"}
    study = of(design("Simulated", criterion="simulated", **fixed))
    assert benchmark_of(study) == "Simulated"  # its limits are those of exact
    plain = study.designs[0]
    given = plain.criterion_parameters | {"nominal": 0.2}
    rated = plain.model_copy(update={"criterion_parameters": given})
    found = study.model_copy(update={"designs": (rated,)})
    assert benchmark_of(found) is None
    assert "but for Simulated, for which they are simulated, not proven; their" in set_against(
        found, "Simulated"
    )
    bare = found.model_copy(update={"designs": (rated, of(POSTERIOR).designs[0])})
    assert (
        "but for Posterior, which promises none; and for Simulated, for which they are simulated"
    ) in set_against(bare, "Simulated")
    assert "but for" not in set_against(study, "Simulated")


def test_a_simulated_design_is_not_recommended_and_said_apart() -> None:
    study = calibrated(FIXED)
    found = equal_power(study, Wish("good_declared", 0.5), among=(120, 120), fresh_runs=40)
    assert {"Simulated", "Fixed"} <= set(found.reached)
    assert not found.promised("Simulated")
    advice = advice_on(found)
    assert advice.recommended not in ("", "Simulated")
    exact = f"Simulated {100 * found.exact_error('Simulated'):.2g}%"
    said_apart = "Kept in simulated trials without proof, and so not known to be at equal error"
    assert f"{said_apart} (exact worst case): {exact}." in " ".join(advice.sentences)
    only = advice_on(replace(found, fresh={"Simulated": found.fresh["Simulated"]}))
    assert only.recommended == ""
    plans = [Plan("Simulated", "n_max", found.wish, 50), Plan("Fixed", "n_max", found.wish, 90)]
    best = best_plan(study, plans)
    assert best is not None
    assert best.design == "Fixed"
    assert next(answer_sentences(subject("simulated beside a proven one"))).count("Simulated") == 0


def test_verify_calls_no_simulated_design_broken(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(dump_study(calibrated()))
    done = gai("verify", str(path), "--runs", "20")
    assert done.returncode == 0
    assert "please report this" not in done.stderr
    assert designs_table(calibrated()).rows[0][-1] == "simulated"


def test_the_appendix_names_equal_allocation_too() -> None:
    study = subject("Dunnett").study
    below = study.designs[0].model_copy(update={"futility": "none", "name": "Other"})
    found = Subject(simulate(study.model_copy(update={"designs": (*study.designs, below)})))
    blocks = SECTIONS["all decisions"].make(found).blocks
    (caption,) = [b.caption for b in blocks if isinstance(b, Table) and "dropped, at" in b.caption]
    assert "any allocation rule (of Fixed, Dunnett: equal allocation" in caption


def test_a_design_without_a_proof_is_not_said_to_bound_false_declarations() -> None:
    below = design("Simulated", criterion="simulated", futility="below")
    study = with_rates(of(below, FIXED), {"Simulated": 0.25})
    assert not study.designs[0].proven
    assert not study.designs[0].decision.bounds_dropping
    assert "bounds false declarations alone" not in set_against(study, "Fixed")
    proven = of(design("Proven", futility="below"), FIXED)
    assert "Proven, which bounds false declarations alone" in set_against(proven, "Fixed")

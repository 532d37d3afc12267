"""Single sentences of the report, each where what it says is known."""

from dataclasses import replace
from typing import Any

import numpy as np
from conducted import FIXED, HDOC, SCORE, USUAL, conducted_study
from conftest import make_study
from reports import blocks
from test_report_words import found_in_words, part_of, shipped

from gai_core import Study, load_study, simulate
from gai_core.engine.trials import Trials
from gai_core.report import build_report
from gai_core.report.content import Bullets, Numbered, Paragraph, Picture, Table
from gai_core.report.first_page import first_page, question
from gai_core.report.sections import SECTIONS
from gai_core.report.subject import Subject
from gai_core.study.changing import changed, narrowed


def first_declarations(trials: Trials, n_max: int) -> Any:
    return np.where(trials.verdict == 1, trials.decided, n_max).min(axis=1)


def test_trials_without_a_declaration_count_n_max_also_where_every_dose_is_dropped() -> None:
    """tau_1 ends with the last verdict; the sentence says n_max, so n_max it is."""
    study = make_study(
        delta=0.2,
        simulation={"runs": 2000, "n_max": 400, "seed": 1},
        arms=[{"label": "low"}, {"label": "high"}],
        truths=[{"name": "close", "means": [0.1, 0.51]}],
        designs=[{"name": "HDoC", "rule": "hdoc", "criterion": "exact"}],
    )
    runs = simulate(study)
    trials = runs["close", "HDoC"]
    first = first_declarations(trials, 400).mean()
    dropped = (trials.verdict == -1).all(axis=1)
    counted_otherwise = np.where(dropped, trials.decided.max(axis=1), 400)
    assert (dropped & (counted_otherwise < 400)).mean() > 0.05  # it makes a difference here
    text = found_in_words(runs)[-1]
    assert f"after {first:,.0f} ± " in text
    assert "(counting 400 where there is none)" in text


def test_the_ranking_of_designs_is_by_what_the_sentence_says() -> None:
    """A design that drops every dose soon is not the soonest to declare one."""
    study = make_study(
        simulation={"runs": 50, "n_max": 100, "seed": 1},
        truths=[{"name": "one", "means": [0.2, 0.3, 0.8]}],
        designs=[{"name": "A", "rule": "hdoc"}, {"name": "B", "rule": "equal"}],
    )
    runs = simulate(study)

    def trials(verdict: list[int], decided: int) -> Trials:
        like = runs["one", "A"]
        return replace(
            like,
            verdict=np.tile(np.array(verdict, np.int8), (50, 1)),
            decided=np.full_like(like.decided, decided),
        )

    drops, declares = trials([-1, -1, -1], 10), trials([-1, -1, 1], 60)
    for ours, theirs, best in ((drops, declares, "B"), (declares, drops, "A")):
        told = replace(runs, trials={("one", "A"): ours, ("one", "B"): theirs})
        text = found_in_words(told)[-1]
        assert f"{best} declares a dose soonest: in 100% (> 94.1%) of the trials, after 60" in text
    same = replace(runs, trials={("one", "A"): declares, ("one", "B"): declares})
    assert "These trials cannot tell it from B in that." in found_in_words(same)[-1]
    alone = replace(told, study=study.model_copy(update={"designs": study.designs[:1]}))
    assert (
        "A declares a dose in 100% (> 94.1%) of the trials, after 60" in found_in_words(alone)[-1]
    )


def test_who_declares_falsely_most_often_is_said_of_those_who_do() -> None:
    study = make_study(
        simulation={"runs": 50, "n_max": 100, "seed": 1},
        truths=[{"name": "none", "means": [0.2, 0.2, 0.2]}],
        designs=[{"name": name, "rule": "hdoc"} for name in "ABC"],
    )
    runs = simulate(study)
    like = runs["none", "A"]

    def trials(false: int) -> Trials:
        verdict = np.full_like(like.verdict, -1)
        verdict[:false, 0] = 1
        return replace(like, verdict=verdict)

    for counts, said in {
        (5, 9, 9): "B and C make one most often, in 18.0% ± 5.4 of the trials.",
        (5, 9, 8): "B makes one most often, in 18.0% ± 5.4 of the trials.",
        (5, 5, 5): "Every design makes one in 10.0% ± 4.2 of the trials.",
    }.items():
        told = {("none", name): trials(count) for name, count in zip("ABC", counts, strict=True)}
        assert found_in_words(replace(runs, trials=told))[-1].endswith(said)
    alone = replace(runs, trials={("none", "A"): trials(5)})
    alone = replace(alone, study=study.model_copy(update={"designs": study.designs[:1]}))
    assert found_in_words(alone)[-1].endswith("A makes one in 10.0% ± 4.2 of the trials.")


def test_the_summary_warns_where_the_guarantee_does_not_reach() -> None:
    study = load_study("sirukumab-das28")
    small = changed(study, runs=20)
    warning = "raise the standard deviation of scores"
    assert any(warning in text for text in found_in_words(simulate(small)))
    assert study.conduct is not None
    without = small.model_copy(
        update={"conduct": study.conduct.model_copy(update={"dropout": None})}
    )
    assert not any(warning in text for text in found_in_words(simulate(without)))


def checklist(study: Study) -> dict[str, str]:
    report = build_report(simulate(study))
    (table,) = [block for block in blocks(report, "Checklist") if isinstance(block, Table)]
    return {row[0]: Numbered(report).words(row[2]) for row in table.rows}


def test_the_checklist_says_what_is_not_addressed() -> None:
    plain = make_study(simulation={"runs": 5, "n_max": 50, "seed": 1})
    places = checklist(plain)
    missing = "not addressed"
    for item in (
        "Estimand",
        "Intercurrent events",
        "Randomisation, accrual, delay, interim looks",
        "Missing outcomes",
        "Assumed truths and why",
        "Benchmark design",
        "Comparison at equal error and power",
    ):
        assert places[item] == missing, item
    assert places["Aims and key questions"] == "section 1, Objectives"
    full = checklist(
        conducted_study(
            USUAL,
            source="a trial",
            designs=[HDOC, FIXED],
            estimand={"population": "adults", "intercurrent_events": "composite"},
        )
    )
    assert full["Randomisation, accrual, delay, interim looks"].startswith("section 4, ")
    for item in ("Assumed truths and why", "Benchmark design", "Estimand", "Intercurrent events"):
        assert full[item] != missing, item


def test_a_guarantee_ends_where_the_limits_end() -> None:
    study = changed(load_study("medical-1"), runs=2)
    text = " ".join(part_of(Subject(simulate(study)), "limitations"))
    assert "its guarantee ends at 10,000 patients on a dose" in text
    assert "ends at 100,000" not in text


def analysed(study: Study) -> str:
    """The sample-size paragraph of a study that was not searched."""
    (text,) = [
        block.text
        for block in first_page(Subject(simulate(study)))
        if isinstance(block, Paragraph) and "Simulated with" in block.text
    ]
    return text


def test_the_sample_size_paragraph_says_when_doses_are_analysed() -> None:
    """Looks of the limits themselves, and patients whose outcomes are due by then."""
    study = shipped("tofacitinib-placebo", "Group sequential, 4 looks")
    design = study.designs[0]
    criterion, parameters = design.identification
    looks = criterion.looks(study.setting(design), parameters)
    assert len(looks) == 4
    each = ", ".join(f"{n:.0f}" for n in looks[:3]) + f" or {looks[3]:.0f}"
    due = [round(study.simulation.n_max * n / looks[3]) for n in looks]
    assert due[3] == study.simulation.n_max
    text = analysed(study)
    assert f"A dose is then judged on the first {each} pairs of the dose" in text
    charter = part_of(Subject(simulate(study)), "monitoring")  # the committee looks then, too
    assert any(f"judged on the first {each} pairs of the dose" in said for said in charter)
    assert f"outcomes of about {due[0]}, {due[1]}, {due[2]} and {due[3]} patients are due" in text
    assert "20 patients come in a month" in text
    assert "An outcome is known 12 weeks after enrolment" in text
    fixed = analysed(shipped("tofacitinib-placebo", "Fixed"))
    assert "analysed once, when the last outcome is known" in fixed
    assert "Verdicts can be given after every" in analysed(
        shipped("tofacitinib-placebo", "Thompson, exact")
    )
    assert "A dose is analysed after each of its outcomes" in analysed(shipped("medical-2", "HDoC"))


def test_the_sample_size_paragraph_has_the_standard_deviation_and_who_knows_it() -> None:
    known = shipped("irritable-bowel", "Fixed")
    spread = f"a standard deviation of {known.spread(known.truths[0]):.3g}"
    assert f"{spread}, at least one" in analysed(known)
    unknown = shipped("sirukumab-das28-unknown", "Fixed")
    spread = f"a standard deviation of {unknown.spread(unknown.truths[0]):.3g}"
    assert f"{spread} (the analysis estimates it)" in analysed(unknown)
    assert "standard deviation" not in analysed(shipped("tofacitinib-placebo", "Fixed"))


def test_a_standard_deviation_is_said_to_be_whose_it_is_and_what_the_analysis_takes() -> None:
    """A truth may have another than the analysis assumes; dropouts that count as zero change it."""

    def said(counted: str, outcome: dict[str, Any]) -> str:
        dropout = {"probability": 0.2, "counted": counted, "in_means": False}
        wide = {"name": "wide", "means": [0.1, 0.3, 0.5, 0.7], "variance": 0.36}
        study = conducted_study(
            USUAL | {"dropout": dropout}, outcome=outcome, truths=[wide], designs=[FIXED]
        )
        return analysed(study)

    spread, unknown = "a standard deviation of 0.6", SCORE | {"variance": "unknown"}
    assert f"{spread} (the analysis assumes 0.5), at least" in said("left out", SCORE)
    stay = f"{spread} of those who stay"
    assert f"{stay} (the analysis assumes 0.5), at least" in said("baseline", SCORE)
    assert f"{stay} (the analysis estimates that of all), at least" in said("baseline", unknown)


def test_the_sample_size_paragraph_names_the_endpoint() -> None:
    study = shipped("irritable-bowel", "Fixed")
    assert study.outcome.endpoint
    then = "; if outcomes are as the design assumes, the chance"
    assert f"{study.stream.target:g} ({study.outcome.endpoint}){then}" in analysed(study)
    nameless = study.outcome.model_copy(update={"endpoint": ""})
    said = analysed(study.model_copy(update={"outcome": nameless}))
    assert f"A good dose has a mean of at least {study.stream.target:g}{then}" in said


def test_a_control_without_patients_is_not_enrolled_on() -> None:
    study = shipped("tofacitinib-one-dose", "Group sequential, 4 looks")
    assert "patients are enrolled on 5 doses and placebo, with" in analysed(study)
    assert study.conduct is not None
    apart = study.model_copy(
        update={
            "judge_control": False,
            "conduct": study.conduct.model_copy(update={"control_share": None}),
        }
    )
    assert not apart.control_has_patients
    assert "patients are enrolled on 5 doses, with" in analysed(apart)


def test_a_control_that_is_judged_is_no_dose() -> None:
    study = make_study(
        simulation={"runs": 20, "n_max": 90, "seed": 1},
        arms=[{"label": "placebo", "control": True}, {"label": "low"}, {"label": "high"}],
        designs=[HDOC],
    )
    both = "2 doses and placebo (judged like a dose)"
    assert f"patients are enrolled on {both}, with" in analysed(study)
    assert f"find all of {both} with a mean of at least 0.5" in question(study)
    assert f"over all {both} and all analyses together" in question(study)
    subject = Subject(simulate(study))
    assert f"Which of {both} have" in " ".join(part_of(subject, "objectives"))
    assert f"{both} are tested, each at" in " ".join(part_of(subject, "multiplicity"))
    data = study.model_dump()
    one = Study.model_validate(
        data | {"arms": data["arms"][:2], "truths": [data["truths"][0] | {"means": (0.2, 0.6)}]}
    )
    assert "over the one dose and placebo (judged like a dose) and" in question(one)
    without = make_study()
    assert "find all of 3 doses with" in question(without)
    assert "over all 3 doses and" in question(without)


def test_the_sample_size_paragraph_ends_with_the_last_outcome_and_the_largest_trial() -> None:
    """Enrolment ends before the last outcome is known, and no trial need enrol all of n_max."""
    slow = {"accrual": {"per_month": 20.0}, "delay": {"weeks": 26.0}, "control_share": 0.25}
    study = conducted_study(slow, designs=[FIXED], simulation={"runs": 20, "n_max": 119, "seed": 1})
    trials = simulate(study)["clear", "Fixed"]
    assert trials.calendar is not None
    assert (trials.calendar.enrolment < trials.calendar.end - 5).all()
    largest = trials.patients.max()
    text = analysed(study)
    assert "At most 119 patients are enrolled" in text
    assert f"{largest} in the largest simulated trial; the last outcome is known after " in text
    assert f"known after {trials.calendar.end.mean():.1f} ± 0 months on average" in text
    assert f"{largest} at most" not in text


def test_the_fixed_design_stands_beside_two_sequential_ones() -> None:
    study = changed(load_study("tofacitinib-placebo"), runs=20)
    study = study.model_copy(update={"designs": study.designs[::-1], "truths": study.truths[:1]})
    found = Subject(simulate(study))
    assert "Fixed" not in found.beside
    assert "Fixed" in found.tabled
    assert found.tabled[: len(found.beside)] == found.beside
    (table,) = [b for b in first_page(found) if isinstance(b, Table)]
    assert [row[1] for row in table.rows] == list(found.tabled)


def test_a_long_trial_says_that_not_every_patient_is_drawn() -> None:
    def caption(study: Study) -> str:
        drawn = SECTIONS["examples"].make(Subject(simulate(study))).blocks
        return next(block.caption for block in drawn if isinstance(block, Picture))

    study = load_study("medical-2")
    short = changed(narrowed(study, [study.truths[0].name], ["HDoC"]), runs=5, n_max=100)
    assert "every patient of trial" in caption(short)
    assert "the last 2,000 patients and all verdicts of trial" in caption(
        changed(short, n_max=3000)
    )


def test_a_design_that_drops_nothing_is_said_to_and_needs_no_source() -> None:
    study = shipped("irritable-bowel-placebo", "Fixed", "Group sequential, 4 looks")
    never = study.designs[0].model_copy(update={"name": "Kept", "futility": "none"})
    subject = Subject(simulate(study.model_copy(update={"designs": (*study.designs, never)})))
    assert "Kept drops no dose." in part_of(subject, "designs")
    (cited,) = [
        b.items for b in SECTIONS["references"].make(subject).blocks if isinstance(b, Bullets)
    ]
    assert not [item for item in cited if "–" in item]
    assert "Dropped where the observed mean is below the target: A usual rule" in " ".join(cited)

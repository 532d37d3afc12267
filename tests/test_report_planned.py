"""A report says of the design to use, at its own size, what it says of the study's designs."""

from typing import Any

from conducted import USUAL, conducted_study
from conftest import make_study
from test_pairs import against_control
from test_report_words import part_of
from test_two_samples import FOUR_LOOKS, samples

from gai_core import Study, simulate
from gai_core.report import build_report
from gai_core.report.content import Bullets, Paragraph, Table
from gai_core.report.sample_size import analyses
from gai_core.report.sections import SECTIONS
from gai_core.report.subject import Subject
from gai_core.study import Design
from gai_core.study.changing import changed
from gai_core.theory import worst_case

LEFT_OUT: dict[str, Any] = {"probability": 0.2, "counted": "left out", "in_means": False}


def planned(study: Study, design: Design, n_max: int) -> Subject:
    """A report's subject where this design was found to be the one to use, at this size."""
    subject = Subject(simulate(study))
    sized = study.model_copy(update={"designs": (design,)})
    vars(subject)["planned"] = changed(sized, n_max=n_max), design
    return subject


def of_pairs() -> tuple[Study, Design]:
    """A study of pairs with a truth under a trend, and a design that compares two samples."""
    two_samples = samples(FOUR_LOOKS, name="Samples")
    (added,) = two_samples.designs
    pairs = added.model_copy(
        update={"name": "Pairs", "criterion_parameters": {"looks": {"equal": 2}}}
    )
    truth = two_samples.truths[0]
    drifting = truth.model_copy(update={"name": "drifting", "trend": 0.01})
    study = two_samples.model_copy(update={"designs": (pairs,), "truths": (truth, drifting)})
    return study, added


def test_an_added_design_is_among_those_considered_with_what_its_guarantee_needs() -> None:
    study, added = of_pairs()
    own, told = Subject(simulate(study)), planned(study, added, 40)
    needs = f"{added.name}, whose limits take one rate of the control throughout"
    for part, words in (
        ("randomisation", f"not surely that of {needs}"),
        ("limitations", f"not surely by {added.name}, where it must be the same throughout"),
        ("characteristics", f"not surely by {added.name}, where it must be the same throughout"),
        ("multiplicity", f"and for {added.name} over every rate that stays the same"),
        ("limitations", f"{added.name}, with at most 40 patients: its guarantee ends at"),
    ):
        assert words in " ".join(part_of(told, part)), part
        assert added.name not in " ".join(part_of(own, part)), part
    (considered, *_) = [b for b in SECTIONS["designs"].make(told).blocks if isinstance(b, Table)]
    assert [row[0] for row in considered.rows] == ["Pairs", added.name]


def test_the_exact_error_of_another_size_than_the_studys_is_said() -> None:
    study, added = of_pairs()
    told = planned(study, added, 40)
    sized, _ = told.planned
    error = f"{100 * worst_case(sized, added).any_false_declaration:.2g}%"
    words = f"{added.name} with at most 40 patients, as planned on the first page, makes any false"
    (said,) = [text for text in part_of(told, "multiplicity") if words in text]
    assert f"at most {error}" in said
    own = study.designs[0]
    for design, n_max, apart in (
        (added, study.simulation.n_max, True),
        (own, 40, True),
        (own, study.simulation.n_max, False),
    ):
        as_told = planned(study, design, n_max)
        assert ("as planned" in " ".join(part_of(as_told, "multiplicity"))) is apart
        assert len(as_told.with_limits) == 1 + apart


def test_one_dose_is_one_dose() -> None:
    study = make_study(
        arms=[{"label": "placebo", "control": True}, {"label": "drug"}],
        truths=[{"name": "steep", "means": [0.2, 0.8]}],
        judge_control=False,
    )
    report = build_report(Subject(simulate(study)))
    text = " ".join(
        " ".join([block.text] if isinstance(block, Paragraph) else block.items)
        for block in report.blocks
        if isinstance(block, Paragraph | Bullets)
    )
    assert "1 doses" not in text
    for words in ("see whether the dose has", "Does the one dose have", "One dose is tested, at"):
        assert words in text


def test_looks_count_outcomes_where_dropouts_are_left_out() -> None:
    """Half of n outcomes are due when half as many patients are, plus those who drop out."""
    design = {
        "name": "Looks",
        "rule": "equal",
        "criterion": "exact",
        "criterion_parameters": {"looks": {"equal": 4}},
    }
    study = conducted_study(USUAL | {"dropout": LEFT_OUT}, designs=[design])
    one = study.designs[0]
    criterion, parameters = one.identification
    looks = [int(n) for n in criterion.looks(study.setting(one), parameters)]
    each = study.setting(one).equal_count * 0.8
    due = [round(study.simulation.n_max * n / each) for n in looks]
    assert due[-1] < study.simulation.n_max
    told = Subject(simulate(study))
    said = " ".join(part_of(told, "first page"))
    assert f"or {looks[-1]} outcomes of the dose (without a verdict" in said
    assert f"about {due[0]}, {due[1]}, {due[2]} and {due[3]} patients are due" in said
    assert "20% of the patients drop out and are left out" in said
    assert "outcomes of a dose, for which its limits" in " ".join(part_of(told, "limitations"))
    (rows,) = [b for b in SECTIONS["decisions"].make(told).blocks if isinstance(b, Table)]
    assert rows.columns[0] == "outcomes of the dose"


def test_means_that_dropouts_change_are_called_as_analysed() -> None:
    counted = LEFT_OUT | {"counted": "non-response"}
    for dropout, words in ((counted, "response rates, as analysed, of 0.16 (placebo)"),
                           (LEFT_OUT, "response rates of 0.2 (placebo)")):  # fmt: skip
        told = Subject(simulate(conducted_study(USUAL | {"dropout": dropout})))
        assert words in " ".join(part_of(told, "first page"))


def test_no_look_is_said_to_be_due_that_is_hardly_ever_reached() -> None:
    """Of 39 patients a dose has nine pairs or so, of which half are discordant."""
    design = {
        "name": "Late",
        "rule": "equal",
        "criterion": "exact",
        "criterion_parameters": {"looks": 4},
        "burn_in": 9,
    }
    late = against_control(design=design, n_max=39)
    first = 12
    setting = late.setting(late.designs[0])
    assert setting.equal_count * (1 - setting.missing_share) < first
    said = analyses(late, late.designs[0])
    assert f"A dose is then judged on the first {first}, " in said
    assert "are due" not in said
    few_looks = design | {"criterion_parameters": {"looks": {"equal": 3}}}
    many = against_control(design=few_looks, n_max=390)
    assert "patients are due" in analyses(many, many.designs[0])


def test_analyses_are_planned_at_the_looks_that_the_conduct_has() -> None:
    """Where they are every so many weeks, hardly one falls on the outcomes that limits are for."""
    four = {"shape": "obrien-fleming", "looks": {"equal": 4}}
    design = {"name": "Group", "rule": "equal", "criterion": "exact", "criterion_parameters": four}

    def said(**conduct: Any) -> str:
        study = conducted_study(USUAL | conduct, designs=[design])
        return analyses(study, study.designs[0])

    numbers = "8, 15, 23 or 30 patients on the dose"
    for looks, words in (({"weeks": 26.0}, "every 26 weeks"), ({"at": [40, 80]}, "when 40 and 80")):
        text = said(looks=looks)
        assert text.startswith(f"Verdicts can be given {words}")
        assert f"A dose is then judged on the first {numbers} (without a verdict it has" in text
        assert "planned at" not in text
    each = said(looks={"outcomes": 1})
    assert each.startswith("Analyses are planned at 8, 15, 23 and 30 patients on a dose")

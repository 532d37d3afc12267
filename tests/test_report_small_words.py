"""Single words of a report that would be untrue in some study: units, whom a bound is for."""

import math
import re
import shlex
from typing import Any

import pytest
from conducted import FIXED, HDOC, USUAL, conducted_study
from conftest import make_study
from reports import blocks

from gai_core import Study, bounds, cautions, simulate
from gai_core.basics import number
from gai_core.paper import FIGURE_N_MAX, N_MAX, PUBLISHED_RUNS, SEED, figure_sweep
from gai_core.questions import FULL_FACTOR, Advice, EqualPower, Wish, equal_power, small_runs
from gai_core.report import build_report
from gai_core.report.checklist import checklist
from gai_core.report.closing import recreation
from gai_core.report.content import Bullets, Paragraph, Section, Table
from gai_core.report.estimation import overestimation
from gai_core.report.findings import NOT_RUN
from gai_core.report.first_page import not_guaranteed
from gai_core.report.methods import decisions, multiplicity
from gai_core.report.sections import SECTIONS, made
from gai_core.report.subject import Subject
from gai_core.report.summary import summary
from gai_core.results import (
    analyse,
    bounds_beyond,
    chances_of,
    first_bound_lines,
    least_error,
    reading_note,
    replay,
)
from gai_core.results.summary import times_table
from gai_core.study import changed
from gai_core.theory import sharper_bounds, worst_case

WHATEVER = "(whatever the variance of each dose)"
TINY = {"runs": 10, "n_max": 60, "seed": 4}


def scores(variance: Any, **changes: Any) -> Study:
    """Doses near the target, so that a few patients are not enough."""
    data: dict[str, Any] = {
        "outcome": {"kind": "gaussian", "variance": variance},
        "truths": [{"name": "near", "means": [0.2, 0.45, 0.6]}],
        "designs": [{"name": "Mixture", "rule": "hdoc", "criterion": "mixture"}],
        "simulation": TINY,
    }
    if variance == "unknown":
        data["truths"][0]["variance"] = 0.25
    return make_study(**data | changes)


def about_bounds(study: Study) -> list[str]:
    """Everything that says whom the lower bounds are for."""
    truth = study.truths[0]
    found = analyse(simulate(study))
    line = first_bound_lines(study, truth, 1)
    return [
        *(one for text in summary(found) for one in re.findall(r"No design that[^.]*\d.*", text)),
        *(text for text in cautions(study) if "any design" in text),
        reading_note(study),
        times_table(study, truth, found.values, bounds(study)).rows[-1][0],
        *bounds_beyond(line, 10, {"tau_1": "patients until the first declaration"}),
    ]


OVER_PLACEBO = {"over": "control", "margin": 0.0, "evidence": "likelihood"}
LEFT_OUT = {"dropout": {"probability": 0.1, "counted": "left out", "in_means": False}}


@pytest.mark.parametrize(
    ("conduct", "changes", "counted"),
    [
        (USUAL, {}, "patients on placebo and patients waiting for their outcome not counted"),
        (None, {}, "patients waiting for their outcome not counted"),
        (LEFT_OUT, {}, "patients waiting for their outcome and dropouts not counted"),
        (
            None,
            {"target": OVER_PLACEBO, "threshold": None},
            "patients on placebo counted, patients waiting for their outcome not counted",
        ),
    ],
)
def test_a_bound_says_which_patients_it_counts(
    conduct: dict[str, Any] | None, changes: dict[str, Any], counted: str
) -> None:
    """Against the control its patients are evidence, too; apart from it they are not."""
    given = {"cohort": 4} if conduct is None else conduct
    study = conducted_study(given, designs=[HDOC | {"criterion": "exact"}], **changes)
    told = about_bounds(changed(study, runs=10))
    assert told[0].endswith(f" patients on average until its first declaration, {counted}.")


def test_a_bound_is_for_designs_that_decide_within_their_error_rates() -> None:
    study = scores(0.25)
    in_summary, caution, note, row, beyond = about_bounds(study)
    value = next(iter(sharper_bounds(study, study.truths[0])))[1].value
    assert 60 < value < math.inf
    assert in_summary == (
        "No design that always decides within its error rates needs fewer than "
        f"{number(value)} patients on average until its first declaration."
    )
    assert "with any design that always decides within its error rates. With at most" in caution
    assert "bounds are for designs that always decide within their error rates: one" in note
    assert row == "lower bound, if always deciding"
    assert beyond.startswith("Beyond the axis: a design that always decides within its error rates")
    assert not any("variance" in text for text in (in_summary, caution, note, row, beyond))


def test_where_the_variance_is_unknown_it_is_for_those_that_keep_them_whatever_it_is() -> None:
    study = scores("unknown")
    in_summary, caution, note, row, beyond = about_bounds(study)
    assert f"always decides within its error rates {WHATEVER} needs fewer than" in in_summary
    assert f"that always decides within its error rates {WHATEVER}. With at most" in caution
    assert f"always decide within their error rates {WHATEVER}: one" in note
    assert row.endswith("for any variance")
    assert beyond.endswith("whatever the variance of each dose).")


def ticked(subject: Subject, *, item: str) -> str:
    sections = {key: Section(key, ()) for key in made(subject, appendix=False)}
    (table,) = (block for block in checklist(subject, sections).blocks if isinstance(block, Table))
    return next(row[2] for row in table.rows if row[0] == item)


@pytest.fixture(scope="module")
def found() -> EqualPower:
    return equal_power(searched(), Wish("good_declared", 0.5), fresh_runs=20)


def searched(under: str = "it's “the” $hope") -> Study:
    study = conducted_study(USUAL, designs=[HDOC, FIXED])
    first = study.truths[0].model_copy(update={"name": under})
    return changed(study.model_copy(update={"truths": (first, *study.truths[1:])}), runs=20)


def test_an_interpretation_is_ticked_where_something_is_recommended(found: EqualPower) -> None:
    item = "Interpretation of the results"
    runs = simulate(found.study)
    for recommended, place in (("Fixed", "first page"), ("", "not addressed")):
        advice = Advice(recommended, (), (), found)
        assert ticked(Subject(runs, advice=advice), item=item) == place
    assert ticked(Subject(runs), item=item) == "not addressed"


def test_interim_rules_are_ticked_where_a_dose_is_looked_at_before_the_end() -> None:
    for design, there in ((FIXED, False), (HDOC, True)):
        runs = simulate(make_study(simulation=TINY, designs=[design]))
        place = ticked(Subject(runs), item="Interim decision rules")
        assert (place != "not addressed") is there
        title = decisions(Subject(runs)).title
        assert title == ("Interim decision rules" if there else "Decision rules")


def test_what_is_known_of_good_doses_that_are_dropped_is_the_same_everywhere() -> None:
    """Nothing is promised, it is simulated, and what it is at most is computed exactly."""
    soon = FIXED | {"name": "Soon", "criterion_parameters": {}, "futility": "below"}
    study = make_study(simulation=TINY, designs=[soon])
    subject = Subject(simulate(study))
    worst = worst_case(study, study.designs[0]).any_miss
    assert 0.1 < worst < 1
    (said,) = [text for text in not_guaranteed(subject) if "is dropped" in text]
    assert said == (
        "No bound on the chance that a good dose is dropped is promised: it is simulated, and "
        f"computed exactly it is at most {100 * worst:.3g}% in trials of at most 60 patients, if "
        "outcomes are as assumed."
    )
    (caution,) = [text for text in cautions(study) if "not dropped by its decision rule" in text]
    assert "it is simulated for every assumption, and an upper limit of it is comp" in caution
    (table,) = (b for b in multiplicity(subject).blocks if isinstance(b, Table))
    assert f"{100 * worst:.3g}%" in table.rows[0]
    often = make_study(simulation=TINY | {"runs": 2, "n_max": 1500}, designs=[soon])
    assert worst_case(often, often.designs[0]).any_miss > 0.9995
    (open_,) = [t for t in not_guaranteed(Subject(simulate(often))) if "is dropped" in t]
    assert open_.endswith("is simulated, and what can be computed leaves it open.")
    kept = make_study(simulation=TINY, designs=[FIXED])
    assert not [text for text in not_guaranteed(Subject(simulate(kept))) if "is dropped" in text]


def test_estimates_of_a_design_that_is_not_recommended_are_called_so(found: EqualPower) -> None:
    own = found.study.model_copy(update={"designs": (found.study.design("HDoC"),)})
    for study, other in ((found.study, False), (own, True)):
        subject = Subject(simulate(study), advice=Advice("Fixed", (), (), found))
        said = overestimation(subject, study.truths[0])
        assert said.startswith("With HDoC, which is not the recommended design, and at") is other
        assert ("Fixed" in said) is not other


def test_a_truths_name_in_a_command_is_one_word_of_the_shell(found: EqualPower) -> None:
    advice = Advice("Fixed", (), (), found)
    section = recreation(Subject(simulate(found.study), advice=advice))
    (text,) = (block.text for block in section.blocks if isinstance(block, Paragraph))
    command = text.split("Sample sizes at equal power: ")[1].split("\ue003")[0].strip("\ue002")
    words = shlex.split(command)
    assert words[:3] == ["gai", "compare", "study.toml"]
    assert words[words.index("--under") + 1 :] == [searched().truths[0].name]


def test_what_a_full_report_may_simulate_is_the_number_that_it_uses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Just beyond what a short report may, within what it says that a full one may, and beyond."""
    assert f"allows {FULL_FACTOR} times as many patients" in NOT_RUN
    study = conducted_study(USUAL)
    found, names = analyse(simulate(study)), [study.designs[0].name]
    truths = [study.truths[0].name]

    def there(most: int, *, full: bool) -> bool:
        monkeypatch.setattr(small_runs, "MOST_PATIENTS", most)
        return small_runs.robustness(found, names, truths, full=full) is not None

    least = 1
    while not there(least, full=True):
        least *= 2
    assert not there(least, full=False)
    assert there(least * FULL_FACTOR, full=False)


def test_the_summary_counts_one_as_one() -> None:
    one = make_study(simulation=TINY | {"runs": 1})
    two = make_study(simulation=TINY, designs=[HDOC, FIXED])
    assert next(summary(analyse(simulate(one)))).startswith(
        "1 design was simulated on 1 assumed dose-response of 3 arms, 1 trial each of at most 60 "
    )
    assert next(summary(analyse(simulate(two)))).startswith(
        "2 designs were simulated on 1 assumed dose-response of 3 arms, 10 trials each of at most "
    )


def test_a_report_without_a_search_interprets_nothing() -> None:
    report = build_report(simulate(make_study(simulation=TINY)))
    (table,) = (block for block in blocks(report, "Checklist") if isinstance(block, Table))
    assert next(row[2] for row in table.rows if row[0].startswith("Interp")) == "not addressed"


def test_the_papers_numbers_are_those_that_it_is_computed_with() -> None:
    study, _ = figure_sweep()
    size = study.simulation
    assert (size.runs, size.seed, size.n_max) == (PUBLISHED_RUNS, SEED, FIGURE_N_MAX)
    assert N_MAX > FIGURE_N_MAX


def generation_of(study: Study) -> tuple[Subject, str]:
    subject = Subject(simulate(study))
    (block,) = SECTIONS["generation"].make(subject).blocks
    assert isinstance(block, Paragraph)
    return subject, block.text


def test_the_largest_standard_error_is_of_the_chances_that_it_names() -> None:
    """Where nothing was ever declared, no chance is known to within 0."""
    never = make_study(simulation=TINY | {"n_max": 15}, delta=1e-9)
    some = make_study(simulation=TINY | {"runs": 40})
    unseen = {True: [], False: []}  # type: ignore[var-annotated]
    for study in (never, some):
        subject, text = generation_of(study)
        runs = study.simulation.runs
        errors = [
            subject.values("steep", "HDoC", key, "probability")[1] for key in chances_of(study)
        ]
        least = least_error(runs)
        assert (
            "the largest standard error of a chance of the whole trial, such as that of any false "
            f"declaration, is {100 * max(*errors, least):.2g} percentage points, where what was "
            f"never or always seen is given {100 * least:.2g}."
        ) in text
        unseen[max(errors) == 0].append(study)
    assert unseen == {True: [never], False: [some]}


MOVING = {"name": "moving", "means": [0.2, 0.6, 0.8], "trend": 0.02}
STILL = {"name": "still", "means": [0.2, 0.6, 0.8]}
TRENDS: list[tuple[list[dict[str, Any]], str, str]] = [
    (
        [STILL, STILL | {"name": "none", "trend": 0.0}],
        "has the same outcome under every design (",
        "the same outcome distribution: no time trend, no covariates.",
    ),
    (
        [STILL, MOVING],
        "has the same random number under every design, which gives the outcome; under “moving” it "
        "depends on the month of enrolment, too (",
        "the same outcome distribution, but for the time trend under “moving”: no covariates.",
    ),
    (
        [MOVING],
        "has the same random number under every design, which gives the outcome; it depends on the "
        "month of enrolment, too (",
        "the same outcome distribution, but for the time trend under “moving”: no covariates.",
    ),
]


@pytest.mark.parametrize(("truths", "shared", "alike"), TRENDS)
def test_patients_are_alike_but_for_a_trend(
    truths: list[dict[str, Any]], shared: str, alike: str
) -> None:
    conduct = {"accrual": {"per_month": 5.0}}
    subject, text = generation_of(make_study(simulation=TINY, truths=truths, conduct=conduct))
    assert f"The n-th patient on a dose {shared}" in text
    (bullets,) = SECTIONS["limitations"].make(subject).blocks
    assert isinstance(bullets, Bullets)
    assert f"All patients of a dose have {alike}" in bullets.items


def outcomes_of(study: Study, design: str, arm: int) -> list[float]:
    """Of the patients on an arm in a trial, in the order in which they came."""
    trial = replay(study, study.truths[0], study.design(design), 0)
    return [x for x, on in zip(trial.outcomes, trial.arms, strict=True) if on == arm]


@pytest.mark.parametrize("truth", [STILL, MOVING | {"trend": 0.2}])
def test_under_a_trend_alone_the_nth_outcome_depends_on_the_design(truth: dict[str, Any]) -> None:
    designs = [HDOC, FIXED | {"burn_in": 20, "name": "Even"}]
    study = make_study(
        simulation=TINY | {"n_max": 300}, truths=[truth], designs=designs,
        conduct={"accrual": {"per_month": 60.0}}, outcome={"kind": "gaussian", "variance": 0.25},
        delta=0.001,
    )  # fmt: skip
    one, other = (outcomes_of(study, name, 2) for name in ("HDoC", "Even"))
    both = min(len(one), len(other))
    assert both > 10
    assert (one[:both] == other[:both]) is (not truth.get("trend"))

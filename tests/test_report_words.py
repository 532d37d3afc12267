"""Sentences of the report are numbers too: each is made false, and must change."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import promises
import pytest
from conducted import FIXED, HDOC, SCORE, USUAL, conducted_study
from conftest import make_study
from reports import blocks, squeezed, text_of

from gai_core import CRITERIA, RULES, Runs, Study, load_study, simulate
from gai_core.criteria import ASSUMED, ASSUMED_OF_PAIRS
from gai_core.engine import Work
from gai_core.engine.trials import Trials
from gai_core.report import FORMATS, Report, build_report
from gai_core.report.content import REFERENCE, Block, Bullets, Numbered, Paragraph, Picture, Table
from gai_core.report.first_page import first_page
from gai_core.report.sections import SECTIONS
from gai_core.report.subject import Subject
from gai_core.study.changing import changed, narrowed
from gai_core.study.validating import validated

SENTENCE = re.compile(r"(?<=[.;:])\s+(?=[A-Z\"'])")
SAYS_SOMETHING = re.compile(r"\d|soonest|most often|fewer|more often|cannot tell|at least|at most")
CONSTANT = re.compile(
    r"Brackets hold 95% intervals|95% limit for what was never seen|^In the formulas|"
    r"at least one dose by N|characteristics\.csv|^The lower bounds are for designs that always|"
    r"^How many patients are enrolled, on average|95% (confidence sequence has|interval is)|"
    r"is the odds ratio|^Simulated with gai-planner|made without that comparison|"
    r"^The design to use is named when|"
    r"^It is dropped when at most the stated|"
    r"of its n discordant pairs, at least the stated|by at least the stated number; it is dropped|"
    r"is at least the stated number, and dropped when it is at most the stated one"
)
"""Sentences whose numbers are conventions: nothing can make them false."""
GENERAL = " ".join(
    [*ASSUMED, *ASSUMED_OF_PAIRS]
    + [f"{e.label}. {e.formula}. Source: {e.citation}." for e in (*RULES.values(),)]
    + [
        f"{e.label}. {e.formula}. Source: {e.citation}. Guarantee: {e.guarantee_text}"
        for e in CRITERIA.values()
    ]
)
"""What the registries say about themselves, and what every guarantee rests on."""


def can_be_false(text: str) -> bool:
    said = SAYS_SOMETHING.search(text) is not None
    general = text in GENERAL or (": " in text and text.split(": ", 1)[1] in GENERAL)
    return said and not CONSTANT.search(text) and not general


def sentences(report: Report) -> set[str]:
    """Every sentence of the paragraphs and the lists."""
    cited = blocks(report, "References")
    return sentences_of(block for block in report.blocks if block not in cited)


def sentences_of(shown: Iterable[Block]) -> set[str]:
    said = []

    def words(text: str) -> str:
        """Without references: their numbers are places, not findings."""
        return REFERENCE.sub("there", text)

    for block in shown:
        if isinstance(block, Paragraph):
            said.append(words(block.text))
        elif isinstance(block, Bullets):
            said += map(words, block.items)
    return {sentence for text in said for sentence in SENTENCE.split(text)}


FIRST = "first page"
BODY = [key for key, part in SECTIONS.items() if not part.appendix]
PARTS = [FIRST, *(key for key in BODY if key != "references")]
"""What a report has sentences in: one is made without the others, as most of them take longer."""


def part_of(subject: Subject, key: str) -> set[str]:
    """The sentences of one part of the report."""
    made = first_page(subject) if key == FIRST else SECTIONS[key].make(subject).blocks
    return sentences_of(made)


def found_in_words(runs: Runs) -> list[str]:
    """What was found under every truth, without the rest of the report."""
    made = SECTIONS["characteristics"].make(Subject(runs)).blocks
    return [block.text for block in made if isinstance(block, Paragraph)]


def simulated_once() -> Work:
    """The same study has the same trials: they are simulated once, however often it is asked."""
    known: dict[str, Runs] = {}

    def simulator(study: Study, **_options: Any) -> Runs:
        key = study.model_dump_json()
        if key not in known:
            known[key] = simulate(study)
        return known[key]

    return Work(simulator=simulator)


def everywhere(runs: Runs, change: Callable[[Trials], Trials]) -> Runs:
    return replace(runs, trials={key: change(trials) for key, trials in runs.trials.items()})


def undecided(trials: Trials) -> Trials:
    verdict = trials.verdict.copy()
    verdict[:15][verdict[:15] != 2] = 0
    return replace(trials, verdict=verdict)


def all_declared(trials: Trials) -> Trials:
    return replace(trials, verdict=np.where(trials.verdict == 2, 2, 1).astype(np.int8))


def all_dropped(trials: Trials) -> Trials:
    return replace(trials, verdict=np.where(trials.verdict == 2, 2, -1).astype(np.int8))


def earlier(trials: Trials) -> Trials:
    calendar = trials.calendar
    if calendar is not None:
        calendar = replace(calendar, month=calendar.month / 2, end=calendar.end - 0.5)
    return replace(trials, decided=trials.decided // 2, calendar=calendar)


def exchanged(runs: Runs) -> Runs:
    """What one design did is said to be what the other did."""
    names = [design.name for design in runs.study.designs]
    other = dict(zip(names, reversed(names), strict=True))
    return replace(
        runs, trials={(truth, other[name]): t for (truth, name), t in runs.trials.items()}
    )


def falsified(runs: Runs) -> Iterator[Runs]:
    """The same study with other results."""
    for change in (undecided, all_declared, all_dropped, earlier):
        yield everywhere(runs, change)
    yield exchanged(runs)


def other_studies(study: Study) -> Iterator[Study]:
    """The same study with one of its numbers changed, each in turn."""
    rates = promises.rates_of(study)
    for other in changed_studies(promises.without_rates(study)):
        yield promises.with_rates(other, rates)
    if rates:
        yield promises.with_rates(
            promises.without_rates(study), {n: r / 2 for n, r in rates.items()}
        )


def changed_studies(study: Study) -> Iterator[Study]:
    """With the rates of calibrated designs left out, as these fit one study alone."""
    data = study.model_dump()

    def with_changes(**changes: Any) -> Study:
        return validated({**data, **changes}, "changed")

    simulation = data["simulation"]
    rates = study.error_rates
    if any(any(one.decision.steps_down) for one in study.designs):  # it needs two rates
        yield changed(study, declare=rates.declare / 2, drop=rates.drop / 2)
        yield with_changes(designs=[one | {"futility": "none"} for one in data["designs"]])
    else:
        yield changed(study, delta=rates.declare / 2)
    yield changed(study, runs=simulation["runs"] + 7, seed=simulation["seed"] + 1)
    yield changed(study, n_max=simulation["n_max"] + 37)
    lower = [truth | {"means": [0.97 * m for m in truth["means"]]} for truth in data["truths"]]
    yield with_changes(truths=lower, threshold=None if study.margin else study.threshold)
    if study.target is not None:
        if study.target.margin:
            yield with_changes(target=data["target"] | {"margin": 0.9 * study.target.margin})
    elif study.margin is None:
        yield with_changes(threshold=study.stream.target * 0.98)
    else:
        yield with_changes(margin=study.margin * 0.9, threshold=None)
    yield with_changes(truths=data["truths"][:1], designs=data["designs"][:1])
    yield with_changes(
        arms=data["arms"][:-1],
        truths=[truth | {"means": truth["means"][:-1]} for truth in data["truths"]],
        conduct=data["conduct"] and data["conduct"] | fitting_cohort(study, len(study.arms) - 1),
    )
    doubled = [truth | {k: 2 * truth[k] for k in ("variance", "trend") if truth[k]}
               for truth in data["truths"]]  # fmt: skip
    yield with_changes(truths=doubled)
    if study.outcome.kind == "gaussian" and study.outcome.knows_variance:
        yield with_changes(outcome=data["outcome"] | {"variance": 1.1 * study.outcome.s2})
    for key, value in (data["conduct"] or {}).items():
        for other in other_values(key, value):
            yield with_changes(conduct=data["conduct"] | {key: other})


def fitting_cohort(study: Study, arms: int) -> dict[str, int]:
    """A cohort in which doses share all controls, where that is needed."""
    return {"cohort": 2 * arms} if any(one.needs_equal for one in study.designs) else {}


def other_values(key: str, value: Any) -> Iterator[Any]:
    """Other values of one key of the conduct; each number in turn."""
    if isinstance(value, dict):
        for name, number in value.items():
            if isinstance(number, int | float) and not isinstance(number, bool) and number:
                yield value | {name: number * (0.9 if key == "dropout" else 2)}
    elif key == "control_share" and value:
        yield value * 0.9
    elif isinstance(value, int):
        yield 2 * value


def shipped(name: str, *designs: str) -> Study:
    """A shipped study with few trials, two truths and some of its designs."""
    study = load_study(name)
    small = narrowed(study, [truth.name for truth in study.truths[:2]], designs)
    silent = small.model_copy(
        update={
            "source": "",
            "notes": "",
            "truths": tuple(truth.model_copy(update={"note": ""}) for truth in small.truths),
            "designs": tuple(
                design.model_copy(update={"name": design.name.replace(", 4 looks", "")})
                for design in small.designs  # a number in a name is no finding
            ),
        }
    )
    return changed(silent, runs=40, n_max=100)


OTHER_PROMISES = ("simulated", "posterior", "step-down", "in order", "never dropping", "Dunnett")
STUDIES: dict[str, Callable[[], Study]] = {
    "conducted": lambda: conducted_study(USUAL),
    "scores with a trend": lambda: conducted_study(
        {
            "accrual": {"per_month": 30.0, "pattern": "poisson", "ramp_up": 2.0},
            "delay": {"weeks": 10.0, "pattern": "lognormal", "spread": 5.0},
            "looks": {"outcomes": 10},
            "control_share": 0.3,
            "wanted": 1,
            "randomisation": {"kind": "mixed", "share": 0.2},
            "dropout": {"probability": 0.1, "counted": "left out"},
        },
        outcome=SCORE,
        truths=[
            {"name": "rising", "means": [0.1, 0.3, 0.5, 0.7], "trend": 0.01, "variance": 0.3},
            {"name": "nothing", "means": [0.1, 0.1, 0.1, 0.1]},
        ],
        designs=[HDOC, FIXED],
    ),
    "against the control": lambda: shipped("tofacitinib-placebo", "Fixed", "Thompson, exact"),
    "unknown variance": lambda: shipped("sirukumab-das28-unknown", "Fixed", "HDoC, mixture"),
    "scores of a known variance": lambda: shipped(
        "irritable-bowel", "Fixed", "Nearest finish, exact"
    ),
    "scores one at a time": lambda: shipped("medical-2", "HDoC", "LUCB-G"),
    "a margin over the control": lambda: shipped(
        "clazakizumab-control", "Group sequential, 4 looks", "Fixed"
    ),
    "one dose wanted": lambda: shipped(
        "tofacitinib-one-dose", "Group sequential, 4 looks", "HDoC, drops early"
    ),
    "t-statistics of pairs": lambda: shipped(
        "sirukumab-das28-placebo", "Group sequential, 4 looks", "Fixed"
    ),
    "plain, with a margin": lambda: make_study(
        threshold=None,
        margin=0.2,
        simulation={"runs": 60, "n_max": 150, "seed": 2},
        arms=[{"label": "placebo", "control": True}, {"label": "low"}, {"label": "high"}],
        truths=[
            {"name": "hoped for", "means": [0.3, 0.45, 0.7]},
            {"name": "close", "means": [0.3, 0.4, 0.51]},
        ],
        designs=[
            {"name": "HDoC", "rule": "hdoc", "criterion": "exact"},
            FIXED,
        ],
    ),
} | {name: promises.STUDIES[name] for name in OTHER_PROMISES}


@pytest.fixture(scope="module", params=STUDIES)
def runs(request: pytest.FixtureRequest) -> Runs:
    return simulate(STUDIES[request.param]())


@pytest.fixture(scope="module")
def report(runs: Runs) -> Report:
    return build_report(runs, date="2026-01-31")


def test_every_sentence_with_a_number_or_a_ranking_can_be_made_false(
    runs: Runs, report: Report
) -> None:
    work = simulated_once()
    true = Subject(runs, work=work)
    unmoved = {key: set(filter(can_be_false, part_of(true, key))) for key in PARTS}
    whole = set().union(*unmoved.values())
    assert whole == set(filter(can_be_false, sentences(report)))
    assert len(whole) > 15
    for change in chain(falsified(runs), map(work.simulate, other_studies(runs.study))):
        if not any(unmoved.values()):
            break
        false = Subject(change, work=work)
        for key, left in unmoved.items():
            if left:
                left &= part_of(false, key)
    assert not any(unmoved.values()), unmoved


def test_every_format_has_every_sentence(report: Report) -> None:
    """So what is made false in one of them is made false in all."""

    def without_pictures(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        """They have no sentences, and drawing them takes longest."""
        return tuple(block for block in blocks if not isinstance(block, Picture))

    light = report._replace(
        first=without_pictures(report.first),
        sections=tuple(s._replace(blocks=without_pictures(s.blocks)) for s in report.sections),
    )
    numbered, facts = Numbered(light), dict(light.facts)
    said = {
        squeezed(numbered.words(text))
        for block in light.blocks
        for text in (
            [block.text]
            if isinstance(block, Paragraph)
            else block.items
            if isinstance(block, Bullets)
            else []
        )
    }
    edge = re.escape(squeezed(f"{light.title}{facts['Software']}"))
    foot = re.escape(squeezed(f"{light.subtitle}, {facts['Date']}"))
    for ending, form in FORMATS.items():
        text = squeezed(text_of(ending, form.write(light)))
        if ending == ".pdf":  # a sentence may go on behind the edges of a page
            text = re.sub(rf"{edge}|{foot}\d+/\d+", "", text)
        assert [sentence for sentence in said if sentence not in text] == [], ending


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
    each = ", ".join(f"{n:.0f}" for n in looks[:3]) + f" and {looks[3]:.0f}"
    due = [round(study.simulation.n_max * n / looks[3]) for n in looks]
    assert due[3] == study.simulation.n_max
    text = analysed(study)
    assert f"Analyses are planned at {each} pairs of a dose" in text
    charter = part_of(Subject(simulate(study)), "monitoring")  # the committee looks then, too
    assert any(f"Analyses are planned at {each} pairs of a dose" in said for said in charter)
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
    assert f"{spread}, which the analysis estimates" in analysed(unknown)
    assert "standard deviation" not in analysed(shipped("tofacitinib-placebo", "Fixed"))


def test_the_sample_size_paragraph_names_the_endpoint() -> None:
    study = shipped("irritable-bowel", "Fixed")
    assert study.outcome.endpoint
    assert f"{study.stream.target:g} ({study.outcome.endpoint}); the chance" in analysed(study)
    nameless = study.outcome.model_copy(update={"endpoint": ""})
    said = analysed(study.model_copy(update={"outcome": nameless}))
    assert f"A good dose has a mean of at least {study.stream.target:g}; the chance" in said


def test_a_control_without_patients_is_not_enrolled_on() -> None:
    study = shipped("tofacitinib-one-dose", "Group sequential, 4 looks")
    assert "patients are enrolled on 5 doses and placebo" in analysed(study)
    assert study.conduct is not None
    apart = study.model_copy(
        update={
            "judge_control": False,
            "conduct": study.conduct.model_copy(update={"control_share": None}),
        }
    )
    assert not apart.control_has_patients
    assert "patients are enrolled on 5 doses, with" in analysed(apart)


def test_percentiles_of_enrolment_are_those_of_the_trials(report: Report, runs: Runs) -> None:
    """Where they differ they are said, for the hoped-for truth and the inert one."""
    said = [b.text for b in report.first if isinstance(b, Paragraph) and "Simulated with" in b.text]
    subject = Subject(runs)
    for name in ("hoped for", "inert"):
        truth = subject.role(name)
        if truth is None or not said:
            continue
        enrolled = np.sort(runs[truth.name, subject.design].patients)
        low = enrolled[int(np.ceil(0.1 * enrolled.size)) - 1]
        high = enrolled[int(np.ceil(0.9 * enrolled.size)) - 1]
        words = f"{low:,} to {high:,} in the middle 80% of the trials, {enrolled[-1]:,} at most"
        assert (words in said[0]) == (low < high), name


def test_the_fixed_design_stands_beside_two_sequential_ones() -> None:
    study = changed(load_study("tofacitinib-placebo"), runs=20)
    study = study.model_copy(update={"designs": study.designs[::-1], "truths": study.truths[:1]})
    found = Subject(simulate(study))
    assert "Fixed" not in found.beside
    assert "Fixed" in found.tabled
    assert found.tabled[: len(found.beside)] == found.beside
    (table,) = [b for b in first_page(found) if isinstance(b, Table)]
    assert [row[1] for row in table.rows] == list(found.tabled)


def test_no_error_is_printed_as_nothing(report: Report) -> None:
    for block in report.blocks:
        for cell in (
            [cell for row in block.rows for cell in row]
            if isinstance(block, Table)
            else [block.text]
            if isinstance(block, Paragraph)
            else []
        ):
            assert not re.search(r"± 0\.0+(?!\d)", cell), cell


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


def test_exact_errors_say_of_which_sample_size_they_are(report: Report, runs: Runs) -> None:
    """A sample size that was searched for has another worst case than the study's own."""
    most = f"in trials of at most {runs.study.simulation.n_max:,} patients"
    tables = [b for b in report.blocks if isinstance(b, Table) and b.key in ("exact", "nulls")]
    assert len(tables) == 2
    assert all(table.caption.endswith(most) for table in tables)

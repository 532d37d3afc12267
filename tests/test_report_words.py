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
        most = f"{enrolled[-1]:,} in the largest simulated trial"
        words = f"{low:,} to {high:,} in the middle 80% of the trials, {most}"
        assert (words in said[0]) == (low < high), name


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


def test_exact_errors_say_of_which_sample_size_they_are(report: Report, runs: Runs) -> None:
    """A sample size that was searched for has another worst case than the study's own."""
    most = f"in trials of at most {runs.study.simulation.n_max:,} patients"
    tables = [b for b in report.blocks if isinstance(b, Table) and b.key in ("exact", "nulls")]
    assert len(tables) == 2
    assert all(table.caption.endswith(most) for table in tables)

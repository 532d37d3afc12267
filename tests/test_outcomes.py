"""Kinds of outcome: what every kind must be, and a third one that is added from outside."""

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np
import pytest
from app_page import MAIN, drawn_fields, errors, fields, finish, key
from conftest import make_study
from count_outcome import COMPILED, COUNT_UNION, Count
from patience import PATIENCE
from scipy.stats import poisson
from streamlit.testing.v1 import AppTest

from gai_core import CRITERIA, RULES, Study, bounds, cautions, characteristics, simulate
from gai_core.basics import MARKED
from gai_core.cli.commands.schema import command as schema
from gai_core.engine import Runs
from gai_core.evidence import BAD, GOOD, OUTCOMES, Curves, Outcome, every_outcome, named_outcomes
from gai_core.evidence.crossing import law
from gai_core.report import build_report
from gai_core.report.content import Bullets, Paragraph, Table
from gai_core.results import decision_table, decisions_in_words
from gai_core.results.potential_outcomes import potential_outcomes
from gai_core.results.replaying import replay
from gai_core.study import dump_study, parse_study, sensible, study_or_problems
from gai_core.theory.exact_errors import arm_law, worst_case
from gai_core.tools.warm_up import everything, tiny_studies

RUNS = 2000
KINDS = [*OUTCOMES, "count"]
COUNTS: dict[str, Any] = {
    "threshold": 2.0,
    "outcome": {"kind": "count", "endpoint": "joints that improved"},
    "simulation": {"runs": RUNS, "n_max": 1500, "seed": 5},
    "truths": [{"name": "steep", "means": [1.2, 2.6, 3.5]}],
    "designs": [{"name": "Equal", "rule": "equal", "criterion": "count-union"}],
}


@pytest.fixture(scope="module", autouse=True)
def counts_are_known() -> Iterator[None]:
    """All that somebody outside has to do, beside marking what is compiled."""
    with OUTCOMES.extended(Count), CRITERIA.extended(COUNT_UNION):
        yield


@contextmanager
def counts_are_compiled() -> Iterator[None]:
    """As `@jitable` marks them, but for a while: kept code is named after all that is marked."""
    before = len(MARKED)
    MARKED.extend(COMPILED)
    yield
    del MARKED[before:]


@pytest.fixture(scope="module")
def study() -> Study:
    return make_study(**COUNTS)


@pytest.fixture(scope="module")
def runs(study: Study) -> Runs:
    with counts_are_compiled():
        return simulate(study, threads=1)


def example(kind: str) -> Outcome:
    model = OUTCOMES[kind]
    own = {name: field.usual for name, field in model.numbers.items()}
    return model.model_validate({"kind": kind, **own})


def means_of(kind: str) -> tuple[float, float]:
    """A usual target, and a mean above it."""
    target = next(iter(OUTCOMES[kind].usual_targets.values()))
    return target, 1.3 * target


# What every kind must be.


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_says_what_it_is(kind: str) -> None:
    outcome = example(kind)
    assert outcome.kind == outcome.key == kind
    for words in (
        outcome.label, outcome.noun, outcome.plural, outcome.scale_formula, outcome.drawn,
        outcome.endpoint_example, outcome.limit_name, outcome.dropouts_in_words, *outcome.marks,
    ):  # fmt: skip
        assert words
    for target in outcome.usual_targets.values():
        assert outcome.threshold_problem(target) is None
        low, high = outcome.mean_range
        assert low < target < high
    own = set(type(outcome).model_fields) - {"kind", "endpoint"}
    assert own == set(outcome.numbers)


@pytest.mark.parametrize("kind", KINDS)
def test_drawn_outcomes_have_the_mean_and_variance_of_the_law(kind: str) -> None:
    target, mean = means_of(kind)
    study = make_study(
        outcome=example(kind).model_dump(),
        threshold=target,
        truths=[{"name": "t", "means": [mean] * 3}],
        designs=[{"name": "d", "rule": "equal", "criterion": criterion_for(kind)}],
    )
    with counts_are_compiled():
        drawn = list(islice(potential_outcomes(study, study.truths[0], 0, 1), 20_000))
    generator = random.Random(4)
    sampled = [study.outcome.sample(generator, mean) for _ in range(20_000)]
    variance = study.outcome.variance_at(mean)
    for values in (np.array(drawn), np.array(sampled)):
        squares = (values - mean) ** 2
        assert abs(values.mean() - mean) < 4 * np.sqrt(variance / values.size)
        assert abs(squares.mean() - variance) <= 4 * squares.std() / np.sqrt(values.size)


def criterion_for(kind: str) -> str:
    return next(key for key, entry in CRITERIA.items() if kind in entry.outcomes)


@pytest.mark.parametrize("kind", KINDS)
def test_the_largest_mean_is_where_the_divergence_says(kind: str) -> None:
    outcome, (_, mean) = example(kind), means_of(kind)
    for width, x in ((0.1, 1.0), (0.05, 3.0), (0.3, 0.5)):
        largest = type(outcome).largest_mean(mean, width, x)
        level = (width * x) ** 2 / (2 * outcome.s2)
        assert largest > mean
        assert float(outcome.divergence(mean, largest)) == pytest.approx(level, rel=1e-2)
    assert float(outcome.divergence(mean, mean)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_limits_that_are_never_reached_decide_nothing(kind: str) -> None:
    outcome, n = example(kind), np.arange(40.0)
    above, below = outcome.never(n)
    curves = Curves(above.astype(outcome.curve_type), below.astype(outcome.curve_type))
    assert not curves.has_limits(outcome).any()
    found = law(outcome, means_of(kind)[1], curves)
    assert found.good.sum() == found.bad.sum() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_with_one_look_the_law_is_that_of_one_test(kind: str) -> None:
    outcome, (target, mean) = example(kind), means_of(kind)
    last, alpha = 30, 0.03
    n = np.arange(last + 1.0)
    limit = float(outcome.test_limit(alpha, np.array([float(last)]), target)[0])
    accept, reject = (side.astype(float) for side in outcome.never(n))
    accept[-1], reject[-1] = np.floor(limit) + 1 if outcome.whole else limit, 0.5 * target * last
    curves = Curves(accept, reject)
    for truth in (target, mean):
        found = law(outcome, truth, curves)
        above, below = outcome.tails(n[-1:], truth, accept[-1:], reject[-1:])
        assert found.good[-1] == pytest.approx(above[0], rel=1e-8)
        assert found.bad[-1] == pytest.approx(below[0], rel=1e-8)
    at_target = law(outcome, target, curves).good.sum()
    assert at_target <= alpha * (1 + 1e-8)
    assert at_target > alpha / 4


@pytest.mark.parametrize("kind", KINDS)
def test_the_law_of_a_crossing_is_that_of_trials_drawn_in_another_way(kind: str) -> None:
    """The oracle of a kind: walks of `sample`, which shares nothing with draw and law."""
    outcome, (target, mean) = example(kind), means_of(kind)
    n = np.arange(26.0)
    width = 1.6 * np.sqrt(n * outcome.variance_at(target))
    accept, reject = (side.astype(float) for side in outcome.never(n))
    accept[5:], reject[5:] = np.ceil((n * target + width)[5:]), np.floor((n * target - width)[5:])
    found = law(outcome, mean, Curves(accept, reject))
    generator, walks, good, bad = random.Random(8), 4000, 0, 0
    for _ in range(walks):
        total = 0.0
        for k in range(1, n.size):
            total += outcome.sample(generator, mean)
            if total >= accept[k] or total <= reject[k]:
                good, bad = good + (total >= accept[k]), bad + (total <= reject[k])
                break
    for count, chance in ((good, found.good.sum()), (bad, found.bad.sum())):
        assert abs(count / walks - chance) < 4 * np.sqrt(chance * (1 - chance) / walks) + 1 / walks


# A third kind, from outside.


def test_a_new_kind_is_validated(study: Study) -> None:
    def said(**changes: Any) -> str:
        found = study_or_problems(make_data() | changes)
        assert not isinstance(found, Study)
        return " ".join(map(str, found))

    assert "must lie between 0 and 50 (a count)" in said(threshold=-1.0)
    kinds = f"{', '.join(KINDS[:-1])} or count"
    assert f"must be of kind {kinds}" in said(outcome={"kind": "counts"})
    assert f"must say its kind, {kinds}" in said(outcome={})
    assert "is not a known key" in said(outcome={"kind": "count", "rate": 1})
    designs = [{"name": "d", "rule": "equal", "criterion": "union"}]
    others = " and ".join(CRITERIA["union"].outcomes)
    assert f"works for {others} outcomes only" in said(designs=designs)
    designs = [{"name": "d", "rule": "equal", "criterion": "count-union"}]
    rates = {"kind": "bernoulli"}
    words = said(outcome=rates, threshold=0.5, truths=[{"name": "t", "means": [0.5] * 3}])
    assert "works for count outcomes only" in words
    dropout = {"probability": 0.1, "counted": "non-response"}
    assert 'must be "baseline" or "left out" for count' in said(conduct={"dropout": dropout})
    assert parse_study(dump_study(study), "x") == study


def make_data() -> dict[str, Any]:
    data: dict[str, Any] = make_study(**COUNTS).model_dump(mode="json")
    return data


def test_a_new_kind_is_in_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    schema()
    found = json.loads(capsys.readouterr().out)
    models = [
        found["$defs"][choice["$ref"].rpartition("/")[2]]
        for choice in found["properties"]["outcome"]["anyOf"]
    ]
    kinds = [model["properties"]["kind"]["const"] for model in models]
    assert "count" in kinds
    assert sorted(kinds) == sorted(model.key for model in every_outcome())
    variances = [model["properties"].get("variance", {}) for model in models]
    assert [variance["const"] for variance in variances if "const" in variance] == ["unknown"]


def test_trials_of_a_new_kind_have_the_chances_of_its_law(study: Study, runs: Runs) -> None:
    """Declared and dropped as often, and as soon, as the exact law says."""
    table, trials = characteristics(runs), runs["steep", "Equal"]
    for i, (arm, mean) in enumerate(zip(study.arms, study.truths[0].means, strict=True)):
        exact = arm_law(study, study.designs[0], mean)
        for quantity, verdict, by in (("good", GOOD, exact.good_by), ("bad", BAD, exact.bad_by)):
            found = trials.verdict[:, i] == verdict
            for n in (15, 25, 40, 80):
                share = (found & (trials.assigned[:, i] <= n)).mean()
                assert abs(share - by[n]) < 4 * np.sqrt(by[n] * (1 - by[n]) / RUNS) + 1 / RUNS
            rows = table[(table.arm == arm.label) & (table.quantity == quantity)]
            assert rows.value.item() == pytest.approx(by[-1], abs=0.01)
    assert 0 < worst_case(study, study.designs[0]).list_share <= 1


def test_a_new_kind_is_replayed_and_conducted(study: Study, runs: Runs) -> None:
    again = replay(study, study.truths[0], study.designs[0], 3)
    sums = [0.0] * 3
    for arm, value in zip(again.arms, again.outcomes, strict=True):
        sums[arm] += value
    assert sums == runs["steep", "Equal"].sums[3].tolist()
    in_time = make_study(
        **COUNTS
        | {
            "simulation": {"runs": 20, "n_max": 300},
            "conduct": {
                "delay": {"weeks": 4.0},
                "dropout": {"probability": 0.2, "probability_on_target": 0.1,
                            "counted": "left out", "in_means": False},
            },
        }
    )  # fmt: skip
    with counts_are_compiled():
        trials = simulate(in_time, threads=1)["steep", "Equal"]
    assert (trials.verdict[:, 2] == 1).all()
    counts = np.arange(60)
    staying = poisson.pmf(counts, 2.0) * np.where(counts >= 2, 0.9, 0.8)
    (remaining,) = [text for text in cautions(in_time) if "would show" in text]
    assert f"would show {(counts * staying).sum() / staying.sum():.3g}" in remaining


def test_a_new_kind_is_in_decision_table_bounds_and_report(study: Study, runs: Runs) -> None:
    words = decisions_in_words(study, decision_table(study, study.designs[0]))
    assert words.columns[1:] == ["declare if events at least", "drop if events at most"]
    assert all(row[1] == "–" or row[1].isdigit() for row in words.rows)
    found = bounds(study)
    assert (found[found.bound == "sharper"].value > 0).all()
    report = build_report(runs, date="2026-01-01")
    said = [
        text
        for section in report.sections
        for block in section.blocks
        for text in (
            [block.text] if isinstance(block, Paragraph)
            else block.items if isinstance(block, Bullets)
            else block.columns if isinstance(block, Table) else []
        )
    ]  # fmt: skip
    assert any("One patient's outcome is a Poisson count with the assumed mean." in t for t in said)
    assert any("σ² for a score, " in text and ", 1 for a count" in text for text in said)
    assert "declare if events at least" in said
    cells = {
        cell
        for block in report.blocks
        if isinstance(block, Table)
        for row in block.rows
        for cell in row
    }
    nulls = [float(n) for n in re.findall(r"every dose ([\d.]+) below", "\n".join(cells))]
    assert len(nulls) > 1
    assert min(nulls) > 0
    shifts = [cell for cell in cells if cell.startswith("every arm: assumed mean")]
    assert len(shifts) == 2
    assert not {"every arm: assumed mean +0", "every arm: assumed mean -0"} & {*shifts}


def test_a_new_kind_is_offered_what_works_for_it(study: Study) -> None:
    assert sensible(study) == []
    names = {name for _, name in everything()}
    assert names == {*named_outcomes()} > {"gaussian:unknown", "count"}
    assert {rule for rule, kind in everything() if kind == "count"} == set(RULES)
    plain, conducted = tiny_studies([("hdoc", "count")])
    assert {plain.designs[0].criterion, conducted.designs[0].criterion} == {"count-union"}


def test_a_new_kind_is_in_the_menu_of_the_app() -> None:
    app = AppTest.from_file(str(MAIN), default_timeout=PATIENCE)
    finish(app.run())
    kinds = app.radio(key=key(app, "kind"))
    assert kinds.options == [kind.label for kind in every_outcome()]
    kinds.set_value("count").run()
    assert not app.exception
    endpoint = drawn_fields(app)["outcome.endpoint"]
    assert endpoint["placeholder"].endswith(Count.endpoint_example)
    assert any("outcomes only, but the outcome is count" in text for text in errors(app))
    app.button_group(key=key(app, "preset-count")).select("two joints").run()
    assert fields(app)["threshold"] == "2"
    assert not app.exception

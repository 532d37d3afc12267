"""The search for the best design: repeatable, honest on fresh trials, as good as trying all."""

import io
import itertools
import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from commands import fails, gai
from fresh_seeds import FEW_DESIGNS, SMALL, STUDIES, problems
from pydantic import Field
from test_equal_power import small

from gai_core import CRITERIA, RULES, InputError, Study, load_study
from gai_core.basics import Parameters, searched, values_to_search
from gai_core.engine import Work, simulate
from gai_core.questions import (
    Candidate,
    Effort,
    Optimum,
    Space,
    Wish,
    Worth,
    check_optimise,
    design_trials,
    frontier_points,
    optimise,
    optimum_sentences,
    optimum_table,
    optimum_tables,
    read_optimise,
)
from gai_core.questions.design_race import frontier, surely_worse
from gai_core.questions.design_space import single_values
from gai_core.questions.design_trials import Aim, Cost, Tried
from gai_core.results import judged, quantities_of
from gai_core.study import Design, changed, narrowed

WISH = Wish("any_declared", 0.8)
TINY = Effort(few=100, more=300, many=600, children=10, generations=2, last=4, go_on=4)
WITHIN: dict[str, list[Any]] = {
    "rule": ["equal", "hdoc"],
    "criterion": ["exact"],
    "futility": [None, "below"],
}


@cache
def found() -> Optimum:
    return optimise(small(), WISH, within=WITHIN, effort=TINY, runs=600)


class Sample(Parameters):
    """One field of every type."""

    choice: Literal["a", "b"] = "a"
    switch: bool = False
    rate: float = Field(default=0.1, gt=0, lt=1)
    count: int = Field(default=3, ge=1, le=10)
    exponent: float = Field(default=0.0, ge=0, le=0.5)
    perhaps: float | None = Field(default=None, ge=1, le=5)
    wide: float = Field(default=0.0, ge=-1e9, le=1e9)
    listed: tuple[float, ...] = (1.0,)
    hinted: float = Field(default=7.0, json_schema_extra=searched(1.0, 7.0, unit="sd"))
    kept: Literal["x", "y"] = Field(default="x", json_schema_extra=searched())


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("choice", ("a", "b")),
        ("switch", (False, True)),
        ("rate", (0.025, 0.05, 0.1, 0.2, 0.4)),
        ("count", (1, 2, 3, 6)),
        ("exponent", (0.0, 0.125, 0.25, 0.375, 0.5)),
        ("perhaps", (None, 1.0, 2.0, 3.0, 4.0, 5.0)),
        ("wide", ()),
        ("listed", ()),
        ("hinted", (1.0, 7.0)),
        ("kept", ()),
    ],
)
def test_a_parameter_says_how_it_is_searched(name: str, values: tuple[Any, ...]) -> None:
    assert values_to_search(Sample.model_fields[name])[0] == values


def test_every_entry_takes_part_without_being_named() -> None:
    class Another(Parameters):
        strictness: float = Field(default=2.0, ge=1, le=8)

    new = replace(CRITERIA["exact"], key="another", parameters=Another)
    bare = replace(new, key="bare", guarantee="nothing")
    with CRITERIA.extended(new, bare), RULES.extended(replace(RULES["equal"], key="in-turn")):
        space = Space(small())
        steps = [step.data for _, step in space.steps(space.starts()[0])]
        assert {step["rule"] for step in steps} == set(RULES)
        criteria = {step["criterion"] for step in steps}
        assert "another" in criteria
        assert not {"bare", "posterior"} & criteria  # without a guarantee nothing is declared
        chosen = space.made({"rule": "equal", "criterion": "another", "burn_in": 2})
        assert chosen is not None
        assert space.values(chosen, ("criterion_parameters", "strictness")) == [1.0, 2.0, 4.0, 8.0]


def test_a_text_of_a_design_is_no_value_to_search() -> None:
    class Noted(Design):
        note: str = ""
        source: str | None = None
        share: int = 3

    assert single_values(Noted) == (*single_values(Design), "share")


def test_a_new_part_is_tried_with_parameters_that_suit_the_rest() -> None:
    space = Space(small())
    start = space.made({"rule": "hdoc", "criterion": "exact", "burn_in": 2, "futility": "below"})
    assert start is not None
    posterior = [step.data for _, step in space.steps(start) if "posterior" in step.text]
    tried = [step.get("futility_parameters") for step in posterior]
    assert None in tried  # with its defaults
    assert {"c_bad": 0.6} in tried  # or one of them changed
    assert all(len(given or {}) <= 1 for given in tried)


def test_a_wish_that_lies_on_a_step_is_not_promised_below_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Looks at whole counts make the chance a staircase: .79 up to 99 patients, .85 from 100 on."""

    def tried(_aim: Aim, _one: Candidate, n_max: int, runs: int, *_others: Any) -> Tried:
        success = np.arange(runs) < (0.79 if n_max < 100 else 0.85) * runs
        cost = Cost(np.full(runs, float(n_max)), float(n_max))
        return Tried(n_max, success.astype(float), {"steep": cost, "inert": cost})

    monkeypatch.setattr(design_trials, "tried", tried)
    aim, space = check_optimise(small(), WISH)
    one = space.starts()[0]
    found = [design_trials.worth(aim, one, guess, 2_000, 0.0134, Work()) for guess in (80, 99, 140)]
    assert all(95 < answer.n_max < 101 for answer in found)
    rough = design_trials.worth(aim, one, 80, 100, 0.06, Work())  # few trials: one value is enough
    assert rough.n_max < 95


def test_a_candidate_has_one_form() -> None:
    space = Space(small())
    plain = {"rule": "hdoc", "criterion": "exact", "burn_in": 2}
    same = plain | {"criterion_parameters": {"shape": "pocock", "prior_patients": 5.0}}
    assert space.made(plain) == space.made(same)  # a default, and what matters for another shape
    other = plain | {"criterion_parameters": {"shape": "posterior", "prior_patients": 5.0}}
    assert space.made(plain) != space.made(other)
    assert space.made(plain | {"rule_parameters": {"r": 1.0}}) is None


def test_a_second_call_repeats_the_first_on_any_number_of_threads() -> None:
    again = optimise(small(), WISH, within=WITHIN, effort=TINY, runs=600, work=Work(threads=1))
    pd.testing.assert_frame_equal(optimum_table(again), optimum_table(found()))
    assert list(optimum_sentences(again)) == list(optimum_sentences(found()))


def test_the_best_is_a_study_that_gives_the_figures_shown() -> None:
    answer = found()
    assert answer.best == "Best found"
    study = answer.study(answer.best)
    fresh = simulate(changed(study, runs=600, seed=small().simulation.seed + 1))
    enrolled = [fresh[truth, answer.best].patients.mean() for truth in ("steep", "inert")]
    assert answer.cost(answer.best)[0] == pytest.approx(np.mean(enrolled))
    assert answer.cost(answer.best) == answer.enrolled(answer.best)
    ours, theirs = (answer.per_trial(name, "enrolled").mean() for name in answer.names[-2:])
    assert answer.ratio(*answer.names[-2:])[0] == pytest.approx(ours / theirs)
    assert study.simulation.n_max == answer.n_max(answer.best) <= 200
    assert study.simulation.runs == small().simulation.runs
    assert answer.compared.exact_error(answer.best) <= small().error_rates.declare
    words = " ".join(optimum_sentences(answer))
    assert f"at most {answer.n_max(answer.best)} patients" in words
    assert f"{answer.tried} designs" in words


def test_the_sample_size_surely_reaches_the_wish_in_the_search() -> None:
    answer = found()
    for plan in answer.compared.plans:
        assert plan.value is not None
        if plan.sure is not None:
            assert plan.at[0].low >= WISH.chance
        before = plan.at[0].chance
        assert abs(answer.compared.value("steep", plan.design, "any_declared")[0] - before) < 0.08


def test_benchmarks_are_those_that_need_least_and_the_frontier_is_not_beaten() -> None:
    answer = found()
    costs = [answer.cost(name)[0] for name in answer.benchmarks]
    assert costs == sorted(costs)
    assert answer.benchmark == answer.compared.benchmark
    kinds = {row[1] for row in optimum_tables(answer)[0].rows}
    assert {"best", "group-sequential benchmark", "fixed benchmark"} <= kinds
    points = frontier_points(answer)
    for point in points:
        beaten = any(
            other.n_max <= point.n_max
            and other.enrolled <= point.enrolled
            and (other.n_max, other.enrolled) != (point.n_max, point.enrolled)
            for other in points
        )
        assert point.on_frontier is not beaten


def brute_force(study: Study, wish: Wish, candidate: Candidate, runs: int) -> float:
    """Patients at the first n_max of a ladder that reaches the wish, simulated apart."""
    alone = narrowed(
        study.model_copy(update={"designs": (candidate.design(),)}), ["steep", "inert"],
        ["candidate"],
    )  # fmt: skip
    for n_max in range(20, 201, 2):
        trials = simulate(changed(alone, n_max=n_max, runs=runs, seed=77))
        wished = quantities_of(study)[wish.quantity].value(judged(trials, "steep", "candidate"))
        if wished.mean() >= wish.chance:
            both = (trials[truth, "candidate"].patients.mean() for truth in ("steep", "inert"))
            return float(sum(both)) / 2
    return math.inf


def test_the_search_agrees_with_trying_everything() -> None:
    """Every design of a small grid at its own n_max, by a loop of its own on other patients."""
    grid: dict[str, list[Any]] = {
        "rule": ["equal", "hdoc"], "criterion": ["exact"], "futility": [None, "below"],
        "shape": ["pocock"], "share": ["bonferroni"], "looks": [1], "burn_in": [2, 6],
        "largest_share": [2.0], "amount": [0.0], "after": [1], "up_to": ["n_max"],
        "declare_from": [0.0],
    }  # fmt: skip
    effort = replace(TINY, children=40, few=400, more=1_000, many=2_000)
    answer = optimise(small(), WISH, within=grid, effort=effort, runs=1_000)
    assert answer.tried == 8
    space, costs = Space(small(), grid), {}
    for rule, futility, burn_in in itertools.product(
        grid["rule"], grid["futility"], grid["burn_in"]
    ):
        made = space.made(
            {"rule": rule, "criterion": "exact", "futility": futility, "burn_in": burn_in,
             "criterion_parameters": {"largest_share": 2.0}}
        )  # fmt: skip
        assert made is not None
        costs[made] = brute_force(small(), WISH, made, 1_000)
    chosen = answer.searched["Best found"].candidate
    assert costs[chosen] <= 1.03 * min(costs.values())
    assert max(costs.values()) > 1.2 * min(costs.values())  # it could have been wrong


@pytest.mark.parametrize("name", STUDIES[:3])
def test_fresh_seeds_confirm_wish_and_error(name: str) -> None:
    """Rates, scores and pairs, on 400 trials that the search has not seen."""
    study = load_study(name)
    answer = optimise(study, WISH, within=FEW_DESIGNS, effort=SMALL, runs=400)
    assert list(problems(answer)) == []
    too_much = replace(answer, aim=replace(answer.aim, wish=Wish("any_declared", 0.97)))
    assert any("chance" in one for one in problems(too_much))  # it could have been noticed


def worth(cost: float, n_max: float, spread: np.ndarray) -> Worth:
    return Worth(Candidate(f"{cost} {n_max}"), spread.size, n_max, cost, cost, 0.8, cost + spread)


def test_only_a_paired_difference_drops_a_candidate() -> None:
    noise = np.random.default_rng(1).normal(0, 50, 400)
    assert surely_worse(worth(101, 10, noise), worth(100, 10, noise))  # the same patients
    assert not surely_worse(worth(101, 10, noise[::-1]), worth(100, 10, noise))
    assert not surely_worse(worth(99, 10, noise), worth(100, 10, noise))
    some = [worth(cost, n, noise) for cost, n in ((10, 30), (11, 20), (12, 25), (13, 15))]
    assert [one.cost for one in frontier(some)] == [10, 11, 13]


def test_largest_and_months_are_minimised_too() -> None:
    smallest = optimise(small(), WISH, minimise="largest", within=WITHIN, effort=TINY, runs=300)
    assert smallest.best is not None
    assert smallest.cost(smallest.best) == (smallest.n_max(smallest.best), 0.0)
    assert smallest.n_max(smallest.best) <= min(map(smallest.n_max, smallest.benchmarks))


def test_what_no_design_reaches_is_said() -> None:
    hard = Wish("correct_list", 0.99)
    answer = optimise(
        small(), hard, within=WITHIN | {"n_max": [30]}, effort=replace(TINY, generations=1),
        runs=200,
    )  # fmt: skip
    assert answer.best is None
    first, *_ = optimum_sentences(answer)
    assert first.startswith("No design with a guarantee that was tried reaches")
    assert optimum_tables(answer) == []
    assert optimum_table(answer)["truth"].isna().all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"within": {"rul": ["equal"]}}, "did you mean 'rule'"),
        ({"within": {"rule": ["best"]}}, "fits the study"),
        ({"within": {"criterion": ["posterior"]}}, "with a guarantee"),
        ({"within": {"n_max": [1]}}, "whole number"),
        ({"within": {"burn_in": [0]}}, "no design that fits"),
        ({"over": {"steep": -1.0}}, "positive"),
        ({"over": {"stepe": 1.0}}, "did you mean 'steep'"),
        ({"minimise": "patients"}, "is no choice"),
        ({"minimise": "months"}, "conduct"),
        ({"effort": "much"}, "is no choice"),
        ({"runs": 10}, "at least 100"),
        ({"most_patients": 10}, "simulated patients"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_optimise(small(), WISH, **arguments)


def test_texts_are_read() -> None:
    asked = read_optimise(
        small(), ["steep=2"], ["n_max=150", "looks=1,equal:4,end", "futility=own,below"], "largest"
    )
    assert asked["over"] == {"steep": 2.0}
    assert asked["within"]["looks"] == [1, {"equal": 4}, "end"]
    aim, space = check_optimise(small(), WISH, **asked)
    assert aim.limit == 150
    assert aim.weights == {"steep": 1.0}
    assert {step.data.get("futility") for _, step in space.steps(space.starts()[0])} <= {
        None, "below"
    }  # fmt: skip
    for text in ("equal:²", "equal:" + "9" * 5000, "[" * 2000):
        assert read_optimise(small(), [], [f"looks={text}"])["within"] == {"looks": [text]}
    for text in ("steep", "steep=x"):
        with pytest.raises(InputError, match="TRUTH=WEIGHT"):
            read_optimise(small(), [text], [])
    with pytest.raises(InputError, match="NAME=VALUES"):
        read_optimise(small(), [], ["n_max"])


def test_the_null_in_which_doses_do_least_counts_half() -> None:
    aim, _ = check_optimise(load_study("tofacitinib-one-dose"), WISH)
    assert aim.weights == {"published": 0.5, "inert": 0.5}
    assert aim.limit == 400
    paired, _ = check_optimise(load_study("tofacitinib-placebo"), WISH)
    assert paired.weights == {"published": 0.5, "inert": 0.5}  # not the doses just below placebo


def test_on_the_command_line(tmp_path: Path) -> None:
    from gai_core import dump_study

    file, best, figure = (tmp_path / name for name in ("small.toml", "best.toml", "frontier.svg"))
    file.write_text(dump_study(small()), encoding="utf-8")
    asked = [
        "optimise", str(file), "--want", "any_declared=0.8", "--effort", "quick", "--runs", "400",
        "--within", "rule=equal", "--within", "criterion=exact", "--within", "burn_in=2,5",
        "--within", "shape=pocock,mixture", "--within", "futility=below", "--within", "after=1",
        "--within", "amount=0", "--within", "largest_share=2", "--within", "looks=1",
        "--within", "declare_from=0",
    ]  # fmt: skip
    table = pd.read_csv(
        io.StringIO(gai(*asked, "--csv", "-", "-o", str(best), "--figure", str(figure)).stdout)
    )
    row = table[table.role == "best"].iloc[0]
    study = load_study(str(best))
    assert study.simulation.n_max == row.n_max
    assert study.designs[0].burn_in == json.loads(row.candidate)["burn_in"]
    assert "Largest sample size" in figure.read_text(encoding="utf-8")
    assert "exists already" in fails(*asked, "-o", str(best))
    assert "--within" in fails("optimise", str(file), "--within", "rule=best")

"""The designs that trialists would run otherwise: group sequential, its looks following n_max."""

import math
from typing import Any

import numpy as np
import pytest
from conftest import make_study

from gai_core import InputError, Study, dump_study, load_study, parse_study, simulate
from gai_core.criteria.exact import ExactParameters, last_look, look_counts
from gai_core.evidence import GOOD
from gai_core.questions import Wish, plan
from gai_core.results import (
    benchmark_of,
    designs_table,
    kind_of_benchmark,
    set_against,
)
from gai_core.study import (
    changed,
    every_ready_made,
    fits,
    group_sequential,
    narrowed,
    sensible,
    varied,
)
from gai_core.theory import is_broken, worst_case

SCORES = {"outcome": {"kind": "gaussian", "variance": 1.0}, "threshold": 0.0}


def sequential(looks: int = 4, shape: str = "obrien-fleming", **more: Any) -> dict[str, Any]:
    given = {"shape": shape, "looks": {"equal": looks}} | more
    return {"name": "GS", "rule": "equal", "criterion": "exact", "criterion_parameters": given,
            "futility": "below", "burn_in": 1}  # fmt: skip


def study_of(n_max: int, design: dict[str, Any], **parts: Any) -> Study:
    return make_study(
        simulation={"runs": 200, "n_max": n_max, "seed": 4}, designs=[design], **parts
    )


def counts(study: Study) -> list[int]:
    design = study.designs[0]
    _, parameters = design.identification
    assert isinstance(parameters, ExactParameters)
    return [int(n) for n in look_counts(study.setting(design), parameters)]


@pytest.mark.parametrize(
    ("looks", "n_max", "expected"),
    [
        (4, 60, [5, 10, 15, 20]),
        (4, 61, [5, 10, 15, 20]),
        (3, 60, [7, 14, 20]),
        (5, 32, [2, 4, 6, 8, 10]),
        (1, 60, [20]),
    ],
)
def test_looks_are_at_equal_fractions_of_the_equal_share(
    looks: int, n_max: int, expected: list[int]
) -> None:
    assert counts(study_of(n_max, sequential(looks))) == expected


def test_looks_follow_the_largest_sample_size_and_can_be_varied() -> None:
    study = study_of(60, sequential())
    assert counts(changed(study, n_max=120)) == [10, 20, 30, 40]
    assert counts(varied(study, {"n_max": 120, "equal": 2})) == [20, 40]
    assert counts(study_of(60, sequential(largest=8))) == [2, 4, 6, 8]


@pytest.mark.parametrize(("shape", "published"), [("pocock", 2.361), ("obrien-fleming", 2.024)])
def test_limits_of_four_looks_are_the_published_ones(shape: str, published: float) -> None:
    """Jennison and Turnbull (2000), tables 2.1 and 2.3: four looks, alpha 0.05 two-sided."""
    arms = [{"label": "low"}, {"label": "high"}]
    truths = [{"name": "t", "means": [0.0, 1.0]}]
    study = study_of(
        400, sequential(shape=shape), delta=0.05, arms=arms, truths=truths, **SCORES
    )  # 0.025 for each of two doses
    curves = study.curves(study.designs[0])
    at = np.array([50, 100, 150, 200])
    standard = curves.accept[at] / np.sqrt(at)
    expected = published * (np.ones(4) if shape == "pocock" else np.sqrt(200 / at))
    assert standard == pytest.approx(expected, abs=0.002)
    assert np.isinf(np.delete(curves.accept, at)).all()
    assert curves.accept.size == 201  # nobody is judged, or treated, beyond the last look


@pytest.mark.parametrize("kind", ["rates", "scores"])
@pytest.mark.parametrize("shape", ["pocock", "obrien-fleming"])
@pytest.mark.parametrize("looks", [2, 3, 4, 5])
def test_exact_error_is_within_alpha_and_mostly_used(kind: str, shape: str, looks: int) -> None:
    parts = {"rates": {}, "scores": SCORES}[kind]
    study = study_of(300, sequential(looks, shape, share="sidak"), delta=0.05, **parts)
    never = study.designs[0].model_copy(update={"futility": "none"})
    without = worst_case(study, never)  # dropping is not binding: the limits were made without it
    with_dropping = worst_case(study, study.designs[0])
    assert not is_broken(without.list_share)
    assert with_dropping.any_false_declaration < without.any_false_declaration
    assert without.any_false_declaration > (0.999 if kind == "scores" else 0.75) * 0.05


@pytest.mark.parametrize("name", ["tofacitinib", "tofacitinib-conduct"])
def test_no_dose_gets_more_than_its_equal_share(name: str) -> None:
    study = changed(load_study(name), runs=60, wanted=1)
    study = study.model_copy(update={"designs": (group_sequential(study),)})
    share = study.most_on_candidates // len(study.candidates)
    fewer = 0
    for truth in study.truths:
        assigned = simulate(study)[truth.name, study.designs[0].name].assigned
        assert assigned[:, list(study.candidates)].max() <= share
        fewer += (assigned.sum(axis=1) < 0.9 * study.simulation.n_max).sum()
    assert fewer > 90  # what dropped doses leave over is saved


def test_where_outcomes_can_be_missing_the_last_look_is_reached() -> None:
    study = changed(load_study("irritable-bowel"), runs=200)
    design = group_sequential(study)
    _, parameters = design.identification
    assert isinstance(parameters, ExactParameters)
    share, dropout = study.most_on_candidates // len(study.candidates), 0.08
    end = last_look(study.setting(design), parameters)
    assert end == math.floor(share * (1 - dropout) - 2 * math.sqrt(share * dropout * (1 - dropout)))
    never = design.model_copy(update={"futility": "none"})
    trials = simulate(study.model_copy(update={"designs": (never,)}))[
        "just below the target", never.name
    ]
    assert trials.calendar is not None
    last = trials.calendar.seen[:, list(study.candidates)]
    judged = (last >= end) | (trials.verdict[:, list(study.candidates)] != 0)
    assert judged.mean() > 0.95


def test_equal_looks_are_written_and_read_again() -> None:
    study = study_of(60, sequential())
    assert parse_study(dump_study(study)) == study
    assert "looks = { equal = 4 }" in designs_table(study).rows[0][2]


@pytest.mark.parametrize(
    "looks", [{"equal": 0}, {"equal": 101}, {"equal": 2.0}, {"equal": 4, "x": 1}, {}, {"every": 2}]
)
def test_a_bad_number_of_looks_is_refused_with_the_way_out(looks: dict[str, Any]) -> None:
    design = sequential() | {"criterion_parameters": {"looks": looks}}
    with pytest.raises(InputError, match=r"or { equal = 4 } for 4 looks"):
        study_of(60, design)


def test_more_looks_than_patients_are_refused() -> None:
    with pytest.raises(InputError, match=r"looks\.equal must not be more than the 3 patients"):
        study_of(9, sequential(4))


def test_the_search_makes_the_looks_anew_for_every_sample_size() -> None:
    study = study_of(300, sequential(), delta=0.05, wanted=1)
    (found,) = plan(study, Wish("any_declared", 0.8), "n_max")
    assert found.value is not None
    assert found.value < 150
    assert found.at[0].chance >= 0.8 > found.at_next[0].chance


def test_ready_made_designs_include_the_benchmarks_where_they_fit() -> None:
    study = load_study("tofacitinib")
    made = every_ready_made(study)
    names = [design.name for design in made]
    group = [f"Group sequential, {looks} looks" for looks in (2, 3, 4, 5)]
    assert {"Fixed", *group, *(f"{name}, Pocock" for name in group)} <= set(names)
    assert set(names) > {design.name for design in sensible(study)} > {"Fixed", group[2]}
    assert len(set(names)) == len(names)
    assert all(fits(study, design) for design in made)
    assert study.model_validate(study.model_dump() | {"designs": made}).designs == tuple(made)
    small = study_of(9, sequential(2))
    assert "Group sequential, 4 looks" not in [design.name for design in sensible(small)]


def test_the_benchmark_is_the_group_sequential_design_where_there_is_one() -> None:
    study = load_study("tofacitinib")
    assert benchmark_of(study) == "Fixed"
    assert kind_of_benchmark(study, "Fixed") == "fixed"
    both = study.model_copy(update={"designs": (*study.designs, group_sequential(study))})
    assert benchmark_of(both) == "Group sequential, 4 looks"
    assert kind_of_benchmark(both, "Group sequential, 4 looks") == "group-sequential"
    assert kind_of_benchmark(both, "Nearest finish, exact") is None


def test_a_comparison_names_its_benchmark_and_what_is_not_equal() -> None:
    study = load_study("tofacitinib-one-dose")
    named, other = (set_against(study, name) for name in ("Fixed", "HDoC, drops early"))
    assert named.startswith("Every design is set against Fixed, the fixed benchmark, on the same")
    assert "HDoC, drops early; the benchmark is Group sequential, 4 looks. All are on" in other
    assert (
        "sample size, 400, and the same bounds on errors, but for Group sequential, 4 looks; and "
        "HDoC, drops early, which bound false declarations alone; their power differs"
    ) in named
    soon = study.design("Group sequential, 4 looks")
    assert worst_case(study, soon).any_miss > 2 * study.error_rates.drop
    kept = narrowed(study, [truth.name for truth in study.truths], ["Fixed"])
    assert "the same bounds on errors; their power differs" in set_against(kept, "Fixed")
    bare = [design for design in every_ready_made(study) if design.criterion == "posterior"]
    without = study.model_copy(update={"designs": (*bare, study.designs[2])})
    text = set_against(without, bare[0].name)
    assert text.startswith("The study has no benchmark")
    assert "bounds on errors, but for Posterior rule, which promises none" in text


def test_the_best_ready_made_design_saves_a_tenth_of_the_patients() -> None:
    """The benchmark as in README's table, the other with 201 patients: 90% of the trials each."""
    enrolled, sizes = {}, {"Group sequential, 4 looks": 251, "HDoC, drops early": 201}
    study = changed(load_study("tofacitinib-one-dose"), runs=4000, seed=5)
    ready = {design.name: design for design in every_ready_made(study)}
    for name, n_max in sizes.items():
        sized = changed(study, n_max=n_max)
        assert ready[name] == study.design(name)
        truths = study.truth("published"), study.truth("inert")
        one = sized.model_copy(update={"designs": (study.design(name),), "truths": truths})
        assert worst_case(one, one.designs[0]).any_false_declaration <= 0.05
        runs = simulate(one)
        chance = (runs["published", name].verdict == GOOD).any(axis=1).mean()
        assert chance > 0.9 - 3 * math.sqrt(0.09 / 4000)
        enrolled[name] = [runs[t.name, name].assigned.sum(axis=1).mean() for t in truths]
    usual, own = (enrolled[name] for name in sizes)
    assert own[0] / usual[0] < 0.9
    assert own[1] / usual[1] < 1.05

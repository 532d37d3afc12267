"""Designs at equal error and power: each number against the raw trials, each claim made false."""

import io
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import fails, gai
from conftest import make_study

from gai_core import InputError, Study, dump_study
from gai_core.engine.trials import Trials
from gai_core.questions import (
    EqualPower,
    Wish,
    equal_power,
    equal_power_sentences,
    equal_power_table,
    equal_power_tables,
    plan,
    with_benchmarks,
)
from gai_core.questions.comparing_words import ratio_in_words, saved_in_words, savers
from gai_core.results import paired_ratio
from gai_core.study import changed
from gai_core.theory import worst_case

WISH = Wish("any_declared", 0.8)
GROUP = "Group sequential, 4 looks"
INERT = {"name": "inert", "means": [0.2, 0.2, 0.2]}


def small(**parts: Any) -> Study:
    usual: dict[str, Any] = {
        "simulation": {"runs": 200, "n_max": 200, "seed": 5},
        "truths": [{"name": "steep", "means": [0.2, 0.6, 0.8]}, INERT],
        "designs": [{"name": "HDoC", "rule": "hdoc", "criterion": "exact", "burn_in": 2}],
        "wanted": 1,
    }
    return make_study(**usual | parts)


@cache
def compared() -> EqualPower:
    return equal_power(small(), WISH, fresh_runs=300)


def test_every_design_has_the_sample_size_that_a_plan_finds() -> None:
    found = compared()
    assert found.under == "steep"
    assert found.reached == ["HDoC", "Fixed", GROUP]
    for alone, together in zip(
        plan(with_benchmarks(small()), WISH, "n_max", truths=["steep"]), found.plans, strict=True
    ):
        assert alone == together
        sized = found.fresh[alone.design].study
        assert sized.simulation.n_max == alone.value
        assert sized.simulation.runs == 300
        assert sized.simulation.seed == 6  # not the search's: a search keeps what came out well
        assert [truth.name for truth in sized.truths] == ["steep", "inert"]


def test_every_number_is_that_of_the_fresh_trials() -> None:
    found = compared()
    table = equal_power_table(found).set_index(["truth", "design"])
    for truth, design in table.index:
        trials, row = found.fresh[design][truth, design], table.loc[(truth, design)]
        enrolled = trials.assigned.sum(axis=1)
        assert row.enrolled == pytest.approx(enrolled.mean())
        assert row.enrolled_mcse == pytest.approx(enrolled.std(ddof=1) / math.sqrt(300))
        assert row.enrolled_largest == enrolled.max()
        declared = trials.verdict == 1
        assert row.any_declared == pytest.approx(declared.any(axis=1).mean())
        bad = [0] if truth == "steep" else [0, 1, 2]
        assert row.false_declaration == pytest.approx(declared[:, bad].any(axis=1).mean())
        on_good = trials.assigned[:, [i for i in range(3) if i not in bad]].sum(axis=1) / enrolled
        assert row.share_on_good == pytest.approx(on_good.mean())
        theirs = found.fresh[GROUP][truth, GROUP].assigned.sum(axis=1)
        assert row.enrolled_ratio == pytest.approx(enrolled.mean() / theirs.mean())
        sized = found.fresh[design].study
        exact = worst_case(sized, sized.design(design)).any_false_declaration
        assert row.exact_false_declaration == pytest.approx(exact)
        assert exact <= 0.1
    assert (table.benchmark == GROUP).all()
    assert table.loc[("steep", GROUP), "enrolled_ratio"] == 1


def test_the_error_of_a_paired_ratio_is_that_of_repeated_samples() -> None:
    draw = np.random.default_rng(3)
    common = draw.normal(100, 20, (2000, 400))
    ours, theirs = common + draw.normal(0, 5, common.shape), common + 20
    found = [paired_ratio(one, other) for one, other in zip(ours, theirs, strict=True)]
    ratios, errors = np.array(found).T
    assert errors.mean() == pytest.approx(ratios.std(), rel=0.05)
    assert np.isnan(paired_ratio(np.zeros(3), np.zeros(3))[0])


def test_what_is_equal_is_said_and_what_is_not() -> None:
    first, *others = equal_power_sentences(compared())
    text = " ".join(others)
    assert "any false declaration in at most 10% of the trials" in first
    assert "a chance of 80% that at least one dose is declared, assuming “steep”" in first
    assert "Not equal: the largest sample size" in first
    assert "The trial ends when one dose is declared." in text
    assert "searched for with 200 trials per value (seed 5)" in text
    assert "from 300 fresh trials per assumption (seed 6)" in text
    assert f"Benchmark: {GROUP}, a group-sequential trial." in text
    open_ended = with_benchmarks(small(wanted=None))
    words = " ".join(equal_power_sentences(replace(compared(), study=open_ended)))
    assert "goes on until every dose has a verdict or no open dose may get more" in words


def with_patients(found: EqualPower, design: str, factor: float) -> EqualPower:
    """The same, but one design enrols so many times the benchmark's patients in every trial."""
    like, theirs = found.fresh[design], found.fresh[GROUP]
    trials: dict[tuple[str, str], Trials] = {}
    for truth, name in like.trials:
        size = np.round(theirs[truth, GROUP].assigned * factor).astype(np.int32)
        trials[truth, name] = replace(like[truth, name], assigned=size)
    return replace(found, fresh=dict(found.fresh) | {design: replace(like, trials=trials)})


def test_savings_are_claimed_only_where_they_are_surely_there() -> None:
    found = compared()
    certain = tuple(replace(one, may=one.value, sure=one.value) for one in found.plans)
    sure = replace(found, plans=certain)
    steep = found.study.truth("steep")
    much = with_patients(with_patients(sure, "HDoC", 0.8), "Fixed", 1.3)
    assert savers(much, "steep") == ["HDoC"]
    assert "fewer are enrolled by HDoC 0.79" in saved_in_words(much, steep)
    nothing = with_patients(with_patients(sure, "HDoC", 1.1), "Fixed", 1.3)
    assert savers(nothing, "steep") == []
    assert "no design saves anything: HDoC enrols 1.1" in saved_in_words(nothing, steep)
    # A search that leaves the sample size open leaves the saving open, too.
    unsure = replace(much, plans=tuple(replace(one, sure=None) for one in found.plans))
    assert savers(unsure, "steep") == []
    said = saved_in_words(unsure, steep)
    assert "no design surely saves anything: HDoC enrols 0.79" in said
    assert "which these trials cannot tell from 1" in said


def test_a_design_without_a_promise_saves_nothing() -> None:
    scores = {"outcome": {"kind": "gaussian", "variance": 1.0}, "threshold": 0.0, "delta": 0.3}
    truths = [{"name": "steep", "means": [-1.0, 0.8, 1.0]}]
    bare = {"name": "Bare", "rule": "hdoc", "criterion": "union-published", "burn_in": 2}
    found = equal_power(small(designs=[bare], truths=truths, **scores), WISH, fresh_runs=100)
    assert "Bare" in found.reached
    assert "Bare" not in savers(with_patients(found, "Bare", 0.2), "steep")
    text = " ".join(equal_power_sentences(found))
    assert "Promising nothing, and so not at equal error (exact worst case): Bare" in text


def test_what_is_equal_is_said_of_the_designs_in_the_tables() -> None:
    """A posterior rule keeps no error rate: beside it the error is not equal."""
    bare = {"name": "Bare", "rule": "equal", "criterion": "posterior", "burn_in": 2}
    two = with_benchmarks(small(designs=[bare]))
    both = equal_power(two, WISH, fresh_runs=50)
    assert both.reached == ["Bare", "Fixed", GROUP]
    kept = "any false declaration in at most 10% of the trials, exactly"
    assert f"Equal: the error ({kept}; not with Bare) and the wished power" in next(
        equal_power_sentences(both)
    )
    heads = [table.title for table in equal_power_tables(both)[1:]]
    assert heads[0] == "steep: at equal error but for Bare, for the same wished power"
    alone = replace(both, fresh={"Bare": both.fresh["Bare"]})
    first = next(equal_power_sentences(alone))
    assert first.startswith("Equal: the wished power (a chance of 80% that at least one dose is")
    assert "alone. Not equal: the error, which no proof bounds, and the largest" in first
    assert "exactly" not in first
    assert [table.title for table in equal_power_tables(alone)[1:]] == [
        "steep: for the same wished power",
        "inert: for the same wished power",
    ]
    study = compared().study
    wide = tuple(truth.model_copy(update={"variance": 2.0}) for truth in study.truths)
    other = replace(compared(), study=study.model_copy(update={"truths": wide}))
    assert f"({kept}, if outcomes are as assumed)" in next(equal_power_sentences(other))


def test_a_design_whose_least_size_reaches_more_than_the_wish_says_so() -> None:
    """A burn-in of 10 needs 30 patients, with which HDoC has more power than was wished for."""
    hdoc = {"name": "HDoC", "rule": "hdoc", "criterion": "exact", "burn_in": 10}
    easy = [{"name": "easy", "means": [0.1, 0.9, 0.95]}]
    found = equal_power(small(designs=[hdoc], truths=easy), WISH, fresh_runs=200)
    size = found.plan("HDoC").value
    chances = {name: found.value("easy", name, "any_declared")[0] for name in found.reached}
    assert chances["HDoC"] > max(0.95, chances["Fixed"] + 0.05)
    text = " ".join(equal_power_sentences(found))
    assert (
        f"HDoC reaches the wished power with the smallest n_max that was tried, {size}, and may "
        "have much more."
    ) in text
    assert "smallest n_max that was tried" not in " ".join(equal_power_sentences(compared()))
    assert equal_power_tables(found)[1].title.endswith("and for the same wished power")


def test_a_design_that_looks_once_enrols_all_its_patients_which_may_be_fewer_than_n_max() -> None:
    found = equal_power(small(), WISH, among=(70, 70), fresh_runs=50)
    assert found.plan("Fixed").value == 70
    assert found.largest("steep", "Fixed") == 69  # three doses, equally many on each
    text = " ".join(equal_power_sentences(found))
    assert "Fixed looks once, at the end, and enrols all its patients before that." in text


def test_a_design_that_cannot_reach_the_wish_says_why() -> None:
    found = equal_power(small(), WISH, among=(12, 18), fresh_runs=50)
    assert found.reached == []
    assert found.benchmark is None
    assert equal_power_tables(found) == []
    table = equal_power_table(found)
    assert table.why_not.str.startswith("not reached from 12 to 18").all()
    assert all(any(name in text for text in equal_power_sentences(found)) for name in table.design)
    assert next(equal_power_sentences(found)).startswith("Nothing is set side by side: none of")
    nothing = equal_power(small(), WISH, under="inert", fresh_runs=50)
    assert all("no dose is above the target" in one.why_not for one in nothing.plans)


def test_a_study_with_benchmarks_of_its_own_keeps_them() -> None:
    study = with_benchmarks(small())
    assert [design.name for design in study.designs] == ["HDoC", "Fixed", GROUP]
    assert with_benchmarks(study) == study
    own = {"name": "Mine", "rule": "equal", "criterion": "exact", "burn_in": 1,
           "criterion_parameters": {"looks": [20, 40, 60]}}  # fmt: skip
    named = [design.name for design in with_benchmarks(small(designs=[own])).designs]
    assert named == ["Mine", "Fixed"]
    alone = equal_power(study, WISH, designs=["Fixed"], among=(20, 80), fresh_runs=20)
    assert [one.design for one in alone.plans] == ["Fixed", GROUP]  # the benchmark stays


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(InputError, match="at least 2"):
        equal_power(changed(small(), runs=1), WISH)
    with pytest.raises(InputError, match="no truth of the study has a dose above the target"):
        equal_power(small(truths=[INERT]), WISH)
    with pytest.raises(InputError, match="'stepe' is not in the study; did you mean 'steep'"):
        equal_power(small(), WISH, under="stepe")


def test_conducted_trials_have_months() -> None:
    conduct = {"accrual": {"per_month": 20.0}, "delay": {"weeks": 8.0}, "cohort": 4}
    found = equal_power(small(conduct=conduct), WISH, designs=["HDoC"], fresh_runs=60)
    row = equal_power_table(found).set_index(["truth", "design"]).loc[("steep", "HDoC")]
    calendar = found.fresh["HDoC"]["steep", "HDoC"].calendar
    assert calendar is not None
    assert row.months_end == pytest.approx(calendar.end.mean())
    assert "months to the end" in equal_power_tables(found)[1].columns


def test_the_command_shows_and_writes_the_same_table(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(dump_study(small()), encoding="utf-8")
    options = ["--at", "any_declared=0.8", "--fresh-runs", "300"]
    done = gai("compare", file, *options, "--csv", "-")
    assert done.returncode == 0, done.stderr
    expected = equal_power_table(compared())
    found = pd.read_csv(io.StringIO(done.stdout), keep_default_na=False, na_values={"x": [""]})
    assert found.columns.tolist() == expected.columns.tolist()
    assert done.stdout == expected.to_csv(index=False, lineterminator="\n")
    shown = gai("compare", file, *options).stdout
    assert "Equal: the error" in shown
    assert "steep: at equal error and for the same wished power" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--at", "any_declard=0.8"], "--at: 'any_declard' cannot be wished for; did you mean"),
        (["--at", "any_declared=8"], "--at any_declared: must be a number between 0 and 1"),
        (["--under", "nowhere"], "truth 'nowhere' is not in the study"),
        (["--among", "10"], "--among must be LOW:HIGH"),
    ],
)
def test_bad_requests_name_the_option(words: list[str], message: str) -> None:
    assert message in " ".join(fails("compare", "tofacitinib", *words).split())


def test_without_a_dose_above_the_target_a_way_out_is_named_that_there_is(tmp_path: Path) -> None:
    file = tmp_path / "inert.toml"
    file.write_text(dump_study(small(truths=[INERT])), encoding="utf-8")
    message = "truths: no truth of the study has a dose above the target; add one"
    for words in (["compare"], ["plan", "--want", "any_declared=0.8", "--solve", "n_max"]):
        refused = " ".join(fails(*words, file).split())
        assert message in refused
        assert "--truth" not in refused


def test_a_ratio_whose_error_nobody_knows_says_so() -> None:
    assert ratio_in_words(0.5834, 0.01) == "0.583 ± 0.010"
    assert "inf" not in ratio_in_words(0.5834, math.inf)
    assert ratio_in_words(0.5834, math.inf).startswith("0.583 (± unknown")
    assert ratio_in_words(0.86, 0.0) == "0.860 ± 0"
    assert ratio_in_words(0.86, 0.0001) == "0.860 ± <0.0005"

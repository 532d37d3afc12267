"""`gai advise`: what it recommends, and every number of its sentences against the raw trials."""

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from conftest import make_study

from gai_core import InputError, Study, load_study
from gai_core.engine.trials import Trials
from gai_core.questions import Advice, EqualPower, Wish, advise, equal_power
from gai_core.questions.advice import advice_on, average_ratio
from gai_core.questions.truth_weights import truth_weights
from gai_core.study import changed, sensible

GROUP = "Group sequential, 4 looks"
STEEP = {"name": "steep", "means": [0.2, 0.6, 0.8]}
INERT = {"name": "inert", "means": [0.2, 0.2, 0.2]}
HDOC = {"name": "HDoC", "rule": "hdoc", "criterion": "exact", "burn_in": 2}


def small(**parts: Any) -> Study:
    usual: dict[str, Any] = {
        "simulation": {"runs": 150, "n_max": 200, "seed": 5},
        "truths": [STEEP, INERT],
        "designs": [HDOC],
        "wanted": 1,
    }
    return make_study(**usual | parts)


@cache
def compared() -> EqualPower:
    """HDoC beside the benchmarks, as if the sample sizes were known for sure."""
    found = equal_power(small(), Wish("good_declared", 0.8), fresh_runs=300)
    certain = tuple(replace(one, may=one.value, sure=one.value) for one in found.plans)
    return replace(found, plans=certain)


def with_trials(found: EqualPower, design: str, **arrays: Any) -> EqualPower:
    """The same, but one design has other trials under every truth."""
    like = found.fresh[design]
    trials = {
        place: replace(one, **{name: make(one) for name, make in arrays.items()})
        for place, one in like.trials.items()
    }
    return replace(found, fresh=dict(found.fresh) | {design: replace(like, trials=trials)})


def sized(found: EqualPower, **factors: float) -> EqualPower:
    """The same, but designs enrol so many times the benchmark's patients, trial by trial."""
    for design, factor in factors.items():
        like, theirs, trials = found.fresh[design], found.fresh[GROUP], {}
        for truth, name in like.trials:
            many = np.round(theirs[truth, GROUP].assigned * factor).astype(np.int32)
            trials[truth, name] = replace(like[truth, name], assigned=many)
        found = replace(found, fresh=dict(found.fresh) | {design: replace(like, trials=trials)})
    return found


def said(advice: Advice, truth: str) -> str:
    return next(text for text in advice.sentences if text.startswith(f"{truth}: "))


def test_the_studys_designs_and_benchmarks_are_compared_at_equal_error_and_power() -> None:
    advice = advise(small(), Wish("good_declared", 0.7))
    assert set(advice.table.design) == {"HDoC", "Fixed", GROUP}
    assert advice.found.promised(advice.recommended)
    value = advice.found.plan(advice.recommended).value
    assert advice.sentences[0].startswith(
        f"Use {advice.recommended}: for a chance of 70% that a good dose is declared, assuming "
        f"“steep”, it needs up to {value} patients"
    )
    text = " ".join(advice.sentences)
    assert "Equal: the error" in text
    assert "a chance of 70% that a good dose is declared, assuming “steep”" in text
    assert f"Benchmark: {GROUP}, a group-sequential trial." in text


def test_the_design_that_enrols_fewest_is_recommended_if_it_surely_saves() -> None:
    advice = advice_on(sized(compared(), HDoC=0.7, Fixed=1.3))
    assert advice.recommended == "HDoC"
    value, error = average_ratio(advice.found, "HDoC")
    assert (
        "Averaged over assumptions with and without a dose above the target, HDoC enrols "
        f"{value:.3f} ± {error:.3f} times as many as {GROUP}"
    ) in advice.answer[1]
    assert "No design" not in " ".join(advice.sentences)


def test_where_nothing_is_saved_it_says_so_and_recommends_the_benchmark() -> None:
    advice = advice_on(sized(compared(), HDoC=1.1, Fixed=1.3))
    assert advice.recommended == GROUP
    assert advice.sentences[1].startswith(
        "No design surely enrols fewer for that chance at the same error, averaged over "
        "assumptions with and without a dose above the target: HDoC, the best of the others, "
        "enrols 1.1"
    )
    # A little less is no saving where the sample sizes are not known well enough.
    less = sized(compared(), HDoC=0.9, Fixed=1.3)
    assert advice_on(less).recommended == "HDoC"
    sizes = [one.value for one in less.plans]
    vague = tuple(
        replace(one, may=int(0.8 * size), sure=int(1.2 * size))
        for one, size in zip(less.plans, sizes, strict=True)
        if size is not None
    )
    unsure = advice_on(replace(less, plans=vague))
    assert unsure.recommended == GROUP
    assert "No design surely enrols fewer for that chance at the same" in unsure.sentences[1]


def test_the_inert_truth_counts_as_much_as_the_hoped_for_one() -> None:
    found = sized(compared(), HDoC=0.9, Fixed=1.3)
    like = found.fresh["HDoC"]
    inert = like["inert", "HDoC"]
    trials = dict(like.trials) | {("inert", "HDoC"): replace(inert, assigned=inert.assigned * 3)}
    costly = replace(found, fresh=dict(found.fresh) | {"HDoC": replace(like, trials=trials)})
    assert average_ratio(costly, "HDoC")[0] > 1.2
    assert advice_on(costly).recommended == GROUP
    study = small(truths=[STEEP, INERT, {"name": "flat", "means": [0.3, 0.3, 0.3]}])
    assert truth_weights(study) == {"steep": 0.5, "inert": 0.25, "flat": 0.25}


def test_a_false_declaration_is_no_success() -> None:
    wrong = np.array([1, 0, 0], np.int8)  # the bad dose, in every trial
    found = with_trials(compared(), GROUP, verdict=lambda one: np.tile(wrong, (len(one.sums), 1)))
    advice = advice_on(sized(found, HDoC=1.2, Fixed=1.3))
    text = said(advice, "steep")
    assert "a good dose is declared in 0% (< 0.99%)" in text
    assert "any false declaration in 100% (> 99" in text


def test_every_number_changes_with_the_trials() -> None:
    def sometimes_wrong(one: Trials) -> Any:
        """In 30 of the 300 trials the worst dose is declared."""
        return np.where(np.arange(len(one.verdict))[:, None] < 30, [1, 0, 0], one.verdict)

    found = with_trials(compared(), "HDoC", verdict=sometimes_wrong)
    advice = advice_on(sized(found, HDoC=0.7, Fixed=1.3))
    for truth in ("steep", "inert"):
        trials: Trials = advice.found.fresh["HDoC"][truth, "HDoC"]
        patients = trials.assigned.sum(axis=1)
        text = said(advice, truth)
        assert f"{truth}: {patients.mean():.1f} ± " in text
        theirs = advice.found.fresh[GROUP][truth, GROUP].assigned.sum(axis=1)
        ratio = patients.mean() / theirs.mean()
        times = f"{ratio:.3f} ± 0.00[12] times as many as with {GROUP}, and {patients.max()} in the"
        assert re.search(f"patients are enrolled on average, {times} largest simulated", text)
        if truth == "steep":
            good = (trials.verdict[:, 1:] == 1).any(axis=1).mean()
            assert f"a good dose is declared in {100 * good:.1f}% ±" in text
        else:
            assert "no dose is above the target" in text
        bad = trials.verdict[:, :1] if truth == "steep" else trials.verdict
        wrong = (bad == 1).any(axis=1).mean()
        assert wrong >= 0.1
        assert f"any false declaration in {100 * wrong:.1f}%" in text
        assert "10% are allowed." in text
    others = advice_on(sized(compared(), HDoC=0.6, Fixed=1.3))
    assert said(others, "steep") != said(advice, "steep")


def test_another_design_that_enrols_fewer_under_a_truth_is_named() -> None:
    found = sized(compared(), HDoC=0.8, Fixed=1.3)
    like = found.fresh["HDoC"]
    inert = like["inert", "HDoC"]
    trials = dict(like.trials) | {("inert", "HDoC"): replace(inert, assigned=inert.assigned * 3)}
    advice = advice_on(
        replace(found, fresh=dict(found.fresh) | {"HDoC": replace(like, trials=trials)})
    )
    assert advice.recommended == GROUP
    assert "fewest here are" in said(advice, "steep")
    assert said(advice, "steep").split("fewest here are")[1].split(";")[0].endswith("with HDoC")
    assert "fewest here are" not in said(advice, "inert")


def test_only_designs_with_a_guarantee_are_recommended() -> None:
    scores = {"outcome": {"kind": "gaussian", "variance": 1.0}, "threshold": 0.0}
    truths = [{"name": "steep", "means": [-1.0, 0.8, 1.0]}]
    bare = {"name": "HDoC", "rule": "hdoc", "criterion": "union-published", "burn_in": 2}
    study = small(designs=[bare], truths=truths, **scores)
    found = equal_power(study, Wish("good_declared", 0.8), fresh_runs=100)
    assert "HDoC" in found.reached
    assert advice_on(sized(found, HDoC=0.2)).recommended != "HDoC"


def test_no_bound_and_no_rate_is_stated_where_it_does_not_apply() -> None:
    study = compared().study
    drifting = tuple(truth.model_copy(update={"variance": 2.0}) for truth in study.truths)
    advice = advice_on(replace(compared(), study=study.model_copy(update={"truths": drifting})))
    for truth in ("steep", "inert"):
        assert "the guarantee does not cover this assumption" in said(advice, truth)
        assert "are allowed" not in said(advice, truth)
    assert not any("always decides" in text for text in advice.sentences)


def test_advice_recommends_nothing_where_the_power_is_out_of_reach() -> None:
    hard = {"name": "steep", "means": [0.2, 0.3, 0.5000001]}
    study = small(truths=[hard], simulation={"runs": 20, "n_max": 100, "seed": 5})
    ready = study.model_copy(update={"designs": tuple(sensible(study))})
    # As `advise`, which would look among up to a million patients.
    advice = advice_on(equal_power(ready, Wish("good_declared", 0.9), among=(60, 200)))
    assert advice.recommended == ""
    assert advice.sentences[0].startswith(
        "No compared design with a proven guarantee reaches a chance of 90%"
    )
    assert all(advice.table.why_not)


def test_what_is_out_of_reach_is_said_of_the_designs_compared_and_the_sizes_tried() -> None:
    """With more patients every one of these designs reaches it."""
    assert compared().reached == ["HDoC", "Fixed", GROUP]
    small_sizes = equal_power(small(), Wish("good_declared", 0.8), among=(12, 18), fresh_runs=50)
    (none,) = advice_on(small_sizes).answer
    assert "“steep”, within the sample sizes tried: lower the wish" in none
    alone, benchmark = (
        advice_on(replace(compared(), fresh={name: compared().fresh[name]})).answer[1]
        for name in ("HDoC", GROUP)
    )
    assert alone == "No group-sequential or fixed design that was compared reaches that."
    assert benchmark.endswith("no other compared design with a proven guarantee reaches that.")


def test_advice_needs_a_good_dose_and_runs() -> None:
    study = load_study("medical-2")
    with pytest.raises(InputError, match="at least one arm is above the threshold"):
        advise(study.model_copy(update={"truths": (study.truth("just below the target"),)}))
    with pytest.raises(InputError, match="at least 2 runs"):
        advise(changed(study, runs=1))


def uneven(found: EqualPower) -> EqualPower:
    """HDoC enrols 0.4 times the benchmark's patients if steep, and thrice these if inert."""
    found = sized(found, HDoC=0.4, Fixed=9.0)
    like = found.fresh["HDoC"]
    inert = like["inert", "HDoC"]
    many = np.round(inert.assigned * 7.5).astype(np.int32)
    trials = dict(like.trials) | {("inert", "HDoC"): replace(inert, assigned=many)}
    return replace(found, fresh=dict(found.fresh) | {"HDoC": replace(like, trials=trials)})


def test_the_ratio_of_two_designs_turns_round_with_their_roles() -> None:
    """An average of ratios is above 1 here for each against the other."""
    found = uneven(compared())
    turned = replace(found, against="HDoC")
    for one, design in ((found, "HDoC"), (turned, GROUP)):
        assert np.mean([one.ratio(truth, design)[0] for truth in ("steep", "inert")]) > 1.2
    assert found.over_truths("HDoC")[0] * turned.over_truths(GROUP)[0] == pytest.approx(1)
    ours, theirs = (
        np.mean([found.value(truth, name, "enrolled")[0] for truth in ("steep", "inert")])
        for name in ("HDoC", GROUP)
    )
    text = advice_on(found).answer[1]
    assert f"HDoC, the best of the others, enrols {ours / theirs:.3f} ± " in text
    patients = found.value("steep", "HDoC", "enrolled")[0]
    assert re.search(rf"enrols {patients:.1f} ± \S+ on average if “steep” is true\.$", text)
    assert "one of averages, in which assumptions with a dose above the target count one half" in (
        " ".join(advice_on(found).details)
    )


@pytest.mark.parametrize(
    ("other", "why"),
    [({"variance": 2.0}, "which has a variance of its own"), ({"trend": 0.1}, "whose means move")],
)
def test_truths_that_do_not_count_are_named_and_one_alone_is_no_average(
    other: dict[str, float], why: str
) -> None:
    found = sized(compared(), HDoC=0.7, Fixed=1.3)
    steep, inert = found.study.truths
    drifting = inert.model_copy(update=other)
    study = found.study.model_copy(update={"truths": (steep, drifting)})
    advice = advice_on(replace(found, study=study))
    assert f"If “steep” is true (not counted: “inert”, {why}" in advice.answer[1]
    assert "veraged" not in " ".join(advice.answer)
    ratio = found.ratio("steep", "HDoC")[0]
    assert f"HDoC enrols {ratio:.3f} ± " in advice.answer[1]
    assert not any("one of averages" in text for text in advice.details)
    assert "not counted" not in " ".join(advice_on(found).answer)

"""The doses wanted: a trial ends when so many are declared, conducted or not."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from conducted import FIXED
from conftest import make_study, outcomes
from naive import algorithm_1
from naive_conduct import conducted_trial, numbers_of
from test_report_words import part_of

from gai_core import InputError, characteristics, dump_study, parse_study, simulate
from gai_core.evidence import BAD, GOOD, UNDECIDED
from gai_core.report import build_report
from gai_core.report.subject import Subject
from gai_core.results import replay
from gai_core.rules import RULES
from gai_core.study import changed, differences, numbers_at, varied, wanted_in_words
from gai_core.theory import truth_cautions

VERDICTS = {"good": GOOD, "bad": BAD, "undecided": UNDECIDED}
PAPERS = [{"name": rule, "rule": rule} for rule in ("hdoc", "lucb-g", "apt-g", "equal")]
TRUTHS = [{"name": "t", "means": [0.1, 0.75, 0.9]}]
SIZE = {"runs": 12, "n_max": 700, "seed": 6}
CONDUCT = {"delay": {"weeks": 4.0}, "cohort": 3}


def wanting(wanted: int | None, **changes: Any) -> Any:
    data = {"wanted": wanted, "truths": TRUTHS, "simulation": SIZE, "designs": PAPERS}
    return make_study(**(data | changes))


@pytest.mark.parametrize("wanted", [1, 2, None])
def test_trials_agree_with_the_naive_oracle(wanted: int | None) -> None:
    study = wanting(wanted)
    runs, stopped = simulate(study), 0
    for design, replicate in product(study.designs, range(study.simulation.runs)):
        trial = algorithm_1(
            outcomes(study, study.truths[0], replicate),
            rule=design.rule,
            threshold=study.threshold,
            delta=study.error_rates.declare,
            s2=study.outcome.s2,
            burn_in=design.burn_in,
            n_max=study.simulation.n_max,
            wanted=wanted,
        )
        block = runs["t", design.name]
        assert block.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict]
        assert block.decided[replicate].tolist() == [t or 0 for t in trial.decided]
        assert block.assigned[replicate].tolist() == trial.assigned
        assert block.patients[replicate] == trial.patients
        stopped += "undecided" in trial.verdict and trial.patients < study.simulation.n_max
    assert stopped == 0 if wanted is None else stopped > 20


def test_conducted_trials_agree_with_the_naive_oracle() -> None:
    study = wanting(2, conduct=CONDUCT, simulation={"runs": 6, "n_max": 300, "seed": 6})
    runs = simulate(study)
    for design, replicate in product(study.designs, range(study.simulation.runs)):
        numbers = numbers_of(study, study.truths[0], replicate)
        trial = conducted_trial(study, study.truths[0], design, numbers)
        block = runs["t", design.name]
        assert block.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict]
        assert block.decided[replicate].tolist() == trial.decided
        assert block.assigned[replicate].tolist() == trial.assigned


def test_a_trial_with_what_it_wanted_is_the_beginning_of_the_one_that_goes_on() -> None:
    """For every rule: up to the second declaration nothing changes, and then nobody comes."""
    designs = [{"name": key, "rule": key, "criterion": "mixture"} for key in RULES]
    short, long = (simulate(wanting(wanted, designs=designs)) for wanted in (2, None))
    for design in short.study.designs:
        ours, theirs = short["t", design.name], long["t", design.name]
        ends = np.sort(np.where(theirs.verdict == GOOD, theirs.decided, 10**6), axis=1)[:, 1]
        there = (theirs.decided > 0) & (theirs.decided <= ends[:, None])
        assert np.array_equal(ours.verdict, np.where(there, theirs.verdict, UNDECIDED))
        assert np.array_equal(ours.decided, np.where(there, theirs.decided, 0))
        reached = ends < 10**6
        assert reached.sum() >= 10
        assert np.array_equal(ours.patients[reached], ends[reached])
        assert np.array_equal(ours.patients[~reached], theirs.patients[~reached])


def test_all_that_are_there_is_the_same_as_no_number() -> None:
    """Three doses of which one is never declared: nothing ends sooner."""
    ours, theirs = simulate(wanting(3)), simulate(wanting(None))
    for names, trials in theirs.trials.items():
        for name, array in trials.named_arrays.items():
            assert np.array_equal(array, ours.trials[names].named_arrays[name])


def test_it_means_the_same_at_the_top_and_in_the_conduct() -> None:
    top = wanting(1, conduct=CONDUCT)
    inside = wanting(None, conduct=CONDUCT | {"wanted": 1})
    assert top.doses_wanted == inside.doses_wanted == 1
    assert characteristics(simulate(top)).equals(characteristics(simulate(inside)))
    assert "wanted = 1\n" in dump_study(top).partition("[")[0]
    for study in (top, inside):
        assert parse_study(dump_study(study)) == study
    assert changed(inside, wanted=2) == changed(top, wanted=2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"wanted": 4},
            "wanted must be at most the 3 doses that can be declared, but is 4; lower it, or leave "
            "it out to settle every dose",
        ),
        ({"wanted": 0}, "wanted must be at least 1, but is 0"),
        ({"wanted": 1.5}, "wanted must be a whole number, but is 1.5"),
        (
            {"wanted": 1, "conduct": {"wanted": 1}},
            "conduct.wanted must be left out where wanted is given at the top of the study, but "
            "is 1",
        ),
    ],
)
def test_numbers_that_mean_nothing_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        make_study(**changes)
    assert str(refused.value) == f"test: {message}"


def test_a_control_apart_is_no_dose_that_can_be_declared() -> None:
    arms = [{"label": "placebo", "control": True}, {"label": "low"}, {"label": "high"}]
    with pytest.raises(InputError, match="at most the 2 doses that can be declared, but is 3"):
        make_study(wanted=3, arms=arms, conduct={"control_share": 0.3})


@pytest.mark.parametrize("rule", ["hdoc", "thompson", "kl-ucb"])
def test_a_replay_ends_where_the_trial_did(rule: str) -> None:
    study = wanting(1, designs=[{"name": rule, "rule": rule}])
    trials = simulate(study)["t", rule]
    for replicate in range(study.simulation.runs):
        trial = replay(study, study.truths[0], study.designs[0], replicate)
        assert len(trial.arms) == trials.patients[replicate]
        assert [s.verdict for s in trial.after(len(trial.arms))] == trials.verdict[
            replicate
        ].tolist()


def test_it_can_be_varied_wherever_it_stands() -> None:
    inside = wanting(None, conduct=CONDUCT | {"wanted": 2})
    for study in (wanting(None), wanting(2), wanting(None, conduct=CONDUCT), inside):
        assert varied(study, {"wanted": 1}).doses_wanted == 1
        assert len(numbers_at(study, "wanted")) == 1
    assert varied(inside, {"conduct.wanted": 1}).doses_wanted == 1


def test_cautions_speak_of_no_more_doses_than_the_trial_goes_on_for() -> None:
    def cautions(wanted: int | None, n_max: int) -> str:
        study = wanting(wanted, simulation=SIZE | {"n_max": n_max})
        return " ".join(truth_cautions(study, study.truths[0]))

    assert "settling every dose" in cautions(None, 20)
    assert "declaring 2 good doses" in cautions(None, 16)
    assert "declaring 2 good doses" in cautions(2, 16)
    assert cautions(2, 20) == cautions(1, 16) == ""


def test_it_is_said_in_words() -> None:
    assert differences(wanting(None), wanting(1)) == ["doses wanted all → 1"]
    few = {"simulation": {"runs": 20, "n_max": 300, "seed": 1}, "designs": PAPERS[:1]}
    said = "The trial ends when 2 doses are declared."
    assert said in repr(build_report(simulate(wanting(2, **few)), date="2026-01-01"))
    assert said not in repr(build_report(simulate(wanting(None, **few)), date="2026-01-01"))


def test_a_design_that_looks_once_is_said_to_go_on() -> None:
    """It has declared nothing by then; what its committee is told has no such end."""
    few = {"simulation": {"runs": 20, "n_max": 90, "seed": 1}, "conduct": CONDUCT}
    ends = "Enrolment ends when one dose is declared."
    goes_on = "Fixed looks once, at the end, and enrols all its patients before that."
    both = wanting(1, designs=[FIXED, PAPERS[0]], **few)
    runs = simulate(both)
    declared = (runs["t", "Fixed"].verdict == GOOD).sum(axis=1)
    assert (declared > 1).any()  # it did not end with the first
    assert [*wanted_in_words(both)] == [ends, goes_on]
    assert {ends, goes_on} <= part_of(Subject(runs), "randomisation")

    def charter(design: dict[str, Any]) -> set[str]:
        return part_of(Subject(simulate(wanting(1, designs=[design], **few))), "monitoring")

    assert not {ends, goes_on} & charter(FIXED)
    assert ends in charter(PAPERS[0])

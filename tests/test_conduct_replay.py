"""A replayed conducted trial is the simulated one, and nothing in it is known before its time."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from conducted import APART, FIXED, HDOC, SCORE, USUAL, conducted_study, when_known, without_conduct
from conftest import outcomes

from gai_core import InputError, Runs, simulate
from gai_core.engine.trials import Trials
from gai_core.evidence import NO_CANDIDATE, UNDECIDED
from gai_core.results import Replay, replay, typical, unlucky
from gai_core.study import Design, Truth

LEFT_OUT: dict[str, Any] = {"probability": 0.2, "counted": "left out", "in_means": False}
THOMPSON = {"name": "Thompson", "rule": "thompson", "criterion": "mixture", "burn_in": 2}
STUDIES: dict[str, dict[str, Any]] = {
    "usual": {},
    "random delay, dropouts left out": {
        "conduct": APART | {
            "delay": {"weeks": 8.0, "pattern": "lognormal", "spread": 8.0},
            "accrual": {"per_month": 10.0, "pattern": "poisson"},
            "dropout": LEFT_OUT | {"probability_on_target": 0.1},
        },
        "designs": [HDOC, THOMPSON],
    },
    "one look at the end, dropouts left out": {
        "conduct": {"delay": {"weeks": 8.0, "pattern": "uniform", "spread": 8.0},
                    "dropout": LEFT_OUT},
        "designs": [FIXED],
    },
    "scores, looks by weeks, two wanted": {
        "outcome": SCORE,
        "conduct": APART | {
            "delay": {"weeks": 6.0, "pattern": "exponential"}, "wanted": 2,
            "looks": {"weeks": 5.0},
            "dropout": {"probability": 0.1, "counted": "baseline", "in_means": False},
        },
    },
    "a delay longer than the trial": {"conduct": USUAL | {"delay": {"weeks": 90.0}}},
    "no delay": {"conduct": {"accrual": {"per_month": 7.3}}, "designs": [HDOC, THOMPSON]},
}  # fmt: skip
CHECKED = range(0, 40, 5)


@pytest.fixture(scope="module", params=STUDIES)
def runs(request: pytest.FixtureRequest) -> Runs:
    return simulate(conducted_study(**STUDIES[request.param]))


@pytest.fixture(scope="module")
def trials(runs: Runs) -> list[tuple[Trials, int, Replay]]:
    """Blocks, replicates and their replays, of every truth and design."""
    study = runs.study

    def block(truth: Truth, design: Design) -> Trials:
        found = runs[truth.name, design.name]
        return when_known(found) if design.once_at_end else found

    return [
        (block(truth, design), replicate, replay(study, truth, design, replicate))
        for truth, design, replicate in product(study.truths, study.designs, CHECKED)
    ]


def test_a_replay_ends_as_the_simulated_trial(trials: list[tuple[Trials, int, Replay]]) -> None:
    moments = 0
    for block, row, trial in trials:
        calendar, end = block.calendar, trial.after(len(trial.arms))
        assert calendar is not None
        verdicts = block.verdict[row]
        wanted = np.where(verdicts == NO_CANDIDATE, UNDECIDED, verdicts)
        assert [arm.verdict for arm in end] == wanted.tolist()
        assert [arm.assigned for arm in end] == block.assigned[row].tolist()
        assert [arm.seen for arm in end] == calendar.seen[row].tolist()
        assert [arm.total for arm in end] == pytest.approx(block.sums[row].tolist(), rel=1e-12)
        assert trial.month(len(trial.arms)) == calendar.end[row]
        assert trial.times is not None
        assert trial.times[-1].enrolled == calendar.enrolment[row]
        assert len(trial.arms) == block.patients[row]
        for moment in trial.moments:
            assert moment.patient == block.decided[row, moment.arm]
            assert moment.month == calendar.month[row, moment.arm]
            assert moment.verdict == verdicts[moment.arm]
        moments += len(trial.moments)
        assert len(trial.moments) == (~np.isnan(calendar.month[row])).sum()
        assert trial.moments == sorted(trial.moments, key=lambda m: (m.month, m.arm))
    assert moments >= len(trials) / 2


def test_waiting_patients_are_counted_as_in_the_simulation(
    trials: list[tuple[Trials, int, Replay]],
) -> None:
    for block, row, trial in trials:
        assert block.calendar is not None
        assert trial.times is not None
        for moment in trial.moments:
            assert moment.month is not None
            waiting = [time.known > moment.month for time in trial.times[: moment.patient]]
            assert sum(waiting) == block.calendar.waiting[row, moment.arm]


def test_nothing_is_known_before_its_month(trials: list[tuple[Trials, int, Replay]]) -> None:
    for _, _, trial in trials:
        assert trial.times is not None
        before: set[int] = set()
        for patients in range(len(trial.arms) + 1):
            month = trial.month(patients)
            known, waiting = trial.known(patients), trial.waiting(patients)
            if month is None:
                assert patients == 0
                assert known == waiting == []
                assert trial.moments_by(0) == []
                continue
            assert all(trial.times[i].enrolled <= month for i in range(patients))
            assert all(i < patients and trial.times[i].known <= month for i in known)
            assert all(trial.times[i].known > month for i in waiting)
            assert all((moment.month or 0) <= month for moment in trial.moments_by(patients))
            left_out = {i for i in range(patients) if trial.times[i].left_out} - set(waiting)
            assert sorted([*known, *waiting, *left_out]) == list(range(patients))
            assert before <= set(known)  # what is known stays known
            before = set(known)
            order = [(trial.times[i].known, i) for i in known]
            assert order == sorted(order)
        assert trial.waiting(len(trial.arms)) == []
        assert trial.moments_by(len(trial.arms)) == trial.moments


def test_no_patient_gets_a_dose_that_has_its_verdict(
    trials: list[tuple[Trials, int, Replay]],
) -> None:
    later, before_the_end = 0, 0
    for block, row, trial in trials:
        assert block.calendar is not None
        assert trial.times is not None
        for moment in trial.moments:
            assert moment.month is not None
            after = [i for i, time in enumerate(trial.times) if time.enrolled > moment.month]
            assert all(trial.arms[i] != moment.arm for i in after)
            later += len(after)
            before_the_end += moment.month < block.calendar.enrolment[row]
    assert (later > 0) == (before_the_end > 0)


def test_means_are_paths_of_known_outcomes(
    runs: Runs, trials: list[tuple[Trials, int, Replay]]
) -> None:
    for _, _, trial in trials[::4]:
        for patients in (0, 5, len(trial.arms) // 2, len(trial.arms)):
            states, paths = trial.after(patients), trial.paths(runs.study, patients)
            for state, (counts, means) in zip(states, paths, strict=True):
                assert counts == list(range(1, state.seen + 1))
                if state.seen:
                    assert means[-1] == pytest.approx(state.mean, rel=1e-12, abs=1e-12)
                else:
                    assert math.isnan(state.mean)


def test_outcomes_are_those_of_the_arms_streams_but_for_dropouts(runs: Runs) -> None:
    study, truth, design = runs.study, runs.study.truths[0], runs.study.designs[0]
    dropped = 0
    for replicate in CHECKED:
        trial = replay(study, truth, design, replicate)
        streams = outcomes(study, truth, replicate)
        assert trial.times is not None
        for arm, outcome, time in zip(trial.arms, trial.outcomes, trial.times, strict=True):
            drawn = next(streams[arm])
            assert outcome == (0.0 if time.dropped_out else drawn)
            left_out = study.dropout is not None and study.dropout.left_out
            assert time.left_out is (time.dropped_out and left_out)
            dropped += time.dropped_out
    assert (dropped > 0) is (study.dropout is not None)


def test_examples_can_be_replayed(runs: Runs) -> None:
    study = runs.study
    for truth, design in product(study.truths, study.designs):
        for pick in (typical, unlucky):
            example = pick(runs, truth.name, design.name)
            trial = replay(study, truth, design, example.replicate)
            assert len(trial.arms) == runs[truth.name, design.name].patients[example.replicate]
    with pytest.raises(InputError, match="must be one of 1 to 40, but is 41"):
        replay(study, study.truths[0], study.designs[0], 40)


@pytest.mark.parametrize("outcome", [{"kind": "bernoulli"}, SCORE], ids=lambda o: o["kind"])
def test_without_delay_a_replay_is_the_plain_one(outcome: dict[str, Any]) -> None:
    """But for the burn-in, which goes round the doses instead of one after the other."""
    study = conducted_study({"accrual": {"per_month": 7.3}}, outcome=outcome,
                            designs=[HDOC, THOMPSON])  # fmt: skip
    plain = without_conduct(study)
    for truth, design, replicate in product(study.truths, study.designs, CHECKED):
        ours, theirs = (replay(s, truth, design, replicate) for s in (study, plain))
        burn_in = design.burn_in * 4
        assert ours.arms[burn_in:] == theirs.arms[burn_in:]
        assert sorted(ours.arms[:burn_in]) == sorted(theirs.arms[:burn_in])
        assert ours.outcomes[burn_in:] == theirs.outcomes[burn_in:]
        assert [m[:3] for m in ours.moments] == [m[:3] for m in theirs.moments]
        for patients in range(burn_in, len(ours.arms) + 1):
            for a, b in zip(ours.after(patients), theirs.after(patients), strict=True):
                assert (a.assigned, a.seen, a.verdict) == (b.assigned, b.seen, b.verdict)
                assert a.total == pytest.approx(b.total, rel=1e-12, abs=1e-12)
            assert ours.waiting(patients) == theirs.waiting(patients) == []

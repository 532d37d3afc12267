"""A replayed trial can be stopped anywhere and read; the examples are what they are called."""

import math
from itertools import islice

import pytest
from conftest import make_study, outcomes

from gai_core import InputError, Runs, Study, simulate
from gai_core.evidence import BAD, GOOD, UNDECIDED
from gai_core.results import Replay, replay, typical, unlucky

BURN_IN, LONG_BURN_IN = 5, 80


def study_of(kind: str, runs: int = 40, n_max: int = 1500) -> Study:
    return make_study(
        delta=0.4,
        outcome={"kind": kind} | ({"variance": 0.25} if kind == "gaussian" else {}),
        simulation={"runs": runs, "n_max": n_max, "seed": 8},
        truths=[
            {"name": "clear", "means": [0.2, 0.65, 0.8]},
            {"name": "near", "means": [0.48, 0.5, 0.52]},
        ],
        designs=[
            {"name": "HDoC", "rule": "hdoc", "burn_in": BURN_IN},
            {"name": "Thompson, exact", "rule": "thompson", "criterion": "exact", "burn_in": 2},
        ],
    )


@pytest.fixture(scope="module", params=["bernoulli", "gaussian"])
def runs(request: pytest.FixtureRequest) -> Runs:
    return simulate(study_of(request.param))


@pytest.fixture
def study(runs: Runs) -> Study:
    return runs.study


@pytest.fixture
def trial(study: Study) -> Replay:
    found = replay(study, study.truths[0], study.designs[0], 7)
    assert {moment.verdict for moment in found.moments} == {GOOD, BAD}
    return found


@pytest.fixture
def trial_decided_in_burn_in(study: Study) -> Replay:
    design = study.designs[0].model_copy(update={"burn_in": LONG_BURN_IN})
    found = replay(study, study.truths[0], design, 7)
    assert {moment.patient for moment in found.moments} > {3 * LONG_BURN_IN}
    return found


# --- one trial --------------------------------------------------------------------------------


def test_the_burn_in_treats_one_arm_after_the_other(trial: Replay) -> None:
    assert trial.arms[: 3 * BURN_IN] == [0] * BURN_IN + [1] * BURN_IN + [2] * BURN_IN


def test_every_arm_sees_its_potential_outcomes_in_their_order(study: Study, trial: Replay) -> None:
    for arm, potential in enumerate(outcomes(study, study.truths[0], 7)):
        seen = [y for a, y in zip(trial.arms, trial.outcomes, strict=True) if a == arm]
        assert seen == list(islice(potential, len(seen)))


def test_after_no_patient_there_is_nothing(trial: Replay) -> None:
    assert trial.after(0) == [(0, 0, 0.0, UNDECIDED)] * 3
    assert all(math.isnan(arm.mean) for arm in trial.after(0))


def test_within_the_burn_in_later_arms_are_empty_and_none_has_a_verdict(trial: Replay) -> None:
    low, middle, high = trial.after(BURN_IN + 2)
    assert low == (BURN_IN, BURN_IN, sum(trial.outcomes[:BURN_IN]), UNDECIDED)
    assert middle == (2, 2, sum(trial.outcomes[BURN_IN : BURN_IN + 2]), UNDECIDED)
    assert high == (0, 0, 0.0, UNDECIDED)


def test_after_counts_the_patients_so_far_and_no_others(trial: Replay) -> None:
    for patients in (1, 3 * BURN_IN, trial.moments[0].patient, len(trial.arms)):
        for number, arm in enumerate(trial.after(patients)):
            own = [trial.outcomes[i] for i in range(patients) if trial.arms[i] == number]
            assert (arm.assigned, arm.total) == (len(own), sum(own))


def test_a_verdict_is_there_from_its_patient_on(trial: Replay) -> None:
    for patient, arm, verdict, _ in trial.moments:
        assert trial.after(patient - 1)[arm].verdict == UNDECIDED
        assert trial.after(patient)[arm].verdict == verdict
        assert trial.after(len(trial.arms))[arm] == trial.after(patient)[arm]  # treated no more


def test_beyond_the_last_patient_nothing_changes(trial: Replay) -> None:
    end = trial.after(len(trial.arms))
    assert all(arm.verdict != UNDECIDED for arm in end)
    assert trial.after(len(trial.arms) + 100) == end


def test_running_means_are_means_of_the_arms_first_patients(study: Study, trial: Replay) -> None:
    for number, end in enumerate(trial.after(len(trial.arms))):
        own = [y for a, y in zip(trial.arms, trial.outcomes, strict=True) if a == number]
        plain = [sum(own[:n]) / n for n in range(1, len(own) + 1)]
        counts, means = trial.paths(study, len(trial.arms))[number]
        assert counts == list(range(1, len(own) + 1))
        assert means == pytest.approx(plain)
        assert plain[-1] == pytest.approx(end.mean)


def test_an_arm_gets_its_verdict_at_one_of_its_own_patients(trial: Replay) -> None:
    assert sorted(moment.arm for moment in trial.moments) == [0, 1, 2]
    assert trial.moments == sorted(trial.moments)
    for moment in trial.moments:
        assert moment.patient > 3 * BURN_IN
        assert trial.arms[moment.patient - 1] == moment.arm


def test_verdicts_of_the_burn_in_come_at_its_end(trial_decided_in_burn_in: Replay) -> None:
    trial, end = trial_decided_in_burn_in, 3 * LONG_BURN_IN
    early = [moment.arm for moment in trial.moments if moment.patient == end]
    assert min(moment.patient for moment in trial.moments) == end
    assert all(trial.after(end - 1)[arm].verdict == UNDECIDED for arm in early)
    assert all(trial.after(end)[arm].verdict != UNDECIDED for arm in early)
    assert not set(early) & set(trial.arms[end:])


@pytest.mark.parametrize("replicate", [-1, 40])
def test_a_trial_that_was_not_simulated_is_refused_in_words(study: Study, replicate: int) -> None:
    words = f"the trial must be one of 1 to 40, but is {replicate + 1}"
    with pytest.raises(InputError, match=words):
        replay(study, study.truths[0], study.designs[0], replicate)


# --- examples ---------------------------------------------------------------------------------

CELLS = [(t, d) for t in ("clear", "near") for d in ("HDoC", "Thompson, exact")]


def from_soonest_to_latest(runs: Runs, truth: str, design: str) -> list[int]:
    """Replicates by first declaration (never is last), then by patients."""
    block = runs[truth, design]

    def luck(replicate: int) -> tuple[float, int]:
        verdicts, decided = block.verdict[replicate], block.decided[replicate]
        declared = [int(t) for v, t in zip(verdicts, decided, strict=True) if v == GOOD]
        return min(declared, default=math.inf), sum(block.assigned[replicate].tolist())

    return sorted(range(runs.study.simulation.runs), key=luck)


def with_wrong_verdict(runs: Runs, truth: str, design: str) -> list[int]:
    wrong = [BAD if good else GOOD for good in runs.study.good(runs.study.truth(truth))]
    return [
        replicate
        for replicate, verdicts in enumerate(runs[truth, design].verdict.tolist())
        if any(verdict == w for verdict, w in zip(verdicts, wrong, strict=True))
    ]


@pytest.mark.parametrize("cell", CELLS, ids=": ".join)
def test_the_typical_trial_is_the_middle_one(runs: Runs, cell: tuple[str, str]) -> None:
    assert typical(runs, *cell).replicate == from_soonest_to_latest(runs, *cell)[19]


def test_the_unlucky_trial_has_a_wrong_verdict_where_one_has(runs: Runs) -> None:
    cell = "near", "Thompson, exact"
    wrong = with_wrong_verdict(runs, *cell)
    assert unlucky(runs, *cell).replicate == wrong[0]
    assert f"as in {len(wrong)} of 40 trials" in unlucky(runs, *cell).why


def test_without_an_error_the_unlucky_trial_is_slower_than_95_in_100(runs: Runs) -> None:
    cell = "clear", "HDoC"
    assert not with_wrong_verdict(runs, *cell)
    assert unlucky(runs, *cell).replicate == from_soonest_to_latest(runs, *cell)[38]
    assert "no trial errs; this one is among the last 5%" in unlucky(runs, *cell).why


def test_of_few_runs_the_unlucky_one_is_the_last_and_no_twentieth(study: Study) -> None:
    few, cell = simulate(study_of(study.outcome.kind, runs=3)), ("clear", "HDoC")
    assert not with_wrong_verdict(few, *cell)
    found = unlucky(few, *cell)
    assert found.replicate == from_soonest_to_latest(few, *cell)[-1]
    assert found.why == "no trial errs; this one is the last by first declaration"


@pytest.mark.parametrize("n_max", [15, 1500])
def test_of_one_run_both_examples_are_that_run(study: Study, n_max: int) -> None:
    single = simulate(study_of(study.outcome.kind, runs=1, n_max=n_max))
    for cell in CELLS:
        assert typical(single, *cell).replicate == unlucky(single, *cell).replicate == 0


def test_a_design_that_never_decides_can_be_replayed(study: Study) -> None:
    cell = "near", "HDoC"
    censored = simulate(study_of(study.outcome.kind, n_max=3 * BURN_IN))
    assert not censored[cell].verdict.any()
    for example in (typical(censored, *cell), unlucky(censored, *cell)):
        trial = replay(censored.study, study.truth("near"), study.designs[0], example.replicate)
        assert trial.moments == []
        assert [arm.assigned for arm in trial.after(len(trial.arms))] == [BURN_IN] * 3
        assert {arm.verdict for arm in trial.after(len(trial.arms))} == {UNDECIDED}

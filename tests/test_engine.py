"""Double-programmed: the engine agrees trial by trial with tests/naive.py on the same patients."""

from itertools import product
from threading import Event

import numpy as np
import pytest
from conftest import make_study, outcomes
from naive import algorithm_1

from gai_core import RULES, Cancelled, InputError, Runs, Study, simulate
from gai_core.engine import simulation
from gai_core.engine.trials import Trials, trials_of
from gai_core.evidence import BAD, GOOD, UNDECIDED
from gai_core.results.replaying import replay
from gai_core.study.changing import changed

PAPER_RULES = ["hdoc", "lucb-g", "apt-g", "equal"]
VERDICTS = {"good": GOOD, "bad": BAD, "undecided": UNDECIDED}

BERNOULLI = make_study(
    simulation={"runs": 25, "n_max": 3000, "seed": 5},
    delta=0.2,
    arms=[{"label": str(i)} for i in range(6)],
    truths=[
        {"name": "spread", "means": [0.1, 0.45, 0.5, 0.62, 0.8, 0.8]},
        {"name": "extreme", "means": [0.0, 1.0, 0.5, 0.5, 1.0, 0.0]},
    ],
    designs=[
        {"name": f"{rule} {burn_in}", "rule": rule, "burn_in": burn_in}
        for rule in PAPER_RULES
        for burn_in in (1, 5)
    ],
)
GAUSSIAN = make_study(
    simulation={"runs": 25, "n_max": 2500, "seed": 6},
    threshold=1.2,
    outcome={"kind": "gaussian", "variance": 1.44},
    arms=[{"label": str(i)} for i in range(5)],
    truths=[{"name": "medical", "means": [0.5, 1.6, 1.8, 1.2, 1.0]}],
    designs=[
        {
            "name": f"{rule} {criterion}",
            "rule": rule,
            "criterion": criterion,
            "rule_parameters": {"radius": criterion} if rule == "lucb-g" else {},
        }
        for rule in PAPER_RULES
        for criterion in ("union", "union-published")
    ],
)


@pytest.fixture(scope="module", params=[BERNOULLI, GAUSSIAN], ids=["bernoulli", "gaussian"])
def runs(request: pytest.FixtureRequest) -> Runs:
    return simulate(request.param)


def test_every_trial_is_the_naive_one(runs: Runs) -> None:
    study = runs.study
    decided = 0
    for truth, design in product(study.truths, study.designs):
        block = runs[truth.name, design.name]
        for replicate in range(study.simulation.runs):
            trial = algorithm_1(
                outcomes(study, truth, replicate),
                rule=design.rule,
                threshold=study.stream.target,
                delta=study.error_rates.declare,
                s2=study.outcome.s2,
                burn_in=design.burn_in,
                n_max=study.simulation.n_max,
                radius=design.criterion,
            )
            place = f"{truth.name}, {design.name}, replicate {replicate}"
            assert block.verdict[replicate].tolist() == [VERDICTS[v] for v in trial.verdict], place
            assert block.decided[replicate].tolist() == [t or 0 for t in trial.decided], place
            assert block.assigned[replicate].tolist() == trial.assigned, place
            assert np.allclose(block.sums[replicate], trial.sums, rtol=1e-12), place
            assert block.patients[replicate] == trial.patients, place
            decided += sum(verdict != "undecided" for verdict in trial.verdict)
    assert decided > 300  # the comparison is not about trials in which nothing happens


@pytest.mark.parametrize("key", RULES)
@pytest.mark.parametrize("kind", ["bernoulli", "gaussian"])
def test_staying_with_the_leader_chooses_as_comparing_always_does(key: str, kind: str) -> None:
    study = make_study(
        outcome={"kind": kind} | ({"variance": 0.25} if kind == "gaussian" else {}),
        simulation={"runs": 12, "n_max": 700, "seed": 9},
        delta=0.3,
        arms=[{"label": str(i)} for i in range(5)],
        truths=[{"name": "near", "means": [0.3, 0.45, 0.5, 0.62, 0.93]}],
        designs=[
            {"name": "mixture", "rule": key, "criterion": "mixture", "burn_in": 2},
            {"name": "looks", "rule": key, "criterion": "exact", "burn_in": 3,
             "criterion_parameters": {"looks": [10, 40, 150]}},
        ],
    )  # fmt: skip
    runs, truth = simulate(study), study.truths[0]
    for design in study.designs:
        block = runs["near", design.name]
        for replicate in range(study.simulation.runs):
            trial = replay(study, truth, design, replicate)
            end = trial.after(len(trial.arms))
            when = {moment.arm: moment.patient for moment in trial.moments}
            place = f"{design.name}, replicate {replicate}"
            assert block.verdict[replicate].tolist() == [arm.verdict for arm in end], place
            assert block.decided[replicate].tolist() == [when.get(i, 0) for i in range(5)], place
            assert block.assigned[replicate].tolist() == [arm.assigned for arm in end], place
            assert np.allclose(block.sums[replicate], [arm.total for arm in end], rtol=1e-12), place


def same(a: Trials, b: Trials) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a.arrays, b.arrays, strict=True))


def cut_chunks(patients: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # By its name the package gives the function, so the module comes from where Python keeps it.
    monkeypatch.setattr(simulation, "PATIENTS_PER_CHUNK", patients)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("patients_per_chunk", [1, 7_000, 10**9])
def test_threads_and_chunks_change_no_bit(
    runs: Runs, threads: int, patients_per_chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_chunks(patients_per_chunk, monkeypatch)
    again = simulate(runs.study, threads=threads)
    assert all(same(again[key], runs[key]) for key in runs.trials)


def test_more_runs_keep_the_earlier_ones(runs: Runs) -> None:
    longer = changed(runs.study, runs=runs.study.simulation.runs + 13)
    fresh, extended = simulate(longer), simulate(longer, earlier=runs)
    for key in runs.trials:
        assert same(fresh[key], extended[key])
        assert same(fresh[key].rows(0, runs.study.simulation.runs), runs[key])


def test_extending_simulates_only_what_is_missing(runs: Runs) -> None:
    marked = {
        key: trials_of({name: array.copy() for name, array in block.named_arrays.items()})
        for key, block in runs.trials.items()
    }
    for block in marked.values():
        block.assigned[:] = 12345
    longer = changed(runs.study, runs=runs.study.simulation.runs + 1)
    extended = simulate(longer, earlier=Runs(runs.study, marked))
    for key in marked:
        assert (extended[key].assigned[:-1] == 12345).all()
        assert (extended[key].assigned[-1] != 12345).all()


def test_runs_of_another_study_cannot_be_extended(runs: Runs) -> None:
    with pytest.raises(InputError, match="another study"):
        simulate(changed(runs.study, seed=99), earlier=runs)


def test_truths_keep_their_patients_when_others_come_and_go() -> None:
    both = simulate(BERNOULLI)
    alone = simulate(BERNOULLI.model_copy(update={"truths": BERNOULLI.truths[1:]}))
    for design in BERNOULLI.designs:
        assert same(both["extreme", design.name], alone["extreme", design.name])


def test_tau_stop_is_the_same_number_for_every_rule_under_one_criterion() -> None:
    """An arm's stopping count depends on its own stream alone (any rule, one criterion)."""
    study = make_study(
        simulation={"runs": 200, "n_max": 100_000, "seed": 8},
        designs=[{"name": rule, "rule": rule} for rule in PAPER_RULES],
    )
    runs = simulate(study)
    first = runs["steep", "hdoc"]
    assert (first.verdict != UNDECIDED).all()
    for rule in PAPER_RULES[1:]:
        other = runs["steep", rule]
        assert np.array_equal(first.patients, other.patients)
        assert np.array_equal(first.assigned, other.assigned)
        assert np.array_equal(first.verdict, other.verdict)
        assert np.array_equal(first.sums, other.sums)
        assert np.array_equal(first.decided.max(axis=1), other.decided.max(axis=1))


def test_another_seed_gives_other_patients() -> None:
    study = make_study()
    assert not same(
        simulate(study)["steep", "HDoC"], simulate(changed(study, seed=4))["steep", "HDoC"]
    )


def small_chunks(monkeypatch: pytest.MonkeyPatch) -> Study:
    cut_chunks(2000, monkeypatch)
    return make_study()


def test_progress_counts_every_trial_once(monkeypatch: pytest.MonkeyPatch) -> None:
    study = small_chunks(monkeypatch)
    seen: list[tuple[int, int]] = []
    simulate(study, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == list(range(study.simulation.runs + 1))
    assert {total for _, total in seen} == {study.simulation.runs}


def test_cancel_stops_between_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    study, cancel = small_chunks(monkeypatch), Event()
    seen: list[int] = []

    def stop_at_five(done: int, _total: int) -> None:
        seen.append(done)
        if done >= 5:
            cancel.set()

    with pytest.raises(Cancelled):
        simulate(study, threads=1, progress=stop_at_five, cancel=cancel)
    assert 5 <= max(seen) < 10


def test_a_result_too_large_for_memory_is_refused_before_any_work() -> None:
    study = make_study(
        arms=[{"label": str(i)} for i in range(100)],
        truths=[{"name": "flat", "means": [0.5] * 100}],
        simulation={"runs": 10_000_000, "n_max": 1000},
    )
    with pytest.raises(InputError, match="choose at most"):
        simulate(study)


def test_a_wrong_number_of_threads_is_refused() -> None:
    with pytest.raises(InputError, match="threads must lie between 1 and 1024, but is 0"):
        simulate(make_study(), threads=0)

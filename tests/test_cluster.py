"""Clusters: the same bytes as one thread, whatever happens to a worker."""

import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any

import dask
import psutil
import pytest
from conftest import make_study
from distributed import Client, LocalCluster
from gai_app import jobs
from patience import PATIENCE as HANGS

from gai_core import Cancelled, InputError, Runs, Study, dump_study, simulate
from gai_core.basics.workers import Workers
from gai_core.engine import Work, simulation
from gai_core.engine.cluster import PATIENCE, RETRIES, connected, seconds_to_answer
from gai_core.engine.run_cache import simulate_cached
from gai_core.questions.sweeping import sweep_table
from gai_core.study.changing import changed
from gai_core.study.variations import Variation

PRIVATE = {
    "threads_per_worker": 1,
    "host": "127.0.0.1",
    "dashboard_address": "127.0.0.1:0",
    "silence_logs": logging.CRITICAL,
}


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler on a busy machine may take its time to answer, also to a command of a test."""
    monkeypatch.setenv(PATIENCE, str(HANGS))


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """A scheduler with two workers of one thread.

    One that is killed is replaced, but given up for good where that takes longer than Dask's 15
    seconds, as it does on a busy machine.
    """
    patient = {"distributed.deploy.lost-worker-timeout": f"{HANGS}s"}
    with dask.config.set(patient), LocalCluster(n_workers=2, **PRIVATE) as started:
        yield started


@pytest.fixture(scope="module")
def client(cluster: LocalCluster) -> Iterator[Client]:
    """A second connection, to see and do what a planner does not."""
    with Client(cluster, set_as_default=False, timeout=HANGS) as connection:
        yield connection


@pytest.fixture
def workers(cluster: LocalCluster, client: Client) -> Iterator[Workers]:
    client.wait_for_workers(2, timeout=HANGS)
    with connected(cluster.scheduler_address) as found:
        assert found is not None
        yield found


@pytest.fixture
def study() -> Study:
    """Two outcomes' worth of rules, a random one too, and several truths."""
    return make_study(
        simulation={"runs": 300, "n_max": 2000, "seed": 3},
        truths=[
            {"name": "steep", "means": [0.2, 0.6, 0.8]},
            {"name": "flat", "means": [0.45, 0.5, 0.55]},
        ],
        designs=[
            {"name": "HDoC", "rule": "hdoc"},
            {"name": "Thompson", "rule": "thompson", "criterion": "mixture"},
        ],
    )


@pytest.fixture
def many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of ten trials, however quick they are."""
    monkeypatch.setattr(simulation, "PATIENTS_PER_CHUNK", 20_000)
    monkeypatch.setattr(simulation, "SECONDS_PER_REMOTE_CHUNK", 0.0)


@pytest.fixture
def quick() -> Study:
    """One design and one truth: little to compile for a worker that has just begun."""
    return make_study()


def bytes_of(runs: Runs) -> list[bytes]:
    return [array.tobytes() for block in runs.trials.values() for array in block.arrays]


@pytest.mark.parametrize("outcome", [{"kind": "bernoulli"}, {"kind": "gaussian", "variance": 0.5}])
def test_two_workers_give_the_same_bytes_as_one_thread(
    workers: Workers, study: Study, outcome: dict[str, Any]
) -> None:
    study = make_study(**study.model_dump() | {"outcome": outcome})
    assert workers.count == 2
    alone = simulate(study, threads=1)  # first: then the workers find its loops compiled
    assert bytes_of(simulate(study, workers=workers)) == bytes_of(alone)


def test_conducted_trials_are_the_same_bytes_too(workers: Workers, quick: Study) -> None:
    conduct = {"accrual": {"pattern": "poisson"}, "delay": {"weeks": 12.0}, "cohort": 4}
    study = make_study(**quick.model_dump() | {"conduct": conduct})
    alone = simulate(study, threads=1)
    assert bytes_of(simulate(study, workers=workers)) == bytes_of(alone)


def test_a_sweep_on_workers_is_the_same_table_in_the_same_order(
    workers: Workers, quick: Study
) -> None:
    variations = [Variation("delta", (0.2, 0.1, 0.05)), Variation("simulation.n_max", (300, 500))]
    seen: list[tuple[int, int]] = []
    swept = sweep_table(
        quick,
        variations,
        work=Work(workers=workers, progress=lambda *done: seen.append(done)),
    )
    assert swept.equals(sweep_table(quick, variations, work=Work(threads=1)))
    assert seen[-1] == (6 * quick.simulation.runs,) * 2


@pytest.mark.usefixtures("many_chunks")
def test_progress_counts_every_trial_and_earlier_runs_are_kept(
    workers: Workers, study: Study
) -> None:
    seen: list[int] = []
    earlier = simulate(changed(study, runs=150), threads=1)
    runs = simulate(
        study, workers=workers, earlier=earlier, progress=lambda done, _: seen.append(done)
    )
    assert seen == list(range(600, 1201, 10))
    assert runs.kept == 600
    assert bytes_of(runs) == bytes_of(simulate(study, threads=1))


def test_a_chunk_grows_with_the_pace_of_the_workers(
    workers: Workers, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "PATIENTS_PER_CHUNK", 20_000)
    monkeypatch.setattr(simulation, "SECONDS_PER_REMOTE_CHUNK", 1e9)
    seen: list[int] = []
    simulate(study, workers=workers, progress=lambda done, _: seen.append(done))
    steps = [after - before for before, after in pairwise(seen)]
    assert len(steps) < 10  # four of ten trials ahead, then whole blocks
    assert max(steps) > 200


class Strike:
    """A cancel flag that is never set, but asked: when the worker has work, it is killed.

    The worker is frozen from the beginning, so nothing that it was given can end before.
    """

    def __init__(self, client: Client, address: str, victim: int) -> None:
        self.client, self.address, self.victim = client, address, victim
        self.lost: list[str] = []
        os.kill(victim, signal.SIGSTOP)

    def is_set(self) -> bool:
        if not self.lost:
            self.lost.extend(self.client.processing().get(self.address, ()))
            if self.lost:
                os.kill(self.victim, signal.SIGKILL)
        return False


@pytest.mark.usefixtures("many_chunks")
def test_killing_a_worker_changes_nothing(client: Client, workers: Workers, study: Study) -> None:
    address, victim = next(iter(client.run(os.getpid).items()))
    preferred = client.get_executor(
        workers=[address], allow_other_workers=True, pure=False, retries=RETRIES
    )
    strike = Strike(client, address, victim)
    runs = simulate(study, workers=replace(workers, executor=preferred), cancel=strike)
    assert strike.lost
    assert bytes_of(runs) == bytes_of(simulate(study, threads=1))
    client.wait_for_workers(2, timeout=HANGS)
    assert victim not in client.run(os.getpid).values()


@pytest.mark.usefixtures("many_chunks")
def test_cancelling_stops_and_leaves_the_cluster_usable(workers: Workers, study: Study) -> None:
    cancel = Event()
    seen: list[int] = []

    def stop(done: int, _total: int) -> None:
        seen.append(done)
        if done >= 100:
            cancel.set()

    with pytest.raises(Cancelled):
        simulate(study, workers=workers, progress=stop, cancel=cancel)
    assert max(seen) < 300
    assert bytes_of(simulate(study, workers=workers)) == bytes_of(simulate(study, threads=1))


def disguised(name: str, version: str) -> tuple[Callable[[], None], Callable[[], None]]:
    """What makes a worker say that it has another version, and what undoes it."""

    def disguise() -> None:
        from gai_core.basics.fingerprints import fingerprint

        fingerprint()[name] = version

    def undisguise() -> None:
        from gai_core.basics.fingerprints import fingerprint

        fingerprint.cache_clear()

    return disguise, undisguise


@pytest.mark.parametrize("name", ["gai-planner", "sources", "numpy"])
def test_a_worker_that_differs_is_refused(
    cluster: LocalCluster, client: Client, workers: Workers, study: Study, name: str
) -> None:
    disguise, undisguise = disguised(name, "0.0.1")
    one = next(iter(client.scheduler_info()["workers"]))
    client.run(disguise, workers=[one])
    try:
        message = rf"the worker {one} differs .*\({name} \S+ here, 0.0.1 there\); install the same"
        with pytest.raises(InputError, match=message), connected(cluster.scheduler_address):
            pass
        client.run(disguise)  # as if both had joined after the check
        with pytest.raises(InputError, match=rf"differs: {name} \S+ here, 0.0.1 there"):
            simulate(study, workers=workers)
    finally:
        client.run(undisguise)


def test_a_worker_without_the_package_is_refused(cluster: LocalCluster, client: Client) -> None:
    def forget() -> None:
        import distributed.versions as versions

        versions.kept = versions._version_cached
        versions._version_cached = lambda name: None if "gai" in name else versions.kept(name)

    def remember() -> None:
        import distributed.versions as versions

        versions._version_cached = versions.kept

    client.run(forget)
    try:
        with (
            pytest.raises(InputError, match=r"gai-planner \S+ here, none there"),
            connected(cluster.scheduler_address),
        ):
            pass
    finally:
        client.run(remember)


def refused(where: str) -> str:
    with pytest.raises(InputError) as caught, connected(where):
        pass
    return str(caught.value)


def test_a_scheduler_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PATIENCE, "0.5")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for where in (f"tcp://127.0.0.1:{silent.getsockname()[1]}", "tcp://127.0.0.1:1", "x://y"):
            assert f"cluster {where}: no Dask scheduler answers there" in refused(where)


@pytest.mark.parametrize("text", ["long", "0", "-1", "nan", "inf", ""])
def test_a_patience_that_is_no_number_of_seconds_is_an_error(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv(PATIENCE, text)
    with pytest.raises(InputError, match=rf"{PATIENCE} must be a number of seconds above 0"):
        seconds_to_answer()


def test_a_scheduler_has_five_seconds_to_answer_unless_somebody_says_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(PATIENCE, "7.5")
    assert seconds_to_answer() == 7.5
    monkeypatch.delenv(PATIENCE)
    assert seconds_to_answer() == 5


def test_a_scheduler_without_workers_is_an_error() -> None:
    with LocalCluster(n_workers=0, **PRIVATE) as empty:
        assert "the scheduler has no workers" in refused(empty.scheduler_address)


@pytest.mark.usefixtures("many_chunks")
def test_a_scheduler_that_goes_away_is_an_error(quick: Study) -> None:
    with LocalCluster(n_workers=1, **PRIVATE) as short:

        def close(done: int, _total: int) -> None:
            if done:
                assert found is not None
                executor: Any = found.executor
                executor._client._timeout = 1.0  # so long it looks for one that will not be back
                short.close()

        with (
            pytest.raises(InputError, match="the scheduler is gone"),
            connected(short.scheduler_address) as found,
        ):
            simulate(quick, workers=found, progress=close)


def test_local_is_one_thread_for_every_core(quick: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gai_core.engine.cluster.cores", lambda: 1)
    with connected("local") as found:
        assert found is not None
        assert found.count == 1
        assert bytes_of(simulate(quick, workers=found)) == bytes_of(simulate(quick, threads=1))


SPECIFICATION = """
module: distributed
class: LocalCluster
kwargs:
  n_workers: 1
  threads_per_worker: 1
  host: 127.0.0.1
  dashboard_address: 127.0.0.1:0
wait: 300
"""


def test_a_file_describes_a_cluster(tmp_path: Path, quick: Study) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_text(SPECIFICATION)
    with connected(str(path)) as found:
        assert found is not None
        assert found.count == 1
        assert bytes_of(simulate(quick, workers=found)) == bytes_of(simulate(quick, threads=1))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("class: LocalCluster", "", "must have `module` and `class`"),
        ("LocalCluster", "Client", "distributed.Client is not a Dask cluster"),
        ("LocalCluster", "SlurmCluster", "there is no distributed.SlurmCluster here"),
        ("distributed", "dask_nowhere", "there is no dask_nowhere.LocalCluster here"),
        ("wait: 300", "wait: 0", "wait must be a number of seconds above 0, but is 0"),
        ("wait: 300", "waits: 300", "waits is unknown; known: version, module"),
        ("wait: 300", "args: 5", "args must be a list, but is 5"),
        ("wait: 300", f"args: {[0] * 50}", "distributed.LocalCluster could not be started"),
        ("n_workers: 1", "n_workers: 0", "no worker came within 0.1 seconds"),
        ("kwargs:", "kwargs: [", "is not a YAML file"),
    ],
)
def test_a_broken_file_gets_a_sentence(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "cluster.yaml"
    text = SPECIFICATION.replace(old, new)
    path.write_text(text.replace("300", "0.1") if "n_workers: 0" in text else text)
    assert message in refused(str(path))
    assert "or a file (No such file" in refused(str(tmp_path / "missing.yaml"))


def test_the_command_line_uses_a_cluster(
    cluster: LocalCluster, tmp_path: Path, study: Study
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(dump_study(study), encoding="utf-8")
    command = [sys.executable, "-m", "gai_core", "run", str(path), "--csv", "-"]
    alone, together = (
        subprocess.run(
            [*command, *more], capture_output=True, text=True, check=True, timeout=HANGS
        ).stdout
        for more in ([], ["--cluster", cluster.scheduler_address])
    )
    assert alone.startswith("truth,design")
    assert together == alone


def test_ctrl_c_ends_a_local_cluster_quietly(tmp_path: Path) -> None:
    words = ["run", "medical-2", "--runs", "1000000", "--cluster", "local", "--save", "saved"]
    process = subprocess.Popen(
        [sys.executable, "-m", "gai_core", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=tmp_path, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert "Caution" in process.stderr.readline()
    while not psutil.Process(process.pid).children() and process.poll() is None:
        time.sleep(0.05)  # until its workers are on their way
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    output, errors = process.communicate(timeout=HANGS)
    assert process.returncode == 130, errors
    assert "interrupted, nothing was written" in errors
    assert "Traceback" not in errors
    assert output == ""
    assert list(tmp_path.iterdir()) == []


def test_the_app_uses_a_cluster(
    cluster: LocalCluster, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "CLUSTER", cluster.scheduler_address)
    monkeypatch.setattr(jobs, "wait_for_warm_up", lambda _cancel: None)
    remote: list[bool] = []

    def watched(*args: Any, **kwargs: Any) -> Runs:
        remote.append(kwargs["workers"].remote)
        return simulate_cached(*args, **kwargs)

    monkeypatch.setattr("gai_core.engine.work.simulate_cached", watched)
    _key, work = jobs.simulation(study)
    results = work(lambda _done, _total: None, Event())
    assert remote == [True]
    assert bytes_of(results.runs) == bytes_of(simulate(study, threads=1))
    monkeypatch.setattr(jobs, "CLUSTER", "tcp://nowhere")
    monkeypatch.setenv(PATIENCE, "0.5")
    with pytest.raises(InputError, match="no Dask scheduler answers there"):
        work(lambda _done, _total: None, Event())

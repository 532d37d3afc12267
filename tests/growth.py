"""What a simulation costs, and how that grows: `make growth` prints the tables of docs/growth.md.

Every arm lies at the target, so hardly a trial ends before n_max: the dearest case.
Each figure is the smallest of a few measurements, after a warm-up, as other work on
the machine can only add to it.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from gai_core import Study, simulate
from gai_core.basics.workers import Workers, cores
from gai_core.engine.cluster import connected
from gai_core.study.validating import validated

ROUNDS = 5
RULES = ("hdoc", "lucb-g", "apt-g", "equal", "thompson", "nearest-finish", "kl-ucb", "apgai")
GRID = 10_000


def study(
    *,
    runs: int = 10_000,
    arms: int = 6,
    n_max: int = 400,
    designs: int = 1,
    delta: float = 0.05,
    criterion: str = "mixture",
) -> Study:
    """A response rate, all arms at the target."""
    return validated(
        {
            "title": "growth",
            "threshold": 0.5,
            "delta": delta,
            "outcome": {"kind": "bernoulli"},
            "simulation": {"runs": runs, "n_max": n_max},
            "arms": [{"label": str(i)} for i in range(arms)],
            "truths": [{"name": "at the target", "means": [0.5] * arms}],
            "designs": [
                {"name": rule, "rule": rule, "criterion": criterion} for rule in RULES[:designs]
            ],
        },
        "growth",
    )


def floor(work: Callable[[], object]) -> float:
    """The smallest of a few measurements, in seconds."""
    work()
    seconds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def table(name: str, values: Sequence[int], measured: Iterable[float]) -> None:
    """One table in Markdown: seconds for every value."""
    times = list(measured)
    print(f"\n| {name} | " + " | ".join(f"{value:,}" for value in values) + " |")
    print("|---" * (len(values) + 1) + "|")
    print("| seconds | " + " | ".join(f"{seconds:.3f}" for seconds in times) + " |")


def one_at_a_time() -> None:
    """Runs, arms, n_max and designs on one thread, then threads."""
    for name, values in (
        ("runs", (1_000, 10_000, 100_000)),
        ("arms", (2, 6, 12, 24)),
        ("n_max", (100, 400, 1_600, 6_400)),
        ("designs", (1, 2, 4, 8)),
    ):
        varied = [study(**{name: value}) for value in values]  # type: ignore[arg-type]
        table(name, values, (floor(partial(simulate, one, threads=1)) for one in varied))
    large = study(runs=100_000)
    threads = range(1, cores() + 1)
    table(
        "threads (100,000 runs)",
        threads,
        (floor(partial(simulate, large, threads=count)) for count in threads),
    )


def on_workers() -> None:
    """The same study on local workers, once they are up."""
    large = study(runs=100_000)
    counts = range(1, cores() + 1)
    table("workers (100,000 runs)", counts, (with_workers(large, count) for count in counts))


def with_workers(large: Study, count: int) -> float:
    """On so many of the workers: calls beyond them are not handed out."""
    with connected("local") as all_of_them:
        assert all_of_them is not None
        if count == all_of_them.count:
            return floor(lambda: simulate(large, workers=all_of_them))
        some = sorted(all_of_them.executor._client.nthreads())[:count]  # type: ignore[attr-defined]
        executor = all_of_them.executor._client.get_executor(pure=False, workers=some)  # type: ignore[attr-defined]
        return floor(lambda: simulate(large, workers=Workers(executor, count, remote=True)))


def grid() -> None:
    """Studies that are all different: their curves are made anew."""
    print(f"\n| 3 designs x 1,000 trials, {cores()} threads | one study | {GRID:,} studies |")
    print("|---|---|---|")
    for criterion in ("union", "mixture", "exact"):
        points = [
            study(runs=1_000, designs=3, delta=0.05 + i / 1e5, criterion=criterion)
            for i in range(40)
        ]
        seconds = floor(partial(run_all, points)) / len(points)
        print(f"| {criterion} | {1e3 * seconds:.0f} ms | {GRID * seconds / 60:.1f} minutes |")


def run_all(points: Sequence[Study]) -> None:
    """One study after the other."""
    for point in points:
        simulate(point)


if __name__ == "__main__":
    one_at_a_time()
    on_workers()
    grid()

"""Algorithm 1 of "Good Arm Identification via Bandit Feedback", slow and obvious.

A test oracle. "Line n" is line n of Algorithm 1. s2 is 1/4 for Bernoulli outcomes
(as the algorithm is printed) and sigma^2 for Gaussian ones (Remark 1).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log, sqrt

from naive_student import running_deviation, t_statistic

RULES = ("hdoc", "lucb-g", "apt-g", "equal")
RADII = ("union", "union-published")


@dataclass
class Trial:
    """What one run of Algorithm 1 leaves behind; one entry per arm in every list."""

    verdict: list[str]  # "good" | "bad" | "undecided"
    decided: list[int | None]  # t (patients in the whole trial) at the verdict
    assigned: list[int]  # N_i, patients on the arm
    sums: list[float]  # sum of the arm's outcomes
    patients: int  # patients in all

    @property
    def tau_stop(self) -> int | None:
        """When the last arm got its verdict; None if one is undecided (censored)."""
        times = [t for t in self.decided if t is not None]
        return max(times) if len(times) == len(self.decided) else None

    def tau(self, k: int) -> int | None:
        """When the k-th arm was declared good; tau_stop if fewer were (section 2.1)."""
        if k < 1:
            raise ValueError(f"k must be at least 1, but is {k}")
        declared = sorted(
            t
            for t, verdict in zip(self.decided, self.verdict, strict=True)
            if t is not None and verdict == "good"
        )
        return declared[k - 1] if k <= len(declared) else self.tau_stop


def algorithm_1(  # noqa: C901 (the paper's algorithm in one piece)
    outcomes: Sequence[Iterator[float]],
    *,
    rule: str,
    threshold: float,
    delta: float,
    s2: float,
    burn_in: int,
    n_max: int,
    radius: str = "union",
    beta: float | None = None,
    wanted: int | None = None,
    dropped: Callable[[int, float], bool] | None = None,
    t_limits: Callable[[int], tuple[float, float]] | None = None,
    levels: Callable[[int, float, float, float], str] | None = None,
    in_order: bool = False,
) -> Trial:
    """Run one trial; next(outcomes[i]) is the next outcome of arm i.

    Where dropping has an error rate of its own, it is beta, and delta is that of declaring. The
    trial ends when `wanted` arms (lambda, section 2.1) are declared, without it when none is left.
    `dropped`, if given, says of an arm's patients and sum whether it is dropped. Where the
    variance is unknown, s2 is 1, `t_limits` gives the two limits on an arm's t-statistic after so
    many patients, and its running standard deviation stands for sigma. With step-down, `levels`
    says of an arm's patients and sum which verdict the levels of declaring and dropping give. In
    order, an arm counts as declared when all after it are, and as dropped when all before it are.
    """
    beta = delta if beta is None else beta
    K = len(outcomes)  # noqa: N806 (the paper's symbol)
    if rule not in RULES:
        raise ValueError(f"rule must be one of {RULES}, but is {rule!r}")
    if radius not in RADII:
        raise ValueError(f"radius must be one of {RADII}, but is {radius!r}")
    if K < 1 or burn_in < 1:
        raise ValueError(f"arms and burn_in must be >= 1, but are {K} and {burn_in}")
    if burn_in * K > n_max:
        raise ValueError(f"burn_in * arms must be <= n_max: {burn_in} * {K} > {n_max}")

    trial = Trial(["undecided"] * K, [None] * K, [0] * K, [0.0] * K, 0)

    seen: list[list[float]] = [[] for _ in range(K)]

    def pull(i: int) -> None:
        seen[i].append(next(outcomes[i]))
        trial.sums[i] += seen[i][-1]
        trial.assigned[i] += 1
        trial.patients += 1

    def mean(i: int) -> float:
        return trial.sums[i] / trial.assigned[i]

    def sigma(i: int) -> float:
        """1 in the formulas with s2; without t_limits these know sigma."""
        return 1.0 if t_limits is None else running_deviation(seen[i], threshold)

    def r(i: int, rate: float) -> float:
        """The radius of lines 5 and 9; without the factor 2 if "union-published"."""
        n = trial.assigned[i]
        factor = 2 if radius == "union" else 1
        return sqrt(factor * s2 * log(4 * K * n**2 / rate) / n)

    def hdoc(i: int) -> float:
        """Line 4, HDoC: the score to maximise; t is the outcomes seen so far."""
        return mean(i) + sigma(i) * sqrt(2 * s2 * log(trial.patients) / trial.assigned[i])

    def lucb_g(i: int) -> float:
        """Line 4, LUCB-G: the score to maximise."""
        return mean(i) + sigma(i) * r(i, beta)

    def apt_g(i: int) -> float:
        """Line 4, APT-G: the score to minimise."""
        return sqrt(trial.assigned[i]) * abs(threshold - mean(i))

    def choose(arms: list[int]) -> int:
        """Line 4; min and max return the first of equals: the lowest index."""
        if rule == "hdoc":
            return max(arms, key=hdoc)
        if rule == "lucb-g":
            return max(arms, key=lucb_g)
        if rule == "apt-g":
            return min(arms, key=apt_g)
        return min(arms, key=lambda i: trial.assigned[i])  # "equal"

    def check(i: int) -> None:
        """Lines 5-8: declare good; lines 9-11: drop as bad."""
        if levels is not None:
            left_to_declare = K - trial.verdict.count("good")
            left_to_drop = K - trial.verdict.count("bad")
            shares = delta / left_to_declare, beta / left_to_drop
            if in_order:
                shares = delta, beta
            trial.verdict[i] = levels(trial.assigned[i], trial.sums[i], *shares)
            if trial.verdict[i] != "undecided":
                trial.decided[i] = trial.patients
                for other in range(K):
                    if trial.verdict[other] == "undecided":
                        check(other)
            return
        if t_limits is not None:
            declare, drop = t_limits(trial.assigned[i])
            t = t_statistic(seen[i], threshold)
            if t > declare or t < drop:
                trial.verdict[i] = "good" if t > declare else "bad"
                trial.decided[i] = trial.patients
            return
        if mean(i) - r(i, delta) >= threshold:
            trial.verdict[i], trial.decided[i] = "good", trial.patients
        elif (
            mean(i) + r(i, beta) < threshold
            if dropped is None
            else dropped(trial.assigned[i], trial.sums[i])
        ):
            trial.verdict[i], trial.decided[i] = "bad", trial.patients

    for i in range(K):  # line 2, burn_in times (section 4), no verdict yet
        for _ in range(burn_in):
            pull(i)
    for i in range(K):  # the end of burn-in: t = K * burn_in for all
        if trial.verdict[i] == "undecided":
            check(i)
    while "undecided" in trial.verdict and trial.patients < n_max:  # lines 3 and 12
        declared = trial.verdict.count("good")
        if in_order:
            declared = next((i for i in range(K) if trial.verdict[K - 1 - i] != "good"), K)
        if wanted is not None and declared >= wanted:
            break
        arm = choose([i for i in range(K) if trial.verdict[i] == "undecided"])
        pull(arm)
        check(arm)  # that arm alone
    if in_order:
        found = list(zip(trial.verdict, trial.decided, strict=True))
        for i, (verdict, _) in enumerate(found):
            needed = found[i:] if verdict == "good" else found[: i + 1]
            if all(other == verdict for other, _ in needed):
                trial.decided[i] = max((t for _, t in needed if t is not None), default=None)
            else:
                trial.verdict[i], trial.decided[i] = "undecided", None
    return trial

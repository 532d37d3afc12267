"""docs/conduct.md, slow and obvious: one trial, patient by patient, outcome by outcome.

A test oracle. Limits come from the criterion's curves and enrolment months from
`conduct_steps.enrolment_month`; everything else is written out once more, in lists.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb, exp, floor, inf, log, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from naive_scores import AT_RANDOM, BY_RATIO, COUNT_ASSIGNED, IN_STEPS, score
from naive_student import running_deviation, t_limit, t_statistic
from scipy.stats import t as student

from gai_core.criteria import CRITERIA
from gai_core.criteria.exact import look_counts
from gai_core.evidence.random_streams import Stream, start, truth_key, uniform
from gai_core.evidence.ziggurat import normal
from gai_core.study.conduct import WEEKS_PER_MONTH, Conduct
from gai_core.study.conduct_steps import draw_delay, draw_gap, enrolment_month
from gai_core.study.study import Design, Study, Truth

OUTCOMES, CHOICES, DROPOUTS, RANDOMISATION, GAPS, DELAYS = (np.uint64(i) for i in range(6))
"""Purposes of the streams."""


@dataclass
class Numbers:
    """The random numbers of one trial, one after the other."""

    outcomes: Sequence[Iterator[float]]  # per arm; uniform, or standard normal for scores
    dropouts: Sequence[Iterator[float]]  # per arm; uniform
    choices: Iterator[float]  # standard normal
    randomisation: Iterator[float]  # uniform
    gaps: Iterator[float]  # standard exponential
    delays: Iterator[float]  # months


@dataclass
class ConductedTrial:
    """What a trial leaves behind; lists have one entry per arm."""

    verdict: list[str]  # "good" | "bad" | "undecided" | "control"
    decided: list[int]  # patients enrolled in all at the verdict, 0 without one
    month: list[float | None]  # of the verdict
    waiting: list[int]  # patients without a known outcome at the verdict, 0 without one
    assigned: list[int]
    seen: list[int]  # outcomes that came in; dropouts left out are not among them
    sums: list[float]
    enrolment: float  # month of the last enrolment
    end: float  # month of the last outcome
    pipeline: int  # patients waiting when enrolment ended
    arms: list[int]  # who got what, in order of enrolment


@dataclass
class Patient:
    """One enrolled patient whose outcome is awaited."""

    number: int
    arm: int
    due: float
    outcome: float
    left_out: bool


@dataclass
class Known:
    """What the rule knows of every arm: the state when the patient's cohort began."""

    seen: list[int]
    sums: list[float]
    left_out: list[int]
    deviations: list[float | None]  # running, where the variance is unknown


def numbers_of(study: Study, truth: Truth, replicate: int) -> Numbers:
    """The numbers of the project's own streams, drawn in plain Python."""
    conduct = conduct_of(study)
    arms = range(len(study.arms))

    def of(draw: Callable[[Stream], tuple[float, Stream]], purpose: Any, arm: int = 0) -> Any:
        key = np.uint64(study.simulation.seed), truth_key(truth.name)
        with np.errstate(over="ignore"):  # 64-bit words that wrap around are meant
            stream = start(*key, np.uint64(replicate), np.uint64(arm), purpose)
        while True:
            with np.errstate(over="ignore"):
                number, stream = draw(stream)
            yield float(number)

    of_outcome = uniform if study.outcome.kind == "bernoulli" else normal
    return Numbers(
        outcomes=[of(of_outcome, OUTCOMES, arm) for arm in arms],
        dropouts=[of(uniform, DROPOUTS, arm) for arm in arms],
        choices=of(normal, CHOICES),
        randomisation=of(uniform, RANDOMISATION),
        gaps=of(draw_gap, GAPS),
        delays=of(lambda stream: draw_delay(stream, *conduct.delay.in_numbers), DELAYS),
    )


def conduct_of(study: Study) -> Conduct:
    """The conduct of a study, which must have one."""
    if study.conduct is None:
        raise ValueError("the study must have a [conduct] part")
    return study.conduct


def conducted_trial(study: Study, truth: Truth, design: Design, numbers: Numbers) -> ConductedTrial:
    """Simulate one trial."""
    return Trial(study, truth, design, numbers).run()


class Trial:
    """One trial under way."""

    def __init__(self, study: Study, truth: Truth, design: Design, numbers: Numbers) -> None:
        arms = len(study.arms)
        self.study, self.truth, self.design, self.numbers = study, truth, design, numbers
        self.conduct, self.setting = conduct_of(study), study.setting(design)
        self.candidates = list(study.candidates)
        criterion, parameters = design.identification
        curves = criterion.curves_of(self.setting, parameters)
        self.accept, self.reject = curves.accept.tolist(), curves.reject.tolist()
        self.levels = self.limits_by_level()
        self.last = len(self.accept) - 1
        self.judged_at = self.numbers_with_limits()
        self.verdict = ["undecided" if i in self.candidates else "control" for i in range(arms)]
        self.decided, self.waiting_then = [0] * arms, [0] * arms
        self.month: list[float | None] = [None] * arms
        self.assigned, self.left_out = [0] * arms, [0] * arms
        self.sums = [[0.0] for _ in range(arms)]  # sums[arm][n]: of the arm's first n outcomes
        self.values: list[list[float]] = [[] for _ in range(arms)]
        self.unknown = study.outcome.variant == "unknown"
        self.arms: list[int] = []
        self.waiting: list[Patient] = []
        self.block: list[int] = []  # arms of the next patients; they count as assigned
        self.known = self.all_that_is_known()
        self.enrolling, self.pipeline, self.waiting_after_last_enrolment = True, 0, 0
        self.enrolment, self.end = 0.0, 0.0
        self.weekly_looks = 0
        self.expected_patients = 0.0
        self.log_t, self.stale_from = 0.0, 0

    def run(self) -> ConductedTrial:
        for j in range(1, self.study.simulation.n_max + 1):
            month = self.enrolment_month(j)
            self.let_happen(month)
            if not self.enrolling:
                break
            self.begin_cohort(j)
            self.make_block(j)
            if not self.block:
                break
            self.enrol(j, self.block.pop(), month)
        for arm in self.block:  # places that nobody took
            self.assigned[arm] -= 1
        self.block = []
        if self.enrolling:
            # By n_max, or because no dose was eligible; the outcomes due since then do not count.
            self.enrolling = False
            self.pipeline = self.waiting_after_last_enrolment
        self.let_happen(inf)
        self.look(self.end, is_last=True)
        return self.result()

    # A patient comes.

    def begin_cohort(self, j: int) -> None:
        if (j - 1) % self.conduct.cohort == 0:
            self.known = self.all_that_is_known()

    def enrolment_month(self, j: int) -> float:
        accrual = self.conduct.accrual
        if accrual.pattern == "poisson":
            self.expected_patients += next(self.numbers.gaps)
        else:
            self.expected_patients = float(j)
        return enrolment_month(self.expected_patients, accrual.per_month, accrual.ramp_up)

    def make_block(self, j: int) -> None:
        """Places of patient j and those after: new, or of doses with a verdict, or as they are."""
        if not self.block:
            missing = 1
            if self.conduct.randomisation.kind == "blocks":
                begun = (j - 1) % self.conduct.cohort
                missing = min(self.conduct.cohort - begun, self.study.simulation.n_max - (j - 1))
        else:
            decided = [arm for arm in self.block if self.verdict[arm] in ("good", "bad")]
            self.block = [arm for arm in self.block if arm not in decided]
            missing = len(decided)
            for arm in decided:
                self.assigned[arm] -= 1
        for _ in range(missing):
            eligible = self.eligible()
            if not eligible:
                return
            next_one = self.study.set_apart if self.control_is_next(j) else self.choice(eligible)
            assert next_one is not None
            self.add_place(next_one)

    def control_is_next(self, j: int) -> bool:
        share, control = self.conduct.control_share, self.study.set_apart
        if share is None or control is None:
            return False
        return floor((j + len(self.block)) * share) > self.assigned[control]

    def add_place(self, arm: int) -> None:
        self.assigned[arm] += 1
        self.block.append(arm)
        if len(self.block) > 1:
            other = floor(next(self.numbers.randomisation) * len(self.block))
            self.block[other], self.block[-1] = self.block[-1], self.block[other]

    def eligible(self) -> list[int]:
        return [
            arm
            for arm in self.candidates
            if self.verdict[arm] == "undecided"
            and self.assigned[arm] - self.left_out[arm] < self.last
        ]

    def all_that_is_known(self) -> Known:
        return Known(
            seen=[len(sums) - 1 for sums in self.sums],
            sums=[sums[-1] for sums in self.sums],
            left_out=list(self.left_out),
            deviations=[
                self.deviation(arm) if self.unknown and values else None
                for arm, values in enumerate(self.values)
            ],
        )

    def enrol(self, j: int, arm: int, month: float) -> None:
        outcome = self.outcome(arm, month)
        dropped = self.drops_out(arm, outcome)
        left_out = dropped and self.study.dropout is not None and self.study.dropout.left_out
        due = month + next(self.numbers.delays)
        self.waiting.append(Patient(j, arm, due, 0.0 if dropped else outcome, left_out))
        self.arms.append(arm)
        self.enrolment, self.end = month, max(self.end, due)
        self.waiting_after_last_enrolment = sum(patient.due > month for patient in self.waiting)

    def outcome(self, arm: int, month: float) -> float:
        mean = self.study.completing(self.truth)[arm]
        if self.truth.trend is not None:
            mean += self.truth.trend * month
        number = next(self.numbers.outcomes[arm])
        if self.study.outcome.kind == "bernoulli":
            return float(number < min(max(mean, 0.0), 1.0))
        variance = self.truth.variance
        return mean + (self.study.outcome.spread if variance is None else sqrt(variance)) * number

    def drops_out(self, arm: int, outcome: float) -> bool:
        dropout = self.study.dropout
        if dropout is None or dropout.probability == dropout.on_target == 0:
            return False
        on_target = outcome >= self.study.stream.target
        return next(self.numbers.dropouts[arm]) < (
            dropout.on_target if on_target else dropout.probability
        )

    # Which dose?

    def choice(self, eligible: list[int]) -> int:
        if self.rule_rests():
            return min(eligible, key=self.in_parts)  # min: the first of equals
        scores = self.scores(eligible)
        best = eligible[scores.index(max(scores))]
        randomisation = self.conduct.randomisation
        if randomisation.kind == "mixed" and next(self.numbers.randomisation) < randomisation.share:
            return eligible[floor(next(self.numbers.randomisation) * len(eligible))]
        if randomisation.kind == "softened":
            return self.softened(eligible, scores, randomisation.softness)
        return best

    def in_parts(self, arm: int) -> float:
        """Patients of an arm, in parts of its ratio."""
        ratio = self.conduct.randomisation.ratio
        return self.assigned[arm] / (ratio[self.candidates.index(arm)] if ratio else 1)

    def rule_rests(self) -> bool:
        return any(self.known.seen[arm] < self.design.burn_in for arm in self.candidates)

    def softened(self, eligible: list[int], scores: list[float], softness: float) -> int:
        best, worst = max(scores), min(scores)
        weights = [
            exp(-(best - score) / (softness * (best - worst))) if best > worst else 1.0
            for score in scores
        ]
        total = 0.0
        for weight in weights:
            total += weight
        level, cumulated = next(self.numbers.randomisation) * total, 0.0
        for arm, weight in zip(eligible, weights, strict=True):
            cumulated += weight
            if cumulated > level:
                return arm
        return eligible[-1]

    def scores(self, eligible: list[int]) -> list[float]:
        rule = self.design.rule
        t = sum(self.assigned[arm] for arm in self.candidates)
        if rule not in IN_STEPS or t >= self.stale_from:
            self.log_t = sqrt(2 * self.setting.outcome.s2 * log(t))
            self.stale_from = t + 1 + (t >> 4)
        if rule in BY_RATIO:
            return [-self.in_parts(arm) for arm in eligible]
        found = []
        for arm in eligible:
            seen = self.known.seen[arm]
            n = self.assigned[arm] if rule in COUNT_ASSIGNED else max(seen, 1)
            mean = self.known.sums[arm] / seen if seen else self.setting.threshold
            z = next(self.numbers.choices) if rule in AT_RANDOM else 0.0
            waiting = self.assigned[arm] - seen - self.known.left_out[arm]
            spread = self.known.deviations[arm]
            found.append(score(self.study, self.design, n, mean, self.log_t, z, waiting, spread))
        return found

    # Outcomes come in.

    def let_happen(self, until: float) -> None:
        """All outcomes and weekly looks due by then, in order; an outcome before a look."""
        weeks = self.conduct.looks.weeks
        every = inf if weeks is None else weeks / WEEKS_PER_MONTH
        while self.enrolling or self.waiting:
            next_look = (self.weekly_looks + 1) * every
            self.waiting.sort(key=lambda patient: (patient.due, patient.number))
            if self.waiting and self.waiting[0].due <= min(until, next_look):
                self.comes_in(self.waiting.pop(0))
            elif next_look <= until and next_look < inf:
                self.weekly_looks += 1
                self.look(next_look)
            else:
                return

    def comes_in(self, patient: Patient) -> None:
        if patient.left_out:
            self.left_out[patient.arm] += 1
            return
        sums = self.sums[patient.arm]
        sums.append(sums[-1] + patient.outcome)
        self.values[patient.arm].append(patient.outcome)
        outcomes = sum(len(sums) - 1 for sums in self.sums)
        looks, every = self.conduct.looks, self.conduct.looks.outcomes or self.conduct.cohort
        if looks.at is not None:
            if outcomes in looks.at:
                self.look(patient.due)
        elif looks.weeks is None and outcomes % every == 0:
            self.look(patient.due)

    def look(self, month: float, is_last: bool = False) -> None:
        if self.in_burn_in() and not is_last:
            return
        open_before = -1
        while self.verdict.count("undecided") != open_before:  # step-down: until nothing changes
            open_before = self.verdict.count("undecided")
            for arm in self.candidates:
                if self.verdict[arm] == "undecided":
                    self.verdict[arm] = self.judged(arm, is_last)
                    if self.verdict[arm] != "undecided":
                        self.decided[arm], self.month[arm] = len(self.arms), month
                        self.waiting_then[arm] = len(self.waiting)
        declared = self.declared()
        wanted = self.conduct.wanted if self.study.wanted is None else self.study.wanted
        at_end = self.design.criterion_parameters.get("looks") == "end"
        enough = wanted is not None and declared >= wanted and not at_end
        if self.enrolling and (enough or "undecided" not in self.verdict):
            self.enrolling, self.pipeline = False, len(self.waiting)

    def declared(self) -> int:
        if self.design.order is None:
            return self.verdict.count("good")
        found = 0
        for arm in reversed(self.candidates):
            if self.verdict[arm] != "good":
                break
            found += 1
        return found

    def put_in_order(self) -> None:
        """A finding is a verdict when all higher doses are declared, or all lower ones dropped."""
        found, months = list(self.verdict), list(self.month)
        decided, waiting = list(self.decided), list(self.waiting_then)
        for arm in self.candidates:
            needed = [other for other in self.candidates if other >= arm]
            if found[arm] == "bad":
                needed = [other for other in self.candidates if other <= arm]
            if found[arm] != "undecided" and all(found[other] == found[arm] for other in needed):
                last = max(needed, key=lambda other: months[other] or 0.0)
                self.decided[arm], self.month[arm] = decided[last], months[last]
                self.waiting_then[arm] = waiting[last]
            else:
                self.verdict[arm], self.decided[arm] = "undecided", 0
                self.month[arm], self.waiting_then[arm] = None, 0

    def in_burn_in(self) -> bool:
        return any(len(self.sums[arm]) - 1 < self.design.burn_in for arm in self.candidates)

    def judged(self, arm: int, is_last: bool) -> str:
        if self.once_at_the_end:
            return self.exact_test(arm) if is_last else "undecided"
        reached = [n for n in self.judged_at if n < len(self.sums[arm])]
        if not reached:
            return "undecided"
        n = max(reached)
        total = self.sums[arm][n]
        if self.levels is not None:
            return self.judged_by_level(n, total)
        if self.unknown:
            t = self.t_after(arm, n)
            good, bad = t > self.limit_on_t(n, self.accept[n]), self.is_dropped_by_t(n, t)
        else:
            good, bad = total >= self.accept[n], self.is_dropped(n, total)
        return "good" if good else "bad" if bad else "undecided"

    # Scores of unknown variance.

    def deviation(self, arm: int) -> float:
        return running_deviation(self.values[arm], self.study.stream.target)

    def t_after(self, arm: int, n: int) -> float:
        return t_statistic(self.values[arm][:n], self.study.stream.target)

    def degrees(self, n: int) -> int:
        return n - 1

    def limit_on_t(self, n: int, ratio: float) -> float:
        return t_limit(n, ratio)

    def limits_by_level(self) -> list[tuple[Any, Any]] | None:
        """Step-down: the limits for alpha/K, beta/K, then for alpha/(K-1), beta/(K-1), ..."""
        if self.design.criterion_parameters.get("share") != "step-down":
            return None
        criterion, parameters = self.design.identification
        found = []
        for left in range(len(self.candidates), 0, -1):
            curves = criterion.curves_of(replace(self.setting, tests=left), parameters)
            found.append((curves.accept, curves.reject))
        return found

    def judged_by_level(self, n: int, total: float) -> str:
        """Declared where the limits of this level and of all easier ones do, likewise dropped."""
        assert self.levels is not None
        declared, dropped = self.verdict.count("good"), self.verdict.count("bad")
        good = all(total >= accept[n] for accept, _ in self.levels[declared:])
        bad = all(total <= reject[n] for _, reject in self.levels[dropped:])
        if self.design.futility is not None:
            bad = self.is_dropped(n, total)
        return "good" if good else "bad" if bad else "undecided"

    def is_dropped(self, n: int, total: float) -> bool:
        futility, given = self.design.futility, self.design.futility_parameters
        if futility is None:
            return bool(total <= self.reject[n])
        if futility == "none":
            return False
        if futility != "below":
            reject = self.futility_limits
            return bool(n < reject.size and total <= reject[n])
        amount, after = given.get("amount", 0.0), given.get("after", 1)
        short = self.study.stream.target - total / n
        return n >= after and (short >= amount - 1e-12 if amount else short > 1e-12)

    def is_dropped_by_t(self, n: int, t: float) -> bool:
        futility, given = self.design.futility, self.design.futility_parameters
        if futility == "none":
            return False
        if futility == "below":
            return n >= max(given.get("after", 1), 3) and t < 0
        reject = self.reject if futility is None else self.futility_limits.tolist()
        return n < len(reject) and t < self.limit_on_t(n, reject[n])

    @cached_property
    def futility_limits(self) -> Any:
        """The lower limits of another decision rule that drops doses here."""
        assert self.design.futility is not None
        criterion = CRITERIA[self.design.futility]
        parameters = criterion.parameters(**self.design.futility_parameters)
        return criterion.curves_of(self.setting, parameters).reject

    def numbers_with_limits(self) -> list[int]:
        """Numbers of outcomes for which the decision rule has limits."""
        parameters: Any = self.design.identification[1]
        if self.design.criterion == "exact":
            return [int(n) for n in look_counts(self.setting, parameters)]
        return list(range(self.design.burn_in, self.last + 1))

    @property
    def once_at_the_end(self) -> bool:
        return self.setting.missing and self.design.criterion_parameters.get("looks") == "end"

    def exact_test(self, arm: int) -> str:
        """Each side by the chance that xi gives data at least so extreme."""
        criterion, parameters = self.design.identification
        alpha, beta = criterion.allowances(self.setting, parameters)
        if self.levels is not None:
            alpha *= len(self.candidates) / (len(self.candidates) - self.verdict.count("good"))
            beta *= len(self.candidates) / (len(self.candidates) - self.verdict.count("bad"))
        xi = self.study.stream.target
        n, total = len(self.sums[arm]) - 1, self.sums[arm][-1]
        if n < self.design.burn_in:
            return "undecided"
        if self.study.outcome.kind == "bernoulli":
            at_least, at_most = upper_tail(n, total, xi), upper_tail(n, n - total, 1 - xi)
        elif self.unknown:
            if n < 3:
                return "undecided"
            t, degrees = self.t_after(arm, n), self.degrees(n)
            at_least, at_most = student.sf(t, degrees), student.cdf(t, degrees)
        else:
            z = (total - n * xi) / (self.setting.outcome.spread * sqrt(n))
            at_least, at_most = NormalDist().cdf(-z), NormalDist().cdf(z)
        return "good" if at_least <= alpha else "bad" if at_most <= beta else "undecided"

    def result(self) -> ConductedTrial:
        if self.design.order is not None:
            self.put_in_order()
        return ConductedTrial(
            verdict=self.verdict,
            decided=self.decided,
            month=self.month,
            waiting=self.waiting_then,
            assigned=self.assigned,
            seen=[len(sums) - 1 for sums in self.sums],
            sums=[sums[-1] for sums in self.sums],
            enrolment=self.enrolment,
            end=self.end,
            pipeline=self.pipeline,
            arms=self.arms,
        )


def upper_tail(n: int, successes: float, p: float) -> float:
    """P(X >= successes) for X binomial."""
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(round(successes), n + 1))

"""docs/conduct.md, "Against a concurrent control", slow and obvious: an oracle beside the engine.

What is said there differs from other trials stands here; the rest is `naive_conduct`.
"""

from dataclasses import dataclass
from math import inf, pi, prod, sin, sqrt
from statistics import fmean

from naive_conduct import ConductedTrial, Numbers, Patient, Trial

from gai_core.study.study import Design, Study, Truth


@dataclass
class Partner:
    """One patient: whose cohort, which number on the arm in it, and what is known."""

    arm: int
    cohort: int
    number: int
    outcome: float | None = None  # None while it is not known
    left_out: bool = False
    counted: bool = False  # the pair, of a patient on a dose


def paired_trial(study: Study, truth: Truth, design: Design, numbers: Numbers) -> ConductedTrial:
    """Simulate one trial against the concurrent control."""
    return PairedTrial(study, truth, design, numbers).run()


def likelihood(pairs: list[tuple[float, float]], margin: float) -> float:
    """The evidence that a dose exceeds the margin."""
    low, high = max(0.0, -margin), min(1.0, 1 - margin)
    products = []
    for k in range(1, 7):
        p = low + (high - low) * sin((k - 1 / 2) * pi / 12) ** 2
        for share in (1 / 4, 1 / 2, 3 / 4):
            bet = share * min(1 / (p + margin), 1 / (1 - p))
            products.append(
                prod((1 + bet * (x - p - margin)) * (1 - bet * (y - p)) for x, y in pairs)
            )
    return sum(products) / len(products)


class PairedTrial(Trial):
    """One trial under way."""

    def __init__(self, study: Study, truth: Truth, design: Design, numbers: Numbers) -> None:
        assert study.control is not None
        assert study.target is not None
        self.control: int = study.control
        self.target, self.by_likelihood = study.target, study.target.evidence == "likelihood"
        self.pooled = study.target.evidence == "pooled"
        self.responses: list[list[tuple[float, float]]] = [[] for _ in study.arms]
        self.complete = [0] * len(study.arms)  # pairs that were not left out
        self.complete_then = list(self.complete)  # when the cohort began
        self.partners: list[Partner] = []  # in the order of enrolment
        self.cohort, self.outcomes_in = 0, 0
        super().__init__(study, truth, design, numbers)

    # 1, 2: the cohort.

    def begin_cohort(self, j: int) -> None:
        """A cohort begins when the block has no place left, not at given patients."""

    def make_block(self, j: int) -> None:
        self.take_out()
        if self.block:
            return
        self.known, self.complete_then = self.all_that_is_known(), list(self.complete)
        self.cohort += 1
        places = min(self.conduct.cohort, self.study.simulation.n_max - (j - 1))
        while True:
            eligible = [dose for dose in self.eligible() if self.fits(dose, places)]
            if not eligible:
                break
            self.add_place(self.choice(eligible))
        for _ in range(max(map(self.block.count, self.candidates))):
            self.add_place(self.control)

    def fits(self, dose: int, places: int) -> bool:
        with_it = [*self.block, dose]
        return len(with_it) + max(map(with_it.count, self.candidates)) <= places

    def take_out(self) -> None:
        for arm in [arm for arm in self.block if self.verdict[arm] in ("good", "bad")]:
            self.block.remove(arm)
            self.assigned[arm] -= 1
        here = [partner.arm for partner in self.partners if partner.cohort == self.cohort]
        here += self.block
        while self.control in self.block and here.count(self.control) > max(
            map(here.count, self.candidates)
        ):
            self.block.remove(self.control)  # the first in the list is the last to be taken
            here.remove(self.control)
            self.assigned[self.control] -= 1

    def rule_rests(self) -> bool:
        return any(self.complete_then[dose] < self.design.burn_in for dose in self.candidates)

    # 3: partners.

    def enrol(self, j: int, arm: int, month: float) -> None:
        before = [p for p in self.partners if (p.cohort, p.arm) == (self.cohort, arm)]
        self.partners.append(Partner(arm, self.cohort, len(before)))
        super().enrol(j, arm, month)

    # 4, 5: pairs.

    def comes_in(self, patient: Patient) -> None:
        known = self.partners[patient.number - 1]
        known.outcome, known.left_out = patient.outcome, patient.left_out
        if patient.arm == self.control and not patient.left_out:
            self.sums[self.control].append(self.sums[self.control][-1] + patient.outcome)
        for dose in self.candidates:
            self.count_pairs(dose)
        if patient.left_out:
            return
        self.outcomes_in += 1
        looks, every = self.conduct.looks, self.conduct.looks.outcomes or self.conduct.cohort
        if looks.at is not None:
            if self.outcomes_in in looks.at:
                self.look(patient.due)
        elif looks.weeks is None and self.outcomes_in % every == 0:
            self.look(patient.due)

    def count_pairs(self, dose: int) -> None:
        for one in [p for p in self.partners if p.arm == dose and not p.counted]:
            place = self.control, one.cohort, one.number
            control = [p for p in self.partners if (p.arm, p.cohort, p.number) == place]
            if one.outcome is None or not control or control[0].outcome is None:
                return  # those after it wait
            one.counted = True
            x, y = one.outcome, control[0].outcome
            if one.left_out or control[0].left_out:
                self.left_out[dose] += 1
                continue
            self.complete[dose] += 1
            if self.by_likelihood or self.pooled:
                self.responses[dose].append((x, y))
            if self.study.outcome.kind != "bernoulli" or self.target.margin or self.by_likelihood:
                self.add(dose, x - y)
            elif x != y:
                self.add(dose, x)
            else:
                self.left_out[dose] += 1

    def add(self, dose: int, number: float) -> None:
        self.sums[dose].append(self.sums[dose][-1] + number)
        self.values[dose].append(number)

    # 6: by likelihood.

    def judged(self, arm: int, is_last: bool) -> str:
        reached = [n for n in self.judged_at if n <= len(self.responses[arm])]
        if not self.by_likelihood or not reached:
            return super().judged(arm, is_last)
        pairs, margin = self.responses[arm][: max(reached)], self.target.margin
        others = [(1 - x, 1 - y) for x, y in pairs]
        dropping = self.design.futility or self.design.criterion
        errors, doses = self.study.error_rates, len(self.candidates)
        if self.design.criterion == "mixture":
            good = likelihood(pairs, margin) >= doses / errors.declare
        else:
            good = self.beyond(self.accept, pairs) >= 0
        if dropping == "mixture":
            bad = likelihood(others, -margin) >= doses / errors.drop
        elif dropping == "below":
            bad = self.is_dropped(len(pairs), sum(x - y for x, y in pairs))
        else:
            bad = dropping != "none" and self.beyond(self.reject, pairs) <= 0
        return "good" if good else "bad" if bad else "undecided"

    # 6: scores whose variance is that of two samples.

    def squares(self, arm: int, n: int) -> float:
        """The squares about the mean of the dose, and of its controls."""
        both = zip(*self.responses[arm][:n], strict=True)
        return sum(sum((x - fmean(scores)) ** 2 for x in scores) for scores in both)

    def t_after(self, arm: int, n: int) -> float:
        if not self.pooled:
            return super().t_after(arm, n)
        dose, control = zip(*self.responses[arm][:n], strict=True)
        if n < 2:
            return 0.0
        spread = sqrt(self.squares(arm, n) / (2 * n - 2))
        return (fmean(dose) - fmean(control) - self.target.margin) / (spread * sqrt(2 / n))

    def degrees(self, n: int) -> int:
        return 2 * n - 2 if self.pooled else super().degrees(n)

    def limit_on_t(self, n: int, ratio: float) -> float:
        if not self.pooled or abs(ratio) == inf:
            return super().limit_on_t(n, ratio)
        return ratio * sqrt((2 * n - 2) / (n - ratio**2))

    def deviation(self, arm: int) -> float:
        """Of a difference; one more is counted that is as far from the mean as others from xi."""
        if not self.pooled:
            return super().deviation(arm)
        n, pairs = len(self.responses[arm]), self.responses[arm]
        about_means = 2 * self.squares(arm, n)
        off = sum(x - y - self.target.margin for x, y in pairs)
        about_target = about_means + off**2 / n
        return sqrt((about_means + about_target / (2 * n - 1)) / (2 * n - 1))

    def beyond(self, limits: list[list[float]], pairs: list[tuple[float, float]]) -> float:
        """How far the dose is ahead of its limit, given its controls."""
        controls = round(sum(y for _, y in pairs))
        return sum(x - y for x, y in pairs) - limits[len(pairs)][controls]

    def in_burn_in(self) -> bool:
        return any(self.complete[dose] < self.design.burn_in for dose in self.candidates)

"""The n_max that a found design gets: the smallest that surely reaches the wish.

Where few looks are calibrated exactly, the chance goes up and down with n_max, so values around the
expected one are tried one by one on fewer trials before the smallest is settled on many. Surely
means that Wilson's 95% interval lies above the wish. So fresh trials should confirm it.
"""

import math
from dataclasses import dataclass

from gai_core.basics import InputError
from gai_core.engine import Runs, Work
from gai_core.questions.design_candidate import Candidate
from gai_core.questions.design_trials import Aim, Tried, sized, tallied
from gai_core.questions.plan_search import Estimate, Plan, estimates

SCAN_RUNS = 4_000
"""Trials of a value in the scan."""
LOWEST, HIGHEST = 0.8, 1.15
"""Where the scan begins and ends, in multiples of the expected n_max."""
MOST_VALUES = 14
"""Values of a scan."""


@dataclass
class Sizing:
    """The search for one candidate's n_max; every value is simulated once per number of trials."""

    aim: Aim
    candidate: Candidate
    work: Work
    runs: int

    def __post_init__(self) -> None:
        self._seen: dict[tuple[int, int], Estimate | None] = {}
        self._scans: dict[int, Runs] = {}
        self.tried: dict[int, Tried] = {}
        """By n_max, what was settled on all trials, under the truth of the wish."""

    def answer(self, name: str, guess: float) -> Plan:
        """The smallest n_max that surely reaches the wish, or why there is none."""
        aim = self.aim
        start = self._scanned(guess)
        sure = None if start is None else self._settled(start)
        if sure is None:
            sure_at_limit = self._at(aim.limit, self.runs)
            if sure_at_limit is None or sure_at_limit.chance < aim.wish.chance:
                why = f"no n_max up to {aim.limit:,} reaches the wish"
                return Plan(name, "n_max", aim.wish, tries=len(self._seen), why_not=why)
        value = aim.limit if sure is None else sure
        here = self._at(value, self.runs)
        assert here is not None
        return Plan(
            name,
            "n_max",
            aim.wish,
            value=value,
            at=(here,),
            may=self._may(value),
            sure=sure,
            tries=len(self._seen),
        )

    def _may(self, value: int) -> int:
        """The smallest value tried that may reach the wish."""
        able = [
            n
            for (n, runs), found in self._seen.items()
            if runs == self.runs and found is not None and found.high >= self.aim.wish.chance
        ]
        return min([value, *able])

    def _scanned(self, guess: float) -> int | None:
        """The smallest of some values around the expected one that reaches a little more."""
        aim = self.aim
        extra = 2 * math.sqrt(aim.wish.chance * (1 - aim.wish.chance) / self.runs)
        low, high = (round(factor * guess) for factor in (LOWEST, HIGHEST))
        step = max(1, math.ceil((high - low) / MOST_VALUES))
        n_max = min(low, aim.limit)
        while n_max < aim.limit + step:
            here = self._at(min(n_max, aim.limit), SCAN_RUNS)
            if here is not None and here.chance >= aim.wish.chance + extra:
                return min(n_max, aim.limit)
            if n_max > FAR * guess:
                return None
            n_max += step
        return aim.limit

    def _settled(self, start: int) -> int | None:
        """The smallest value that surely reaches it, near one that should."""
        limit = self.aim.limit
        step = max(1, round(start * 0.02))
        good = start
        while not self._sure(good):
            if good == limit:
                return None
            good = min(good + step, limit)
        bad = good - step
        while bad > 1 and self._sure(bad):
            good, bad = bad, bad - step
        while good - bad > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if self._sure(middle) else (good, middle)
        return good

    def _sure(self, n_max: int) -> bool:
        found = self._at(n_max, self.runs)
        return found is not None and found.low >= self.aim.wish.chance

    def _at(self, n_max: int, runs: int) -> Estimate | None:
        """The chance with one n_max; None where the design does not fit it."""
        key = n_max, runs
        if key not in self._seen:
            try:
                study = sized(self.aim, self.candidate, n_max, runs, [self.aim.under])
            except InputError:
                self._seen[key] = None
            else:
                found = self.work.simulate(study, earlier=self._scans.get(n_max))
                (self._seen[key],) = estimates(found, self.aim.wish.quantity)
                if runs == self.runs:
                    self.tried[n_max] = tallied(self.aim, n_max, found)
                else:
                    self._scans[n_max] = found
        return self._seen[key]


FAR = 3.0
"""Beyond this multiple of the expected n_max nothing is tried."""

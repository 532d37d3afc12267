"""What the pairs of a dose with concurrent controls show: streams that criteria know already.

A patient on a dose and one on the control, both of the same cohort, are a pair with outcomes x and
y. What the pair says is one number of the dose's stream, or nothing:

- Response, margin 0: only pairs in which one of the two responds count (discordant pairs), and
  the number is x. P(x = 1, y = 0) >= P(x = 0, y = 1) exactly if the dose's rate is at least the
  control's, so the stream is of responses with the target 1/2. If both rates are the same, it is
  a fair coin whatever they are, also if they change in time. After McNemar, Psychometrika 12:153,
  1947.
- Response, any margin: the difference x - y, which is 1, 0 or -1; the target is the margin. Its
  law at the target depends on the control's rate, so limits are made for the worst one. Without a
  margin, and with limits for any rate, its expected excess is D/sqrt(1/2) standard deviations of
  a pair, where D is the difference of the rates, and that of discordant pairs D/sqrt(q) with q
  the share of pairs that are: it needs fewer pairs where q is more than half.
- Response, any margin, by likelihood: both responses. The number is the difference, beside which
  the responders among the controls are counted: how much a difference says depends on how many
  respond at all. It is sharper than either of the above, most of all where few or many respond.
- Score: the difference x - y, normal with twice the variance; the target is the margin. What is
  added to all scores at a time is in both and cancels. Where the variance is unknown, the sum x + y
  may tell it beside the difference (`pooled_scores`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from gai_core.basics import jitable
from gai_core.evidence.outcomes.bernoulli import Bernoulli
from gai_core.evidence.outcomes.gaussian import Gaussian
from gai_core.evidence.outcomes.gaussian_unknown import GaussianUnknown
from gai_core.evidence.outcomes.outcome import Outcome
from gai_core.evidence.outcomes.pooled_scores import DifferencesUnknown, PooledDifferences
from gai_core.evidence.outcomes.rate_differences import RateDifferences, difference
from gai_core.evidence.outcomes.rate_pairs import RatePairs
from gai_core.evidence.outcomes.two_samples import TwoSamples

DISCORDANT = 0.5
"""Share of the pairs that is taken to be discordant where looks are planned by it: at equal rates
it is at most that, 2 p (1-p)."""


@jitable
def if_discordant(x: Any, y: Any) -> tuple[bool, Any]:
    """Counts if one of the two responds; in favour of the dose if it is the dose's patient."""
    return x != y, x


class DiscordantPairs(Bernoulli):
    """Pairs in which one patient of two responds: 1 if it is the one on the dose."""

    combine: ClassVar[Callable[..., Any]] = staticmethod(if_discordant)
    some_count: ClassVar[bool] = True
    noun: ClassVar[str] = "a discordant pair"
    plural: ClassVar[str] = "discordant pairs"
    limit_name: ClassVar[str] = "pairs in favour of the dose"
    count_name: ClassVar[str] = "discordant pairs of the dose"
    path_name: ClassVar[str] = "share in favour"
    mean_name: ClassVar[str] = "share of discordant pairs in favour"

    @property
    def axis_name(self) -> str:
        """What is on the axis of a figure."""
        return "share of discordant pairs in favour"


class Differences(Gaussian):
    """Differences of scores, with twice the variance of one score."""

    combine: ClassVar[Callable[..., Any]] = staticmethod(difference)
    noun: ClassVar[str] = "a difference from the control"
    plural: ClassVar[str] = "differences from the control"
    limit_name: ClassVar[str] = "mean difference"
    count_name: ClassVar[str] = "pairs of the dose"
    path_name: ClassVar[str] = "mean difference"
    mean_name: ClassVar[str] = "mean difference from the control"

    @property
    def axis_name(self) -> str:
        """What is on the axis of a figure."""
        return f"mean difference from the control{f', {self.endpoint}' if self.endpoint else ''}"


@dataclass(frozen=True)
class EvidenceStream:
    """What a dose's evidence is made of, and the mean of the stream that a good dose has.

    Limits, exact laws, decision tables and the loops ask it; who asks for the outcome of a
    patient asks the study.
    """

    outcome: Outcome
    target: float

    @property
    def paired(self) -> bool:
        """Whether the stream is of pairs with concurrent controls."""
        return self.outcome.combine is not None

    def mean(self, dose: float, control: float | None) -> float:
        """The mean of the stream, given those of the dose and of the control."""
        if not self.paired or control is None:
            return dose
        if not self.outcome.some_count:
            return dose - control
        for_dose, for_control = dose * (1 - control), control * (1 - dose)
        # With rates of 0 or 1 on both arms there is no such pair: neither is better.
        return for_dose / (for_dose + for_control) if for_dose + for_control > 0 else 0.5

    def spread(self, of_outcome: float) -> float:
        """The standard deviation of a number of the stream, given that of a score."""
        return of_outcome * math.sqrt(2) if self.paired else of_outcome

    @property
    def counting(self) -> float:
        """The share of what comes in that is taken to count."""
        return DISCORDANT if self.outcome.some_count else 1.0


BY_ALL_PAIRS: dict[str, type[RateDifferences]] = {
    "differences": RateDifferences,
    "likelihood": RatePairs,
}
"""How responses are counted where all pairs count, by the word of study files."""


POOLED = "pooled"
"""How scores of unknown variance are counted where both scores of a pair tell it."""


def of_pairs(
    outcome: Outcome, margin: float, *, counted_by: str, control_range: tuple[float, float]
) -> EvidenceStream | None:
    """The stream of a dose's pairs; None where there is none for such outcomes.

    Responses are counted by discordant pairs, or by all of them with limits for every rate of the
    control within the range. Scores of unknown variance may be pooled.
    """
    if isinstance(outcome, Bernoulli) and counted_by in BY_ALL_PAIRS:
        lowest, highest = control_range
        made_of = BY_ALL_PAIRS[counted_by]
        pairs = made_of(endpoint=outcome.endpoint, lowest=lowest, highest=highest)
        return EvidenceStream(pairs, margin)
    if isinstance(outcome, GaussianUnknown) and counted_by == POOLED:
        return EvidenceStream(PooledDifferences(**outcome.model_dump()), margin)
    made = PAIRS.get(type(outcome))
    return None if made is None else made(outcome, margin)


def as_samples(outcome: Outcome) -> Outcome:
    """The same pairs where dose and control are compared as two samples, if they can be."""
    return TwoSamples(**dict(outcome)) if type(outcome) is RatePairs else outcome


def _of_rates(outcome: Any, _margin: float) -> EvidenceStream:
    return EvidenceStream(DiscordantPairs(endpoint=outcome.endpoint), 0.5)


def _of_scores(outcome: Any, margin: float) -> EvidenceStream:
    # Not validated: twice the largest variance of a score is more than a score may have.
    both = {"kind": "gaussian", "endpoint": outcome.endpoint, "variance": 2 * outcome.variance}
    return EvidenceStream(Differences.model_construct(**both), margin)


def _of_unknown(outcome: Any, margin: float) -> EvidenceStream:
    return EvidenceStream(DifferencesUnknown(**outcome.model_dump()), margin)


PAIRS: dict[type[Outcome], Callable[[Any, float], EvidenceStream]] = {
    Bernoulli: _of_rates,
    Gaussian: _of_scores,
    GaussianUnknown: _of_unknown,
}
"""The stream of pairs for each kind of outcome that has one."""

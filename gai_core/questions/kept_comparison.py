"""A comparison at equal power without its trials, for those who keep many of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gai_core.questions.comparing import EqualPower, shown_quantities
from gai_core.results import DeclarationCurve

Place = tuple[str, str]
"""A truth and a design."""


@dataclass(frozen=True)
class KeptComparison(EqualPower):
    """What is said of the trials, computed once: chances, means, the largest, ratios."""

    values: Mapping[tuple[str, str, str], tuple[float, float]] = field(default_factory=dict)
    largest_seen: Mapping[Place, int] = field(default_factory=dict)
    ratios: Mapping[Place, tuple[float, float]] = field(default_factory=dict)
    averages: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    curves: Mapping[str, DeclarationCurve] = field(default_factory=dict)

    def value(self, truth: str, design: str, key: str) -> tuple[float, float]:
        """As it was computed from the trials."""
        return self.values[truth, design, key]

    def largest(self, truth: str, design: str) -> int:
        """The most patients that any fresh trial enrolled."""
        return self.largest_seen[truth, design]

    def ratio(self, truth: str, design: str) -> tuple[float, float]:
        """Patients enrolled relative to the benchmark."""
        return self.ratios[truth, design]

    def over_truths(self, design: str) -> tuple[float, float]:
        """The same, averaged over the truths that count."""
        return self.averages[design]

    def declarations(self, design: str) -> DeclarationCurve:
        """The chance of a declaration by N patients."""
        return self.curves[design]


def without_trials(found: EqualPower) -> KeptComparison:
    """The same comparison in a few kilobytes."""
    keys = dict.fromkeys((*shown_quantities(found.study), "good_declared", found.wish.quantity))
    places = [(truth.name, name) for truth in found.study.truths for name in found.reached]
    return KeptComparison(
        found.study,
        found.wish,
        found.under,
        found.plans,
        {name: replace(runs, trials={}) for name, runs in found.fresh.items()},
        found.against,
        {(*place, key): found.value(*place, key) for place in places for key in keys},
        {place: found.largest(*place) for place in places},
        {place: found.ratio(*place) for place in places},
        {name: found.over_truths(name) for name in found.reached},
        {name: found.declarations(name) for name in found.reached},
    )

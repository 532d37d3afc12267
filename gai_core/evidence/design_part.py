"""What rules and criteria have in common: for which kinds of outcome they work."""

from collections.abc import Callable
from dataclasses import dataclass

from gai_core.basics import Entry
from gai_core.evidence.outcomes import OUTCOMES, Outcome

Suits = Callable[[type[Outcome]], bool]


def any_kind(_kind: type[Outcome]) -> bool:
    """Nothing is asked of an outcome but what every kind answers."""
    return True


def only(*keys: str) -> Suits:
    """These kinds of outcome alone, if their spread is known."""
    return lambda kind: kind.key in keys and kind.knows_variance


@dataclass(frozen=True, kw_only=True)
class DesignPart(Entry):
    """A rule or a criterion: an entry that works for some kinds of outcome, or for all."""

    suits: Suits = any_kind
    """Whether it works for a kind, mostly because the kind says that it is able to something."""

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The kinds of outcome that it works for."""
        return tuple(key for key, kind in OUTCOMES.items() if self.suits(kind))

    def works_for(self, outcome: Outcome) -> bool:
        """Whether it works for the outcome of a study."""
        return self.suits(type(outcome))

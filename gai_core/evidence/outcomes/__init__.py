"""Kinds of outcome. To add one: write its file with its own `sample`, add it to this list."""

from collections.abc import Mapping
from typing import Any, TypeVar

from gai_core.basics import Registry
from gai_core.evidence.outcomes.bernoulli import Bernoulli
from gai_core.evidence.outcomes.gaussian import Gaussian
from gai_core.evidence.outcomes.gaussian_unknown import GaussianUnknown
from gai_core.evidence.outcomes.outcome import NumberField, Outcome
from gai_core.evidence.outcomes.pairs import EvidenceStream, as_samples, of_pairs
from gai_core.evidence.outcomes.rate_differences import RateDifferences
from gai_core.evidence.outcomes.rate_pairs import RatePairs

OUTCOMES: Registry[type[Outcome]] = Registry("kind of outcome", [Bernoulli, Gaussian])

VARIANTS: tuple[type[Outcome], ...] = (GaussianUnknown,)
"""Models that a kind has beside its first one; which of them is meant, the data say."""

Answer = TypeVar("Answer")


def for_kind(table: Mapping[type[Outcome], Answer], kind: type[Outcome]) -> Answer | None:
    """What a table says of a model, or of the one that it is a stream of; None if nothing."""
    return next((table[model] for model in kind.__mro__ if model in table), None)


def every_outcome() -> tuple[type[Outcome], ...]:
    """Every model of every kind."""
    return (*OUTCOMES.values(), *VARIANTS)


def model_of(data: Mapping[str, Any]) -> type[Outcome]:
    """The model that the data of an outcome mean; their kind must be known."""
    kind = data["kind"]
    variants = (model for model in VARIANTS if model.key == kind and model.describes(data))
    return next(variants, OUTCOMES[kind])


def named_outcomes() -> dict[str, type[Outcome]]:
    """Every model by a name of its own: its kind, and which of the kind's models it is."""
    return {name_of(model): model for model in every_outcome()}


def name_of(model: type[Outcome]) -> str:
    """`gaussian`, or `gaussian:unknown`."""
    return f"{model.key}:{model.variant}" if model.variant else model.key


__all__ = [
    "OUTCOMES",
    "VARIANTS",
    "Bernoulli",
    "EvidenceStream",
    "Gaussian",
    "GaussianUnknown",
    "NumberField",
    "Outcome",
    "RateDifferences",
    "RatePairs",
    "as_samples",
    "every_outcome",
    "for_kind",
    "model_of",
    "name_of",
    "named_outcomes",
    "of_pairs",
]

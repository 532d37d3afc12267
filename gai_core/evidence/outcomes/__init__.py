"""Kinds of outcome. To add one: write its file with its own `sample`, add it to this list."""

from gai_core.basics import Registry
from gai_core.evidence.outcomes.bernoulli import Bernoulli
from gai_core.evidence.outcomes.gaussian import Gaussian
from gai_core.evidence.outcomes.outcome import NumberField, Outcome

OUTCOMES: Registry[type[Outcome]] = Registry("kind of outcome", [Bernoulli, Gaussian])

__all__ = ["OUTCOMES", "Bernoulli", "Gaussian", "NumberField", "Outcome"]

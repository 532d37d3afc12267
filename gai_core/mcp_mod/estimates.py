"""What the data of many trials say about every arm, on the scale on which curves are fitted.

Scores: the arms' means, with the variance within arms pooled (analysis of variance). Rates:
generalised MCP-Mod (Pinheiro et al. 2014) on the logit scale. An arm in which nobody responds, or
everybody, has no finite logit, so half a responder and half a non-responder are added to every arm
(Firth's penalised likelihood, Biometrika 80:27, 1993, of a model with a rate for every arm); the
variance of a logit is 1/(x + 1/2) + 1/(n - x + 1/2), and curves are fitted with these as weights.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gai_core.mcp_mod.curve_shapes import Numbers


@dataclass(frozen=True)
class Totals:
    """The data of many trials, a column an arm: outcomes, their mean, their squares about it."""

    count: Numbers
    mean: Numbers
    squares: Numbers


@dataclass(frozen=True)
class Estimates:
    """A row per trial, a column per arm."""

    value: Numbers
    variance: Numbers
    """Estimated, of every value."""
    weight: Numbers
    """1/variance, up to sigma^2 where that is estimated from the same data."""
    df: Numbers
    """Per trial, degrees of freedom of the estimated variance; infinite for logits."""
    count: Numbers
    """Per trial, the number of outcomes."""
    within: Numbers | None = None
    """Per trial, the sum of squares within arms; None for logits."""

    def of(self, trials: NDArray[np.intp]) -> "Estimates":
        """Those of some trials."""
        within = None if self.within is None else self.within[trials]
        return Estimates(
            self.value[trials],
            self.variance[trials],
            self.weight[trials],
            self.df[trials],
            self.count[trials],
            within,
        )

    def criterion(self, misfit: Numbers, parameters: int) -> Numbers:
        """Akaike's criterion of fits whose weighted squares about the values are `misfit`.

        Scores: -2 log likelihood + 2 (p + 1), sigma^2 being the last parameter. Logits: the
        weighted squares + 2 p, the generalised criterion of Pinheiro et al. 2014.
        """
        if self.within is None:
            return misfit + 2 * parameters
        residual = (self.within + misfit) / self.count
        return np.asarray(
            self.count * (np.log(2 * np.pi * residual) + 1) + 2 * (parameters + 1), np.float64
        )


def of_scores(found: Totals) -> Estimates:
    """Means, and the pooled variance within arms over its degrees of freedom.

    A trial with an arm without an outcome, or with fewer than two degrees of freedom, estimates
    nothing: its variances are infinite, so that it shows nothing.
    """
    count, arms = found.count.sum(axis=1), found.count.shape[1]
    df, within = count - arms, found.squares.sum(axis=1)
    enough = (df >= 2) & (found.count > 0).all(axis=1)
    each, df = np.maximum(found.count, 1.0), np.where(enough, df, 2.0)
    pooled = np.where(enough, within / df, np.inf)
    return Estimates(found.mean, pooled[:, None] / each, each, df, count, within)


def of_rates(found: Totals) -> Estimates:
    """Logits of (x + 1/2) / (n + 1), with their variances."""
    yes = found.count * found.mean + 0.5
    no = found.count + 1 - yes
    variance = 1 / yes + 1 / no
    df = np.full(len(yes), np.inf)
    return Estimates(np.log(yes / no), variance, 1 / variance, df, found.count.sum(axis=1))


def rate(logit: Numbers) -> Numbers:
    """From a logit back to a response rate."""
    from scipy.special import expit

    return np.asarray(expit(logit))

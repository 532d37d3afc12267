"""MCP-Mod of many trials: is there a dose-response signal, and by which curve?

1. A contrast per candidate shape, best for it at equal variances. The largest t-statistic is
   compared with the quantile of the largest of all of them, so that any signal without a
   dose-response has chance alpha.
2. Of the shapes whose contrast is significant, the fitted curve with the smallest Akaike criterion
   is taken.
3. The curve says which mean every dose has.

Contrasts and the critical value are fixed before the data: for arms of equal size with equal
variances. For scores that is the plan; for logits it is what the null hypothesis says, where all
rates are equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gai_core.mcp_mod.contrasts import best_contrasts, curves_of, directions
from gai_core.mcp_mod.critical_value import chance_above, critical_values
from gai_core.mcp_mod.curve_shapes import Candidate, Numbers
from gai_core.mcp_mod.estimates import Estimates
from gai_core.mcp_mod.fitting import Fits, fit


@dataclass(frozen=True)
class Method:
    """What is fixed before the data: doses in units of the largest, shapes with guesses, alpha."""

    doses: Numbers
    """The control's first."""
    candidates: tuple[Candidate, ...]
    alpha: float

    @property
    def equal(self) -> Numbers:
        """Equal variances, for which contrasts are made."""
        return np.ones(self.doses.size)

    @cached_property
    def contrasts(self) -> Numbers:
        """A row per candidate."""
        return best_contrasts(curves_of(self.candidates, self.doses), self.equal)

    @cached_property
    def units(self) -> Numbers:
        """The statistics as unit vectors, whose products are their correlations."""
        return directions(self.contrasts, self.equal)

    def statistics(self, estimates: Estimates) -> Numbers:
        """c'm / sqrt(c'Sc), trial by trial (rows) and candidate by candidate."""
        # A score without any spread is as clear as can be; an infinite variance shows nothing.
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (estimates.value @ self.contrasts.T) / np.sqrt(
                estimates.variance @ (self.contrasts**2).T
            )
        return np.asarray(np.nan_to_num(found, nan=0.0))

    def limits(self, estimates: Estimates) -> Numbers:
        """The critical value of every trial."""
        return critical_values(self.alpha, self.units, estimates.df)

    def adjusted(self, statistic: float, df: float) -> float:
        """The multiplicity-adjusted p-value of a statistic above 0."""
        return chance_above(statistic, self.units, df)


@dataclass(frozen=True)
class Analysed:
    """Many trials analysed by one method."""

    signal: NDArray[np.bool_]
    """Per trial, whether any contrast is significant."""
    chosen: NDArray[np.int64]
    """Per trial, the position of the chosen candidate; -1 without a signal."""
    fitted: Numbers
    """Per trial and arm, the chosen curve on the scale of the estimates; NaN without a signal."""


def analyse_trials(method: Method, estimates: Estimates) -> Analysed:
    """Test, choice and curve of every trial."""
    statistics, limits = method.statistics(estimates), method.limits(estimates)
    significant = statistics > limits[:, None]
    signal = np.asarray(significant.any(axis=1))
    found = np.flatnonzero(signal)
    chosen = np.full(signal.size, -1, np.int64)
    fitted = np.full(estimates.value.shape, np.nan)
    if found.size:
        fits = fits_of(method, estimates.of(found))
        criteria = np.array([one.criterion for one in fits]).T
        best = np.where(significant[found], criteria, np.inf).argmin(axis=1)
        curves = np.array([one.at(method.doses) for one in fits])
        chosen[found], fitted[found] = best, curves[best, np.arange(found.size)]
    return Analysed(signal, chosen, fitted)


def fits_of(method: Method, estimates: Estimates) -> Sequence[Fits]:
    """Every candidate fitted to every trial."""
    return [fit(candidate, method.doses, estimates) for candidate in method.candidates]


def dose_reaching(fits: Fits, difference: float) -> float:
    """The smallest dose, in units of the largest, whose fitted mean is so much above the control's.

    Of the first trial; NaN where no dose up to the largest is.
    """
    from scipy.optimize import brentq

    def above(dose: float) -> float:
        at_control, here = fits.at(np.array([0.0, dose]))[0]
        return float(here - at_control - difference)

    doses = np.linspace(0, 1, 2_001)
    curve = fits.at(doses)[0]
    reached = np.flatnonzero(curve - curve[0] >= difference)
    if not reached.size:
        return float("nan")
    first = int(reached[0])
    return 0.0 if first == 0 else float(brentq(above, doses[first - 1], doses[first], xtol=1e-12))

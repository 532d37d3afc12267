"""Limits of `exact` at a larger rate, for which simulated trials err within alpha.

`exact` bounds what doses err by the sum over doses, each with all the patients it could get. A
trial errs less than that: its doses share the patients, and it may end early. How much less depends
on allocation and conduct and is not computed but simulated: `questions/calibrating.py` finds the
rate `nominal` for which the trials of one study err within alpha. It is stamped with what it was
found for (`study/calibrated.py`), because it holds for nothing else.
"""

from dataclasses import replace
from typing import Any

from pydantic import Field

from gai_core.basics import Problem, searched
from gai_core.criteria.criterion import Criterion, Guarantee
from gai_core.criteria.exact import EXACT, ExactParameters, allowance, look_counts
from gai_core.evidence import Curves, ErrorRates, Setting

LARGEST_NOMINAL = 0.9


class SimulatedParameters(ExactParameters):
    """Those of `exact`, and the rate that was found by simulation."""

    nominal: float | None = Field(
        default=None,
        gt=0,
        le=LARGEST_NOMINAL,
        title="Rate that the limits for declaring are made for",
        description="Found by simulation (gai calibrate): alpha is kept though it is larger. "
        "Without it limits are those of exact.",
        json_schema_extra=searched(),
    )
    calibrated_for: str = Field(
        default="",
        max_length=64,
        title="What it was found for",
        description="A stamp of the study and the design, written by gai calibrate.",
        json_schema_extra=searched(),
    )

    @property
    def limits(self) -> ExactParameters:
        """Those of `exact` alone."""
        return ExactParameters(**self.model_dump(exclude={"nominal", "calibrated_for"}))


def at_nominal(setting: Setting, parameters: SimulatedParameters) -> Setting:
    """The setting that the limits are made for: a larger rate for declaring, once it is found."""
    if parameters.nominal is None:
        return setting
    errors = ErrorRates(declare=parameters.nominal, drop=setting.errors.drop)
    return replace(setting, errors=errors)


def curves(setting: Setting, parameters: SimulatedParameters) -> Curves:
    """Those of `exact` at the rate that was found."""
    return EXACT.curves(at_nominal(setting, parameters), parameters.limits)


def problem(setting: Setting, parameters: SimulatedParameters) -> Problem | None:
    """An error that is not shared in equal parts, or what `exact` could not do either."""
    if parameters.share not in ("bonferroni", "sidak"):
        rule = "must be bonferroni or sidak where the error is found by simulation"
        return Problem(("share",), rule, f"is {parameters.share}")
    return EXACT.problem(at_nominal(setting, parameters), parameters.limits)


def _allowance(setting: Setting, parameters: Any) -> float:
    """That of `exact`: what is proven of one dose, not what was found by simulation."""
    return allowance(setting, parameters.share)


def _guarantee(parameters: Any) -> Guarantee:
    """Without a rate that was found, limits are those of `exact`, and so is what they promise."""
    return EXACT.guarantee if parameters.nominal is None else "simulated"


SIMULATED = Criterion(
    key="simulated",
    label="As exact, with the rate that simulated trials keep (no proof)",
    formula=f"{EXACT.formula.partition(';')[0]} at the nominal rate instead of alpha",
    citation="Simulated: of a calibrated design the upper 99.9% limit of the error over the worst "
    "corners is within alpha",
    suits=EXACT.suits,
    parameters=SimulatedParameters,
    guarantee="simulated",
    promises=(
        "At a rate that was found by calibration, the chance of any false declaration was at most "
        "alpha in simulated trials of this design in this study, with an upper 99.9% limit, "
        "whichever doses are just below the target and the others far off. It is not proven, and "
        "holds for no other design, size or conduct. Without such a rate limits are those of exact."
    ),
    curves=curves,
    guarantee_by=_guarantee,
    allowance=_allowance,
    problem=problem,
    looks=lambda setting, parameters: look_counts(setting, parameters.limits),
    evidence=lambda outcome, parameters: EXACT.evidence(outcome, parameters.limits),
    once_at_end=lambda parameters: parameters.once_at_end,
    needs_one_rate=lambda parameters: EXACT.needs_one_rate(parameters.limits),
)

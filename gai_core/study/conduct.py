"""How a trial is run: accrual, delay, cohorts, looks, randomisation, dropout, control.

`Conduct` is the `[conduct]` part of a study file; `terms` gives the same in numbers, for the
compiled loop. docs/conduct.md says step by step how such a trial goes.
"""

import math
from collections.abc import Iterable
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, FiniteFloat
from pydantic_core import PydanticCustomError

from gai_core.basics import FrozenModel, Place, Problem, shown
from gai_core.evidence import Outcome
from gai_core.study.conduct_steps import (
    AS_CHOSEN,
    BLOCKS,
    EXPONENTIAL,
    FIXED,
    LOGNORMAL,
    MIXED,
    SOFTENED,
    UNIFORM,
    ConductNumbers,
    enrolment_month,
)

WEEKS_PER_MONTH = 365.25 / 7 / 12
OF_WHOM = (
    "must be false where dropout depends on {noun}, because the mean of those who stay does not "
    "follow from the stated one"
)
LONGEST_QUEUE = 10_000
"""Patients in the pipeline up to which outcomes that overtake each other are sorted quickly."""

SHORTEST = 0.01
"""Months or weeks: what is shorter, but not nothing, is no time that anybody plans with."""
MOST_DROPOUT = 0.99
MOST_LOOKS = 1_000_000
"""Looks after so many weeks each, until all patients are enrolled."""


def _duration(value: float) -> float:
    if 0 < value < SHORTEST:
        raise PydanticCustomError("duration", f"must be 0 or at least {SHORTEST:g}")
    return value


Duration = Annotated[FiniteFloat, AfterValidator(_duration)]
"""A time that may be nothing."""
LookAt = Annotated[int, Field(le=1_000_000)]
Parts = Annotated[int, Field(ge=1, le=100)]

DELAYS = {"fixed": FIXED, "uniform": UNIFORM, "exponential": EXPONENTIAL, "lognormal": LOGNORMAL}
RANDOMISATIONS = {"blocks": BLOCKS, "rule": AS_CHOSEN, "mixed": MIXED, "softened": SOFTENED}


class Accrual(FrozenModel):
    """How patients come in."""

    per_month: FiniteFloat = Field(
        default=20.0,
        ge=0.01,
        le=100_000,
        description="Patients per month, once all centres recruit.",
    )
    pattern: Literal["constant", "poisson"] = Field(
        default="constant", description="At even intervals, or at random (a Poisson process)."
    )
    ramp_up: Duration = Field(
        default=0.0,
        ge=0,
        le=240,
        description="Months in which the rate rises evenly from zero; 0, or at least 0.01.",
    )


class Delay(FrozenModel):
    """Time from enrolment to outcome."""

    weeks: Duration = Field(
        default=0.0,
        ge=0,
        le=1040,
        description="Weeks from enrolment to outcome, on average; 0, or at least 0.01.",
    )
    pattern: Literal["fixed", "uniform", "exponential", "lognormal"] = Field(
        default="fixed", description="How the time differs from patient to patient."
    )
    spread: FiniteFloat = Field(
        default=0.0,
        ge=0,
        le=1040,
        description="Weeks: half the width of a uniform delay, standard deviation of a lognormal.",
    )

    @property
    def months(self) -> float:
        """The mean delay in months."""
        return self.weeks / WEEKS_PER_MONTH

    @property
    def varies(self) -> bool:
        """Whether it differs from patient to patient."""
        return self.pattern == "exponential" or self.spread > 0

    @property
    def least_months(self) -> float:
        """The months that no outcome comes sooner than."""
        bounded = self.pattern in ("fixed", "uniform")
        return (self.weeks - self.spread) / WEEKS_PER_MONTH if bounded else 0.0

    @property
    def in_numbers(self) -> tuple[int, float, float]:
        """Kind, location and scale in months; of the logarithm where it is lognormal."""
        scale = self.spread / WEEKS_PER_MONTH
        if self.pattern != "lognormal":
            return DELAYS[self.pattern], self.months, scale
        variance = math.log1p((self.spread / self.weeks) ** 2)
        return LOGNORMAL, math.log(self.months) - variance / 2, math.sqrt(variance)


class Looks(FrozenModel):
    """When verdicts can be given: one of the three, and always at the end."""

    outcomes: int | None = Field(
        default=None, ge=1, le=1_000_000, description="After every so many outcomes."
    )
    weeks: FiniteFloat | None = Field(
        default=None, ge=SHORTEST, le=1040, description="Every so many weeks."
    )
    at: Annotated[tuple[LookAt, ...], Field(strict=False, min_length=1, max_length=1000)] | None = (
        Field(default=None, description="When this many outcomes are in, for example [100, 200].")
    )


class Randomisation(FrozenModel):
    """How the next dose follows from the allocation rule."""

    kind: Literal["blocks", "rule", "mixed", "softened"] = Field(
        default="blocks",
        description=(
            "The rule's choices for a cohort in random order, the control's places among them; "
            "each choice as it is, one after the other; that choice, but now and then any "
            "undecided dose; or every undecided dose with a chance that grows with its score."
        ),
    )
    share: FiniteFloat = Field(
        default=0.2, ge=0, le=1, description="mixed: share of patients that get any undecided dose."
    )
    softness: FiniteFloat = Field(
        default=0.5,
        ge=0.001,
        le=1000,
        description="softened: the lowest score has exp(-1/softness) the chance of the highest.",
    )
    ratio: (
        Annotated[tuple[Parts, ...], Field(strict=False, min_length=1, max_length=100)] | None
    ) = Field(
        default=None,
        description=(
            "Patients of the doses to each other where they are spread evenly, for example "
            "[2, 1, 1]: one whole number for every arm with a verdict. Left out: all alike."
        ),
    )


class Dropout(FrozenModel):
    """Patients without an outcome, and what becomes of them."""

    probability: FiniteFloat = Field(
        ge=0, le=MOST_DROPOUT, description="Chance that a patient drops out."
    )
    probability_on_target: FiniteFloat | None = Field(
        default=None,
        ge=0,
        le=MOST_DROPOUT,
        description=(
            "The same for a patient whose outcome would reach the target (a responder), if it is "
            "another one."
        ),
    )
    counted: Literal["non-response", "baseline", "left out"] = Field(
        description=(
            "As a non-responder (response rates), as no improvement (scores), or not at all."
        )
    )
    in_means: bool = Field(
        default=True,
        description=(
            "Whether the stated means were found with dropouts counted as zero, as published "
            "response rates usually are. Then they are not lowered once more."
        ),
    )

    @property
    def on_target(self) -> float:
        """Chance of dropout of a patient whose outcome would reach the target."""
        other = self.probability_on_target
        return self.probability if other is None else other

    @property
    def left_out(self) -> bool:
        """Whether dropouts are left out of the data."""
        return self.counted == "left out"

    @property
    def missing_share(self) -> float:
        """Share of the outcomes that are missing; where it depends on them, the larger one."""
        return max(self.probability, self.on_target) if self.left_out else 0.0

    def missing_in(self, pairs: bool) -> float:
        """Share of what evidence is made of that is missing: a pair needs both its patients."""
        share = self.missing_share
        return 1 - (1 - share) ** 2 if pairs else share

    @property
    def depends_on_outcome(self) -> bool:
        """Whether dropping out says something about the outcome."""
        return self.on_target != self.probability

    def bends(self, whole: bool) -> bool:
        """Whether outcomes are no longer distributed as without dropouts, at whatever mean.

        Some of those of a response (`whole`) become others, all of them 0 or 1; scores get a share
        of zeros.
        """
        if self.left_out:
            return self.depends_on_outcome
        return not whole and self.probability > 0


class Conduct(FrozenModel):
    """How the trial is run, beyond the allocation and decision rules."""

    accrual: Accrual = Accrual()
    delay: Delay = Delay()
    cohort: int = Field(
        default=1, ge=1, le=100_000, description="Patients whose allocation is decided at a time."
    )
    looks: Looks = Looks()
    randomisation: Randomisation = Randomisation()
    dropout: Dropout | None = None
    control_share: FiniteFloat | None = Field(
        default=None,
        ge=0.01,
        le=0.9,
        description="Share of all patients on the control, which then is no candidate.",
    )
    wanted: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description=(
            "Enrolment ends when so many doses are declared; the same as `wanted` at the top of a "
            "study, where it may stand too."
        ),
    )

    @property
    def look_outcomes(self) -> int:
        """Outcomes from look to look; 0 if looks are planned otherwise. By default the cohort."""
        if self.looks.weeks is not None or self.looks.at is not None:
            return 0
        return self.looks.outcomes or self.cohort

    @property
    def pipeline(self) -> float:
        """Patients expected to wait for their outcome: accrual x delay (Little's law)."""
        return self.accrual.per_month * self.delay.months

    def months(self, patients: float) -> float:
        """Months until so many patients are enrolled, with accrual at even intervals."""
        accrual = self.accrual
        return float(enrolment_month(patients, accrual.per_month, accrual.ramp_up))

    def patients_by(self, months: NDArray[np.float64]) -> NDArray[np.float64]:
        """Patients expected by these months: the inverse of `months`."""
        rate, ramp_up = self.accrual.per_month, self.accrual.ramp_up
        if not ramp_up:
            return rate * months
        rising = rate * months**2 / (2 * ramp_up)
        return np.where(months < ramp_up, rising, rate * (months - ramp_up / 2))

    def problems(self, outcome: Outcome, n_max: int) -> list[Problem]:
        """What does not fit together, with places inside the conduct."""
        return [
            *self._delay_problems(n_max),
            *self._look_problems(n_max),
            *self._dropout_problems(outcome),
        ]

    def _delay_problems(self, n_max: int) -> Iterable[Problem]:
        delay = self.delay
        spread: Place = ("delay", "spread")
        if delay.pattern == "uniform" and delay.spread > delay.weeks:
            rule = f"must be at most the {delay.weeks:g} weeks of a uniform delay"
            yield Problem(spread, rule, f"is {delay.spread:g}")
        if delay.pattern == "lognormal" and not delay.weeks:
            yield Problem(("delay", "weeks"), "must be greater than 0 if lognormal", "is 0")
        if delay.pattern in ("fixed", "exponential") and delay.spread:
            value = f"the delay is {delay.pattern}"
            yield Problem(spread, "belongs to a uniform or lognormal delay", value)
        queue = min(self.pipeline, n_max)
        if delay.pattern != "fixed" and queue > LONGEST_QUEUE:
            rule = (
                f"must be fixed where more than {LONGEST_QUEUE:,} patients wait for their outcome"
            )
            yield Problem(("delay", "pattern"), rule, f"{queue:,.0f} would")

    def _look_problems(self, n_max: int) -> Iterable[Problem]:
        looks = self.looks
        given = [name for name in ("outcomes", "weeks", "at") if getattr(looks, name) is not None]
        if len(given) > 1:
            yield Problem(("looks",), "must have one of outcomes, weeks, at", f"has {given}")
        if looks.at is not None and (min(looks.at) < 1 or len(set(looks.at)) < len(looks.at)):
            rule = "must be different numbers from 1 on"
            yield Problem(("looks", "at"), rule, f"is {shown(list(looks.at))}")
        weeks = WEEKS_PER_MONTH * self.months(n_max)
        if looks.weeks is not None and weeks / looks.weeks > MOST_LOOKS:
            rule = (
                f"must be at least {weeks / MOST_LOOKS:.2g}, for at most {MOST_LOOKS:,} looks in "
                f"the {weeks:,.0f} weeks until n_max = {n_max:,} patients are enrolled"
            )
            yield Problem(("looks", "weeks"), rule, f"is {looks.weeks:g}")

    def _dropout_problems(self, outcome: Outcome) -> Iterable[Problem]:
        dropout, fitting = self.dropout, outcome.dropouts_count_as
        if dropout is None:
            return
        mixed = dropout.depends_on_outcome and not outcome.all_or_nothing
        if dropout.left_out:
            if mixed and dropout.in_means:
                rule = OF_WHOM.format(noun=outcome.noun)
                yield Problem(("dropout", "in_means"), rule, "is true")
        elif dropout.counted != fitting:
            rule = f'must be "{fitting}" or "left out" for {outcome.kind} outcomes'
            yield Problem(("dropout", "counted"), rule, f'is "{dropout.counted}"')
        elif mixed:
            rule = f"needs dropouts that are left out if the outcome is {outcome.noun}"
            value = f'they are counted as "{dropout.counted}"'
            yield Problem(("dropout", "probability_on_target"), rule, value)


NO_CONTROL = -1


def terms(conduct: Conduct, control: int | None) -> ConductNumbers:
    """The numbers of a conduct; `control` is the position of the control, if it is set apart."""
    accrual, looks, randomisation = conduct.accrual, conduct.looks, conduct.randomisation
    kind, delay, scale = conduct.delay.in_numbers
    dropout = conduct.dropout
    return ConductNumbers(
        per_month=accrual.per_month,
        ramp_up=accrual.ramp_up,
        poisson=accrual.pattern == "poisson",
        delay_kind=kind,
        delay=delay,
        delay_scale=scale,
        cohort=conduct.cohort,
        look_outcomes=conduct.look_outcomes,
        look_months=math.inf if looks.weeks is None else looks.weeks / WEEKS_PER_MONTH,
        randomisation=RANDOMISATIONS[randomisation.kind],
        share=randomisation.share,
        softness=randomisation.softness,
        dropout=dropout.probability if dropout else 0.0,
        dropout_on_target=dropout.on_target if dropout else 0.0,
        left_out=bool(dropout and dropout.left_out),
        control=NO_CONTROL if control is None else control,
        control_share=conduct.control_share or 0.0,
    )


def look_numbers(conduct: Conduct) -> NDArray[np.int64]:
    """The numbers of outcomes at which verdicts are given, if they are given one by one."""
    return np.array(sorted(conduct.looks.at or ()), np.int64)

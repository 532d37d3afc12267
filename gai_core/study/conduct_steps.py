"""A conduct in numbers, and the small steps that the compiled loop takes with them.

Plain functions of numbers and arrays, marked for the compiler. Times are in months.
"""

import math
from typing import NamedTuple

from gai_core.basics import jitable
from gai_core.evidence import Stream, normal, uniform

FIXED, UNIFORM, EXPONENTIAL, LOGNORMAL = range(4)
"""Kinds of delay."""
AS_CHOSEN, BLOCKS, MIXED, SOFTENED = range(4)
"""Kinds of randomisation; from MIXED on chance has a say in which dose is chosen."""


class ConductNumbers(NamedTuple):
    """A conduct in numbers, as the compiled loop takes it."""

    per_month: float
    ramp_up: float
    poisson: bool
    delay_kind: int
    delay: float
    delay_scale: float
    cohort: int
    look_outcomes: int
    look_months: float
    randomisation: int
    share: float
    softness: float
    dropout: float
    dropout_on_target: float
    left_out: bool
    control: int
    control_share: float


@jitable
def enrolment_month(patients: float, per_month: float, ramp_up: float) -> float:
    """When so many patients have come: the inverse of the patients expected by a month.

    By month m that is per_month m^2 / (2 ramp_up) during the ramp-up, and
    per_month (m - ramp_up/2) after it.
    """
    if patients < per_month * ramp_up / 2.0:
        return math.sqrt(2.0 * ramp_up * patients / per_month)
    return patients / per_month + ramp_up / 2.0


@jitable
def draw_gap(stream: Stream) -> tuple[float, Stream]:
    """A standard exponential number: the gap of a Poisson process with one patient per unit."""
    u, stream = uniform(stream)
    return -math.log(1.0 - u), stream


@jitable
def draw_delay(stream: Stream, kind: int, location: float, scale: float) -> tuple[float, Stream]:
    """Months from one patient's enrolment to the outcome."""
    if kind == FIXED:
        return location, stream
    if kind == LOGNORMAL:
        z, stream = normal(stream)
        return math.exp(location + scale * z), stream
    if kind == EXPONENTIAL:
        gap, stream = draw_gap(stream)
        return location * gap, stream
    u, stream = uniform(stream)
    return location + scale * (2.0 * u - 1.0), stream


@jitable
def control_patients(patients: int, share: float) -> int:
    """How many of the first so many patients are on the control: floor(patients x share)."""
    return math.floor(patients * share)

"""A conduct in numbers, and the small steps that the compiled loop takes with them.

Plain functions of numbers and arrays, marked for the compiler. Times are in months.
"""

import math
from typing import Any, NamedTuple

from gai_core.basics import jitable
from gai_core.evidence import Stream, normal, uniform

FIXED, UNIFORM, EXPONENTIAL, LOGNORMAL = range(4)
"""Kinds of delay."""
AS_CHOSEN, MIXED, SOFTENED = range(3)
"""Kinds of randomisation."""


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
    wanted: int


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


@jitable
def join(queue: Any, due: Any, patient: int, first: int) -> None:
    """Put a new patient into the queue, behind all whose outcome is due by the same time."""
    place = patient
    while place > first and due[queue[place - 1]] > due[patient]:
        queue[place] = queue[place - 1]
        place -= 1
    queue[place] = patient


@jitable
def fewest(open_arms: Any, left: int, assigned: Any, lost: Any, last: int) -> int:
    """The eligible arm with the fewest patients, the first of equals; -1 if there is none."""
    chosen = -1
    for k in range(left):
        arm = open_arms[k]
        room = assigned[arm] - lost[arm] < last
        if room and (chosen < 0 or assigned[arm] < assigned[chosen]):
            chosen = arm
    return chosen


@jitable
def softened(eligible: Any, values: Any, count: int, softness: float, u: float) -> int:
    """The arm that a uniform number picks by weights exp(-(best - v)/(softness (best - worst))).

    The scores in `values` are replaced by the weights.
    """
    best, worst = values[:count].max(), values[:count].min()
    span = softness * (best - worst) if best > worst else 1.0
    total = 0.0
    for k in range(count):
        values[k] = math.exp((values[k] - best) / span)
        total += values[k]
    reached = 0.0
    for k in range(count):
        reached += values[k]
        if reached > u * total:
            return int(eligible[k])
    return int(eligible[count - 1])

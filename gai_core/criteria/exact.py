"""Curves calibrated so that an arm at the threshold errs with exactly its share of delta.

A trial with a largest sample size need not pay for eternity. A shape with one
constant c is given; c is the smallest one for which the exactly computed chance
that an arm with mean xi ever crosses by the last look is at most alpha. Monotone
coupling makes xi the worst mean. With one look this is the classical exact test.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from pydantic import Field, PositiveInt

from gai_core.basics import (
    InputError,
    Parameters,
    Problem,
    choices_in_words,
    matters_if,
    remembered,
    shown,
    source_hash,
)
from gai_core.criteria.criterion import ANY_WRONG, Criterion
from gai_core.criteria.looks import (
    EqualLooks,
    LookNumbers,
    equal_counts,
    equal_share,
    patients_for,
)
from gai_core.criteria.mixture import normal_excess
from gai_core.criteria.posterior import USUAL_PRIOR_PATIENTS, posterior_boundary
from gai_core.criteria.shapes import SHAPES
from gai_core.criteria.shapes import Boundary as OfConstant
from gai_core.criteria.sides import Boundary, Numbers, one_sided, two_sided
from gai_core.evidence import ROUNDING, Curves, Setting

GRID_STEPS = 0.5, 0.25
TOLERANCES = 5e-3, 1e-5
"""Where chances do not go in steps, the search goes from a coarse quadrature to the fine one."""
CLOSE = 1e-9
LARGEST_ALLOWANCE = 0.4
"""Near 1/2 the two curves of a look would meet: no arm is allowed more error than this."""
USED_UP_WITHIN = 200_000
"""Looks times patients up to which what the lattice leaves over is used up."""


class ExactParameters(Parameters):
    """Shape of the curves, how the error is shared, when an arm is looked at."""

    shape: Literal["pocock", "obrien-fleming", "mixture", "posterior"] = Field(
        default="pocock",
        title="How strict early looks are",
        json_schema_extra=choices_in_words({key: shape.words for key, shape in SHAPES.items()}),
        description="Early looks: as strict as late ones, very strict, or between.",
    )
    share: Literal["bonferroni", "sidak"] = Field(
        default="bonferroni",
        title="Error allowed to one dose",
        json_schema_extra=choices_in_words(
            {
                "bonferroni": "equal parts of the error rate (Bonferroni)",
                "sidak": "a little more, as doses are independent (Sidak)",
            }
        ),
        description="Error of one arm: delta/K, or 1-(1-delta)^(1/K) as the arms are independent.",
    )
    looks: LookNumbers = Field(
        default=1,
        title="Looks at a dose",
        description="Judged after every so many patients, at these numbers, at the end, or so many "
        "times at equal distances: { equal = 4 }.",
    )
    largest: PositiveInt | None = Field(
        default=None,
        title="Patients on one dose at most",
        description="Patients on an arm at most, if less than n_max. Not with a list of looks.",
    )
    largest_share: float | None = Field(
        default=None,
        ge=1,
        le=100,
        title="Patients on one dose at most, in equal shares",
        description="Instead of largest: as a multiple of n_max/K, so that it grows with n_max.",
    )
    prior_patients: float = Field(
        default=USUAL_PRIOR_PATIENTS,
        ge=0.01,
        le=1e4,
        title="Patients that the prior is worth",
        description="Shape posterior: weight of the prior, which is centred on the target.",
        json_schema_extra=matters_if(shape="posterior"),
    )

    @property
    def once_at_end(self) -> bool:
        """Whether every arm is judged once, when it has all its patients."""
        return self.looks == "end"


def last_look(setting: Setting, parameters: ExactParameters) -> int:
    """The number of patients of an arm at which it is judged for the last time."""
    if isinstance(parameters.looks, tuple):
        return parameters.looks[-1]
    equally, most = setting.equal_count, setting.largest_count
    if parameters.once_at_end:
        most = equally
    elif isinstance(parameters.looks, EqualLooks):
        most = equal_share(setting)
    shares = parameters.largest_share
    largest = parameters.largest if shares is None else math.floor(shares * equally)
    return min(largest or most, most)


def look_counts(setting: Setting, parameters: ExactParameters) -> Numbers:
    """The numbers of patients of an arm at which it is judged, from the burn-in on."""
    end, looks = last_look(setting, parameters), parameters.looks
    if isinstance(looks, tuple):
        counts = np.array(looks, float)
    elif isinstance(looks, EqualLooks):
        counts = equal_counts(looks.equal, end)
    elif looks == "end":
        counts = np.array([float(end)])
    else:
        counts = np.union1d(np.arange(looks, end + 1, looks, dtype=float), [end])
    return counts[counts >= setting.first_verdict]


def problem(setting: Setting, parameters: ExactParameters) -> Problem | None:
    """Looks beyond n_max, no look at all, or more than can be calibrated in seconds."""
    looks, end = parameters.looks, last_look(setting, parameters)
    listed = isinstance(looks, tuple)
    if listed and parameters.largest is not None:
        rule = "must not be given with a list of looks"
        return Problem(("largest",), rule, f"is {parameters.largest}")
    if parameters.largest_share is not None and (listed or parameters.largest is not None):
        other = "a list of looks" if listed else "largest"
        value = f"is {parameters.largest_share:g}"
        return Problem(("largest_share",), f"must not be given with {other}", value)
    if end > setting.largest_count:
        rule = f"must not go beyond n_max = {setting.most_patients}"
        if setting.most_on_one is not None:
            rule = f"must not go beyond the {setting.most_on_one} pairs that a dose gets at most"
        return Problem(("looks",), rule, f"goes to {shown(end)}")
    if isinstance(looks, int) and looks > end:
        rule = f"must not go beyond the {end} patients an arm gets at most"
        return Problem(("looks",), rule, f"is {shown(looks)}")
    if isinstance(looks, EqualLooks) and looks.equal > end:
        rule = f"must not be more than the {end} patients an arm gets under equal allocation"
        return Problem(("looks", "equal"), rule, f"is {looks.equal}")
    first, least = setting.first_verdict, setting.outcome.smallest_calibration
    if end < first:
        name = "looks" if parameters.largest is None else "largest"
        name = name if parameters.largest_share is None else "largest_share"
        why = "burn-in of" if first == setting.burn_in else "first possible verdict, at"
        return Problem((name,), f"must reach the {why} {first}", f"ends at {end}")
    if min(_allowances(setting, parameters)) < least:
        return Problem(
            ("share",),
            f"must leave one dose an error of at least {least:g} where the variance is unknown",
            f"{parameters.share} leaves it {min(_allowances(setting, parameters)):.3g}",
            "raise the error rate, or choose the criterion mixture, which needs no calibration",
        )
    limit = setting.outcome.largest_calibration
    if end > limit:
        return Problem(
            ("looks" if listed else "largest",),
            f"must be at most {limit} for {setting.outcome.kind} outcomes, because the calibration "
            "would take minutes",
            f"is {end}",
            "set largest to the patients that one arm can get at most, or choose the criterion "
            "mixture, which needs no calibration",
        )
    return None


def allowance(setting: Setting, share: str) -> float:
    """The error that one arm may make in being declared."""
    error = setting.errors.declare
    if share == "sidak":
        return min(-math.expm1(math.log1p(-error) / setting.arms), LARGEST_ALLOWANCE)
    return min(error / setting.arms, LARGEST_ALLOWANCE)


def _allowances(setting: Setting, parameters: ExactParameters) -> list[float]:
    """The errors that one arm may make: in being declared, and in being dropped."""
    rates = setting.errors.declare, setting.errors.drop
    return [allowance(setting.at(rate), parameters.share) for rate in rates]


def curves(setting: Setting, parameters: ExactParameters) -> Curves:
    """Good, or bad, at a look where the sum is c of the shape beyond n xi."""
    end = last_look(setting, parameters)
    if parameters.once_at_end and setting.missing:
        cut = replace(setting, most_patients=end)
        return replace(two_sided(cut, _one_look(parameters)), only_at_end=True)
    if parameters.once_at_end or isinstance(parameters.looks, EqualLooks):
        looks = tuple(look_counts(setting, parameters).astype(int).tolist())
        end = patients_for(setting, parameters.looks, end)
        parameters = parameters.model_copy(update={"looks": looks, "largest": None})
    elif parameters.largest_share is not None:
        parameters = parameters.model_copy(update={"largest": end})
    # In the narrowed setting a share would be of something else: from here on `largest` counts.
    parameters = parameters.model_copy(update={"largest_share": None})
    setting = replace(setting, most_patients=end)

    return two_sided(setting, lambda side: _side(side, parameters))


def _one_look(parameters: ExactParameters) -> Boundary:
    """The greatest sum after n patients that the exact test does not reject.

    One test at whatever number of outcomes there is in the end, for each n by itself: valid
    where that number does not depend on the outcomes.
    """

    def boundary(side: Setting) -> Numbers:
        alpha = allowance(side, parameters.share)
        return side.outcome.test_limit(alpha, side.counts[1:], side.target)

    return boundary


@functools.lru_cache(maxsize=256)
def _side(setting: Setting, parameters: ExactParameters) -> Numbers:
    """The calibrated boundary above xi for n = 1, 2, ...: infinite where there is no look."""
    looks, xi = look_counts(setting, parameters), setting.target
    if looks.size == 1 and setting.outcome.in_closed_form:
        alpha = allowance(setting, parameters.share)
        test = setting.outcome.test_limit(alpha, looks, xi)
        return _at_all_counts(setting, looks, lambda _c: test)(0.0)
    boundary = _at_all_counts(setting, looks, _shape(setting, parameters, xi, looks))
    c = _constant(setting, parameters, xi)
    coarse = looks.size * looks[-1] <= USED_UP_WITHIN
    if setting.outcome.whole and coarse:
        return _used_up(setting, parameters, xi, boundary(c))
    return boundary(c)


def _shape(setting: Setting, parameters: ExactParameters, xi: float, looks: Numbers) -> OfConstant:
    """The boundary at the looks as a function of c."""
    shape = SHAPES[parameters.shape]
    return shape.boundary(setting.outcome, xi, looks, parameters.prior_patients)


def _at_all_counts(setting: Setting, looks: Numbers, shape: OfConstant) -> OfConstant:
    def boundary(c: float) -> Numbers:
        result = np.full(setting.most_patients, np.inf)
        result[looks.astype(int) - 1] = shape(c)
        return result

    return boundary


@functools.lru_cache(maxsize=256)
def _constant(setting: Setting, parameters: ExactParameters, xi: float) -> float:
    """The calibrated c of one side, kept between runs."""
    if setting.outcome.shifts:
        xi = 0.0  # a shift of all sums changes nothing
    from gai_core.evidence.crossing import law

    outcome = setting.outcome
    of_outcome = outcome.crossing, outcome.least_sum, outcome.never
    made_by: list[Callable[..., Any]] = [
        curves,
        normal_excess,
        posterior_boundary,
        SHAPES[parameters.shape].boundary,
        law,
        two_sided,
        *of_outcome,
        *outcome.law_functions(),
    ]
    version = source_hash(made_by)
    if version is None:
        return _calibrate(setting, parameters, xi)
    key = f"{version} {setting!r} {parameters!r} {xi!r}"
    return remembered("calibrations", key, lambda: _calibrate(setting, parameters, xi))


def _calibrate(setting: Setting, parameters: ExactParameters, xi: float) -> float:
    alpha = allowance(setting, parameters.share) * (1 - setting.outcome.law_accuracy)
    looks = look_counts(setting, parameters)
    boundary = _at_all_counts(setting, looks, _shape(setting, parameters, xi, looks))

    def chance(c: float, step: float = GRID_STEPS[-1]) -> float:
        return _chance(setting, xi, boundary(c), alpha, step)

    if setting.outcome.whole:
        return _bisect(chance, alpha)
    c, slope = math.sqrt(-2 * math.log(alpha)), -3.0
    if SHAPES[parameters.shape].in_evidence:
        c, slope = -math.log(alpha), -1.0
    for step, tolerance in zip(GRID_STEPS, TOLERANCES, strict=True):
        c, slope = _secant(functools.partial(chance, step=step), alpha, c, slope, tolerance)
    return c


def _chance(setting: Setting, xi: float, sums: Numbers, alpha: float, step: float) -> float:
    """P(an arm with mean xi ever crosses the boundary)."""
    from gai_core.evidence.crossing import law

    upper = one_sided(replace(setting, threshold=xi), sums)
    return float(law(setting.outcome, xi, upper, smallest=alpha, step=step).good.sum())


def _bisect(chance: Callable[[float], float], alpha: float) -> float:
    """The smallest c with chance(c) <= alpha, from above, for a chance that falls in steps."""
    if chance(0.0) <= alpha:
        return 0.0
    low, high = 0.0, 1.0
    while chance(high) > alpha:
        low, high = high, 2 * high
    while high - low > CLOSE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if chance(middle) <= alpha else (middle, high)
    return high


def _secant(
    chance: Callable[[float], float], alpha: float, c: float, slope: float, tolerance: float
) -> tuple[float, float]:
    """c with log chance(c) at most log alpha and less than `tolerance` below it, and the slope."""
    target = math.log(alpha) - tolerance / 2
    before: tuple[float, float] | None = None
    for _ in range(60):
        excess = math.log(max(chance(c), alpha * CLOSE)) - target
        if before is not None:
            # Far off, the chance may be flat: the slope counts as at least 0.1.
            slope = min((excess - before[1]) / (c - before[0]), -0.1)
        if abs(excess) <= tolerance / 2:
            return c, slope
        before = c, excess
        c -= max(-1.0, min(1.0, excess / slope))
    raise InputError(
        f"the criterion exact could not be calibrated for an error of {alpha:g} per arm; "
        "choose other looks, another shape or the criterion mixture"
    )


def _used_up(setting: Setting, parameters: ExactParameters, xi: float, sums: Numbers) -> Numbers:
    """Lower single boundary counts, last look first, while the chance stays within alpha.

    With few looks the lattice is coarse and one constant leaves error unspent. Lower
    counts only add to the chance, so a look that could not be lowered never can be.
    """
    from gai_core.evidence.crossing import law

    alpha = allowance(setting, parameters.share)
    sums = np.ceil(sums + ROUNDING)
    upper = one_sided(replace(setting, threshold=xi), sums)
    looks = list(look_counts(setting, parameters)[::-1].astype(int))
    while looks:
        loose = []
        for look in looks:
            lowered, before = min(sums[look - 1], look + 1) - 1, upper.accept[look]
            upper.accept[look] = lowered + 1  # the least count above the sum
            enough = lowered > look * xi
            if enough and law(setting.outcome, xi, upper, smallest=alpha).good.sum() <= alpha:
                sums[look - 1] = lowered
                loose.append(look)
            else:
                upper.accept[look] = before
        looks = loose
    return sums


EXACT = Criterion(
    key="exact",
    label="Exactly calibrated for the largest sample size (fewest patients)",
    formula=(
        "S - n xi >= c sqrt(n v) (pocock), c the least with P(crossing) <= alpha; where the "
        "variance is unknown, t-tests of the same levels"
    ),
    citation=(
        "Pocock, Biometrika 64:191, 1977; O'Brien and Fleming, Biometrics 35:549, 1979; "
        "Armitage, McPherson and Rowe, J. R. Statist. Soc. A 132:235, 1969"
    ),
    suits=lambda kind: kind.mirrors,
    parameters=ExactParameters,
    guarantee="up to n_max",
    guarantee_text=(
        f"{ANY_WRONG} under every allocation rule, for a trial in which no arm gets more patients "
        "than the curves were made for (n_max, or less), if outcomes are as assumed."
    ),
    curves=curves,
    allowance=lambda setting, parameters: allowance(setting, parameters.share),
    problem=problem,
    looks=look_counts,
    once_at_end=lambda parameters: parameters.once_at_end,
)

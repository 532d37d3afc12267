"""Curves calibrated so that an arm at the threshold errs with exactly its share of delta.

A trial with a largest sample size need not pay for eternity. A shape with one
constant c is given; c is the smallest one for which the exactly computed chance
that an arm with mean xi ever crosses by the last look is at most alpha. Monotone
coupling makes xi the worst mean. With one look this is the classical exact test.
"""

from dataclasses import replace

from gai_core.basics import kept_arrays
from gai_core.criteria.criterion import Criterion
from gai_core.criteria.exact.allowances import allowance
from gai_core.criteria.exact.budget import budget_limits
from gai_core.criteria.exact.calibration import at_all_counts, constant, shape_of
from gai_core.criteria.exact.checks import problem
from gai_core.criteria.exact.parameters import ExactParameters
from gai_core.criteria.exact.schedule import declaring_counts, last_look, look_counts
from gai_core.criteria.exact.using_up import used_up
from gai_core.criteria.looks import EqualLooks, patients_for
from gai_core.criteria.sides import Boundary, Numbers, two_sided
from gai_core.criteria.step_down import steps_down
from gai_core.evidence import Curves, Outcome, Setting, as_samples

USED_UP_WITHIN = 200_000
"""Looks times patients up to which what the lattice leaves over is used up."""
KEPT_BYTES, KEPT_ALWAYS = 100_000_000, 16
"""Boundaries kept in memory: a search for a sample size makes hundreds of small ones, and must not
push out the study's own; of large ones, as of pairs by their controls, a study's own stay."""


def evidence(outcome: Outcome, parameters: ExactParameters) -> Outcome:
    """What the limits read of a stream: all of it, or two samples."""
    return as_samples(outcome) if parameters.by_samples else outcome


def curves(setting: Setting, parameters: ExactParameters) -> Curves:
    """Good, or bad, at a look where the sum is c of the shape beyond n xi."""
    setting = replace(setting, outcome=evidence(setting.outcome, parameters))
    end = last_look(setting, parameters)
    if parameters.once_at_end and setting.missing:
        cut = replace(setting, most_patients=end)
        return replace(two_sided(cut, _one_look(parameters)), only_at_end=True)
    if parameters.once_at_end or isinstance(parameters.looks, EqualLooks):
        looks = tuple(look_counts(setting, parameters).astype(int).tolist())
        end = patients_for(setting, parameters.looks, end)
        parameters = parameters.model_copy(update={"looks": looks, "largest": None})
    elif parameters.largest_share is not None or parameters.up_to != "n_max":
        listed = isinstance(parameters.looks, tuple)
        parameters = parameters.model_copy(update={"largest": None if listed else end})
    # In the narrowed setting a share would be of something else: from here on `largest` counts.
    parameters = parameters.model_copy(update={"largest_share": None, "up_to": "n_max"})
    together = setting.most_patients if parameters.budgeted else None
    setting = replace(setting, most_patients=end, together=together)

    dropping = parameters.model_copy(update={"declare_from": 0.0})
    return two_sided(
        setting, lambda side: _side(side, parameters), lambda side: _side(side, dropping)
    )


def _one_look(parameters: ExactParameters) -> Boundary:
    """The greatest sum after n patients that the exact test does not reject.

    One test at whatever number of outcomes there is in the end, for each n by itself: valid
    where that number does not depend on the outcomes.
    """

    def boundary(side: Setting) -> Numbers:
        alpha = allowance(side, parameters.share)
        return side.outcome.test_limit(alpha, side.counts[1:], side.target)

    return boundary


@kept_arrays(KEPT_BYTES, KEPT_ALWAYS)
def _side(setting: Setting, parameters: ExactParameters) -> Numbers:
    """The calibrated boundary above xi for n = 1, 2, ...: infinite where there is no look."""
    looks, xi = declaring_counts(setting, parameters), setting.target
    if parameters.budgeted:
        return budget_limits(setting, parameters, xi)
    if looks.size == 1 and setting.outcome.in_closed_form:
        alpha = allowance(setting, parameters.share)
        test = setting.outcome.test_limit(alpha, looks, xi)
        return at_all_counts(setting, looks, lambda _c: test)(0.0)
    boundary = at_all_counts(setting, looks, shape_of(setting, parameters, xi, looks))
    c = constant(setting, parameters, xi)
    coarse = looks.size * looks[-1] <= USED_UP_WITHIN
    if setting.outcome.whole and coarse and not setting.outcome.by_controls:
        return used_up(setting, parameters, xi, boundary(c))
    return setting.outcome.used_up(boundary(c), xi, allowance(setting, parameters.share))


EXACT = Criterion(
    key="exact",
    label="Exactly calibrated for the largest sample size (fewest patients)",
    formula=(
        "S - n xi >= c sqrt(n v) (pocock) or c N^(1/2-e) n^e sqrt(v) (wang-tsiatis; N the last "
        "look), c the least with P(crossing) <= alpha; where the variance is unknown, t-tests of "
        "the same levels; where pairs are judged by their likelihood, log E >= c (N/n)^(1-2e), "
        "and as two samples z >= c (N/n)^(1/2-e) with the pooled z, or with a margin the score z"
    ),
    citation=(
        "Pocock, Biometrika 64:191, 1977; O'Brien and Fleming, Biometrics 35:549, 1979; "
        "Wang and Tsiatis, Biometrics 43:193, 1987; Armitage, McPherson and Rowe, J. R. Statist. "
        "Soc. A 132:235, 1969; Suissa and Shuster, J. R. Statist. Soc. A 148:317, 1985; Farrington "
        "and Manning, Statist. Med. 9:1447, 1990"
    ),
    suits=lambda kind: kind.mirrors,
    parameters=ExactParameters,
    guarantee="up to n_max",
    promises=(
        "{error}, {rules}, for a trial in which no arm gets more patients than the curves were "
        "made for (the largest sample size, or less), {assumed}."
    ),
    curves=curves,
    evidence=evidence,
    allowance=lambda setting, parameters: allowance(setting, parameters.share),
    problem=problem,
    looks=look_counts,
    once_at_end=lambda parameters: parameters.once_at_end,
    needs_one_rate=lambda parameters: parameters.by_samples,
    needs_equal=lambda parameters: parameters.share == "dunnett",
    shares_patients=lambda parameters: parameters.budgeted,
    steps_down=steps_down,
)

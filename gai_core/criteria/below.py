"""Dropping by the observed mean, as protocols often have it: a dose that looks bad is dropped."""

import numpy as np
from pydantic import Field

from gai_core.basics import Parameters, Problem, searched
from gai_core.criteria.criterion import Criterion
from gai_core.criteria.sides import curves_from
from gai_core.evidence import ROUNDING, Curves, Setting

PROMISES_NOTHING = (
    "No bound on the chance of dropping a good dose is promised: it is simulated for every "
    "assumption, and an upper limit of it is computed exactly."
)


class BelowParameters(Parameters):
    """How far below the target, and from when on."""

    amount: float = Field(
        default=0.0,
        ge=0,
        le=1e6,
        title="How far below the target",
        json_schema_extra=searched(0.0, 0.05, 0.1, 0.2, 0.3, 0.5, unit="sd"),
        description="How far the observed mean lies below the target at least.",
    )
    after: int = Field(
        default=1,
        ge=1,
        le=1_000_000,
        title="Outcomes before",
        json_schema_extra=searched(1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30),
        description="Outcomes of the dose before it can be dropped.",
    )


def curves(setting: Setting, parameters: BelowParameters) -> Curves:
    """Bad if S/n <= xi - amount (S/n < xi where the amount is 0) and n >= after; never good."""
    n, outcome = setting.counts[1:], setting.outcome
    never, nobody = outcome.never(n)
    limit = outcome.limit_below(n, setting.threshold, parameters.amount)
    if outcome.by_controls:  # however many controls respond
        n, limit = n[:, None], limit[:, None]
    if outcome.whole:  # the greatest whole sum; 10 x (0.3 - 0.1) is 2, whatever the last bit says
        strict = parameters.amount == 0
        limit = np.ceil(limit - ROUNDING) - 1 if strict else np.floor(limit + ROUNDING)
    reject = np.where(n >= parameters.after, np.maximum(limit, nobody), nobody)
    return curves_from(setting, never, reject)


def problem(setting: Setting, parameters: BelowParameters) -> Problem | None:
    """An amount that no mean can lie below the target, or dropping that begins too late."""
    if parameters.amount > 0 and not setting.outcome.knows_variance:
        rule = "must be 0 where the variance is unknown, as limits are on the t-statistic then"
        remedy = "set it to 0, or choose the futility mixture or exact"
        return Problem(("amount",), rule, f"is {parameters.amount:g}", remedy)
    least = setting.outcome.mean_range[0]
    if setting.threshold - parameters.amount < least:
        rule = f"must be at most {setting.threshold - least:g}, or no dose could ever be dropped"
        return Problem(("amount",), rule, f"is {parameters.amount:g}", 'choose futility = "none"')
    if parameters.after > setting.most_patients:
        rule = f"must not go beyond n_max = {setting.most_patients}"
        return Problem(("after",), rule, f"is {parameters.after}")
    return None


BELOW = Criterion(
    key="below",
    label="Dropped where the observed mean is below the target",
    formula="m <= xi - amount, n >= after",
    citation="A usual rule for dropping arms at interim looks",
    parameters=BelowParameters,
    guarantee="nothing",
    promises=PROMISES_NOTHING,
    curves=curves,
    problem=problem,
)


def _never(setting: Setting, _parameters: Parameters) -> Curves:
    return curves_from(setting, *setting.outcome.never(setting.counts[1:]))


NO_DROPPING = Criterion(
    key="none",
    label="No dose is dropped",
    formula="never",
    citation="–",
    guarantee="always",
    promises="No good dose is ever dropped, because none is.",
    curves=_never,
)

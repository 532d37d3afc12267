"""What error one arm may make."""

import math

from gai_core.criteria.exact.parameters import ExactParameters
from gai_core.evidence import Setting, dunnett_share

LARGEST_ALLOWANCE = 0.4
"""Near 1/2 the two curves of a look would meet: no arm is allowed more error than this."""


def allowance(setting: Setting, share: str) -> float:
    """The error that one arm may make in being declared.

    With a shared budget that is all of it, for an arm that gets all the patients.
    """
    error = setting.errors.declare
    if share == "budget":
        return min(error, LARGEST_ALLOWANCE)
    if share == "sidak":
        return min(-math.expm1(math.log1p(-error) / setting.sharing), LARGEST_ALLOWANCE)
    if share == "dunnett":
        return min(dunnett_share(setting.sharing, error), LARGEST_ALLOWANCE)
    return min(error / setting.sharing, LARGEST_ALLOWANCE)


def allowances(setting: Setting, parameters: ExactParameters) -> list[float]:
    """The errors that one arm may make: in being declared, and in being dropped."""
    rates = setting.errors.declare, setting.errors.drop
    return [allowance(setting.at(rate), parameters.share) for rate in rates]

"""Where a false declaration is likeliest: every dose just below the target."""

from gai_core.evidence import Outcome

JUST_BELOW = 0.01
"""How far below the target the doses of the boundary null lie."""


def just_below(target: float, kind: type[Outcome]) -> float:
    """A little less than the target; a rate stays above 0."""
    step = min(JUST_BELOW, (target - kind.mean_range[0]) / 2)
    return round(target - step, 9)

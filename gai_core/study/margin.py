"""A margin over the control becomes the threshold that it means; means with dropouts in them."""

from typing import Any

from pydantic import ValidationError

from gai_core.basics import InputError, Problem, shown
from gai_core.study.conduct import Dropout

LARGEST_MARGIN = 1e12


def with_threshold(data: dict[str, Any]) -> dict[str, Any]:
    """The same study with the threshold that its margin over the control means, if it has one."""
    margin = data.get("margin")
    if margin is None:
        return data
    if type(margin) not in (int, float) or not abs(margin) < LARGEST_MARGIN:
        return data | {"threshold": 0.5}  # that the margin is no such number is all there is to say
    try:
        control = next(i for i, arm in enumerate(data["arms"]) if _field(arm, "control"))
        mean = float(_field(data["truths"][0], "means")[control])
        mean = expected_mean(mean, _dropout_of(data))
        threshold = in_decimals(mean + margin)
    except (AttributeError, LookupError, TypeError, ValueError, StopIteration, OverflowError):
        rule = "needs an arm with control = true, and its mean under the first truth"
        raise InputError(Problem(("margin",), rule)) from None
    given = data.get("threshold")
    if given is not None and given != threshold:
        rule = (
            f"must be left out where margin is given, or be {threshold:g}, the mean of the control "
            f"({mean:g}) plus the margin"
        )
        raise InputError(Problem(("threshold",), rule, f"is {shown(given)}"))
    return data | {"threshold": threshold}


def expected_mean(mean: float, dropout: Dropout | None) -> float:
    """The mean that a verdict is about, given the stated one.

    Those who stay have m/(1-q) where the stated mean counts a share q of dropouts as zero; with
    dropouts counted as zero it is m (1-q) where the stated mean does not contain them.
    """
    if dropout is None or dropout.in_means != dropout.left_out:
        return mean
    stay = 1 - dropout.on_target
    return in_decimals(mean / stay if dropout.left_out else mean * stay)


def stated_mean(mean: float, dropout: Dropout | None) -> float:
    """The mean to be stated for the one that a verdict is to be about: undoes `expected_mean`."""
    return in_decimals(mean / expected_mean(1.0, dropout))


def highest_mean(highest: float, dropout: Dropout | None) -> float:
    """The highest mean that a verdict can be about: dropouts that count as zero lower it."""
    return highest if dropout is None or dropout.left_out else highest * (1 - dropout.on_target)


def _dropout_of(data: dict[str, Any]) -> Dropout | None:
    """The dropout of a study that is not validated yet; None where it has none, or a broken one."""
    try:
        given = _field(data["conduct"], "dropout")
        return None if given is None else Dropout.model_validate(given)
    except (AttributeError, KeyError, ValidationError):
        return None


def in_decimals(value: float) -> float:
    """The number without the last bits of a computation: 0.32/0.8 is a target of 0.4, not below."""
    return float(f"{value:.12g}")


def _field(part: Any, name: str) -> Any:
    """A field of a part, which may be a table of a file or a model already."""
    return part.get(name) if isinstance(part, dict) else getattr(part, name)

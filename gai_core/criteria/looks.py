"""When a dose is looked at: after every so many patients, at a list, so many times, or at the end.

`{ equal = 4 }` is four looks at equal distances, the last when a dose has its equal share of the
patients: the looks of a group-sequential trial. They follow n_max, so a search for the smallest
n_max makes them anew for each.
"""

import math
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from gai_core.basics import FrozenModel
from gai_core.evidence import Setting

MOST_EQUAL = 100
RULE = (
    'must be a whole number from 1 on, a list of such numbers, "end", or { equal = 4 } for 4 looks '
    f"at equal distances (1 to {MOST_EQUAL})"
)


class EqualLooks(FrozenModel):
    """So many looks, at equal distances."""

    equal: int = Field(ge=1, le=MOST_EQUAL, description="Looks at a dose, the last one included.")


def _checked(value: Any) -> Any:
    """A number, a list of numbers without repetition, "end", or a number of equal looks."""
    if value == "end" or isinstance(value, EqualLooks):
        return value
    listed = isinstance(value, list | tuple)
    table = isinstance(value, dict)
    numbers = value if listed else [value.get("equal") if table else value]
    whole = all(type(number) is int and number >= 1 for number in numbers)
    fits = not table or (len(value) == 1 and whole and numbers[0] <= MOST_EQUAL)
    if not numbers or not whole or not fits:
        raise PydanticCustomError("looks", "{rule}", {"rule": RULE})
    return tuple(sorted(set(value))) if listed else value


LookNumbers = Annotated[
    Literal["end"] | int | tuple[int, ...] | EqualLooks, BeforeValidator(_checked)
]


def equal_share(setting: Setting) -> int:
    """Outcomes that every dose has in the end under equal allocation, if none is dropped.

    Where outcomes can be missing, a share q of the m patients on a dose, they are counted as
    m (1-q) less two standard deviations sqrt(m q (1-q)), so that the last look is seldom missed.
    Of pairs with a control those that say nothing count as missing too.
    """
    patients, missing = setting.equal_count, setting.missing_share
    if not missing:
        return patients
    spread = math.sqrt(patients * missing * (1 - missing))
    return max(1, math.floor(patients * (1 - missing) - 2 * spread))


def patients_for(setting: Setting, looks: Any, end: int) -> int:
    """Patients that a dose may get so that it has the outcomes of its last look.

    Where some will be missing these are more, up to the equal share of all patients.
    """
    more = isinstance(looks, EqualLooks) and setting.missing
    return max(end, setting.equal_count) if more else end


def equal_counts(looks: int, end: int) -> NDArray[np.float64]:
    """ceil(i end / k), i = 1, ..., k: the patients of a dose at k equal looks."""
    return np.unique(np.array([-(-i * end // looks) for i in range(1, looks + 1)], float))
